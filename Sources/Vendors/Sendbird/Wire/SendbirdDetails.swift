/// The properties of an upgrade request that identify the client.
struct SendbirdUpgrade: Hashable, Sendable {
  var applicationID: String?
  var userID: String?
  /// Whether the client can refresh.
  var isExpiring: Bool
  var peer: String
}

/// The credentials beside the token.
struct SendbirdDetails: Hashable, Sendable {
  /// The session key of a returning client.
  var key: String?
  /// Whether the client can refresh; nil if it does not say.
  var isExpiring: Bool?
}
