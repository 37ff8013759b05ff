package import GatewayCore

/// A key made ready for checking signatures by each algorithm it is bound to. An RSA key can never be asked for an
/// HMAC, for instance: which algorithms a key has is decided here, when it is loaded, and a token only picks among
/// them.
package struct VerificationKey: Sendable {
  /// The name tokens call the key by in `kid`; a key without one answers to any.
  package let id: String?
  package let algorithms: AlgorithmSet
  /// From then on the key is not accepted; nil if it is for ever.
  package let endsAt: WallTime?

  private enum Check: Sendable {
    case hmac(HMACKey)
    case signature(AsymmetricVerifier)
  }

  /// By raw value of the algorithm; nil for those the key is not bound to.
  private let checks: [Check?]

  /// Refuses an HMAC secret shorter than its hash's output (RFC 7518 section 3.2) unless `allowingShortSecret`.
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

  /// Whether the key is still accepted at `now`.
  package func isCurrent(at now: WallTime) -> Bool {
    endsAt.map { now < $0 } ?? true
  }

  /// Whether `signature` is this key's over `input` by `algorithm`. False for an algorithm the key is not bound to.
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
