/// The place at which a session stands after an event, for whoever does what it answered: logged in as ann until noon,
/// say. A connection asks many times over with every message, and each question to the session itself would copy the
/// whole of it.
package struct SessionStanding: Sendable {
  package let phase: Session.PhaseKind
  /// Why another token has been asked for, while none has been accepted; nil if none is.
  package let askedFor: RefreshCause?
  /// What the accepted token grants; nil before login and after the close.
  package let grant: Grant?
  /// When the session wants a ``SessionEvent/wakeUp``; ``Instant/distantFuture`` if nothing is due ever.
  package let deadline: Instant

  /// Whether the close frame has been sent, or the life is over.
  package var isClosing: Bool { phase == .closing || phase == .closed }
}

extension Session {
  package var standing: SessionStanding {
    SessionStanding(phase: phaseKind, askedFor: askedFor, grant: grant, deadline: nextDeadline ?? .distantFuture)
  }
}
