internal import COpenSSL

/// A signer with one private key and one algorithm, e.g. ES256 with the P-256 key of a PEM file.
final class AsymmetricSigner: @unchecked Sendable {
  // Unchecked for the reason AsymmetricKey is: the key behind it is a C pointer that is never changed.
  private let key: AsymmetricKey
  private let algorithm: JWTAlgorithm

  /// Creates a signer. Throws unless `algorithm` fits the key's kind and a trial signature succeeds.
  init(key: AsymmetricKey, algorithm: JWTAlgorithm) throws(KeyError) {
    guard key.kind.algorithms.contains(algorithm) else {
      throw .algorithmDoesNotFit(algorithm, key: key.kind.name)
    }
    self.key = key
    self.algorithm = algorithm
    let trial: [UInt8] = Array("trial".utf8)
    let verifier = try AsymmetricVerifier(key: key, algorithm: algorithm)
    guard let signature = trySigning(trial),
      trial.withUnsafeBytes({ trial in signature.withUnsafeBytes { verifier.verify(trial, signature: $0) } })
    else {
      ERR_clear_error()
      throw .notPrivate
    }
  }

  /// Returns the signature of `input` in JWS form.
  func sign(_ input: [UInt8]) -> [UInt8] {
    guard let signature = trySigning(input) else { preconditionFailure("a key that signed once signs again") }
    return signature
  }

  private func trySigning(_ input: [UInt8]) -> [UInt8]? {
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer { EVP_MD_CTX_free(context) }
    var parameters: OpaquePointer?
    let hash = algorithm == .eddsa ? nil : algorithm.hash.name
    guard EVP_DigestSignInit_ex(context, &parameters, hash, nil, nil, key.pointer, nil) == 1 else { return nil }
    if algorithm.family == .rsaPSS, let parameters, !Self.configurePSS(parameters, algorithm) { return nil }

    var length = 0
    guard EVP_DigestSign(context, nil, &length, input, input.count) == 1 else { return nil }
    var signature = [UInt8](repeating: 0, count: length)
    guard EVP_DigestSign(context, &signature, &length, input, input.count) == 1 else { return nil }
    signature.removeSubrange(length...)
    switch key.kind {
    case .p256: return ECDSASignature.decodeDER(signature, width: 32)
    case .p384: return ECDSASignature.decodeDER(signature, width: 48)
    default: return signature
    }
  }

  /// Sets hash and padding of a context that verifies digests.
  static func configure(_ context: OpaquePointer, _ algorithm: JWTAlgorithm) -> Bool {
    switch algorithm.family {
    case .rsa:
      return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1 && setHash(context, algorithm)
    case .rsaPSS:
      return configurePSS(context, algorithm) && setHash(context, algorithm)
    case .ecdsa:
      return setHash(context, algorithm)
    case .hmac, .eddsa:
      return false
    }
  }

  private static func setHash(_ context: OpaquePointer, _ algorithm: JWTAlgorithm) -> Bool {
    let hash = EVP_MD_fetch(nil, algorithm.hash.name, nil)
    defer { EVP_MD_free(hash) }
    return EVP_PKEY_CTX_set_signature_md(context, hash) == 1
  }

  /// Sets PSS as in RFC 7518 section 3.5: MGF1 with the same hash, a salt as long as the hash.
  private static func configurePSS(_ context: OpaquePointer, _ algorithm: JWTAlgorithm) -> Bool {
    EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
      && EVP_PKEY_CTX_set_rsa_mgf1_md_name(context, algorithm.hash.name, nil) == 1
      && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, Int32(algorithm.hash.size)) == 1
  }
}
