/// The state of a session after an event, for the connection that carries out the effects. A connection reads it
/// several times for each message, and each question to the session itself would copy the whole session.
package struct SessionStanding: Sendable {
  package let phase: Session.PhaseKind
  /// The cause of a refresh request that no accepted token has answered yet; nil if there is none.
  package let askedFor: RefreshCause?
  /// The grant of the accepted token; nil before login and after the close.
  package let grant: Grant?
  /// The time at which the session needs a ``SessionEvent/wakeUp``; ``Instant/distantFuture`` if nothing will ever be
  /// due.
  package let deadline: Instant

  /// Whether the close frame has been sent, or the session has ended.
  package var isClosing: Bool { phase == .closing || phase == .closed }
}

extension Session {
  package var standing: SessionStanding {
    SessionStanding(phase: phaseKind, askedFor: askedFor, grant: grant, deadline: nextDeadline ?? .distantFuture)
  }
}
