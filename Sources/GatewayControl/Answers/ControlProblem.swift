internal import GatewayCore

/// The answer to a request that is refused.
package struct ControlProblem: Codable, Sendable {
  /// The error, with its number of `Docs/reference` and its name.
  package struct Content: Codable, Sendable {
    package let number: Int
    package let name: String
    package let message: String
  }

  package let error: Content

  init(_ error: GatewayError) {
    self.error = Content(number: error.number, name: error.name, message: error.message)
  }
}
