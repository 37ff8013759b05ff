/// A session at the login that signed a token. 64 bits stand for its `iss` and `sid`, so that a connection keeps them in a
/// word.
package struct LoginSession: Hashable, Sendable {
  /// Not 0.
  package let hash: UInt64

  package init(hash: UInt64) {
    self.hash = max(hash, 1)
  }
}

extension LoginSession: Codable {
  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let hash = UInt64(text, radix: 16) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a session is 1 to 16 hexadecimal digits"))
    }
    self.init(hash: hash)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String(hash, radix: 16))
  }
}
