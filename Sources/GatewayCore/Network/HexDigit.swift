extension UInt8 {
  /// Whether it is a hexadecimal digit of ASCII, in small or capital letters (HEXDIG of RFC 5234 appendix B.1, in either
  /// case).
  package var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
