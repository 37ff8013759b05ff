/// What a peer presents to be let in. Prints without the secret, so it can never reach a log by accident.
package struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// The token as it came off the wire: a JWT or an opaque access token.
  package let token: String
  /// What the same message said beside the token, by name, for the dialect's ``Authenticator``.
  package let details: [HTTPField]

  package init(token: String, details: [HTTPField] = []) {
    self.token = token
    self.details = details
  }

  /// The first detail of that name.
  package func detail(_ name: String) -> String? {
    details.first { $0.name == name }?.value
  }

  package var description: String { "Credentials(\(token.utf8.count) bytes)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
