/// The first 128 bits of a token's SHA-256 (of a JWT without its signature). They distinguish two tokens, and are
/// useless as a credential. The journal names tokens by them.
package struct TokenFingerprint: Hashable, Sendable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses the text of ``description``; nil unless it is 32 hexadecimal digits.
  package init?(_ text: String) {
    guard text.utf8.count == 32, text.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  package var description: String { high.hexDigits + low.hexDigits }
}

extension UInt64 {
  /// 16 hexadecimal digits in lower case.
  package var hexDigits: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

extension TokenFingerprint: Codable {
  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let fingerprint = TokenFingerprint(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a fingerprint is 32 hexadecimal digits"))
    }
    self = fingerprint
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
