internal import GatewayCore
package import GatewayFleet
internal import GatewayKit

/// A limit that decides whether a storm has passed, e.g. `refresh.p99 < 500ms`.
package struct Threshold: Sendable, CustomStringConvertible {
  /// The comparison operator of a threshold.
  package enum Comparison: String, Hashable, Sendable, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case atMost = "<="
    case atLeast = ">="
    case less = "<"
    case greater = ">"

    /// Returns whether it holds for every value of a range, or for none; nil if it holds for some.
    func holds(_ range: ClosedRange<Double>, _ limit: Double) -> Bool? {
      let isInside = range.contains(limit) && range.lowerBound < range.upperBound
      switch self {
      case .equal, .unequal: return isInside ? nil : holds(range.lowerBound, limit)
      case .atMost, .atLeast, .less, .greater:
        let ends = [range.lowerBound, range.upperBound].map { holds($0, limit) }
        return ends[0] == ends[1] ? ends[0] : nil
      }
    }

    func holds(_ value: Double, _ limit: Double) -> Bool {
      switch self {
      case .equal: value == limit
      case .unequal: value != limit
      case .atMost: value <= limit
      case .atLeast: value >= limit
      case .less: value < limit
      case .greater: value > limit
      }
    }
  }

  package let metric: Metric
  /// The fleet of whose figure it is; nil for the whole storm's.
  package let fleet: String?
  package let comparison: Comparison
  /// The limit in the metric's unit: seconds, bytes, a share of 1, or a plain number.
  package let limit: Double
  /// The threshold as it was written.
  package let description: String

  /// Parses a threshold: a metric, a comparison, and a value with the metric's unit. The name of a fleet and a colon may
  /// stand before it.
  package init(parsing text: String) throws(ThresholdError) {
    // The two-character operators come first in the list, so that `<=` is not read as `<`.
    let found = Comparison.allCases.lazy.compactMap { comparison in
      text.firstRange(bytesOf: comparison.rawValue).map { (comparison, $0) }
    }.first
    guard let (comparison, range) = found else {
      throw ThresholdError(text, "has no comparison; write metric == value, or !=, <, <=, >, >=")
    }
    let sides = text[..<range.lowerBound].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    fleet = sides.count == 2 ? Self.trimmed(sides[0]) : nil
    let name = Self.trimmed(sides[sides.count - 1])
    guard let metric = Metric.named(name) else {
      let names = Metric.all.map(\.name)
      let near = Suggestion.near(name, among: names).map { "'\($0)'" }
      throw ThresholdError(
        text,
        "names no metric"
          + (near.isEmpty ? "; there are \(names.joined(separator: ", "))" : Suggestion.question(near)))
    }
    self.metric = metric
    self.comparison = comparison
    limit = try Self.limit(Self.trimmed(text[range.upperBound...]), metric, in: text)
    description = Self.trimmed(text[...])
  }

  /// Returns the same threshold for one fleet; throws if it names a fleet itself.
  package func of(fleet: String) throws(ThresholdError) -> Threshold {
    guard self.fleet == nil else {
      throw ThresholdError(description, "names a fleet, and stands among those of '\(fleet)'; leave the name out")
    }
    return try Threshold(parsing: "\(fleet):\(description)")
  }

  /// Returns the outcome that it is about; nil if there is no fleet of its name.
  private func part(of result: StormResult) -> StormResult? {
    guard let fleet else { return result }
    return result.fleet(named: fleet)
  }

  /// Whether `holds(_:ofShare:)` can check it for part of a fleet: half of `lost <= 10` is `lost <= 5`, but `lost == 7`
  /// has no half.
  package var isDivisible: Bool {
    metric.unit != .count || limit == 0 || (comparison != .equal && comparison != .unequal)
  }

  /// Returns whether a part of the fleet keeps its part of the limit, if the limit is a count. Half of the fleet must
  /// keep `lost <= 5` instead of `lost <= 10`.
  package func holds(_ result: StormResult, ofShare share: Double) -> Bool {
    guard let value = part(of: result).flatMap({ metric.value($0) }) else { return false }
    return comparison.holds(value, metric.unit == .count ? limit * share : limit)
  }

  /// The outcome of a threshold.
  package struct Outcome: Hashable, Sendable, Codable {
    package let threshold: String
    package let holds: Bool
    /// The value as text with its unit; ``Metric/Absence/word`` if the storm has none, which never holds.
    package let actual: String
    /// Why there is no value.
    package let why: String?
  }

  /// Returns whether `result` keeps the limit. A missing figure keeps none.
  package func judge(_ result: StormResult) -> Outcome {
    guard let result = part(of: result) else {
      return Outcome(
        threshold: description, holds: false, actual: "none", why: "the storm has no fleet of that name")
    }
    if let range = metric.range(result), range.lowerBound < range.upperBound { return judge(range) }
    guard let value = metric.value(result) else {
      let absence = metric.absence(result)
      return Outcome(
        threshold: description, holds: false, actual: absence?.word ?? "none", why: absence?.reason)
    }
    return Outcome(
      threshold: description, holds: comparison.holds(value, limit), actual: metric.unit.text(value, beside: limit),
      why: nil)
  }

  /// Returns the same for a figure that includes the storm's own lateness: it decides if both ends of the range agree.
  private func judge(_ range: ClosedRange<Double>) -> Outcome {
    let ends = [range.lowerBound, range.upperBound].map { metric.unit.text($0, beside: limit) }
    guard let holds = comparison.holds(range, limit) else {
      let absence = Metric.Absence.ownLateness(range, metric.unit)
      return Outcome(threshold: description, holds: false, actual: absence.word, why: absence.reason)
    }
    let actual = ends[0] == ends[1] ? ends[0] : "\(ends[0]) to \(ends[1])"
    return Outcome(threshold: description, holds: holds, actual: actual, why: nil)
  }

  /// Returns the same for a phase of a scenario; nil for a phase that never began.
  func judge(_ result: StormResult?, in phase: String) -> Outcome {
    let name = "\(phase): \(description)"
    guard let result else {
      return Outcome(threshold: name, holds: false, actual: "none", why: "the storm was over before this phase")
    }
    let outcome = judge(result)
    return Outcome(threshold: name, holds: outcome.holds, actual: outcome.actual, why: outcome.why)
  }

  private static func limit(
    _ text: String, _ metric: Metric, in whole: String
  ) throws(ThresholdError) -> Double {
    let digits = text.prefix { $0.isNumber || $0 == "." || $0 == "_" || $0 == "-" }
    let suffix = trimmed(text[digits.endIndex...])
    if metric.unit == .share, suffix.isEmpty, let number = Double(digits.filter { $0 != "_" }) {
      // Zero needs no unit: it is the same as a percentage and as a share.
      guard number != 0 else { return 0 }
      throw ThresholdError(whole, "has '\(text)' without a %; \(Metric.Unit.sharesToWrite(for: number, digits))")
    }
    guard let number = Double(digits.filter { $0 != "_" }), let factor = metric.unit.suffixes[suffix] else {
      throw ThresholdError(whole, "has '\(text)' where \(metric.name) wants \(metric.unit.wanted)")
    }
    return number * factor
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

/// An error in the text of a threshold.
package struct ThresholdError: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ threshold: String, _ problem: String) {
    description = "the threshold '\(threshold)' \(problem)"
  }
}
