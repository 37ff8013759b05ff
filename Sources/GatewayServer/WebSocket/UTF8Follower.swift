/// A UTF-8 validator for a text that arrives in pieces, which may end within a character (RFC 3629 section 4).
///
/// It reports an invalid text as soon as possible, so that the rest of a long message need not be read.
struct UTF8Follower {
  /// The number of bytes that are missing of the current character.
  private var wanted: UInt8 = 0
  /// The least value of the next byte; `high` is the greatest. The range is narrower than usual if the first byte would
  /// otherwise permit surrogates, overlong forms, or values above U+10FFFF.
  private var low: UInt8 = 0x80
  private var high: UInt8 = 0xBF

  /// Whether no incomplete character has begun.
  var isWhole: Bool { wanted == 0 }

  /// Returns whether the whole of `bytes` is valid text.
  static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var follower = UTF8Follower()
    return follower.take(bytes) && follower.isWhole
  }

  /// Adds a piece; returns false if the text is invalid.
  mutating func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    var start = 0
    // ASCII is checked eight bytes at once.
    while wanted == 0, start + 8 <= piece.count,
      piece.loadUnaligned(fromByteOffset: start, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    { start += 8 }
    for byte in piece[start...] {
      if wanted == 0 {
        if byte < 0x80 { continue }
        guard begin(byte) else { return false }
      } else {
        guard byte >= low && byte <= high else { return false }
        (low, high) = (0x80, 0xBF)
        wanted -= 1
      }
    }
    return true
  }

  private mutating func begin(_ byte: UInt8) -> Bool {
    switch byte {
    case 0xC2...0xDF: wanted = 1
    case 0xE0: (wanted, low) = (2, 0xA0)
    case 0xED: (wanted, high) = (2, 0x9F)
    case 0xE1...0xEF: wanted = 2
    case 0xF0: (wanted, low) = (3, 0x90)
    case 0xF4: (wanted, high) = (3, 0x8F)
    case 0xF1...0xF3: wanted = 3
    default: return false
    }
    return true
  }
}
