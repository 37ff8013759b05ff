internal import GatewayCore

/// Decides whether a server that fails is asked.
///
/// It is not asked at all while it wants to be left alone, and once a second while too many requests fail.
struct Breaker {
  /// The change that an answer made.
  enum Change { case opened, closed }

  private(set) var isOpen = false
  private var failuresInRow = 0
  private var lastFailure = Instant.zero
  /// The last answers, oldest first.
  private var recent: [(at: Instant, isGood: Bool)] = []
  private var goodProbes = 0
  private var nextProbe = Instant.zero
  private var quietUntil = Instant.zero

  /// It opens after this many failures in a row, each within a minute of the one before,
  private static let failuresMax = 5
  private static let rowPause = Duration.seconds(60)
  /// or when half of this many answers within this time were failures.
  private static let recentMax = 20
  private static let recentSpan = Duration.seconds(10)
  /// It closes after this many good answers to its probes; after one, if the last failure is longer ago than `rowPause`.
  private static let goodProbesMin = 3
  private static let probePause = Duration.seconds(1)

  /// Returns whether a request would be let through.
  func lets(at now: Instant) -> Bool { now >= quietUntil && (!isOpen || now >= nextProbe) }

  /// Lets a request through. Returns false if it must not be sent.
  mutating func take(at now: Instant) -> Bool {
    guard lets(at: now) else { return false }
    if isOpen { nextProbe = now + Self.probePause }
    return true
  }

  /// Notes the end of a request. Returns what it changed.
  mutating func settle(isGood: Bool, retryAfter: Duration?, at now: Instant) -> Change? {
    if let retryAfter { quietUntil = max(quietUntil, now + retryAfter) }
    if recent.count == Self.recentMax { recent.removeFirst() }
    recent.append((now, isGood))
    if isGood {
      failuresInRow = 0
    } else {
      failuresInRow = now - lastFailure > Self.rowPause ? 1 : failuresInRow + 1
      lastFailure = now
    }
    return isOpen ? probed(isGood: isGood, at: now) : opened(at: now)
  }

  private mutating func probed(isGood: Bool, at now: Instant) -> Change? {
    goodProbes = isGood ? goodProbes + 1 : 0
    // Nobody may have asked since an outage, however long ago it ended: then the first who asks keeps no others out.
    guard goodProbes >= Self.goodProbesMin || isGood && now - lastFailure > Self.rowPause else { return nil }
    (isOpen, recent) = (false, [])
    return .closed
  }

  private mutating func opened(at now: Instant) -> Change? {
    let areMany = recent.count == Self.recentMax && now - recent[0].at <= Self.recentSpan
    guard failuresInRow >= Self.failuresMax || areMany && 2 * recent.count(where: { !$0.isGood }) >= Self.recentMax
    else { return nil }
    (isOpen, goodProbes, nextProbe) = (true, 0, now + Self.probePause)
    return .opened
  }
}
