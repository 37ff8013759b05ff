/// An action that a session requests of its connection, e.g. to send a message. Effects are small values in order, so
/// that a test is a list of events and a list of effects.
package enum SessionEffect: Hashable, Sendable {
  case send(OutboundMessage)
  /// Verify the credentials; answer with ``SessionEvent/verified(attempt:_:)``.
  case verify(attempt: UInt32, Credentials)
  /// Perform an authenticated user's command, and answer it.
  case perform(Command, user: UserID, request: RequestID?)
  /// Remove the identity from the connection: it leaves its calls and is no longer found by its user.
  case logOut
  /// Record something for the metrics and the journal.
  case record(SessionRecord)
  /// Start the closing handshake. At most once in a session's life.
  case close(CloseReason)
  /// Drop the transport: the peer did not finish the closing handshake.
  case abort
}

/// A session's entry for the metrics and the journal.
package enum SessionRecord: Hashable, Sendable {
  case loggedIn(UserKind, after: Duration)
  case loginRefused(GatewayError)
  case refreshRequested(RefreshCause)
  /// A token was accepted. `after` counts from the request; nil if the client sent the token unasked.
  case refreshed(after: Duration?)
  case refreshRefused(GatewayError)
  case malformed(GatewayError)
  case ended(CloseReason)
}
