/// A client's message, whatever the wire format: a token that ann logs in with, for instance.
package enum InboundMessage: Hashable, Sendable {
  /// A token: to log in, or to take the place of one that expires.
  case credentials(Credentials, request: RequestID?)
  /// Something that needs an authenticated connection.
  case command(Command, request: RequestID?)
  /// The user leaves; the connection stays, and may log in again.
  case logout(request: RequestID?)
  /// A sign of life of the application's own, answered in every open phase.
  case ping(request: RequestID?)
}
