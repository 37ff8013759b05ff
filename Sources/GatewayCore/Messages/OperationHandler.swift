/// Does the operations that only one dialect knows. Shared by all loops, so immutable.
package protocol OperationHandler: Sendable {
  /// Does what `operation` asks for, and returns what to say to the caller, in order, encoded already.
  ///
  /// Starts on the caller's loop. The operations of one connection start in the order they came in, and each waits for
  /// the answer of the one before, unless that ``DialectOperation/mayOverlap``. What came in before the end of a login
  /// is done all the same, though nobody hears the answer.
  nonisolated(nonsending) func perform(
    _ operation: DialectOperation, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame]
}

/// Something that only one dialect has a name for.
package struct DialectOperation: Hashable, Sendable {
  /// The operation's name on the wire.
  package var name: String
  /// What came with it, as it stood in the message.
  package var body: String
  /// Whether the operations behind this one start without waiting for its answer: that somebody types, say.
  package var mayOverlap: Bool

  package init(name: String, body: String, mayOverlap: Bool = false) {
    self.name = name
    self.body = body
    self.mayOverlap = mayOverlap
  }
}

/// Who asks for an operation.
package struct Caller: Hashable, Sendable {
  package var user: UserID
  package var kind: UserKind
  package var connection: ConnectionID
  /// What the authenticator noted of the connection: ``VerifiedToken/notes``.
  package var notes: [HTTPField]

  package init(user: UserID, kind: UserKind, connection: ConnectionID, notes: [HTTPField] = []) {
    self.user = user
    self.kind = kind
    self.connection = connection
    self.notes = notes
  }

  /// The first note of that name.
  package func note(_ name: String) -> String? {
    notes.first { $0.name == name }?.value
  }
}
