/// An opaque value that a vendor passes through the gateway, e.g. a decoded command that need not be decoded again.
///
/// It takes one allocation, and is one pointer wherever it is stored.
package struct Baggage: Hashable, Sendable {
  private let piece: Piece

  package init<Content: Hashable & Sendable>(_ content: Content) {
    piece = Packed(content)
  }

  /// Returns the content; nil if it is no `Content`.
  package func unpacked<Content: Hashable & Sendable>(_ type: Content.Type = Content.self) -> Content? {
    (piece as? Packed<Content>)?.content
  }

  package static func == (one: Baggage, other: Baggage) -> Bool {
    one.piece === other.piece || one.piece.isEqual(to: other.piece)
  }

  package func hash(into hasher: inout Hasher) { piece.hash(into: &hasher) }
}

/// Baggage of any content.
///
/// `@unchecked Sendable`: its one kind, ``Packed``, is a constant of a type that is Sendable. It is a class and not a
/// protocol, since a protocol's values would be two pointers long, twice in each connection.
private class Piece: @unchecked Sendable {
  func isEqual(to other: Piece) -> Bool { self === other }
  func hash(into hasher: inout Hasher) {}
}

/// A piece with its content.
private final class Packed<Content: Hashable & Sendable>: Piece, @unchecked Sendable {
  let content: Content

  init(_ content: Content) {
    self.content = content
  }

  override func isEqual(to other: Piece) -> Bool { (other as? Packed<Content>)?.content == content }

  override func hash(into hasher: inout Hasher) { content.hash(into: &hasher) }
}
