package import GatewayCore

/// A key prepared to verify signatures by each algorithm it is bound to. The algorithms are fixed when the key is loaded, and a
/// token only selects one of them, so an RSA key is never used for an HMAC.
package struct VerificationKey: Sendable {
  /// The key's name in a token's `kid`; nil for a key without a name, which is tried if no key has the token's `kid`.
  package let id: String?
  package let algorithms: AlgorithmSet
  /// The time from which the key is no longer accepted; nil if it has no end.
  package let endsAt: WallTime?
  /// The issuer that the key was fetched from; nil for a key of the gateway's own.
  package internal(set) var owner: KeyOwner?

  private enum Check: Sendable {
    case hmac(HMACKey)
    case signature(AsymmetricVerifier)
  }

  /// The checks by raw value of the algorithm; nil for algorithms that the key is not bound to.
  private let checks: [Check?]

  /// Prepares a key. Throws for an HMAC secret shorter than its hash's output (RFC 7518 section 3.2) unless
  /// `allowingShortSecret`.
  package init(_ material: KeyMaterial, allowingShortSecret: Bool = false) throws(KeyError) {
    id = material.id
    endsAt = material.endsAt
    algorithms = try material.usableAlgorithms()
    if !allowingShortSecret { try material.checkLength(for: algorithms) }
    var checks = [Check?](repeating: nil, count: JWTAlgorithm.allCases.count)
    for algorithm in algorithms.algorithms {
      checks[Int(algorithm.rawValue)] =
        switch material.content {
        case .secret(let secret): .hmac(HMACKey(secret: secret, hash: algorithm.hash))
        case .asymmetric(let key): .signature(try AsymmetricVerifier(key: key, algorithm: algorithm))
        }
    }
    self.checks = checks
  }

  /// Returns whether the key is still accepted at `now`.
  package func isCurrent(at now: WallTime) -> Bool {
    endsAt.map { now < $0 } ?? true
  }

  /// Returns whether `signature` is this key's over `input` by `algorithm`; false for an algorithm that the key is not bound
  /// to.
  func verify(
    _ input: UnsafeRawBufferPointer, signature: UnsafeRawBufferPointer, algorithm: JWTAlgorithm
  ) -> Bool {
    switch checks[Int(algorithm.rawValue)] {
    case .hmac(let key): key.verify(input, code: signature)
    case .signature(let verifier): verifier.verify(input, signature: signature)
    case nil: false
    }
  }
}
