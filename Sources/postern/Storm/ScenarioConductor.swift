import GatewayCore
import GatewayFleet
import GatewayJSON
import GatewayKit
import GatewayRuntime
import GatewayServer

/// The conductor of a scenario. It gives the gateway the scenario's orders and faults at their times.
///
/// A storm has one, however many processes it has, on a loop of its own.
struct ScenarioConductor {
  let options: StormOptions
  private let phases: [ScenarioPhase]
  private let times: ScenarioTimes

  /// The interval of checks whether the storm is over.
  private static let pause = Duration.milliseconds(50)
  /// The interval of checks whether all loops have entered a phase, and the timeout for that.
  private static let gatePause = Duration.milliseconds(2)
  private static let gatePatience = Duration.seconds(30)

  /// Prepares the orders; nil if there is no scenario with orders to the gateway.
  init?(_ options: StormOptions) {
    guard let scenario = options.scenario, scenario.phases.contains(where: \.wantsControl) else { return nil }
    self.options = options
    phases = scenario.phases
    times = options.times
  }

  /// Gives all orders in turn, until the end or the task's cancellation, and withdraws all faults. Returns sentences about
  /// orders that the gateway did not carry out.
  ///
  /// - Parameters:
  ///   - startsAt: When the storm starts.
  ///   - gate: The phases that the storm's loops have entered.
  ///   - loop: The conductor's loop.
  func conduct(startsAt: WallTime, gate: PhaseGate, on loop: EventLoop) async -> [String] {
    var failures: [String] = []
    var faults: [StormOptions.OrderedFault] = []
    for (index, (phase, time)) in zip(phases, times.phases).enumerated() {
      guard await sleep(until: startsAt + time.start, on: loop) else { break }
      guard await pass(gate, index, on: loop) else {
        if !Task.isCancelled {
          failures.append(
            "the phase '\(phase.name)' and those after it were not ordered: a part of the storm did not begin it within "
              + "\(Figures.duration(Self.gatePatience)); give the storm a free processor")
        }
        break
      }
      await options.mend(faults)
      faults = []
      do {
        for fault in phase.faults {
          let order = try JSONCoder().text(fault)
          try await options.order(fault: order, into: &faults)
        }
        if let order = phase.order { try await options.give(order) }
      } catch {
        failures.append("the phase '\(phase.name)' was not as the scenario has it: \(error)")
      }
    }
    if let last = times.phases.last { _ = await sleep(until: startsAt + last.start + last.length, on: loop) }
    await options.mend(faults)
    return failures
  }

  /// Waits until all loops have entered the phase. Returns false if the storm ends before, or on timeout.
  private func pass(_ gate: PhaseGate, _ index: Int, on loop: EventLoop) async -> Bool {
    let deadline = loop.now + Self.gatePatience
    while !gate.hasBegun(index) {
      guard !Task.isCancelled, loop.now < deadline else { return false }
      await loop.sleep(until: loop.now + Self.gatePause)
    }
    return !Task.isCancelled
  }

  /// Sleeps. Returns false if the storm ends before.
  private func sleep(until time: WallTime, on loop: EventLoop) async -> Bool {
    while !Task.isCancelled, loop.wallTime < time {
      await loop.sleep(until: loop.now + min(Self.pause, time - loop.wallTime))
    }
    return !Task.isCancelled
  }
}
