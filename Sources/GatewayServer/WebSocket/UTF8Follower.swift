/// A reader that follows a text through its pieces, which may end within a character, and says as soon as it can be no
/// UTF-8 (RFC 3629 section 4): of a long message that is none, the rest need not be waited for. A piece may end after
/// the first byte of an `é`, for instance.
struct UTF8Follower {
  /// How many bytes the character that has begun still wants.
  private var wanted: UInt8 = 0
  /// What the next of them may be: less than usual where the first byte leaves room for surrogates, for what a shorter
  /// form can say, or for more than U+10FFFF.
  private var low: UInt8 = 0x80
  private var high: UInt8 = 0xBF

  /// Whether no character has begun that is not complete.
  var isWhole: Bool { wanted == 0 }

  /// Whether the whole of `bytes` is text.
  static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var follower = UTF8Follower()
    return follower.take(bytes) && follower.isWhole
  }

  /// False if the text cannot go on so.
  mutating func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    var start = 0
    // Of ASCII, eight bytes at once.
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
