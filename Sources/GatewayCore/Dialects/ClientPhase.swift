/// The stage of a client's connection, as far as the meaning of a message hangs on it: the same `PONG` is a login's
/// proof or a sign of life, for instance.
package enum ClientPhase: String, Hashable, Sendable, CaseIterable {
  /// Open, and the client has said nothing.
  case opening
  case loggingIn = "logging_in"
  case live
  /// A new token was asked for, or sent.
  case refreshing
}
