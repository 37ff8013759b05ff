internal import GatewayTokens

/// The SHA-256 of a whole token: its name in tables, from which the token cannot be computed.
struct TokenDigest: Hashable, Sendable {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  init(of token: String) {
    let bytes = SHA256.digest(token.utf8)
    func word(_ index: Int) -> UInt64 {
      bytes[(8 * index)..<(8 * index + 8)].reduce(0) { $0 << 8 | UInt64($1) }
    }
    words = (word(0), word(1), word(2), word(3))
  }

  static func == (one: TokenDigest, other: TokenDigest) -> Bool { one.words == other.words }

  func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
