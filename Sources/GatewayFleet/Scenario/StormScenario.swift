internal import GatewayCore

/// A plan of the events in a storm, phase by phase, e.g. the token provider is down for thirty seconds at the top of
/// the wave.
///
/// A value without I/O: the storm, or its simulation in virtual time, carries it out.
package struct StormScenario: Hashable, Sendable, Decodable {
  package let phases: [ScenarioPhase]

  /// The maximum number of phases.
  private static let phasesMax = 100

  package init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, known: ["phases"])
    phases = try members.container.decode([ScenarioPhase].self, forKey: .init("phases"))
    try check { members.wrong($0, at: .init("phases")) }
  }

  private func check(_ wrong: (String) -> any Error) throws {
    guard (1...Self.phasesMax).contains(phases.count) else {
      throw wrong("expected 1 to \(Self.phasesMax) phases, not \(phases.count)")
    }
    for (index, phase) in phases.enumerated() {
      if phases[..<index].contains(where: { $0.name.utf8.elementsEqual(phase.name.utf8) }) {
        throw wrong("two phases are called '\(phase.name)'")
      }
      if index > 0, phase.from == nil, phases[index - 1].length == nil {
        throw wrong("'\(phase.name)' needs a \"from\", or '\(phases[index - 1].name)' a \"for_s\"")
      }
    }
  }

  /// Returns the start of each phase in a storm of that plan, counted from the storm's start. Throws an error if one
  /// would begin before the previous one.
  package func times(of plan: StormPlan) throws(StormPlanError) -> ScenarioTimes { try times(of: [plan]) }

  /// Returns the same for a storm of several fleets.
  package func times(of plans: [StormPlan]) throws(StormPlanError) -> ScenarioTimes {
    var times: [ScenarioTimes.Phase] = []
    for phase in phases {
      let last = times.last.map { $0.start + $0.length }
      let start = phase.from.map { $0.instant(in: plans) + phase.after } ?? (last ?? .zero) + phase.after
      guard start >= (times.last?.start ?? .zero) else {
        throw StormPlanError(
          "the phase '\(phase.name)' would begin \(Figures.duration(start)) after the start, before the one ahead of it"
        )
      }
      times.append(.init(name: phase.name, start: start, length: phase.length ?? .zero))
    }
    let asksAt = zip(phases, times).first { phase, _ in phase.order?.asks ?? false }?.1.start
    return ScenarioTimes(phases: times, disturbedUntil: disturbedUntil(times), asksAt: asksAt)
  }

  /// Returns the end of the last disturbance of the gateway: an order ends at once, faults end with their phase.
  private func disturbedUntil(_ times: [ScenarioTimes.Phase]) -> Duration? {
    zip(phases, times).compactMap { phase, time -> Duration? in
      guard phase.faults.isEmpty else {
        return times.first { $0.start > time.start }?.start ?? time.start + time.length
      }
      return phase.order == nil ? nil : time.start
    }.max()
  }
}

/// The times of a scenario's phases in a storm, counted from the storm's start.
package struct ScenarioTimes: Hashable, Sendable {
  /// A phase with its times.
  package struct Phase: Hashable, Sendable {
    package let name: String
    package let start: Duration
    /// The minimum duration.
    package let length: Duration
  }

  package var phases: [Phase] = []
  /// The end of all its disturbances of the gateway; nil if there are none.
  package var disturbedUntil: Duration?
  /// The first time at which it makes the gateway ask all clients for another token; nil for never.
  package var asksAt: Duration?

  package init(phases: [Phase] = [], disturbedUntil: Duration? = nil, asksAt: Duration? = nil) {
    self.phases = phases
    self.disturbedUntil = disturbedUntil
    self.asksAt = asksAt
  }

  /// The earliest time at which the storm may end by itself.
  var end: Duration { phases.last.map { $0.start + $0.length } ?? .zero }
}
