package import GatewayFleet

/// A condition on which a storm ends itself, because going on would only burden a failed system: `connects.failed.share
/// > 50% over 10s`.
package struct StopRule: Hashable, Sendable, CustomStringConvertible {
  /// The share that the rule watches during a storm.
  package enum Share: String, Hashable, Sendable, CaseIterable {
    /// Failed attempts to log in, of all completed ones.
    case connects = "connects.failed.share"
    /// Completed requests to the token provider without a token, of all completed ones.
    case provider = "provider.refused.share"

    /// Returns the number of completed attempts, and how many of them failed.
    func counts(_ progress: StormProgress) -> (all: Int, bad: Int) {
      switch self {
      case .connects: (progress.attempts, progress.failures)
      case .provider: (progress.calls, progress.refusals)
      }
    }

    /// The description of a failure, for people.
    var words: String {
      switch self {
      case .connects: "attempts to log in failed"
      case .provider: "calls of the token provider brought no token"
      }
    }
  }

  package let share: Share
  /// The share (0...1) of failures within the span above which the storm ends.
  package let limit: Double
  /// The span in seconds.
  package let span: Double
  /// The rule as it was written.
  package let description: String

  /// The default rules for systems of others.
  package static let usual = Share.allCases.map { StopRule(usual: $0) }

  private static let usualSpan = 10.0
  private static let spanBounds = 1.0...600
  /// The minimum number of attempts for a share: one wrong password of two is no outage.
  static let leastCount = 10

  private init(usual share: Share) {
    self.share = share
    limit = 0.5
    span = Self.usualSpan
    description = "\(share.rawValue) > 50% over 10s"
  }

  /// Parses a rule: a share, `>`, a percentage, and optionally `over` and a span; the default is ten seconds.
  package init(parsing text: String) throws(ThresholdError) {
    let sides = text.split(separator: ">", maxSplits: 1).map { $0.split(separator: " ") }
    guard sides.count == 2, sides[0].count == 1, sides[1].count == 1 || sides[1].count == 3 && sides[1][1] == "over"
    else { throw ThresholdError(text, "is no rule to stop by; write connects.failed.share > 50% over 10s") }
    guard let share = Share.allCases.first(where: { $0.rawValue.utf8.elementsEqual(sides[0][0].utf8) }) else {
      let names = Share.allCases.map(\.rawValue).joined(separator: " and ")
      throw ThresholdError(text, "names nothing that is watched; \(names) are")
    }
    guard let limit = Metric.Unit.share.value(sides[1][0]), (0..<1).contains(limit) else {
      throw ThresholdError(text, "has '\(sides[1][0])' where a percentage below 100% is wanted, e.g. 50%")
    }
    let span = sides[1].count == 1 ? Self.usualSpan : Metric.Unit.duration.value(sides[1][2])
    guard let span, Self.spanBounds.contains(span) else {
      throw ThresholdError(text, "has '\(sides[1].last ?? "")' where a span of 1s to 10m is wanted, e.g. 10s")
    }
    self.share = share
    self.limit = limit
    self.span = span
    description = text
  }
}

/// A monitor that checks a storm's progress against its rules.
package struct StopWatch: Sendable {
  private struct Sample {
    let seconds: Double
    let counts: [(all: Int, bad: Int)]
  }

  private let rules: [StopRule]
  /// Whether a storm ends if no client has got a token, for reasons that no retry resolves.
  private let endsHopeless: Bool
  /// How long a token endpoint may take until it listens, in seconds from the start of the storm.
  private static let endpointPatience = 5.0
  /// The last sample before the longest span, and the later ones.
  private var samples: [Sample]
  /// The minimum interval between samples, in seconds.
  private static let pause = 0.2

  package init(_ rules: [StopRule], endsHopeless: Bool = false) {
    self.rules = rules
    self.endsHopeless = endsHopeless
    samples = [Sample(seconds: 0, counts: rules.map { _ in (0, 0) })]
  }

  /// Returns why the storm must end, in a sentence; nil if it may go on.
  package mutating func reason(_ progress: StormProgress) -> String? {
    if endsHopeless, Self.isHopeless(progress) {
      let trouble = progress.trouble.map { ", the first: \($0)" } ?? ""
      return
        "none of \(progress.calls) calls of the token provider brought a token\(trouble); --stop-when never goes on all the same"
    }
    let now = Sample(seconds: progress.seconds, counts: rules.map { $0.share.counts(progress) })
    defer { keep(now) }
    for (index, rule) in rules.enumerated() {
      // The counts at the beginning of the span; there are none before that much time has passed.
      guard let before = samples.last(where: { $0.seconds <= now.seconds - rule.span }) else { continue }
      let all = now.counts[index].all - before.counts[index].all
      let bad = now.counts[index].bad - before.counts[index].bad
      guard all >= StopRule.leastCount, Double(bad) > rule.limit * Double(all) else { continue }
      return
        "\(bad) of \(all) \(rule.share.words) within \(Metric.Unit.duration.text(rule.span)) (--stop-when '\(rule)')"
    }
    return nil
  }

  /// Returns whether no client has got a token, and no retry will bring one.
  private static func isHopeless(_ progress: StormProgress) -> Bool {
    guard progress.calls >= StopRule.leastCount, progress.connected == 0 else { return false }
    if progress.tokenless == progress.calls { return true }
    return progress.tokenless + progress.unreachable == progress.calls && progress.seconds >= endpointPatience
  }

  private mutating func keep(_ sample: Sample) {
    guard let longest = rules.map(\.span).max(), sample.seconds >= (samples.last?.seconds ?? 0) + Self.pause else {
      return
    }
    samples.append(sample)
    let old = samples.prefix { $0.seconds <= sample.seconds - longest }.count
    if old > 1 { samples.removeFirst(old - 1) }
  }
}
