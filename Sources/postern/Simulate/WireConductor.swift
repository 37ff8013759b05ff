import GatewayCore
import GatewayFleet
import GatewayJSON
import GatewayRuntime
import GatewaySpace

/// The conductor of a scenario in a simulated storm. It gives the gateway the scenario's orders at their times, e.g. to
/// revoke every token.
struct WireConductor {
  private let phases: [ScenarioPhase]
  private let times: ScenarioTimes

  /// Reads the phases. Throws if one has an order that no gateway accepts.
  init(_ scenario: StormScenario, of plans: [StormPlan]) throws(StormPlanError) {
    phases = scenario.phases
    times = try scenario.times(of: plans)
    for phase in phases {
      for fault in phase.faults {
        do throws(GatewayError) {
          try Space.check(fault: Self.json(fault))
        } catch {
          throw StormPlanError("the phase '\(phase.name)': \(error.message)")
        }
      }
    }
  }

  /// Whether the gateway is ordered to fail, which needs a gateway with one loop.
  var wantsFaults: Bool { phases.contains { !$0.faults.isEmpty } }

  private static func json(_ fault: PlainJSON) -> [UInt8] {
    (try? JSONCoder().encode(fault)) ?? []
  }

  /// Gives all orders in turn, and withdraws each fault at the end of its phase. Call it on the gateway's first loop.
  func conduct(_ space: Space, startsAt start: Instant, on loop: EventLoop) async {
    for (phase, time) in zip(phases, times.phases) {
      await loop.sleep(until: start + time.start)
      let faults = phase.faults.compactMap { try? space.order(fault: Self.json($0)) }
      await give(phase.order, space.gateway)
      let next = times.phases.first { $0.start > time.start }?.start ?? time.start + time.length
      await loop.sleep(until: start + next)
      for fault in faults { space.mend(fault: fault) }
    }
  }

  /// Gives an order. A gateway in memory accepts every order.
  private func give(_ order: ScenarioPhase.Order?, _ gateway: Gateway) async {
    switch order {
    case nil: return
    case .expire: _ = try? await gateway.controlAll(.expireNow)
    case .refresh: _ = try? await gateway.controlAll(.askForRefresh)
    case .disconnect: _ = try? await gateway.controlAll(.disconnect(.disconnected))
    case .restart: _ = try? await gateway.controlAll(.disconnect(.serviceRestart))
    case .revoke: _ = try? await gateway.revoke(.everybody(issuedBefore: gateway.wallTime))
    }
  }
}
