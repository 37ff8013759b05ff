/// The messages that bear credentials: what they are called on the wire, and in the answers' names of requests.
enum SinchMessage: String, Hashable, Sendable {
  case start
  case register
  case registerFailed
}

/// The names of what such a message says, from the dialect to the authenticator.
enum SinchField {
  static let message = "message"
  static let proof = "proof"
  static let token = "jwt"
  static let ticket = "ticket"
  static let signature = "signature"
  static let sequence = "sequence"
  static let timestamp = "timestamp"
  /// There where the registration that the connection lives by has ended.
  static let hasEnded = "ended"
}
