internal import GatewayCore

/// A clock for the ends of a client's tokens, and for when it is to renew them: five minutes from now, as the gateway
/// told it, for instance. Empty for clients that wait to be asked.
struct TokenClock: Hashable, Sendable {
  /// When the gateway accepted a login that does not count yet.
  var acceptedAt: Instant?
  /// The end of the latest token, as it says itself.
  var latestEnd: Instant?
  /// The end that the gateway told, of the token that it accepts next.
  var toldEnd: Instant?
  /// The end of the accepted token.
  private(set) var end: Instant?
  /// When it is to be renewed.
  private(set) var renewalDue: Instant?
  /// The end that ``renewalDue`` was reckoned from: the same token is not renewed twice.
  private var reckonedFor: Instant?

  /// A token that ends so soon that its renewal would be due at once has this long: no provider is asked in a loop.
  private static let leastWait = Duration.milliseconds(500)

  /// The gateway has accepted the latest token.
  mutating func accept() {
    end = toldEnd ?? latestEnd
    toldEnd = nil
    renewalDue = nil
  }

  func isRenewalDue(at now: Instant) -> Bool { renewalDue.map { $0 <= now } ?? false }

  /// Whether the latest token is over, or as good as: ends are whole seconds.
  func isOver(at now: Instant) -> Bool {
    (end ?? latestEnd).map { $0 <= now + .seconds(1) } ?? false
  }

  /// Reckons when the accepted token is to be renewed, once for each.
  mutating func reckon(_ habit: RefreshHabit, at now: Instant, chance: inout SeededGenerator) {
    guard let end, end != reckonedFor, let lead = habit.lead else { return }
    reckonedFor = end
    let ahead = lead.duration(ofLife: max(.zero, end - now))
    let jitter = habit.jitter == .zero ? .zero : habit.jitter.scaled(by: chance.nextShare())
    renewalDue = max(now + Self.leastWait, end - ahead - jitter)
  }

  mutating func forgetRenewal() { renewalDue = nil }
}
