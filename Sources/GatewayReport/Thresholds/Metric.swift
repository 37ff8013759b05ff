internal import GatewayCore
package import GatewayFleet

/// A figure of a storm that a threshold may name: `connects.failed`, for instance.
package struct Metric: Sendable {
  /// The unit of a metric's values: a share, for instance, which is written in percent.
  package enum Unit: String, Hashable, Sendable, Codable {
    case count
    /// Values are shares, written as percentages.
    case share
    case ratio
    case duration = "seconds"
    case bytes
  }

  /// The direction that is the better one: lower for a latency, for instance.
  package enum Better: Hashable, Sendable {
    case lower
    case higher
  }

  package let name: String
  package let unit: Unit
  /// One line for the documentation.
  package let meaning: String
  /// Which of two runs is better by it; nil where it says only how large a storm was, or how it was set up.
  package let better: Better?
  /// The value that it may have without the storm's own lateness: the least of a latency. Nil where that is no part of it.
  private let least: (@Sendable (StormResult) -> Double?)?
  private let basis: Basis
  private let read: @Sendable (StormResult) -> Double?
  private let missing: @Sendable (StormResult) -> Absence

  /// - Parameters:
  ///   - better: Which of two values is the better one, where one is.
  ///   - basis: What it is counted over.
  ///   - missing: Why there is no figure where the basis is there, and yet `read` returns nil.
  init(
    _ name: String, _ unit: Unit, _ meaning: String, better: Better? = nil, over basis: Basis = .storm,
    missing: @escaping @Sendable (StormResult) -> Absence = { _ in .none("nothing was counted") },
    least: (@Sendable (StormResult) -> Double?)? = nil, _ read: @escaping @Sendable (StormResult) -> Double?
  ) {
    self.name = name
    self.unit = unit
    self.meaning = meaning
    self.better = better
    self.basis = basis
    self.read = read
    self.missing = missing
    self.least = least
  }

  /// The value, in the unit; nil if the storm has none.
  package func value(_ result: StormResult) -> Double? {
    guard basis.isThere(result), spoiledRange(result) == nil else { return nil }
    return read(result)
  }

  /// What the value may be: what the storm saw, and what is left of that without its own lateness. Nil if there is no value.
  func range(_ result: StormResult) -> ClosedRange<Double>? {
    guard basis.isThere(result), let seen = read(result) else { return nil }
    let other = least?(result) ?? seen
    return min(seen, other)...max(seen, other)
  }

  /// The same where so much of it is the storm's own lateness that it says nothing of the gateway; nil otherwise.
  private func spoiledRange(_ result: StormResult) -> ClosedRange<Double>? {
    guard least != nil, let range = range(result) else { return nil }
    let own = range.upperBound - range.lowerBound
    let isMuch = unit != .duration || own > Self.ownLatenessMax
    return isMuch && own > Self.ownShareMax * range.upperBound ? range : nil
  }

  /// In seconds.
  private static let ownLatenessMax = 0.05
  private static let ownShareMax = 0.2

  /// Whether the storm's own lateness leaves no figure of it.
  func isSpoiled(_ result: StormResult) -> Bool { spoiledRange(result) != nil }

  /// Why there is no value; nil if there is one.
  package func absence(_ result: StormResult) -> Absence? {
    guard basis.isThere(result) else { return .none(basis.otherwise) }
    if let range = spoiledRange(result) { return .ownLateness(range, unit) }
    return read(result) == nil ? missing(result) : nil
  }

  /// The metric of that name.
  package static func named(_ name: String) -> Metric? { all.first { $0.name == name } }

  /// All there are, in the order of the documentation.
  package static let all: [Metric] =
    connects + refreshes + losses + ends + returns + providers + tokens + gateways + latencies + generators
}
