import Foundation
import GatewayCore
import GatewayJSON
import GatewayTokens

/// Files beside the tests, and keys created from them.
enum Fixture {
  static func bytes(_ path: String) throws -> [UInt8] {
    let url = Bundle.module.bundleURL.appending(path: "Fixtures").appending(path: path)
    return Array(try Data(contentsOf: url))
  }

  static func json(_ path: String) throws -> JSONView {
    try JSONDocument.parse(try bytes(path), sizeMax: 1 << 20).root
  }

  /// Returns the key in `keys/<name>`: a secret if it is called hmac, else PEM; its name is its `kid`.
  static func key(
    _ name: String, id: String? = nil, algorithms: [JWTAlgorithm]? = nil, endsAt: WallTime? = nil
  ) throws -> KeyMaterial {
    var material: KeyMaterial
    if name.hasPrefix("hmac") {
      material = try .secret(try bytes("keys/\(name)"), algorithms: AlgorithmSet(algorithms ?? [.hs256]))
    } else {
      material = try .pem(try bytes("keys/\(name).pem"))
      material.algorithms = algorithms.map { AlgorithmSet($0) }
    }
    material.id = id
    material.endsAt = endsAt
    return material
  }

  /// Returns the name of the key that signs with `algorithm` in `pyjwt.json`.
  static func keyName(_ algorithm: JWTAlgorithm) -> String {
    switch algorithm {
    case .hs256: "hmac-32"
    case .hs384: "hmac-48"
    case .hs512: "hmac-64"
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: "rsa2048"
    case .es256: "p256"
    case .es384: "p384"
    case .eddsa: "ed25519"
    }
  }

  static func signer(_ algorithm: JWTAlgorithm, id: String? = nil, type: String? = "JWT") throws -> JWTSigner {
    try JWTSigner(try key(keyName(algorithm), id: id, algorithms: [algorithm]), algorithm: algorithm, type: type)
  }

  static func verifier(_ keys: KeyMaterial..., policy: TokenPolicy = TokenPolicy()) throws -> JWTVerifier {
    JWTVerifier(keys: try KeySet(try keys.map { try VerificationKey($0) }), policy: policy)
  }
}

extension WallTime {
  /// The time at which the tests verify: 2023-11-14T22:13:20Z.
  static let verification = WallTime(seconds: 1_700_000_000)
}
