/// The properties of an upgrade request that identify the client.
package struct SendbirdUpgrade: Hashable, Sendable {
  package var applicationID: String?
  package var userID: String?
  /// Whether the client can refresh.
  package var isExpiring: Bool
  package var peer: String
}

/// The credentials beside the token.
package struct SendbirdDetails: Hashable, Sendable {
  /// The session key of a returning client.
  package var key: String?
  /// Whether the client can refresh; nil if it does not say.
  package var isExpiring: Bool?
}
