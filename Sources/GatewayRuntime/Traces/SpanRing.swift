/// The spans of one loop that are not sent yet, in the order of their ends. A full one drops those that follow.
struct SpanRing {
  static let countMax = 8_192

  /// Its places; none before the first span.
  private var places: [SpanRecord?] = []
  private var first = 0
  private(set) var count = 0
  /// The number of dropped spans since the last ``takeDropped()``.
  private var dropped: UInt64 = 0

  mutating func write(_ record: SpanRecord) {
    guard count < Self.countMax else {
      dropped += 1
      return
    }
    if places.isEmpty { places = Array(repeating: nil, count: Self.countMax) }
    places[(first + count) % Self.countMax] = record
    count += 1
  }

  /// Removes and returns the oldest spans, at most that many.
  mutating func take(_ limit: Int) -> [SpanRecord] {
    var taken: [SpanRecord] = []
    taken.reserveCapacity(min(limit, count))
    while taken.count < limit, count > 0 {
      if let record = places[first] { taken.append(record) }
      places[first] = nil
      first = (first + 1) % Self.countMax
      count -= 1
    }
    return taken
  }

  mutating func takeDropped() -> UInt64 {
    defer { dropped = 0 }
    return dropped
  }
}
