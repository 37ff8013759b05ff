package import GatewayCore

/// The number of one loop's tokens that end in each second.
///
/// Each of the coming seconds has a count, in a ring of more than an hour. Later expiries are counted in a table, also
/// by second, and move into the ring as time passes. A grant that comes or goes changes one count, a reader reads
/// seconds and never sessions, and without a reader there is no work. Time may jump by any length, as in a hosted
/// space.
package struct ExpiryHorizon: Sendable {
  private static let slots = 4_096
  /// How many end in each second from ``first`` on, in the place that its last bits name. Empty before the first grant.
  private var ring: [UInt32] = []
  private var first: Int64 = 0
  /// How many end in each second behind the ring.
  private var beyond: [Int64: UInt32] = [:]
  /// How many have ended before ``first``, and have not been replaced.
  private var overdue = 0
  private var total = 0

  package init() {}

  /// Counts a token that ends at `expiry`, one that ends at all.
  package mutating func add(_ expiry: Instant, at now: Instant) {
    let second = Self.second(of: expiry)
    if ring.isEmpty {
      ring = [UInt32](repeating: 0, count: Self.slots)
      first = Self.second(of: now)
    }
    if second >= first + Int64(Self.slots) { advance(to: now) }
    total += 1
    change(second, by: 1)
  }

  /// Forgets a token that was counted.
  package mutating func remove(_ expiry: Instant) {
    guard !ring.isEmpty else { return }
    total -= 1
    change(Self.second(of: expiry), by: -1)
  }

  /// Returns the count of each second, from the second of `now` on.
  package mutating func reading(at now: Instant) -> HorizonReading {
    var reading = HorizonReading()
    guard !ring.isEmpty else { return reading }
    advance(to: now)
    let begin = Self.second(of: now)
    var near = 0
    for ahead in 0..<HorizonReading.secondsMax {
      // Another loop has read its clock a little later.
      guard begin + Int64(ahead) >= first else { continue }
      let count = ring[Self.slot(begin + Int64(ahead))]
      reading.seconds[ahead] = count
      near += Int(count)
    }
    reading.overdue = overdue
    reading.later = total - overdue - near
    return reading
  }

  /// The second that an instant is in.
  package static func second(of instant: Instant) -> Int64 {
    let (second, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rest < 0 ? second - 1 : second
  }

  private static func slot(_ second: Int64) -> Int { Int(truncatingIfNeeded: second) & (slots - 1) }

  private mutating func change(_ second: Int64, by change: Int) {
    if second < first {
      overdue += change
    } else if second < first + Int64(Self.slots) {
      let slot = Self.slot(second)
      ring[slot] = UInt32(clamping: Int(ring[slot]) + change)
    } else {
      let count = Int(beyond[second] ?? 0) + change
      beyond[second] = count > 0 ? UInt32(clamping: count) : nil
    }
  }

  /// Moves the start of the ring to the second of `now`. Costs one step for each second that has passed, at most the
  /// length of the ring or of the table.
  private mutating func advance(to now: Instant) {
    let begin = Self.second(of: now)
    guard begin > first else { return }
    let (passed, end) = (begin - first, first + Int64(Self.slots))
    for second in first..<min(begin, end) {
      overdue += Int(ring[Self.slot(second)])
      ring[Self.slot(second)] = 0
    }
    first = begin
    if passed < Int64(beyond.count) {
      for second in end..<end + passed { take(second) }
    } else {
      for second in Array(beyond.keys) where second < begin + Int64(Self.slots) { take(second) }
    }
  }

  /// Takes what ends in that second out of the table, to where it belongs now.
  private mutating func take(_ second: Int64) {
    if let count = beyond.removeValue(forKey: second) { change(second, by: Int(count)) }
  }
}
