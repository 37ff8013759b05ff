/// The gateway's message to a client, whatever the wire format: that a new token is wanted within 60 s, for instance.
///
/// Times are durations from now: a client's clock may be hours off, its sense of a duration is not.
package enum OutboundMessage: Hashable, Sendable {
  /// Logged in. `expiresIn` is nil for a token that never expires; `welcome` is ``VerifiedToken/welcome``.
  indirect case connected(
    ConnectionID, user: UserID, kind: UserKind, expiresIn: Duration?, request: RequestID?, welcome: String? = nil)
  /// Not logged in, for this reason; the connection will be closed.
  case loginRefused(GatewayError, request: RequestID?)
  /// Send a new token within `timeout`, or be disconnected.
  case refreshRequired(RefreshCause, timeout: Duration)
  /// The new token has taken the place of the old one.
  case refreshed(expiresIn: Duration?, request: RequestID?, welcome: String? = nil)
  /// That user is logged in no more; the connection may log in again.
  case loggedOut(user: UserID, request: RequestID?)
  case error(GatewayError, request: RequestID?)
  case pong(request: RequestID?)
  /// The gateway is being drained: the connection will be closed for the reason within `delay`. No other end is announced.
  case closing(CloseReason, delay: Duration)
}

/// The reason why a refresh is asked for: the token was revoked, for instance.
package enum RefreshCause: String, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The token expires, or has expired.
  case expiry
  /// The token was revoked.
  case revocation
  /// An operator asks for it.
  case request
  /// The session has reached its own end, be the token still good or not: the same token may be presented again.
  case sessionEnd = "session_end"
}
