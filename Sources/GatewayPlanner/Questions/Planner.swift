internal import GatewayCore
package import GatewayFleet

/// Puts questions to worlds: small ones, scaled in all that matters, until the answer is known to a fiftieth, and one of full size that
/// proves it.
package struct Planner: Sendable {
  /// A value that was tried with all seeds.
  package struct Trial: Sendable {
    package let value: Double
    package let passes: Bool
    /// With the first seed.
    package let result: StormResult
  }

  package struct Answer: Sendable {
    /// The value that keeps the thresholds; nil if none does.
    package var value: Trial?
    /// The nearest one that does not; nil if every one does.
    package var margin: Trial?
    /// The run at full size, where the others were smaller.
    package var proof: Trial?
    /// How many worlds were run.
    package var runs = 0
  }

  package let settings: WorldSettings
  package let threads: Int
  /// The most clients of a world that only looks for the answer.
  package let scale: Int
  /// Whether a result keeps the thresholds.
  private let judge: @Sendable (StormResult) -> Bool

  /// How many seeds each value is tried with.
  private static let seeds: UInt64 = 3
  /// How near the two sides of the edge are brought.
  private static let accuracy = 1.02
  private static let stepsMax = 40

  package init(
    _ settings: WorldSettings, threads: Int, scale: Int, judge: @escaping @Sendable (StormResult) -> Bool
  ) {
    self.settings = settings
    self.threads = threads
    self.scale = scale
    self.judge = judge
  }

  /// The answer to a question that has a number.
  package func answer(_ question: Question) async throws -> Answer {
    let range = question.range(settings)
    var answer = Answer()
    var (good, bad) =
      question.wantsLeast ? (range.upperBound, range.lowerBound) : (range.lowerBound, range.upperBound)
    let first = try await attempt(question.settings(settings, with: good), good, &answer)
    guard first.passes else {
      answer.margin = first
      return answer
    }
    answer.value = first
    let other = try await attempt(question.settings(settings, with: bad), bad, &answer)
    guard !other.passes else {
      answer.value = other
      return answer
    }
    answer.margin = other
    for _ in 0..<Self.stepsMax where max(good, bad) / min(good, bad) > Self.accuracy {
      let middle = (good * bad).squareRoot()
      let trial = try await attempt(question.settings(settings, with: middle), middle, &answer)
      if trial.passes {
        (good, answer.value) = (middle, trial)
      } else {
        (bad, answer.margin) = (middle, trial)
      }
    }
    let full = question.settings(settings, with: good)
    if full.plan.clients > scale {
      answer.proof = try await attempt(full, good, &answer, isFull: true)
    }
    return answer
  }

  /// What settings come to, each with as many seeds; the value is what they are called.
  package func attempt(
    _ settings: WorldSettings, _ value: Double, _ answer: inout Answer, isFull: Bool = false
  ) async throws -> Trial {
    var small = settings
    if !isFull && small.plan.clients > scale { small = small.scaled(toClients: scale, withProvider: true) }
    let seeds = (0..<(isFull ? 1 : Self.seeds)).map { settings.plan.seed &+ $0 }
    let results = try await Worlds.run(seeds, threads: isFull ? 1 : threads) { [small] seed in
      var seeded = small
      seeded.plan.seed = seed
      var world = try MachineWorld(seeded)
      return world.run().result
    }
    answer.runs += results.count
    return Trial(value: value, passes: results.allSatisfy(judge), result: results[0])
  }

  /// What each of several settings comes to with the first seed.
  package func compare(_ all: [WorldSettings]) async throws -> [StormResult] {
    try await Worlds.run(all, threads: threads) { [scale] settings in
      let isLarge = settings.plan.clients > scale
      var world = try MachineWorld(isLarge ? settings.scaled(toClients: scale, withProvider: true) : settings)
      return world.run().result
    }
  }
}
