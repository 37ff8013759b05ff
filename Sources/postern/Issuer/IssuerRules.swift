import GatewayCore

/// The rules of a storm's issuer for requests for its keys.
struct IssuerRules: Hashable, Sendable {
  /// The `iss` of its tokens, and the address of the listener.
  var issuer: String
  var address: String
  /// The limit on requests for the keys; nil for none.
  var limit: RequestBudget?
  /// The time after which it signs with a new key; nil for never.
  var rotate: Duration?
  /// How long a key that no longer signs stays in the set, and how long before it signs a key is in it.
  var overlap = Duration.zero
  var ahead = Duration.zero
  /// How long each answer takes.
  var latency = Duration.zero
  /// The `max-age` of the keys.
  var maxAge = Duration.seconds(300)
  /// The share of clients that present tokens whose key nobody can know.
  var forged = 0.0
  /// Whether the tokens are opaque, so that a gateway has to ask about each (RFC 7662).
  var introspects = false
  /// The seed that chooses these clients.
  var seed: UInt64 = 1

  static let keysPath = "/jwks.json"
  static let introspectionPath = "/introspect"
  static let discoveryPaths = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]

  /// The maximum number of keys in the set. Gateways take no more from a stranger, and neither does ours.
  static let keysMax = 100

  /// Returns whether a client presents forged tokens. The first client never does, since it goes ahead of a storm of others.
  func isForger(_ client: Int) -> Bool {
    guard forged > 0, client > 0 else { return false }
    var chance = SeededGenerator(seed: seed &+ UInt64(truncatingIfNeeded: client) &* 0x9E37_79B9_7F4A_7C15)
    return Double(chance.next() >> 11) < forged * 0x1p53
  }

  /// Returns the number of keys that the set has at most in that time.
  func keys(within time: Duration) -> Double {
    guard let rotate else { return 1 }
    return 2 + ((min(overlap, time) + ahead).inSeconds / rotate.inSeconds).rounded(.up)
  }
}
