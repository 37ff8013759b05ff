/// The stage of a client's connection, on which the meaning of a message may depend. E.g. the same `PONG` can confirm a
/// login or be a sign of life.
package enum ClientPhase: String, Hashable, Sendable, CaseIterable {
  /// The connection is open, and the client has sent nothing.
  case opening
  case loggingIn = "logging_in"
  case live
  /// A new token was requested or sent.
  case refreshing
}
