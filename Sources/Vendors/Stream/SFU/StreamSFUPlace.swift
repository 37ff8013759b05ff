internal import GatewayCore

/// The place that a socket of the SFU's takes, as it is remembered: the call that its token opens, and as whom it
/// comes; ann in `default:standup`, for instance.
struct StreamSFUPlace: Hashable, Sendable {
  let call: CallID
  /// ``StreamSFUToken/role``.
  let role: String?
  let entry: StreamSFUEntry
}

/// The words of a JoinRequest beside its token: that ann comes back to her session, for instance.
package struct StreamSFUEntry: Hashable, Sendable {
  package let sessionID: String
  package let strategy: StreamReconnectStrategy
  package let previousSessionID: String?
}
