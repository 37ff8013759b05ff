/// What is remembered of a socket of the SFU's, by name: what its JoinRequest said, and its token.
enum StreamSFUNote {
  static let call = "call_cid"
  /// ``StreamSFUToken/role``.
  static let role = "role"
  static let session = "session_id"
  /// The number of a ``StreamReconnectStrategy``.
  static let strategy = "strategy"
  static let previousSession = "previous_session_id"
}
