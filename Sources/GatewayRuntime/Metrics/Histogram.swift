internal import GatewayCore

/// Durations in the buckets of the metrics page. The bounds are exact to the nanosecond.
///
/// The bounds of the storm's log-linear histogram differ (503 us and 511 us, not 500), so the two are not one type.
package struct Histogram: Hashable, Sendable {
  /// Upper bounds of the buckets, in seconds.
  package static let boundsSeconds: [Double] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 1800,
  ]
  private static let boundsNanoseconds = boundsSeconds.map { Int64($0 * 1e9) }

  /// How many fell into each bucket; the last is for what is longer than every bound.
  package private(set) var counts = [UInt64](repeating: 0, count: boundsSeconds.count + 1)
  /// The sum of all durations, in seconds.
  package private(set) var sumSeconds = 0.0

  package init() {}

  /// How many durations were recorded.
  package var count: UInt64 { counts.reduce(0, +) }

  package mutating func record(_ duration: Duration) {
    let nanoseconds = duration.nanoseconds
    var bucket = 0
    while bucket < Self.boundsNanoseconds.count && nanoseconds > Self.boundsNanoseconds[bucket] { bucket += 1 }
    counts[bucket] += 1
    sumSeconds += Double(nanoseconds) / 1e9
  }

  package mutating func merge(_ other: Histogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
    sumSeconds += other.sumSeconds
  }
}
