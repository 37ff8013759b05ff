/// An input of a session, caused by a peer, a clock, a store or an operator.
package enum SessionEvent: Hashable, Sendable {
  /// The peer sent a message.
  case received(InboundMessage)
  /// The peer sent a message that its dialect cannot decode.
  case malformed(GatewayError)
  /// The answer to the ``SessionEffect/verify(attempt:_:)`` with that number.
  case verified(attempt: UInt32, Result<Acceptance, GatewayError>)
  /// A token was accepted for the session elsewhere, e.g. over HTTP.
  case renewed(Acceptance)
  /// Time has passed. Early, late and double wake-ups change nothing.
  case wakeUp
  /// An operator lets the token expire now.
  case expireNow
  /// An operator requests a new token although the present one is valid.
  case askForRefresh
  /// A revocation covers the session's token.
  case revoked
  /// An operator or the gateway itself ends the connection.
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
