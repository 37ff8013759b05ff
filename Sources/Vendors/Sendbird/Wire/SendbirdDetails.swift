/// What the request that opens a socket says of who opens it.
package struct SendbirdUpgrade: Hashable, Sendable {
  package var applicationID: String?
  package var userID: String?
  /// Whether the client can refresh.
  package var isExpiring: Bool
  package var peer: String
}

/// What credentials say beside the token.
package struct SendbirdDetails: Hashable, Sendable {
  /// The session key of a client that comes back.
  package var key: String?
  /// Whether the client can refresh; nil if it does not say.
  package var isExpiring: Bool?
}
