/// A placeholder in a template that is filled when the message is sent, e.g. `{{token}}`.
package enum Hole: Hashable, Sendable {
  case user
  /// A column of the user list, `{{user.password}}`.
  case column(String)
  case token
  /// The number of the message, different for each.
  case id
  /// The number of the client.
  case number
  /// Sixteen random hexadecimal digits.
  case random
  case nowSeconds
  case nowMilliseconds
  case lifeSeconds
  case endSeconds
  case endMilliseconds
  /// The value that a rule took, by its place in the names of ``HoleNames``.
  case taken(Int)
  /// The latest `id` of a message, by its place in the names of ``HoleNames``.
  case sent(Int)
  /// A value that a gateway playing the description took from the client's messages, by its place in the names of
  /// ``HoleNames``.
  case heard(Int)
  /// A value from a file that the command line names.
  case secret(String)
  /// The gateway's name of the connection; only where the description plays the gateway.
  case connection
  /// How long the gateway waits for a new token, in milliseconds; only where the description plays the gateway.
  case waitMilliseconds
}

/// A source of values for holes. Returns nil for a missing one.
package protocol HoleSource {
  func value(of hole: Hole) -> String?
}

/// The reason why a template could not be filled.
package enum HoleError: Error, Hashable, Sendable, CustomStringConvertible {
  case missing(String)
  /// The value of a hole with the filter `:number` is not a number.
  case noNumber(String)
  /// The value contains the wire's end of a message: it would become several messages.
  case holdsSeparator(String)
  /// The message cannot be written as MessagePack, e.g. since what stands for a hole is no JSON.
  case noMessagePack

  package var description: String {
    switch self {
    case .missing(let name): "there is nothing for {{\(name)}}"
    case .noNumber(let name): "what stands for {{\(name)}} is no number"
    case .holdsSeparator(let name): "what stands for {{\(name)}} holds what ends a message on this wire"
    case .noMessagePack: "it cannot be written as MessagePack"
    }
  }
}
