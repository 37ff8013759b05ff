/// base64 in either alphabet, padded or not (RFC 4648 sections 4 and 5), as vendors' consoles and libraries write it.
/// E.g. `+/8=` and `-_8` are the same two bytes.
package enum Base64 {
  /// Decodes `text`, in either alphabet but not both at once. Padding is optional, but must be correct if present.
  /// Returns nil for anything else: a decoder that drops unknown characters would turn the text into another secret.
  package static func decode(_ text: String) -> [UInt8]? {
    var digits = Array(text.utf8)
    var padding = 0
    while padding < 2, digits.last == UInt8(ascii: "=") {
      digits.removeLast()
      padding += 1
    }
    guard padding == 0 || (digits.count + padding) % 4 == 0 else { return nil }
    var isStandard = false
    var isURL = false
    for index in digits.indices {
      switch digits[index] {
      case UInt8(ascii: "+"):
        isStandard = true
        digits[index] = UInt8(ascii: "-")
      case UInt8(ascii: "/"):
        isStandard = true
        digits[index] = UInt8(ascii: "_")
      case UInt8(ascii: "-"), UInt8(ascii: "_"):
        isURL = true
      default:
        break
      }
    }
    guard !(isStandard && isURL) else { return nil }
    return Base64URL.decode(String(decoding: digits, as: UTF8.self))
  }

  /// Returns the text of `bytes` in the standard alphabet, padded.
  package static func encode(_ bytes: [UInt8]) -> String {
    let text = encodeUnpadded(bytes)
    return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  }

  /// Returns the text of `bytes` in the standard alphabet, unpadded: the one form that strict and lenient readers
  /// accept.
  package static func encodeUnpadded(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    Base64URL.encode(bytes, to: &text)
    for index in text.indices {
      if text[index] == UInt8(ascii: "-") { text[index] = UInt8(ascii: "+") }
      if text[index] == UInt8(ascii: "_") { text[index] = UInt8(ascii: "/") }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
