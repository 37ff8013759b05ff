/// The name of a user, as the application that issues the tokens knows it. Compared by its bytes, like ``Name``.
package struct UserID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The longest accepted name, in UTF-8 bytes.
  package static let lengthMax = 255

  /// The user id of every anonymous visitor, as call tokens carry it in `user_id`.
  package static let anonymous = UserID("!anon")

  package let name: Name

  package init(_ name: Name) {
    self.name = name
  }

  package init(_ text: String) {
    name = Name(text)
  }

  /// The name as received.
  package var rawValue: String { name.text }

  package static func < (lhs: UserID, rhs: UserID) -> Bool {
    lhs.name < rhs.name
  }

  package var description: String { rawValue }
}

extension UserID: Codable {
  package init(from decoder: any Decoder) throws {
    name = try Name(from: decoder)
  }

  package func encode(to encoder: any Encoder) throws {
    try name.encode(to: encoder)
  }
}
