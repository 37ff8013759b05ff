/// The number of tokens that end in each second of the next hour.
package struct HorizonReading: Hashable, Sendable {
  /// The number of seconds ahead that are counted one by one.
  package static let secondsMax = 3_600
  /// The spans that the metrics tell of, in seconds.
  package static let spans = [10, 60, 600, 3_600]

  /// By the number of seconds ahead: the first is the current one.
  package var seconds = [UInt32](repeating: 0, count: secondsMax)
  /// The number of tokens that have ended and whose sessions have no other yet.
  package var overdue = 0
  /// The number of tokens that end later than in an hour.
  package var later = 0

  package init() {}

  /// How many end in the next so many seconds, the one that has begun among them.
  package func within(_ span: Int) -> Int {
    seconds.prefix(max(0, span)).reduce(0) { $0 + Int($1) }
  }

  /// Returns the number of tokens that end in each span of `length` seconds, when the first span began `before` seconds ago.
  package func buckets(of length: Int, beginning before: Int = 0) -> [Int] {
    var buckets = [Int](repeating: 0, count: (Self.secondsMax + before + length - 1) / length)
    for (ahead, count) in seconds.enumerated() { buckets[(ahead + before) / length] += Int(count) }
    return buckets
  }

  package mutating func merge(_ other: HorizonReading) {
    for ahead in seconds.indices { seconds[ahead] &+= other.seconds[ahead] }
    overdue += other.overdue
    later += other.later
  }
  /// Adds the reading of another machine, whose first second began `ahead` seconds after this one's; before it if negative.
  package mutating func merge(_ other: HorizonReading, ahead: Int) {
    for (place, count) in other.seconds.enumerated() where count > 0 {
      let (second, isFar) = place.addingReportingOverflow(ahead)
      if isFar || second >= Self.secondsMax {
        later = Self.sum(later, Int(count))
      } else {
        // Tokens that have expired since then count as expiring now.
        seconds[max(0, second)] = UInt32(clamping: UInt64(seconds[max(0, second)]) + UInt64(count))
      }
    }
    overdue = Self.sum(overdue, other.overdue)
    later = Self.sum(later, other.later)
  }

  private static func sum(_ one: Int, _ other: Int) -> Int {
    let (sum, overflow) = one.addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
