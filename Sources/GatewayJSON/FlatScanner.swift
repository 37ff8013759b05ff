/// A cursor on JSON text that steps over the content of a ``FlatObject`` and rejects everything else, e.g. a `\n` in a string.
struct FlatScanner {
  private let text: UnsafeRawBufferPointer
  var position = 0

  init(_ text: UnsafeRawBufferPointer) {
    self.text = text
  }

  /// Steps over white space and returns the next byte, or nil at the end.
  mutating func next() -> UInt8? {
    while position < text.count {
      let byte = text[position]
      guard byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else { return byte }
      position += 1
    }
    return nil
  }

  /// Steps over white space and `byte`; returns false if the next byte is another.
  mutating func take(_ byte: UInt8) -> Bool {
    guard next() == byte else { return false }
    position += 1
    return true
  }

  /// Returns whether only white space is left.
  mutating func isAtEnd() -> Bool {
    next() == nil
  }

  /// Steps over a string of printable ASCII without escapes, from after its first quote to after its last.
  mutating func passString() -> Bool {
    // Steps over eight bytes at once while none of them ends the string or is rejected.
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

  /// Steps over `word`; returns false if the text continues otherwise.
  mutating func pass(_ word: StaticString) -> Bool {
    guard text[position...].starts(with: UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    else { return false }
    position += word.utf8CodeUnitCount
    return true
  }

  /// Steps over a whole number. It does not check the next byte; the caller does, which expects a comma there.
  mutating func passInteger(digitsMax: Int) -> Bool {
    if text[position] == UInt8(ascii: "-") { position += 1 }
    let start = position
    while position < text.count, text[position] &- UInt8(ascii: "0") <= 9 { position += 1 }
    let digits = position - start
    return (1...digitsMax).contains(digits) && (digits == 1 || text[start] != UInt8(ascii: "0"))
  }

  /// Steps over the fraction of a number, if it has one. The caller, which expects a comma next, rejects an exponent.
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
