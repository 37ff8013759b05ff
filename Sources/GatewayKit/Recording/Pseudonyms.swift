internal import GatewayCore
internal import GatewayTokens

/// The names that stand for secrets in one recording. Equal secrets have equal names, e.g. `token-1`.
///
/// It keeps digests of the secrets, and not the secrets.
package struct Pseudonyms: Sendable {
  /// The word before the number.
  package enum Kind: String, Sendable, CaseIterable {
    case token, cookie, key, id, text
  }

  /// The maximum number of names. Further secrets share the name `id-more`.
  private static let countMax = 100_000
  private static let more = "-more"

  private var names: [TokenFingerprint: String] = [:]
  private var counts: [Kind: Int] = [:]

  package init() {}

  /// Returns the name of a secret that has one; nil for any other text.
  package func known(_ secret: some Sequence<UInt8>) -> String? {
    names.isEmpty ? nil : names[Self.digest(secret)]
  }

  /// Returns the name of a secret, a new one of that kind if it has none.
  package mutating func name(_ secret: some Sequence<UInt8>, _ kind: Kind) -> (text: String, isNew: Bool) {
    let digest = Self.digest(secret)
    if let name = names[digest] { return (name, false) }
    guard names.count < Self.countMax else { return (kind.rawValue + Self.more, false) }
    counts[kind, default: 0] += 1
    let name = "\(kind.rawValue)-\(counts[kind, default: 0])"
    names[digest] = name
    return (name, true)
  }

  /// Returns whether a text looks like a name.
  package static func isName(_ text: some Collection<UInt8>) -> Bool {
    Kind.allCases.contains { kind in
      let word = kind.rawValue.utf8
      guard text.count > word.count + 1, text.starts(with: word) else { return false }
      let rest = text.dropFirst(word.count)
      return rest.first == UInt8(ascii: "-")
        && (rest.dropFirst().allSatisfy { (0x30...0x39).contains($0) } || rest.elementsEqual(more.utf8))
    }
  }

  private static func digest(_ secret: some Sequence<UInt8>) -> TokenFingerprint {
    let digest = SHA256.digest(Array(secret))
    let word = { (bytes: ArraySlice<UInt8>) in bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    return TokenFingerprint(high: word(digest[..<8]), low: word(digest[8..<16]))
  }
}
