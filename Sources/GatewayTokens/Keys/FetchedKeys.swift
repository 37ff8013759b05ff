internal import GatewayCore
internal import GatewayJSON

/// The keys of a JWK set that was fetched from the issuer that they belong to.
///
/// Unlike a key in a file, a malformed or weak key does not fail the set (RFC 7517 section 5): it is left out.
package struct FetchedKeys: Sendable {
  package let keys: [VerificationKey]
  /// The reasons why others were left out, a phrase each. They may quote names of keys, and never contain key material.
  package let leftOut: [String]

  /// An RSA key with a longer public exponent would cost a loop many times what others cost.
  private static let exponentCharactersMax = 11
  private static let nameLengthMax = 64

  /// Reads public keys, each for its algorithms that are in `algorithms`. Throws if the text is no JWK set, or has no usable
  /// key.
  package init(jwks text: [UInt8], of owner: KeyOwner, algorithms: AlgorithmSet) throws(KeyError) {
    let entries = try JSONWebKey.entries(text)
    guard entries.count <= KeySet.countMax else { throw .tooManyKeys(limit: KeySet.countMax) }
    var keys: [VerificationKey] = []
    var leftOut: [String] = []
    for (index, entry) in entries.enumerated() {
      do throws(KeyError) {
        switch try Self.read(entry, index, algorithms) {
        case .success(var key):
          key.owner = owner
          keys.append(key)
        case .failure(let reason): leftOut.append("\(Self.name(entry, index)): \(reason.text)")
        }
      } catch {
        leftOut.append("\(Self.name(entry, index)): \(error)")
      }
    }
    guard !keys.isEmpty else { throw .noUsableKey(leftOut.isEmpty ? ["the set is empty"] : leftOut) }
    self.keys = keys
    self.leftOut = leftOut
  }

  private struct Reason: Error {
    let text: String
  }

  private static func read(
    _ entry: JSONView, _ index: Int, _ algorithms: AlgorithmSet
  ) throws(KeyError) -> Result<VerificationKey, Reason> {
    func not(_ text: String) -> Result<VerificationKey, Reason> { .failure(Reason(text: text)) }
    // A secret that is published is none.
    guard entry["kty"]?.equals("oct") != true else { return not("a secret is no public key") }
    guard entry["e"]?.string.map({ $0.utf8.count <= exponentCharactersMax }) ?? true else {
      return not("its exponent has more than 64 bits")
    }
    switch try JSONWebKey.read(entry, index: index) {
    case .ignored(let reason): return not(reason)
    case .key(var material):
      guard material.mayVerify else { return not("it is not for verifying") }
      let usable = try material.usableAlgorithms().intersection(algorithms)
      guard !usable.isEmpty else { return not("none of its algorithms is accepted") }
      material.algorithms = usable
      return .success(try VerificationKey(material))
    }
  }

  private static func name(_ entry: JSONView, _ index: Int) -> String {
    entry["kid"]?.string.map { "key \(index) (kid \($0.prefix(nameLengthMax)))" } ?? "key \(index)"
  }
}
