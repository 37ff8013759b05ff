internal import GatewayCore
internal import GatewayFleet

/// A phase of a scenario as a world of machines has it: every token is revoked, for instance, the provider refuses for
/// thirty seconds.
struct WorldPhase: Hashable, Sendable {
  let name: String
  let start: Duration
  let order: ScenarioPhase.Order?
  /// How the provider refuses everybody while it lasts; nil if it does not.
  let refusal: Refusal?

  /// A refusal in place of a token, after its turn.
  struct Refusal: Hashable, Sendable {
    /// What it says of when to come back; nil for nothing.
    let retryAfter: Duration?
  }

  /// Reads what the machines have of a phase, and refuses by name what they have not.
  init(_ phase: ScenarioPhase, start: Duration) throws(StormPlanError) {
    name = phase.name
    self.start = start
    order = phase.order
    var refusal: Refusal?
    for fault in phase.faults {
      guard let known = Self.refusal(fault) else {
        throw StormPlanError(
          "the phase '\(phase.name)': of faults the machines have {\"fault\": \"mint_refused\", \"status\": 503, "
            + "\"retry_after_s\": N} alone, for everybody; --fidelity wire has all of them")
      }
      refusal = known
    }
    self.refusal = refusal
  }

  /// The fault, if it is one that the machines have.
  private static func refusal(_ fault: PlainJSON) -> Refusal? {
    guard case .object(let members) = fault, members["fault"] == .text("mint_refused") else { return nil }
    var retryAfter: Duration?
    for (name, value) in members {
      switch (name, value) {
      case ("fault", _), ("status", .integer(503)), ("status", .integer(429)): continue
      case ("retry_after_s", .integer(let seconds)) where (0...86_400).contains(seconds): retryAfter = .seconds(seconds)
      case ("retry_after_s", .number(let seconds)) where (0...86_400).contains(seconds):
        // The header has whole seconds.
        retryAfter = .seconds(Int64(seconds.rounded(.up)))
      default: return nil
      }
    }
    return Refusal(retryAfter: retryAfter)
  }
}

extension WorldSettings {
  /// What happens while the world lasts, in its order.
  func worldPhases() throws(StormPlanError) -> [WorldPhase] {
    guard let scenario else { return [] }
    var phases: [WorldPhase] = []
    for (phase, time) in zip(scenario.phases, try scenario.times(of: plan).phases) {
      phases.append(try WorldPhase(phase, start: time.start))
    }
    return phases
  }

  /// Before this the world does not end by itself.
  var phasesEnd: Duration {
    guard let times = try? scenario?.times(of: plan), let last = times.phases.last else { return .zero }
    return last.start + last.length
  }
}
