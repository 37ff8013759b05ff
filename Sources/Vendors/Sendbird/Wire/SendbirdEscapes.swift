/// A repair of JSON text that is valid but not decodable as text. A browser writes half of a surrogate pair
/// (`"\ud83d"`) where an emoji was cut, and any client may write `\u0000`. A client waits ten seconds for the answer to
/// a command, so such commands are repaired rather than dropped.
enum SendbirdEscapes {
  private static let backslash = UInt8(ascii: "\\")
  private static let size = 6

  /// Returns `text` with U+FFFD instead of every such escape; nil if it has none.
  static func mended(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    var mended: [UInt8] = []
    mended.reserveCapacity(text.count)
    var isChanged = false
    var index = 0
    while index < text.count {
      let length: Int
      switch (text[index], unit(text, at: index)) {
      case (backslash, .some(0xD800..<0xDC00)):
        if case .some(0xDC00..<0xE000) = unit(text, at: index + size) { length = 2 * size } else { length = 0 }
      case (backslash, .some(0)), (backslash, .some(0xDC00..<0xE000)): length = 0
      case (backslash, nil): length = 2
      case (backslash, _): length = size
      default: length = 1
      }
      if length == 0 {
        mended += Array("\\ufffd".utf8)
        isChanged = true
        index += size
      } else {
        mended += text[index..<min(index + length, text.count)]
        index += length
      }
    }
    return isChanged ? mended : nil
  }

  /// Returns the UTF-16 code unit that is written as `\uXXXX` there; nil if none is.
  private static func unit(_ text: UnsafeRawBufferPointer, at index: Int) -> UInt16? {
    guard index + size <= text.count, text[index] == backslash, text[index + 1] == UInt8(ascii: "u") else { return nil }
    var unit: UInt16 = 0
    for byte in text[(index + 2)..<(index + size)] {
      guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}
