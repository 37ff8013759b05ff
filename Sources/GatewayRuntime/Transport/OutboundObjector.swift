package import GatewayCore

/// Decides the fate of questions to the application's own backend, where faults are ordered.
package protocol OutboundObjector: Sendable {
  /// Returns the fate of a question, after the time that it has to wait, at `end` at the latest. Only from a task on the loop.
  ///
  /// - Parameter end: The end of the question's time, in the time of the network.
  nonisolated(nonsending) func fate(of question: OutboundQuestion, until end: Instant) async -> OutboundFate
}

/// The fate of a question to the application's own backend.
package enum OutboundFate: Hashable, Sendable {
  /// It is asked as ever.
  case asked
  /// This is the answer, and the backend is not asked.
  case answered(HTTPResponse)
  /// The backend is not asked, and nothing comes.
  case unanswered
}

/// A question to the application's own backend, and the user that it is about.
package struct OutboundQuestion: Sendable {
  /// The name in metrics, e.g. `hook_connect`.
  package let endpoint: String
  package let connection: ConnectionID
  package let dialect: String
  /// Nil if the user is not known.
  package let user: UserID?
  package let kind: UserKind?
  /// The end of the user's token; nil for never, or if it is not known.
  package let expiresAt: WallTime?

  package init(
    to endpoint: String, of connection: ConnectionID, speaking dialect: String, about user: UserID?, _ kind: UserKind?,
    until expiresAt: WallTime?
  ) {
    (self.endpoint, self.connection, self.dialect) = (endpoint, connection, dialect)
    (self.user, self.kind, self.expiresAt) = (user, kind, expiresAt)
  }
}
