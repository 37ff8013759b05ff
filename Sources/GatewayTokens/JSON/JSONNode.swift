/// Where one value, or one member's name, stands in a ``JSONDocument``.
struct JSONNode: Sendable {
  enum Kind: UInt8, Sendable {
    case object, array, string, integer, real, yes, no, null
  }

  let kind: Kind
  /// Whether a string has escapes, so that its bytes are not its text.
  var hasEscapes = false
  /// The first byte: of a string, the one after the quote.
  let start: UInt32
  /// The byte after the last: of a string, its closing quote.
  var end: UInt32
  /// The number of elements or members.
  var count: UInt32 = 0
  /// The node after this value and all that is in it.
  var next: UInt32

  var range: Range<Int> { Int(start)..<Int(end) }
}
