/// A place in a template that is filled when the message is said: `{{token}}`, for instance.
package enum Hole: Hashable, Sendable {
  case user
  /// A column of the list of users, `{{user.password}}`.
  case column(String)
  case token
  /// The number of the message, different for each.
  case id
  /// The number of the client.
  case number
  /// Sixteen hexadecimal digits by chance.
  case random
  case nowSeconds
  case nowMilliseconds
  case lifeSeconds
  case endSeconds
  case endMilliseconds
  /// What a rule took, by its place among the names of ``HoleNames``.
  case taken(Int)
  /// The `id` under which a message was said last, by its place among the names of ``HoleNames``.
  case sent(Int)
  /// What a gateway that plays the description took from the client's messages, by its place among the names of
  /// ``HoleNames``.
  case heard(Int)
  /// From a file that the command line names.
  case secret(String)
  /// What the gateway calls a connection; only where the description plays the gateway.
  case connection
  /// How long the gateway waits for a new token, in milliseconds; only where the description plays the gateway.
  case waitMilliseconds
}

/// A source of what fills holes: a client with its token, for instance. Nil for what it does not have.
package protocol HoleSource {
  func value(of hole: Hole) -> String?
}

/// The reason why a template could not be filled: there is nothing for `{{token}}`, for instance.
package enum HoleError: Error, Hashable, Sendable, CustomStringConvertible {
  case missing(String)
  /// The value of a hole with the filter `:number` is none.
  case noNumber(String)
  /// The value holds what ends a message on this wire: it would say more than one.
  case holdsSeparator(String)

  package var description: String {
    switch self {
    case .missing(let name): "there is nothing for {{\(name)}}"
    case .noNumber(let name): "what stands for {{\(name)}} is no number"
    case .holdsSeparator(let name): "what stands for {{\(name)}} holds what ends a message on this wire"
    }
  }
}
