package import GatewayCore

/// A question to one of the application's own servers about a connection's user.
package struct JournalQuestion: Sendable {
  /// The name in metrics, e.g. `hook_connect`.
  package let endpoint: String
  /// The trace that the request goes on with; nil for none.
  package let trace: TraceID?
  package let connection: ConnectionID
  /// Nil if the user is not known.
  package let user: UserID?
  /// The name of the connection's wire format.
  package let dialect: String

  package init(
    to endpoint: String, _ trace: TraceID?, about user: UserID?, at connection: ConnectionID, speaking dialect: String
  ) {
    (self.endpoint, self.trace, self.connection, self.user) = (endpoint, trace, connection, user)
    self.dialect = dialect
  }
}
