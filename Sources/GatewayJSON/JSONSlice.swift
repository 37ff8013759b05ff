/// The place of one member's value in a well-formed JSON object, e.g. of `[1, 2]` in `{"data": [1, 2]}`.
///
/// A message that one client publishes is passed on to the others unchanged. To parse and write it again would change
/// numbers and copy every node.
package struct JSONSlice: Hashable {
  /// The bytes of the value, without the white space around it.
  package let range: Range<Int>
  /// The levels of nesting in the value: 0 for a number, 1 for an array of numbers.
  package let depth: Int

  /// Finds the value of the member `name` of the object `text`; nil if no member's name equals it byte for byte.
  package init?(member name: StaticString, of text: UnsafeRawBufferPointer) {
    var scanner = Scanner(text: text)
    scanner.skipSpace()
    scanner.position += 1
    while true {
      scanner.skipSpace()
      guard scanner.byte == UInt8(ascii: "\"") else { return nil }
      let key = scanner.skipString()
      scanner.skipSpace()
      guard scanner.byte == UInt8(ascii: ":") else { return nil }
      scanner.position += 1
      scanner.skipSpace()
      let start = scanner.position
      let depth = scanner.skipValue()
      if name.withUTF8Buffer({ text[key].elementsEqual($0) }) {
        range = start..<scanner.position
        self.depth = depth
        return
      }
      scanner.skipSpace()
      guard scanner.byte == UInt8(ascii: ",") else { return nil }
      scanner.position += 1
    }
  }

  private struct Scanner {
    let text: UnsafeRawBufferPointer
    var position = 0

    init(text: UnsafeRawBufferPointer) {
      self.text = text
    }

    var byte: UInt8? { position < text.count ? text[position] : nil }

    mutating func skipSpace() {
      while let byte, Self.isSpace(byte) { position += 1 }
    }

    /// Steps over a string and returns the range between its quotes.
    mutating func skipString() -> Range<Int> {
      position += 1
      let start = position
      while let byte, byte != UInt8(ascii: "\"") {
        position += byte == UInt8(ascii: "\\") ? 2 : 1
      }
      let end = min(position, text.count)
      position = min(end + 1, text.count)
      return start..<end
    }

    /// Steps over a value and returns its levels of nesting.
    mutating func skipValue() -> Int {
      var depth = 0
      var deepest = 0
      while let byte {
        switch byte {
        case UInt8(ascii: "\""):
          _ = skipString()
          if depth == 0 { return deepest }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          depth += 1
          deepest = max(deepest, depth)
          position += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if depth == 0 { return deepest }
          depth -= 1
          position += 1
          if depth == 0 { return deepest }
        case UInt8(ascii: ",") where depth == 0:
          return deepest
        default:
          if depth == 0 && Self.isSpace(byte) { return deepest }
          position += 1
        }
      }
      return deepest
    }

    static func isSpace(_ byte: UInt8) -> Bool {
      byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
  }
}
