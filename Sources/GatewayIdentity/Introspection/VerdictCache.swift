internal import GatewayCore

/// The verdicts of the last while, by the digests of their tokens; above a number the oldest is dropped.
struct VerdictCache {
  private struct Entry {
    let verdict: Verdict
    let until: Instant
    let serial: UInt64
  }

  private let countMax: Int
  private var entries: [TokenDigest: Entry] = [:]
  /// The entries in the order in which they came, and those that have been replaced.
  private var order: [(digest: TokenDigest, serial: UInt64)] = []
  private var first = 0
  private var serial: UInt64 = 0

  init(countMax: Int = 100_000) { self.countMax = countMax }

  var count: Int { entries.count }

  /// Returns a verdict that may still be used; nil if there is none. A token is not good beyond its own end.
  mutating func verdict(of digest: TokenDigest, at now: Instant, _ wallTime: WallTime) -> Verdict? {
    guard let entry = entries[digest] else { return nil }
    var isFresh = now < entry.until
    if case .success(let token) = entry.verdict, let end = token.expiresAt { isFresh = isFresh && wallTime < end }
    guard isFresh else {
      entries[digest] = nil
      return nil
    }
    return entry.verdict
  }

  /// Stores a verdict instead of the earlier one.
  mutating func keep(_ verdict: Verdict, of digest: TokenDigest, until: Instant, at now: Instant) {
    guard until > now else {
      entries[digest] = nil
      return
    }
    serial += 1
    entries[digest] = Entry(verdict: verdict, until: until, serial: serial)
    order.append((digest, serial))
    trim(at: now)
  }

  /// Drops what is no longer of use at the old end, and the oldest where there are too many.
  private mutating func trim(at now: Instant) {
    while first < order.count {
      let oldest = order[first]
      if let entry = entries[oldest.digest], entry.serial == oldest.serial {
        guard entry.until <= now || entries.count > countMax else { break }
        entries[oldest.digest] = nil
      }
      first += 1
    }
    if first > 1_024, 2 * first > order.count {
      order.removeFirst(first)
      first = 0
    }
    // After many replacements of few tokens, the order is built again.
    guard order.count - first > 2 * countMax else { return }
    order = order[first...].filter { entries[$0.digest]?.serial == $0.serial }
    first = 0
  }
}
