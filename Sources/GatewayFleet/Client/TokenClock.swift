internal import GatewayCore

/// The ends of a client's tokens, and the time at which to renew them. Empty for clients that wait for a request.
struct TokenClock: Hashable, Sendable {
  /// The time at which the gateway accepted a login that does not count yet.
  var acceptedAt: Instant?
  /// The end of the latest token, as the token states it.
  var latestEnd: Instant?
  /// The end that the gateway announced for the token that it accepts next.
  var toldEnd: Instant?
  /// The end of the accepted token.
  private(set) var end: Instant?
  /// The time at which to renew it.
  private(set) var renewalDue: Instant?
  /// The end from which ``renewalDue`` was calculated, so that the same token is not renewed twice.
  private var reckonedFor: Instant?

  /// The minimum wait before a renewal, so that a token that ends soon does not make the client ask the provider in a
  /// loop.
  private static let leastWait = Duration.milliseconds(500)

  /// Notes that the gateway has accepted the latest token.
  mutating func accept() {
    end = toldEnd ?? latestEnd
    toldEnd = nil
    renewalDue = nil
  }

  func isRenewalDue(at now: Instant) -> Bool { renewalDue.map { $0 <= now } ?? false }

  /// Returns whether the latest token is over or within one second of its end, since ends are whole seconds.
  func isOver(at now: Instant) -> Bool {
    (end ?? latestEnd).map { $0 <= now + .seconds(1) } ?? false
  }

  /// Calculates when to renew the accepted token, once for each token.
  mutating func reckon(_ habit: RefreshHabit, at now: Instant, chance: inout SeededGenerator) {
    guard let end, end != reckonedFor, let lead = habit.lead else { return }
    reckonedFor = end
    let ahead = lead.duration(ofLife: max(.zero, end - now))
    let jitter = habit.jitter == .zero ? .zero : habit.jitter.scaled(by: chance.nextShare())
    renewalDue = max(now + Self.leastWait, end - ahead - jitter)
  }

  mutating func forgetRenewal() { renewalDue = nil }
}
