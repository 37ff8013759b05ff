/// base64 of the standard alphabet (RFC 4648 section 4), for secrets that people paste.
package enum Base64 {
  /// The text for `bytes`, without padding.
  package static func encode(_ bytes: [UInt8]) -> String {
    String(decoding: Base64URL.encode(bytes).utf8.map(Self.toStandard), as: UTF8.self)
  }

  /// The bytes that `text` stands for, written in either alphabet, with or without padding; nil if it is neither. White
  /// space is none of it.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var digits = Array(text.utf8)
    var padding = 0
    while digits.last == UInt8(ascii: "="), padding < 2 {
      digits.removeLast()
      padding += 1
    }
    guard padding == 0 || (digits.count + padding) % 4 == 0 else { return nil }
    return Base64URL.decode(String(decoding: digits.map(Self.toURL), as: UTF8.self))
  }

  private static func toStandard(_ digit: UInt8) -> UInt8 {
    switch digit {
    case UInt8(ascii: "-"): UInt8(ascii: "+")
    case UInt8(ascii: "_"): UInt8(ascii: "/")
    default: digit
    }
  }

  private static func toURL(_ digit: UInt8) -> UInt8 {
    switch digit {
    case UInt8(ascii: "+"): UInt8(ascii: "-")
    case UInt8(ascii: "/"): UInt8(ascii: "_")
    default: digit
    }
  }
}
