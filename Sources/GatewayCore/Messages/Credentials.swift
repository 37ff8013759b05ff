/// The token that a peer presents to log in, with other data of the same message. Its description omits the secret, so
/// it cannot reach a log by accident.
package struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// The token as received: a JWT or an opaque access token.
  package let token: String
  /// Further data of the same message, for the dialect's ``Authenticator``; nil if there is none.
  package let details: Baggage?

  package init(token: String, details: Baggage? = nil) {
    self.token = token
    self.details = details
  }

  package var description: String { "Credentials(\(token.utf8.count) bytes)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
