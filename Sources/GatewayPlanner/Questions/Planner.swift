internal import GatewayCore
package import GatewayFleet

/// A search for the answers to questions by simulation. It runs small worlds, scaled in all that matters, until the
/// answer is known to 2 %, and then one of full size as a proof.
package struct Planner: Sendable {
  /// A value that was tried with several seeds.
  package struct Trial: Sendable {
    package let value: Double
    /// The number of seeds with which it was tried, and the number of these that keep the thresholds.
    package let seeds: Int
    package let holding: Int
    /// The result of the first seed that does not keep the thresholds, or of the first seed if all do.
    package let result: StormResult

    /// Whether it keeps the thresholds with every seed.
    package var passes: Bool { holding == seeds }
  }

  /// The progress of a question.
  package struct Progress: Sendable {
    /// The value that is being tried.
    package let value: Double
    /// The number of completed worlds.
    package let runs: Int
    /// The progress of the world of full size; nil for worlds that search for the answer.
    package var full: MachineWorld.Progress?
  }

  /// The answer to a question.
  package struct Answer: Sendable {
    /// The value that keeps the thresholds; nil if none does.
    package var value: Trial?
    /// The nearest value that does not keep them; nil if every value does.
    package var margin: Trial?
    /// The best value up to which they are kept, if there is such a limit; nil if there is none.
    package var limit: Trial?
    /// Values that contradict the others: more is not always better, or less not always worse.
    package var exceptions: [Trial] = []
    /// The run at full size, if the others were smaller.
    package var proof: Trial?
    /// The number of bytes that this run would take, if more than available; the answer is unproven then.
    package var bytesMissed: UInt64?
    /// The number of values tried if none keeps the thresholds, and the worst of them.
    package var tried = 0
    package var last: Trial?
    /// The answer's trial with further seeds.
    package var again: Trial?
    /// If none keeps the thresholds: the value that does if every client has its first token when it begins, so that
    /// logins need no request to the provider.
    package var withTokens: Trial?
    /// The number of worlds that were run.
    package var runs = 0

    package init() {}

    /// Whether chance decides near the answer: some seeds keep the thresholds there and others do not.
    package var isChance: Bool { again?.passes == false || (margin?.holding ?? 0) > 0 }

    /// Whether there is an answer that a run at full size does not contradict.
    package var isProven: Bool { value != nil && proof?.passes != false && bytesMissed == nil }
  }

  package private(set) var settings: WorldSettings
  package let threads: Int
  /// The maximum number of clients of a world that only searches for the answer.
  package let scale: Int
  /// The maximum number of bytes of a world.
  private(set) var bytesMax: UInt64
  /// Returns whether a result keeps the thresholds, for a world with that share of the fleet.
  private let judge: @Sendable (StormResult, Double) -> Bool
  private let report: @Sendable (Progress) -> Void

  /// The number of seeds with which each value is tried.
  package static let seeds: UInt64 = 3
  /// The number of further seeds with which the answer is tried.
  package static let seedsAgain: UInt64 = 7
  /// The maximum ratio between the two sides of the edge at the end of the search.
  private static let accuracy = 1.02
  private static let stepsMax = 40
  /// The number of values tried for a first that keeps the thresholds, and the number of parts in which the rest of the
  /// range is checked; powers of two.
  private static let startsMax = 8
  private static let probes = 4

  /// Creates a planner.
  ///
  /// - Parameters:
  ///   - settings: The settings of the question.
  ///   - threads: The number of worlds that run at once.
  ///   - scale: The maximum number of clients of a world that only searches for the answer.
  ///   - bytesMax: The maximum number of bytes of the world of full size.
  ///   - report: Called with the progress, before each value that is tried and during the world of full size.
  ///   - judge: Returns whether a result keeps the thresholds. Its second argument is the share of the fleet that was
  ///     in the world; thresholds on counts must be scaled by it.
  package init(
    _ settings: WorldSettings, threads: Int, scale: Int, bytesMax: UInt64 = .max,
    report: @escaping @Sendable (Progress) -> Void = { _ in },
    judge: @escaping @Sendable (StormResult, Double) -> Bool
  ) {
    self.bytesMax = bytesMax
    self.report = report
    self.settings = settings
    self.threads = threads
    self.scale = scale
    self.judge = judge
  }

  /// Returns the answer to a question about a number.
  ///
  /// The search assumes that more is better, or less, up to the end of the range. It looks for the edge between a value
  /// that keeps the thresholds and one that does not. It also checks the assumption, at both ends and in between.
  package func answer(_ question: Question) async throws -> Answer {
    let range = question.range(settings)
    var answer = Answer()
    let (best, worst) =
      question.wantsLeast ? (range.upperBound, range.lowerBound) : (range.lowerBound, range.upperBound)
    let last = try await attempt(question.settings(settings, with: worst), worst, &answer)
    guard let (value, first) = try await start(question, from: best, to: worst, &answer) else {
      (answer.tried, answer.last) = (Self.startsMax + 1, last)
      guard last.passes, let nearest = answer.exceptions.last else {
        answer.exceptions = []
        answer.withTokens = try await answerWithTokens(question, &answer)
        return answer
      }
      // Only the value that should be worst keeps them; the search finds how far towards the better values that holds.
      (answer.value, answer.margin) = (last, nil)
      answer.limit = try await edge(question, from: last, to: nearest, &answer).good
      try await prove(question, last.value, &answer)
      return answer
    }
    if let beyond = answer.exceptions.last {
      // A value that should be better does not keep them; the search finds where that begins.
      answer.limit = try await edge(question, from: first, to: beyond, &answer).good
    }
    answer.value = first
    guard !last.passes else {
      try await probe(question, between: worst, and: value, expecting: true, &answer)
      (answer.value, answer.margin) = (last, nil)
      if question.hasNone {
        let none = try await attempt(question.settings(settings, with: 0), 0, &answer)
        if none.passes { answer.value = none } else { answer.margin = none }
      }
      try await prove(question, answer.value?.value ?? worst, &answer)
      return answer
    }
    let (found, margin) = try await edge(question, from: first, to: last, &answer)
    (answer.value, answer.margin) = (found, margin)
    let (good, bad) = (found.value, margin.value)
    try await probe(question, between: good, and: value, expecting: true, &answer)
    try await probe(question, between: bad, and: worst, expecting: false, &answer)
    try await prove(question, good, &answer)
    return answer
  }

  /// Tries the answer once at full size, if the worlds that found it were smaller.
  private func prove(_ question: Question, _ value: Double, _ answer: inout Answer) async throws {
    answer.again = try await attempt(
      question.settings(settings, with: value), value, &answer, seeds: Self.seeds..<Self.seeds + Self.seedsAgain)
    let full = question.settings(settings, with: value)
    guard full.plan.clients > scale else { return }
    let bytes = MachineWorld.bytes(full)
    if bytes > bytesMax {
      answer.bytesMissed = bytes
    } else {
      answer.proof = try await attempt(full, value, &answer, isFull: true)
    }
  }

  /// Returns the answer for clients that have their first tokens when they begin; nil if they already do, or if there
  /// is none.
  private func answerWithTokens(_ question: Question, _ answer: inout Answer) async throws -> Trial? {
    guard !settings.isFirstTokenInHand else { return nil }
    var other = self
    other.settings.isFirstTokenInHand = true
    // It is a hint that is not proven at full size.
    other.bytesMax = 0
    let found = try await other.answer(question)
    answer.runs += found.runs
    return found.value
  }

  /// Returns the two nearest values of which one keeps the thresholds and the other does not.
  private func edge(
    _ question: Question, from first: Trial, to last: Trial, _ answer: inout Answer
  ) async throws -> (good: Trial, bad: Trial) {
    var (good, bad) = (first, last)
    for _ in 0..<Self.stepsMax
    where max(good.value, bad.value) / min(good.value, bad.value) > Self.accuracy {
      let middle = (good.value * bad.value).squareRoot()
      let trial = try await attempt(question.settings(settings, with: middle), middle, &answer)
      if trial.passes { good = trial } else { bad = trial }
    }
    return (good, bad)
  }

  /// Returns the value nearest to `best` that keeps the thresholds, among a few; nil if none does.
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
    return nil
  }

  /// Checks whether values between the edge and an end behave as expected, and notes exceptions.
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

  /// Returns `ratio` to the power of `step / steps`, for a few steps.
  private func pow(_ ratio: Double, _ step: Int, of steps: Int) -> Double {
    // Steps are powers of two, so square roots suffice.
    var (root, count) = (ratio, steps)
    while count > 1 { (root, count) = (root.squareRoot(), count / 2) }
    return (0..<step).reduce(1) { power, _ in power * root }
  }

  /// Runs settings with several seeds, or with a single one at full size, and returns the trial; `value` is its name.
  package func attempt(
    _ settings: WorldSettings, _ value: Double, _ answer: inout Answer, isFull: Bool = false,
    seeds: Range<UInt64> = 0..<Planner.seeds
  ) async throws -> Trial {
    var small = settings
    if !isFull && small.plan.clients > scale { small = small.scaled(toClients: scale, withProvider: true) }
    let share = Double(small.plan.clients) / Double(settings.plan.clients)
    let seeds = (isFull ? 0..<1 : seeds).map { settings.plan.seed &+ $0 }
    let progress = Progress(value: value, runs: answer.runs)
    report(progress)
    let results = try await Worlds.run(seeds, threads: isFull ? 1 : threads) { [small, report] seed in
      var seeded = small
      seeded.plan.seed = seed
      var world = try MachineWorld(seeded) { look in
        if isFull { report(Progress(value: progress.value, runs: progress.runs, full: look)) }
        return true
      }
      return world.run().result
    }
    answer.runs += results.count
    let failing = results.filter { !judge($0, share) }
    return Trial(
      value: value, seeds: results.count, holding: results.count - failing.count, result: failing.first ?? results[0])
  }

  /// Returns the result of each of several settings with the first seed.
  ///
  /// - Parameters:
  ///   - all: The settings.
  ///   - done: Called after each completed world, from any thread.
  package func compare(
    _ all: [WorldSettings], done: @escaping @Sendable () -> Void = {}
  ) async throws -> [StormResult] {
    try await Worlds.run(all, threads: threads) { [scale] settings in
      let isLarge = settings.plan.clients > scale
      var world = try MachineWorld(isLarge ? settings.scaled(toClients: scale, withProvider: true) : settings)
      defer { done() }
      return world.run().result
    }
  }
}
