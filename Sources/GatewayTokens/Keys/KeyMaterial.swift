package import GatewayCore

/// A key as it was read, before it is prepared for verifying or signing, with the uses that it allows.
package struct KeyMaterial: Sendable {
  enum Content: Sendable {
    case secret([UInt8])
    case asymmetric(AsymmetricKey)
  }

  /// The `kid`, if the key has a name.
  package var id: String?
  /// The algorithms the key is bound to; nil binds it to all of its kind.
  package var algorithms: AlgorithmSet?
  /// The time from which the key is no longer accepted; nil if it has no end.
  package var endsAt: WallTime?
  /// Whether `use` and `key_ops` allow verifying signatures.
  package var mayVerify = true
  /// Whether `use` and `key_ops` allow signing.
  package var maySign = true
  var content: Content

  init(content: Content) {
    self.content = content
  }

  /// Makes a key of a secret shared with the issuer of the tokens, for HS256 unless `algorithms` says otherwise. Throws for the
  /// text of a key or certificate, which an attacker knows.
  package static func secret(
    _ bytes: [UInt8], algorithms: AlgorithmSet = AlgorithmSet([.hs256])
  ) throws(KeyError) -> KeyMaterial {
    guard !PEMKey.looksLikeKey(bytes) else { throw .secretIsKeyFile }
    var material = KeyMaterial(content: .secret(bytes))
    material.algorithms = algorithms
    return material
  }

  /// Reads a private key, public key or certificate in PEM text; never an HMAC secret.
  package static func pem(_ text: [UInt8]) throws(KeyError) -> KeyMaterial {
    KeyMaterial(content: .asymmetric(try PEMKey.read(text)))
  }

  /// Reads the keys of a JWK set, or of a single JWK (RFC 7517). Keys of unsupported kinds are left out.
  package static func jwks(_ text: [UInt8]) throws(KeyError) -> [KeyMaterial] {
    try JSONWebKey.read(text).keys
  }

  /// Returns the algorithms the key will be used with; throws if it is bound to one that does not fit its kind.
  func usableAlgorithms() throws(KeyError) -> AlgorithmSet {
    let possible: AlgorithmSet
    let name: String
    switch content {
    case .asymmetric(let key):
      possible = key.kind.algorithms
      name = key.kind.name
    case .secret(let bytes):
      possible = .hmac
      name = "a secret of \(bytes.count) bytes"
    }
    guard let algorithms else { return possible }
    if let stranger = algorithms.subtracting(possible).algorithms.first {
      throw .algorithmDoesNotFit(stranger, key: name)
    }
    guard !algorithms.isEmpty else { throw .noAlgorithm }
    return algorithms
  }

  /// Throws if a secret is shorter than the output of one of the hashes it is used with.
  func checkLength(for algorithms: AlgorithmSet) throws(KeyError) {
    guard case .secret(let bytes) = content else { return }
    for algorithm in algorithms.algorithms where bytes.count < algorithm.hash.size {
      throw .secretTooShort(bytes: bytes.count, algorithm: algorithm)
    }
  }
}
