/// Steps through JSON text, over what a ``FlatObject`` may hold; refuses everything else.
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
    while position < text.count {
      let byte = text[position]
      position += 1
      if byte == UInt8(ascii: "\"") { return true }
      if byte &- 0x20 > 0x5E || byte == UInt8(ascii: "\\") { return false }
    }
    return false
  }

  mutating func passNull() -> Bool {
    guard text[position...].starts(with: "null".utf8) else { return false }
    position += 4
    return true
  }

  /// Steps over a whole number; a fraction or exponent behind it is found by whoever expects a comma there.
  mutating func passInteger(digitsMax: Int) -> Bool {
    if text[position] == UInt8(ascii: "-") { position += 1 }
    let start = position
    while position < text.count, text[position] &- UInt8(ascii: "0") <= 9 { position += 1 }
    let digits = position - start
    return (1...digitsMax).contains(digits) && (digits == 1 || text[start] != UInt8(ascii: "0"))
  }
}
