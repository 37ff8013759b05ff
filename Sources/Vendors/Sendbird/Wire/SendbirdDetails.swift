/// The request that opens a socket, as far as it says who opens it: user ann of application `APP`, for instance.
package struct SendbirdUpgrade: Hashable, Sendable {
  package var applicationID: String?
  package var userID: String?
  /// Whether the client can refresh.
  package var isExpiring: Bool
  package var peer: String
}

/// The credentials beside the token: the name ann, for instance.
package struct SendbirdDetails: Hashable, Sendable {
  /// The session key of a client that comes back.
  package var key: String?
  /// Whether the client can refresh; nil if it does not say.
  package var isExpiring: Bool?
}
