internal import GatewayJSON

/// The keys that verify one application's tokens, e.g. the current secret and, until a given time, the previous one. Immutable:
/// a rotation makes another set.
package struct KeySet: Sendable {
  /// The maximum number of keys in a set: a token without `kid` tries every one that fits.
  package static let countMax = 100

  package let keys: [VerificationKey]
  /// The reasons why keys of a JWK set were left out, one sentence each: other uses, kinds and curves (RFC 7517 section 5).
  package let ignored: [String]

  /// Creates a set. Throws if there are no keys, or more than ``countMax``.
  package init(_ keys: [VerificationKey], ignored: [String] = []) throws(KeyError) {
    guard !keys.isEmpty else { throw .noUsableKey(ignored.isEmpty ? ["the set is empty"] : ignored) }
    guard keys.count <= Self.countMax else { throw .tooManyKeys(limit: Self.countMax) }
    self.keys = keys
    self.ignored = ignored
  }

  /// Joins the gateway's own keys and fetched ones, of which there may be none.
  init(_ own: KeySet, with fetched: [VerificationKey]) {
    keys = own.keys + fetched
    ignored = own.ignored
  }

  /// Reads the keys of a JWK set, or of a single JWK (RFC 7517), that may verify signatures by supported algorithms. A
  /// malformed or weak key fails the whole set, so that a mistake is noticed when it is made.
  package init(jwks text: [UInt8], allowingShortSecret: Bool = false) throws(KeyError) {
    let (materials, ignored) = try JSONWebKey.read(text)
    var keys: [VerificationKey] = []
    var reasons = ignored
    for material in materials {
      if material.mayVerify {
        keys.append(try VerificationKey(material, allowingShortSecret: allowingShortSecret))
      } else {
        reasons.append("a key\(material.id.map { " \($0)" } ?? "") is not for verifying")
      }
    }
    try self.init(keys, ignored: reasons)
  }

  /// Returns whether a key has that name. If so, only keys of that name are tried; otherwise only keys without a name. `kid` is
  /// a hint (RFC 7515 section 4.1.4): it narrows the search and decides nothing else.
  func hasKey(named kid: JSONView) -> Bool {
    keys.contains { Self.isNamed($0, kid) }
  }

  static func isNamed(_ key: VerificationKey, _ kid: JSONView) -> Bool {
    guard let id = key.id else { return false }
    return kid.withUTF8 { $0.elementsEqual(id.utf8) } ?? false
  }
}
