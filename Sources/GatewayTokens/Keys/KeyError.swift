/// The reason why a key cannot be used. It never holds key material.
package enum KeyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// An HMAC secret shorter than the hash's output (RFC 7518 section 3.2).
  case secretTooShort(bytes: Int, algorithm: JWTAlgorithm)
  /// An HMAC secret that is a public key, private key or certificate as text, a common mistake.
  case secretIsKeyFile
  /// An RSA modulus of fewer bits than 2048 (RFC 7518 section 3.3), or of more than 16384.
  case modulusSize(bits: Int)
  /// A kind of key or a curve that no supported algorithm uses.
  case unsupported(String)
  /// An algorithm that is not for keys of this kind.
  case algorithmDoesNotFit(JWTAlgorithm, key: String)
  /// A key without an algorithm that it can be used with.
  case noAlgorithm
  /// A PEM text without a public key, private key or certificate, or with an encrypted key.
  case notPEM
  /// Neither a JWK or JWK set nor PEM text.
  case notKeyFile
  /// A key without the private half, which signing needs.
  case notPrivate
  /// A JWK that violates RFC 7517, 7518 or 8037: its index in the set, and the reason.
  case jwk(index: Int, reason: String)
  /// Not a JWK or JWK set at all.
  case notJWKSet(String)
  /// A set without a usable key, for these reasons.
  case noUsableKey([String])
  /// More keys than the limit.
  case tooManyKeys(limit: Int)
  /// A file that cannot be read.
  case unreadable(path: String, reason: String)

  package var description: String {
    switch self {
    case .secretTooShort(let bytes, let algorithm):
      """
      the secret has \(bytes) bytes; \(algorithm.name) needs at least \(algorithm.hash.size) \
      (RFC 7518 section 3.2), unless short secrets are allowed explicitly
      """
    case .secretIsKeyFile: "the secret is the text of a key or certificate; load it as a key, not as a secret"
    case .modulusSize(let bits): "the RSA key has \(bits) bits; 2048 to 16384 are accepted"
    case .unsupported(let what): "\(what) is not supported; RSA, RSA-PSS, P-256, P-384 and Ed25519 are"
    case .algorithmDoesNotFit(let algorithm, let key): "\(algorithm.name) is not for \(key)"
    case .noAlgorithm: "the key has no algorithm it may be used with"
    case .notPEM: "no unencrypted public key, private key or certificate in the PEM text"
    case .notKeyFile:
      "neither a JWK set (JSON that begins with {) nor PEM text (a line -----BEGIN ...); give a file of one of the two"
    case .notPrivate: "signing needs a private key"
    case .jwk(let index, let reason): "key \(index) of the JWK set: \(reason)"
    case .notJWKSet(let reason): "not a JWK set: \(reason)"
    case .noUsableKey(let reasons): "no key can be used: \(reasons.joined(separator: "; "))"
    case .tooManyKeys(let limit): "more than \(limit) keys"
    case .unreadable(let path, let reason): "\(path): \(reason)"
    }
  }
}
