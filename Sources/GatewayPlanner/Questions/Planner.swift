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
    /// Values that do not do as the others have it: more is not always better, or less not always worse.
    package var exceptions: [Trial] = []
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
  /// How many values are tried for a first that keeps the thresholds, and in how many parts the rest of the range is looked at;
  /// powers of two.
  private static let startsMax = 8
  private static let probes = 4

  package init(
    _ settings: WorldSettings, threads: Int, scale: Int, judge: @escaping @Sendable (StormResult) -> Bool
  ) {
    self.settings = settings
    self.threads = threads
    self.scale = scale
    self.judge = judge
  }

  /// The answer to a question that has a number.
  ///
  /// More is taken to be better, or less, up to the end of the range: between a value that keeps the thresholds and one that does
  /// not the edge is looked for. Whether it is so is looked at as well, at both ends and in between.
  package func answer(_ question: Question) async throws -> Answer {
    let range = question.range(settings)
    var answer = Answer()
    let (best, worst) =
      question.wantsLeast ? (range.upperBound, range.lowerBound) : (range.lowerBound, range.upperBound)
    let last = try await attempt(question.settings(settings, with: worst), worst, &answer)
    guard let (value, first) = try await start(question, from: best, to: worst, &answer) else {
      // Nothing but what should be worst, perhaps.
      if last.passes { (answer.value, answer.exceptions) = (last, [answer.margin].compactMap { $0 }) }
      return answer
    }
    answer.value = first
    guard !last.passes else {
      answer.value = last
      try await probe(question, between: worst, and: value, expecting: true, &answer)
      return answer
    }
    answer.margin = last
    var (good, bad) = (value, worst)
    for _ in 0..<Self.stepsMax where max(good, bad) / min(good, bad) > Self.accuracy {
      let middle = (good * bad).squareRoot()
      let trial = try await attempt(question.settings(settings, with: middle), middle, &answer)
      if trial.passes {
        (good, answer.value) = (middle, trial)
      } else {
        (bad, answer.margin) = (middle, trial)
      }
    }
    try await probe(question, between: good, and: value, expecting: true, &answer)
    try await probe(question, between: bad, and: worst, expecting: false, &answer)
    let full = question.settings(settings, with: good)
    if full.plan.clients > scale {
      answer.proof = try await attempt(full, good, &answer, isFull: true)
    }
    return answer
  }

  /// The value nearest to `best` that keeps the thresholds, of a few; nil if none does.
  private func start(
    _ question: Question, from best: Double, to worst: Double, _ answer: inout Answer
  ) async throws -> (Double, Trial)? {
    for step in 0..<Self.startsMax {
      let value = best * pow(worst / best, step, of: Self.startsMax)
      let trial = try await attempt(question.settings(settings, with: value), value, &answer)
      if trial.passes { return (value, trial) }
      answer.margin = trial
      answer.exceptions.append(trial)
    }
    answer.margin = answer.exceptions.first
    answer.exceptions = []
    return nil
  }

  /// Looks whether values between the edge and an end do as they should, and notes those that do not.
  private func probe(
    _ question: Question, between edge: Double, and end: Double, expecting passes: Bool, _ answer: inout Answer
  ) async throws {
    guard max(edge, end) / min(edge, end) > Self.accuracy else { return }
    for step in 1..<Self.probes {
      let value = edge * pow(end / edge, step, of: Self.probes)
      let trial = try await attempt(question.settings(settings, with: value), value, &answer)
      if trial.passes != passes { answer.exceptions.append(trial) }
    }
  }

  /// `ratio` to the power of `step / steps`, for a few steps.
  private func pow(_ ratio: Double, _ step: Int, of steps: Int) -> Double {
    // Both are powers of two: roots will do.
    var (root, count) = (ratio, steps)
    while count > 1 { (root, count) = (root.squareRoot(), count / 2) }
    return (0..<step).reduce(1) { power, _ in power * root }
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
