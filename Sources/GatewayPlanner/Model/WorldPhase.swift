internal import GatewayCore
internal import GatewayFleet

/// A phase of a scenario in a world of machines.
struct WorldPhase: Hashable, Sendable {
  let name: String
  let start: Duration
  let order: ScenarioPhase.Order?
  /// The provider's refusal of all requests during the phase; nil if it does not refuse.
  let refusal: Refusal?

  /// A refusal instead of a token, at the end of the request's turn.
  struct Refusal: Hashable, Sendable {
    let status: Int
    /// The `Retry-After` of the refusal; nil for none.
    let retryAfter: Duration?

    /// The refusal as clients receive it.
    var answer: ProviderAnswer {
      status == 429 || status == 503 ? .busy(status: status, retryAfter: retryAfter) : .refused(status: status)
    }
  }

  /// Reads a phase; throws an error that names any fault that the machines do not support.
  init(_ phase: ScenarioPhase, start: Duration) throws(StormPlanError) {
    name = phase.name
    self.start = start
    order = phase.order
    var refusal: Refusal?
    for fault in phase.faults {
      guard let known = Self.refusal(fault) else {
        throw StormPlanError(
          "the phase '\(phase.name)': of faults the machines have {\"fault\": \"mint_refused\", \"status\": 503, "
            + "\"retry_after_s\": N} alone, with 400, 401, 403, 429 or 503 and for everybody; --fidelity wire has all "
            + "of them")
      }
      refusal = known
    }
    self.refusal = refusal
  }

  /// Returns the refusal of a fault; nil if the machines do not support the fault.
  private static func refusal(_ fault: PlainJSON) -> Refusal? {
    guard case .object(let members) = fault, members["fault"] == .text("mint_refused") else { return nil }
    var retryAfter: Duration?
    var answered = 503
    for (name, value) in members {
      switch (name, value) {
      case ("fault", _): continue
      case ("status", .integer(let status)) where [400, 401, 403, 429, 503].contains(status): answered = Int(status)
      case ("retry_after_s", .integer(let seconds)) where (0...86_400).contains(seconds): retryAfter = .seconds(seconds)
      case ("retry_after_s", .number(let seconds)) where (0...86_400).contains(seconds):
        // The header holds whole seconds.
        retryAfter = .seconds(Int64(seconds.rounded(.up)))
      default: return nil
      }
    }
    return Refusal(status: answered, retryAfter: retryAfter)
  }
}

extension WorldSettings {
  /// Returns the phases of the world's scenario, in order.
  func worldPhases() throws(StormPlanError) -> [WorldPhase] {
    guard let scenario else { return [] }
    var phases: [WorldPhase] = []
    for (phase, time) in zip(scenario.phases, try scenario.times(of: plans).phases) {
      phases.append(try WorldPhase(phase, start: time.start))
    }
    return phases
  }

  /// The earliest time at which the world may end by itself.
  var phasesEnd: Duration {
    guard let times = try? scenario?.times(of: plans), let last = times.phases.last else { return .zero }
    return last.start + last.length
  }
}
