/// Eight bytes of a text in one word, so that they are searched at once with arithmetic.
enum ByteWord {
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// The top bit of each byte.
  static let tops = ones &* 0x80

  /// Returns whether one of the eight bytes is below a space, or is a quote or a backslash. A JSON string does not contain
  /// these unescaped (RFC 8259 section 7).
  static func needsEscape(_ word: UInt64) -> Bool {
    // A byte below a space has none of its upper three bits set, so its top bit is set only by the subtraction.
    let odd = ((word &- ones &* 0x20) & ~word) | zeroes(word ^ (ones &* 0x22)) | zeroes(word ^ (ones &* 0x5C))
    return odd & tops != 0
  }

  /// Returns whether one of the eight bytes is a delete (0x7F) or above, which is not printable ASCII.
  static func isAboveASCII(_ word: UInt64) -> Bool {
    (word | (word &+ ones)) & tops != 0
  }

  private static func zeroes(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
}
