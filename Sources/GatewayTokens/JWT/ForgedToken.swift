internal import GatewayCore
internal import GatewayJSON

/// A forged token: its claims and header are unchanged, but it is signed with a key that no gateway has.
package enum ForgedToken {
  /// The longest signature, in bytes: that of RS512 with a key of 8192 bits.
  private static let signatureMax = 1024
  /// A fixed key, which is not secret.
  private static let secret = Array("a key that no gateway has: forged".utf8)

  // Generated when the first token is forged, and kept: an RSA key takes about 0.1 s.
  private static let ecdsa = signer(of: P256KeyPair.generate().jwk)
  private static let rsa = try? JWTSigner(RSAKeyPair.generate().material)

  private static func signer(of jwk: [UInt8]) -> JWTSigner? {
    guard let key = try? KeyMaterial.jwks(jwk).first else { return nil }
    return try? JWTSigner(key, algorithm: .es256)
  }

  /// Returns `token` signed again by the algorithm that its header names; nil if it is no signed token.
  package static func of(_ token: String) -> String? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.decode(String(parts[0])),
      let signature = Base64URL.decode(String(parts[2])), !signature.isEmpty, signature.count <= signatureMax,
      let name = try? JSONDocument.parse(header).root["alg"]?.string, let algorithm = JWTAlgorithm(name: name)
    else { return nil }
    let input = Array(parts[0].utf8) + [UInt8(ascii: ".")] + Array(parts[1].utf8)
    let forged = sign(input, algorithm, size: signature.count)
    var text = input + [UInt8(ascii: ".")]
    Base64URL.encode(forged, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns a signature by a key that no gateway has. If no signer for the algorithm is available, it returns bytes of the
  /// right number.
  private static func sign(_ input: [UInt8], _ algorithm: JWTAlgorithm, size: Int) -> [UInt8] {
    let code = HMACSHA256.code(key: secret, input)
    let signer: JWTSigner? =
      switch algorithm {
      case .hs256, .hs384, .hs512:
        (try? KeyMaterial.secret(secret, algorithms: AlgorithmSet([algorithm]))).flatMap {
          try? JWTSigner($0, algorithm: algorithm, allowingShortSecret: true)
        }
      case .es256: ecdsa
      case .rs256: rsa
      default: nil
      }
    if let signature = signer?.signature(of: input) { return signature }
    // The first bit is 0, so that the number is below any modulus.
    let bytes = (0..<size).map { code[$0 % code.count] &+ UInt8(truncatingIfNeeded: $0 / code.count) }
    return [(bytes.first ?? 0) & 0x7F] + bytes.dropFirst()
  }
}
