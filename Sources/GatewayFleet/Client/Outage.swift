package import GatewayCore

/// The way back to the gateway, from the loss of a connection or its announcement to the next login.
struct Outage: Hashable, Sendable {
  /// The time at which the client learned that its token is over; otherwise the time at which the connection ended.
  var since: Instant
  /// The time at which the connection ended; nil while it is open.
  var downSince: Instant?
  /// The end of the token, if the client left by itself to renew it; nil otherwise.
  var oldEnd: Instant?
  /// Whether the gateway said that the token has expired.
  var isExpiry = false
  /// Whether the client left only because its token was over.
  var isRenewal = false
  /// Whether the provider must be asked before the next attempt.
  var needsToken = false
  /// Whether the provider has given a token during this outage.
  var hasNewToken = false
  /// Consecutive failures, as the SDK counts them.
  var failures = 0
  /// Attempts to connect.
  var attempts = 0
  /// The number of tokens that the gateway refused.
  var refusals = 0
  /// The number of requests to the provider, and of those without a token in the answer.
  var calls = 0
  var failedCalls = 0
  /// The number of requests to the gateway for a key.
  var keyCalls = 0
}

/// The step of a client on its way back.
package enum ReturnStep: Hashable, Sendable {
  case waiting(until: Instant)
  /// The client does nothing until it checks whether its connection is alive.
  case unaware(until: Instant)
  /// A slow client's delay before it asks for a token.
  case pondering(until: Instant)
  /// A token is requested from the provider.
  case asking
  /// A session key is requested from the gateway.
  case askingForKey
  /// Everything is ready, but the old socket has not ended yet.
  case parting

  var deadline: Instant? {
    switch self {
    case .waiting(let until), .unaware(let until), .pondering(let until): until
    case .asking, .askingForKey, .parting: nil
    }
  }
}
