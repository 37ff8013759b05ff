/// A vendor's handler of its clients' commands. All loops share it, so it is immutable.
package protocol CommandHandler: Sendable {
  /// Carries out `command` and answers it, if nothing must be awaited. Returns false, with nothing done, for a command
  /// that ``perform(_:by:request:on:)`` carries out.
  ///
  /// Runs on the caller's loop after all earlier commands are done. A command that had to wait is dropped if its login
  /// has ended by then.
  func performAtOnce(
    _ command: Command, by caller: Caller, at speaker: any Speaker, request: RequestID?,
    on services: any GatewayServices
  ) -> Bool

  /// Carries out `command`, and returns the encoded answers to the caller, in order.
  ///
  /// Starts on the caller's loop. The commands of one connection start in the order of arrival, and each waits for the
  /// answer to the one before, unless that one has ``Command/mayOverlap``. A command that arrived before the end of a
  /// login still runs, though its answer reaches no client.
  nonisolated(nonsending) func perform(
    _ command: Command, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame]

  /// Handles the end of a user's login on a connection, which no longer receives the announcements of `calls`. Runs on
  /// the connection's loop.
  func userLeft(_ calls: [CallID], _ user: UserID, of connection: ConnectionID, on services: any GatewayServices)
}

// The defaults of a command handler.

extension CommandHandler {
  package func performAtOnce(
    _ command: Command, by caller: Caller, at speaker: any Speaker, request: RequestID?,
    on services: any GatewayServices
  ) -> Bool { false }

  package func userLeft(
    _ calls: [CallID], _ user: UserID, of connection: ConnectionID, on services: any GatewayServices
  ) {}
}

/// The connection and user that gave a command.
package struct Caller: Hashable, Sendable {
  package var user: UserID
  package var kind: UserKind
  package var connection: ConnectionID
  /// The authenticator's notes on the connection: ``VerifiedToken/notes``.
  package var notes: Baggage?

  package init(user: UserID, kind: UserKind, connection: ConnectionID, notes: Baggage? = nil) {
    self.user = user
    self.kind = kind
    self.connection = connection
    self.notes = notes
  }
}
