/// An input of a session: whatever a peer, a clock, a store or an operator can cause; that ann's deadline has passed,
/// for instance.
package enum SessionEvent: Hashable, Sendable {
  /// The peer said something.
  case received(InboundMessage)
  /// The peer sent what its dialect does not know.
  case malformed(GatewayError)
  /// The answer to the ``SessionEffect/verify(attempt:_:)`` of that number.
  case verified(attempt: UInt32, Result<Acceptance, GatewayError>)
  /// A token was accepted for the session elsewhere: over HTTP, say.
  case renewed(Acceptance)
  /// Time has passed. Early, late and double wake-ups change nothing.
  case wakeUp
  /// An operator lets the token expire now.
  case expireNow
  /// An operator wants a new token although the present one is good.
  case askForRefresh
  /// A revocation takes in the session's token.
  case revoked
  /// An operator, or the server on its own account, ends the connection.
  case disconnect(CloseReason)
  /// The gateway drains; the connection is closed at `until`.
  case drain(until: Instant)
  /// The outbound queue is full.
  case slowConsumer
  /// The peer answered no ping.
  case peerSilent
  /// The peer's close frame arrived.
  case peerClosed
  /// The transport ended.
  case transportLost
}
