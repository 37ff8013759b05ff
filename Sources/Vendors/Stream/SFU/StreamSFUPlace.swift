internal import GatewayCore

/// The participation of an SFU socket: the call that its token allows, and the user's role.
struct StreamSFUPlace: Hashable, Sendable {
  let call: CallID
  /// ``StreamSFUToken/role``.
  let role: String?
  let entry: StreamSFUEntry
}

/// The fields of a JoinRequest other than its token.
struct StreamSFUEntry: Hashable, Sendable {
  let sessionID: String
  let strategy: StreamReconnectStrategy
  let previousSessionID: String?
}
