/// A message of the gateway to a client, independent of the wire format.
///
/// Times are durations from now, since a client's clock may be hours off.
package enum OutboundMessage: Hashable, Sendable {
  /// The client is logged in. `expiresIn` is nil for a token that never expires; `welcome` is
  /// ``VerifiedToken/welcome``.
  indirect case connected(
    ConnectionID, user: UserID, kind: UserKind, expiresIn: Duration?, request: RequestID?, welcome: String? = nil)
  /// The login is refused with this error; the connection will be closed.
  case loginRefused(GatewayError, request: RequestID?)
  /// The client must send a new token within `timeout`, or is disconnected.
  case refreshRequired(RefreshCause, timeout: Duration)
  /// The new token has replaced the old one.
  case refreshed(expiresIn: Duration?, request: RequestID?, welcome: String? = nil)
  /// The user is logged out; the connection may log in again.
  case loggedOut(user: UserID, request: RequestID?)
  case error(GatewayError, request: RequestID?)
  case pong(request: RequestID?)
  /// The gateway drains: the connection will be closed for the reason within `delay`. No other close is announced.
  case closing(CloseReason, delay: Duration)
}

/// The reason for a refresh request.
package enum RefreshCause: String, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The token expires, or has expired.
  case expiry
  /// The token was revoked.
  case revocation
  /// An operator requests it.
  case request
  /// The session has reached its own end, even if the token is still valid; the same token may be presented again.
  case sessionEnd = "session_end"
}
