internal import GatewayCore
package import GatewayFleet

/// A questioner of worlds. It asks small ones, scaled in all that matters, until the answer is known to a fiftieth, and one of
/// full size that proves it.
package struct Planner: Sendable {
  /// A value that was tried with several seeds.
  package struct Trial: Sendable {
    package let value: Double
    /// With how many seeds it was tried, and with how many of them it keeps the thresholds.
    package let seeds: Int
    package let holding: Int
    /// With the first seed that does not keep the thresholds, or the first one if all do.
    package let result: StormResult

    /// Whether it keeps the thresholds with every seed.
    package var passes: Bool { holding == seeds }
  }

  /// The progress of a question: 12 worlds were run, for instance, and the last of them with 40 tokens a second.
  package struct Progress: Sendable {
    /// The value that is tried now.
    package let value: Double
    /// How many worlds are through.
    package let runs: Int
    /// How far the world of full size is; nil for those that look for the answer.
    package var full: MachineWorld.Progress?
  }

  /// The answer to a question: 40 tokens a second do and 39 do not, for instance.
  package struct Answer: Sendable {
    /// The value that keeps the thresholds; nil if none does.
    package var value: Trial?
    /// The nearest one that does not; nil if every one does.
    package var margin: Trial?
    /// How far towards what should be better they are kept, where that has an end; nil where it has none.
    package var limit: Trial?
    /// Values that do not do as the others have it: more is not always better, or less not always worse.
    package var exceptions: [Trial] = []
    /// The run at full size, where the others were smaller.
    package var proof: Trial?
    /// How many bytes that run would take, where there are fewer: nothing proves the answer then.
    package var bytesMissed: UInt64?
    /// How many values were tried where none keeps the thresholds, and the worst of them.
    package var tried = 0
    package var last: Trial?
    /// The answer once more, with further seeds.
    package var again: Trial?
    /// Where none keeps the thresholds: the value that does where every client has its first token when it begins, so that the
    /// logins ask the provider for nothing.
    package var withTokens: Trial?
    /// How many worlds were run.
    package var runs = 0

    package init() {}

    /// Whether chance decides near the answer: some seeds keep the thresholds there and others do not.
    package var isChance: Bool { again?.passes == false || (margin?.holding ?? 0) > 0 }

    /// Whether there is an answer that nothing speaks against at full size.
    package var isProven: Bool { value != nil && proof?.passes != false && bytesMissed == nil }
  }

  package private(set) var settings: WorldSettings
  package let threads: Int
  /// The most clients of a world that only looks for the answer.
  package let scale: Int
  /// How many bytes a world may take.
  private var bytesMax: UInt64
  /// Whether a result keeps the thresholds, with the share of the fleet that was in the world.
  private let judge: @Sendable (StormResult, Double) -> Bool
  private let report: @Sendable (Progress) -> Void

  /// How many seeds each value is tried with.
  package static let seeds: UInt64 = 3
  /// How many further ones the answer is tried with.
  package static let seedsAgain: UInt64 = 7
  /// How near the two sides of the edge are brought.
  private static let accuracy = 1.02
  private static let stepsMax = 40
  /// How many values are tried for a first that keeps the thresholds, and in how many parts the rest of the range is looked at;
  /// powers of two.
  private static let startsMax = 8
  private static let probes = 4

  /// - Parameters:
  ///   - settings: What is asked about.
  ///   - threads: How many worlds run at once.
  ///   - scale: The most clients of a world that only looks for the answer.
  ///   - bytesMax: How many bytes the world of full size may take.
  ///   - report: Told how far it is: before each value that is tried, and within the world of full size.
  ///   - judge: Whether a result keeps the thresholds. Its second argument is the share of the fleet that was in the world: what
  ///     a threshold counts is to be as much smaller.
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
      (answer.tried, answer.last) = (Self.startsMax + 1, last)
      guard last.passes, let nearest = answer.exceptions.last else {
        answer.exceptions = []
        answer.withTokens = try await answerWithTokens(question, &answer)
        return answer
      }
      // Nothing but what should be worst, and how far towards what should be better.
      (answer.value, answer.margin) = (last, nil)
      answer.limit = try await edge(question, from: last, to: nearest, &answer).good
      try await prove(question, last.value, &answer)
      return answer
    }
    if let beyond = answer.exceptions.last {
      // What should be better is not: how far it is, is looked for as well.
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

  /// Tries the answer once at full size, where the worlds that found it were smaller.
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

  /// The answer for clients that have their first tokens when they begin; nil if they have, or if that changes nothing.
  private func answerWithTokens(_ question: Question, _ answer: inout Answer) async throws -> Trial? {
    guard !settings.isFirstTokenInHand else { return nil }
    var other = self
    other.settings.isFirstTokenInHand = true
    // It is a hint: nothing proves it at full size.
    other.bytesMax = 0
    let found = try await other.answer(question)
    answer.runs += found.runs
    return found.value
  }

  /// The edge between a value that keeps the thresholds and one that does not: the nearest such two.
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

  /// What settings come to with several seeds, each of them or a single one at full size; the value is what they are called.
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

  /// What each way to wait comes to, and the one that asks the provider for least of those that keep the thresholds, at full size.
  package func backoffs() async throws -> (trials: [(kind: Backoff.Kind, trial: Trial)], answer: Answer) {
    var answer = Answer()
    func settings(_ kind: Backoff.Kind) -> WorldSettings {
      var settings = self.settings
      settings.plan.backoff.kind = kind
      return settings
    }
    var trials: [(kind: Backoff.Kind, trial: Trial)] = []
    for kind in Backoff.Kind.allCases {
      trials.append((kind, try await attempt(settings(kind), Double(trials.count), &answer)))
    }
    let holding = trials.filter(\.trial.passes)
    guard let best = holding.min(by: { $0.trial.result.provider.calls < $1.trial.result.provider.calls }) else {
      return (trials, answer)
    }
    answer.value = best.trial
    guard self.settings.plan.clients > scale else { return (trials, answer) }
    let bytes = MachineWorld.bytes(self.settings)
    if bytes > bytesMax {
      answer.bytesMissed = bytes
    } else {
      answer.proof = try await attempt(settings(best.kind), best.trial.value, &answer, isFull: true)
    }
    return (trials, answer)
  }

  /// What each of several settings comes to with the first seed.
  ///
  /// - Parameter done: Told of each world that is through, from any thread.
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
