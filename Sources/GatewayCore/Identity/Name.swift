/// A name that identifies a user, a client, a call or another object, compared by its UTF-8 bytes.
///
/// Swift's strings are equal when they are canonically equivalent: "é" in one scalar equals "é" in two, and the Kelvin
/// sign equals K. Issuers of names compare bytes (RFC 7519 section 2 allows no transformation before a comparison of
/// StringOrURI values). With strings, one user could be mistaken for another, so equality, hash and order are by bytes
/// here.
package struct Name: Hashable, Comparable, Sendable {
  /// The name as received.
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
    // No UTF-8 contains this byte, so it separates the name from the next hashed value.
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
