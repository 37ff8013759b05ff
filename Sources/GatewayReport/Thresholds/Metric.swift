internal import GatewayCore
package import GatewayFleet

/// A figure of a storm that a threshold may name.
package struct Metric: Sendable {
  /// The unit of a metric's values.
  package enum Unit: String, Hashable, Sendable, Codable {
    case count
    /// Values are shares, written as percentages.
    case share
    case ratio
    case duration = "seconds"
    case bytes
  }

  /// The better direction of a metric.
  package enum Better: Hashable, Sendable {
    case lower
    case higher
  }

  package let name: String
  package let unit: Unit
  /// The meaning in one line, for the documentation.
  package let meaning: String
  /// The better direction; nil if the metric only shows a storm's size or configuration.
  package let better: Better?
  /// The value without the storm's own lateness, e.g. the minimum of a latency. Nil if lateness has no part in it.
  private let least: (@Sendable (StormResult) -> Double?)?
  private let basis: Basis
  private let read: @Sendable (StormResult) -> Double?
  private let missing: @Sendable (StormResult) -> Absence

  /// Creates a metric.
  ///
  /// - Parameters:
  ///   - better: The better direction, if there is one.
  ///   - basis: The set over which it is counted.
  ///   - missing: Returns why there is no figure if the basis is there but `read` returns nil.
  ///   - least: Returns the value without the storm's own lateness.
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

  /// Returns the value, in the unit; nil if the storm has none.
  package func value(_ result: StormResult) -> Double? {
    guard basis.isThere(result), spoiledRange(result) == nil else { return nil }
    return read(result)
  }

  /// Returns the range of the value: what the storm saw, and what remains without its own lateness. Nil if there is no
  /// value.
  func range(_ result: StormResult) -> ClosedRange<Double>? {
    guard basis.isThere(result), let seen = read(result) else { return nil }
    let other = least?(result) ?? seen
    return min(seen, other)...max(seen, other)
  }

  /// Returns that range if the storm's own lateness is so large a part that the value is meaningless; nil otherwise.
  private func spoiledRange(_ result: StormResult) -> ClosedRange<Double>? {
    guard least != nil, let range = range(result) else { return nil }
    let own = range.upperBound - range.lowerBound
    let isMuch = unit != .duration || own > Self.ownLatenessMax
    return isMuch && own > Self.ownShareMax * range.upperBound ? range : nil
  }

  /// In seconds.
  private static let ownLatenessMax = 0.05
  private static let ownShareMax = 0.2

  /// Returns whether the storm's own lateness makes the figure meaningless.
  func isSpoiled(_ result: StormResult) -> Bool { spoiledRange(result) != nil }

  /// Returns why there is no value; nil if there is one.
  package func absence(_ result: StormResult) -> Absence? {
    guard basis.isThere(result) else { return .none(basis.otherwise) }
    if let range = spoiledRange(result) { return .ownLateness(range, unit) }
    return read(result) == nil ? missing(result) : nil
  }

  /// Returns the metric of that name.
  package static func named(_ name: String) -> Metric? { all.first { $0.name == name } }

  /// All metrics, in the order of the documentation.
  package static let all: [Metric] =
    connects + arrivals + refreshes + losses + signOuts + ends + returns + providers + tokens + keys + gateways
    + latencies + generators
}
