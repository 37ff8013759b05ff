/// The luggage that a vendor carries through the gateway, which never looks into it: from decoding to doing, say, the
/// command of a channel with all that it says, read once.
///
/// One allocation, and a pointer wherever it is carried.
package struct Baggage: Hashable, Sendable {
  private let piece: Piece

  package init<Content: Hashable & Sendable>(_ content: Content) {
    piece = Packed(content)
  }

  /// What is in it; nil if that is no `Content`.
  package func unpacked<Content: Hashable & Sendable>(_ type: Content.Type = Content.self) -> Content? {
    (piece as? Packed<Content>)?.content
  }

  package static func == (one: Baggage, other: Baggage) -> Bool {
    one.piece === other.piece || one.piece.isEqual(to: other.piece)
  }

  package func hash(into hasher: inout Hasher) { piece.hash(into: &hasher) }
}

/// Baggage whatever is in it.
///
/// `@unchecked Sendable`: its one kind, ``Packed``, is a constant of a type that is. A class, not a protocol, whose values
/// would be two pointers long, twice in each connection.
private class Piece: @unchecked Sendable {
  func isEqual(to other: Piece) -> Bool { self === other }
  func hash(into hasher: inout Hasher) {}
}

/// A piece with its content: a device's name, for instance.
private final class Packed<Content: Hashable & Sendable>: Piece, @unchecked Sendable {
  let content: Content

  init(_ content: Content) {
    self.content = content
  }

  override func isEqual(to other: Piece) -> Bool { (other as? Packed<Content>)?.content == content }

  override func hash(into hasher: inout Hasher) { content.hash(into: &hasher) }
}
