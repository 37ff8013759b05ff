/// The token that a peer presents to be let in, a JWT for instance, with what the wire has beside it. Prints without
/// the secret, so it can never reach a log by accident.
package struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// The token as it came off the wire: a JWT or an opaque access token.
  package let token: String
  /// What the same message said beside the token, for the dialect's ``Authenticator``; nil for nothing.
  package let details: Baggage?

  package init(token: String, details: Baggage? = nil) {
    self.token = token
    self.details = details
  }

  package var description: String { "Credentials(\(token.utf8.count) bytes)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
