/// A name that decides who or what something is, compared by its UTF-8 bytes: a user's, for instance, a client's, a
/// call's.
///
/// Swift's strings are equal when they are canonically equivalent: "é" in one scalar equals "é" in two, and the Kelvin
/// sign equals K. Whoever issues names compares bytes (RFC 7519 section 2 allows no transformation before a comparison
/// of StringOrURI values), so with strings one user could be another. Equality, hashing and order are by bytes here.
package struct Name: Hashable, Comparable, Sendable {
  /// The name as it came.
  package let text: String

  package init(_ text: some StringProtocol) {
    self.text = String(text)
  }

  package static func == (lhs: Name, rhs: Name) -> Bool {
    let (one, other) = (lhs.text.utf8.span, rhs.text.utf8.span)
    return one.count == other.count && one.indices.allSatisfy { one[unchecked: $0] == other[unchecked: $0] }
  }

  package static func < (lhs: Name, rhs: Name) -> Bool {
    lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // No UTF-8 has this byte, so a name that ends where the next value begins is told apart.
    hasher.combine(0xFF as UInt8)
  }
}

extension Name: CustomStringConvertible {
  package var description: String { text }
}

extension Name: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) {
    self.text = text
  }
}

extension Name: Codable {
  package init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
