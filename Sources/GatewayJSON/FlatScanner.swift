/// A finger on JSON text that steps over what a ``FlatObject`` may hold; refuses everything else, a `\n` in a string
/// for instance.
struct FlatScanner {
  private let text: UnsafeRawBufferPointer
  var position = 0

  init(_ text: UnsafeRawBufferPointer) {
    self.text = text
  }

  /// The next byte that is no white space; nil at the end.
  mutating func next() -> UInt8? {
    while position < text.count {
      let byte = text[position]
      guard byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else { return byte }
      position += 1
    }
    return nil
  }

  /// Steps over white space and `byte`; false if something else stands there.
  mutating func take(_ byte: UInt8) -> Bool {
    guard next() == byte else { return false }
    position += 1
    return true
  }

  /// Whether nothing but white space is left.
  mutating func isAtEnd() -> Bool {
    next() == nil
  }

  /// Steps over a string of printable ASCII without escapes, whose first quote is behind already, and its last quote.
  mutating func passString() -> Bool {
    // Eight bytes at once while none of them ends the string or is refused.
    while position + 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      guard !ByteWord.needsEscape(word), !ByteWord.isAboveASCII(word) else { break }
      position += 8
    }
    while position < text.count {
      let byte = text[position]
      position += 1
      if byte == UInt8(ascii: "\"") { return true }
      if byte &- 0x20 > 0x5E || byte == UInt8(ascii: "\\") { return false }
    }
    return false
  }

  /// Steps over `word`; false if something else stands there.
  mutating func pass(_ word: StaticString) -> Bool {
    guard text[position...].starts(with: UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    else { return false }
    position += word.utf8CodeUnitCount
    return true
  }

  /// Steps over a whole number; what is behind it is found by whoever expects a comma there.
  mutating func passInteger(digitsMax: Int) -> Bool {
    if text[position] == UInt8(ascii: "-") { position += 1 }
    let start = position
    while position < text.count, text[position] &- UInt8(ascii: "0") <= 9 { position += 1 }
    let digits = position - start
    return (1...digitsMax).contains(digits) && (digits == 1 || text[start] != UInt8(ascii: "0"))
  }

  /// Steps over the fraction of a number that has one; an exponent behind it is found by whoever expects a comma there.
  mutating func passFraction(digitsMax: Int) -> Bool {
    guard position < text.count, text[position] == UInt8(ascii: ".") else { return false }
    let start = position + 1
    var end = start
    while end < text.count, text[end] &- UInt8(ascii: "0") <= 9 { end += 1 }
    guard (1...digitsMax).contains(end - start) else { return false }
    position = end
    return true
  }
}
