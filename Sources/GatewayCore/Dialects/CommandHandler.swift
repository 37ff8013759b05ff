/// A vendor's hand for the commands of its clients: it sends ann's message to a channel, say. Shared by all loops, so
/// immutable.
package protocol CommandHandler: Sendable {
  /// Does what `command` asks for if nothing must be waited for, and answers; false, with nothing done, for what
  /// ``perform(_:by:request:on:)`` does.
  ///
  /// Runs on the caller's loop, when every command that came in before has been done. What had to wait, and whose login
  /// is over by then, is not done.
  func performAtOnce(
    _ command: Command, by caller: Caller, at speaker: any Speaker, request: RequestID?,
    on services: any GatewayServices
  ) -> Bool

  /// Does what `command` asks for, and returns what to say to the caller, in order, encoded already.
  ///
  /// Starts on the caller's loop. The commands of one connection start in the order they came in, and each waits for
  /// the answer of the one before, unless that ``Command/mayOverlap``. What came in before the end of a login is done
  /// all the same, though nobody hears the answer.
  nonisolated(nonsending) func perform(
    _ command: Command, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame]

  /// The user's time on a connection is over, and it hears of `calls` no more, which it heard of until now. On its loop.
  func userLeft(_ calls: [CallID], _ user: UserID, on services: any GatewayServices)
}

// What holds for a handler that says nothing else.

extension CommandHandler {
  package func performAtOnce(
    _ command: Command, by caller: Caller, at speaker: any Speaker, request: RequestID?,
    on services: any GatewayServices
  ) -> Bool { false }

  package func userLeft(_ calls: [CallID], _ user: UserID, on services: any GatewayServices) {}
}

/// The giver of a command: ann, a guest, on `conn_0_17`, for instance.
package struct Caller: Hashable, Sendable {
  package var user: UserID
  package var kind: UserKind
  package var connection: ConnectionID
  /// What the authenticator noted of the connection: ``VerifiedToken/notes``.
  package var notes: Baggage?

  package init(user: UserID, kind: UserKind, connection: ConnectionID, notes: Baggage? = nil) {
    self.user = user
    self.kind = kind
    self.connection = connection
    self.notes = notes
  }
}
