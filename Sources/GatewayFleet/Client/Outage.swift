package import GatewayCore

/// The way back to the gateway, from the loss of a connection, or what announced it, to the next login: three attempts
/// in 8 s, for instance.
struct Outage: Hashable, Sendable {
  /// When the client heard that its token is over, else when the connection ended.
  var since: Instant
  /// When the connection ended; nil while it is still open.
  var downSince: Instant?
  /// When the token ends that the client went with of its own accord, to renew it; nil if it did not.
  var oldEnd: Instant?
  /// Whether the gateway said that the token is over.
  var isExpiry = false
  /// Whether the client went because its token was over, and for nothing else.
  var isRenewal = false
  /// Whether the provider is to be asked before the next attempt.
  var needsToken = false
  /// Whether the provider has given a token on its account.
  var hasNewToken = false
  /// Failures in a row, as the SDK counts them.
  var failures = 0
  /// Attempts to connect.
  var attempts = 0
  /// How often the gateway refused a token.
  var refusals = 0
  /// How often the provider was asked, and how often it gave nothing.
  var calls = 0
  var failedCalls = 0
  /// How often the gateway was asked for a key.
  var keyCalls = 0
}

/// The step that a client on its way back is at: it waits until its next attempt, for instance.
package enum ReturnStep: Hashable, Sendable {
  case waiting(until: Instant)
  /// Nothing, until it looks whether its connection lives.
  case unaware(until: Instant)
  /// A slow client's leisure before it asks for a token.
  case pondering(until: Instant)
  /// The provider is being asked.
  case asking
  /// The gateway is being asked for a session key.
  case askingForKey
  /// Everything is ready but the old socket, which has not ended yet.
  case parting

  var deadline: Instant? {
    switch self {
    case .waiting(let until), .unaware(let until), .pondering(let until): until
    case .asking, .askingForKey, .parting: nil
    }
  }
}
