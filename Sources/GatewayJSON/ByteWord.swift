/// Eight bytes of a text at once, searched by the usual tricks of arithmetic: `{"a":"b"` for instance, which holds quotes.
enum ByteWord {
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// The top bit of each byte.
  static let tops = ones &* 0x80

  /// Whether one of the eight is below a space, a quote or a backslash, which stand in no JSON string as they are
  /// (RFC 8259 section 7).
  static func needsEscape(_ word: UInt64) -> Bool {
    // Below a space a byte has none of its upper three bits left, and no top bit before.
    let odd = ((word &- ones &* 0x20) & ~word) | zeroes(word ^ (ones &* 0x22)) | zeroes(word ^ (ones &* 0x5C))
    return odd & tops != 0
  }

  /// Whether one of the eight is a delete or above, which is no printable ASCII.
  static func isAboveASCII(_ word: UInt64) -> Bool {
    (word | (word &+ ones)) & tops != 0
  }

  private static func zeroes(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
}
