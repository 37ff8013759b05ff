/// The name of a user, as the application that issues tokens knows them.
package struct UserID: Hashable, Sendable, CustomStringConvertible {
  /// The longest accepted name, in UTF-8 bytes.
  package static let lengthMax = 255

  /// The user every anonymous visitor is: the `user_id` that a call token carries.
  package static let anonymous = UserID("!anon")

  package let rawValue: String

  package init(_ rawValue: String) {
    self.rawValue = rawValue
  }

  package var description: String { rawValue }
}
