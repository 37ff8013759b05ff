/// The values of pieces of JSON text that the reader has found well formed.
enum JSONText {
  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The integer; nil if 64 bits do not hold it.
  static func integer(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    let isNegative = text[0] == UInt8(ascii: "-")
    // Towards the negative, because the most negative number has no positive one.
    var value: Int64 = 0
    for digit in text.dropFirst(isNegative ? 1 : 0) {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (difference, overflow2) = product.subtractingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
      guard !overflow && !overflow2 else { return nil }
      value = difference
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  /// The number; nil if it is not finite.
  static func real(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }

  /// The UTF-8 of a string with escapes.
  static func unescape(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      let byte = text[index]
      guard byte == UInt8(ascii: "\\") else {
        result.append(byte)
        index += 1
        continue
      }
      let letter = text[index + 1]
      index += 2
      switch letter {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0c)
      case UInt8(ascii: "n"): result.append(0x0a)
      case UInt8(ascii: "r"): result.append(0x0d)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"):
        var scalar = unit(text, at: index)
        index += 4
        if (0xd800...0xdbff).contains(scalar) {
          scalar = 0x10000 + (scalar - 0xd800) << 10 + (unit(text, at: index + 2) - 0xdc00)
          index += 6
        }
        result.append(contentsOf: Unicode.Scalar(scalar).map { Array(String($0).utf8) } ?? [])
      default: result.append(letter)
      }
    }
    return result
  }

  /// The four hexadecimal digits at `index`.
  private static func unit(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 << 4 | UInt32(hexValue(text[index + $1]) ?? 0) }
  }
}
