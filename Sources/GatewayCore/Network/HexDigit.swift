extension UInt8 {
  /// Whether the byte is an ASCII hexadecimal digit in either case (HEXDIG of RFC 5234 appendix B.1).
  package var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
