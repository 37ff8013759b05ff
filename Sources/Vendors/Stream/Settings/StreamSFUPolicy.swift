/// The manner in which the gateway stands in for the SFU: with its signalling, `JoinRequest` for instance, and nothing
/// else, neither media nor ICE.
package struct StreamSFUPolicy: Hashable, Sendable {
  /// Where clients reach the gateway, as `https://calls.example`; nil for where their request for the join went.
  package var address: String?
  /// Whether the gateway's port speaks TLS.
  package var isSecure = false
  /// How long `credentials.token` of a join is good. Above zero.
  package var tokenLife: Duration = .seconds(3600)
  /// How long a participant whose socket was lost, or replaced, stays in the call for its client to come back.
  package var returnWindow: Duration = .seconds(5)
  /// How long a client that was told that its call has ended may keep the socket.
  package var farewell: Duration = .seconds(2)
  /// How long a client may say nothing: the SDKs ask for a sign of life every 4 to 10 s.
  package var silenceMax: Duration = .seconds(30)
  /// Whether anonymous viewers, who join with a call token, get this socket, as they do at Stream. The coordinator's
  /// socket is refused to them whatever this says.
  package var admitsAnonymous = true

  package init() {}
}
