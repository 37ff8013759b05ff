/// A client's message, independent of the wire format.
package enum InboundMessage: Hashable, Sendable {
  /// A token: to log in, or to replace a token that expires.
  case credentials(Credentials, request: RequestID?)
  /// A request that needs an authenticated connection.
  case command(Command, request: RequestID?)
  /// The user logs out; the connection stays open and may log in again.
  case logout(request: RequestID?)
  /// The application's own keep-alive, answered in every open phase.
  case ping(request: RequestID?)
}
