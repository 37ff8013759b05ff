internal import GatewayCore

/// What is remembered of a socket of the SFU's: the call that its token opens, and as whom it comes.
struct StreamSFUPlace: Hashable, Sendable {
  let call: CallID
  /// ``StreamSFUToken/role``.
  let role: String?
  let entry: StreamSFUEntry
}

/// What a JoinRequest says beside its token.
package struct StreamSFUEntry: Hashable, Sendable {
  package let sessionID: String
  package let strategy: StreamReconnectStrategy
  package let previousSessionID: String?
}
