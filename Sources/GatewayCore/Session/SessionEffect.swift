/// An order of a session to its connection: send this, close with 4000, for instance. Small values and done in order,
/// so that a test is a list of events and a list of effects.
package enum SessionEffect: Hashable, Sendable {
  case send(OutboundMessage)
  /// Judge the credentials; answer with ``SessionEvent/verified(attempt:_:)``.
  case verify(attempt: UInt32, Credentials)
  /// Do what an authenticated user asked for, and answer it.
  case perform(Command, user: UserID, request: RequestID?)
  /// Take the identity off the connection: it is in no call and answers to no name any more.
  case logOut
  /// Something for the metrics and the journal.
  case record(SessionRecord)
  /// Start the closing handshake. At most once in a session's life.
  case close(CloseReason)
  /// Drop the transport: the peer does not finish the closing handshake.
  case abort
}

/// An entry of a session for the metrics and the journal: a refresh was accepted, 3 s after it was asked for, for
/// instance.
package enum SessionRecord: Hashable, Sendable {
  case loggedIn(UserKind, after: Duration)
  case loginRefused(GatewayError)
  case refreshRequested(RefreshCause)
  /// `after` counts from the request; nil if the client came by itself.
  case refreshed(after: Duration?)
  case refreshRefused(GatewayError)
  case malformed(GatewayError)
  case ended(CloseReason)
}
