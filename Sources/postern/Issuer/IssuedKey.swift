import GatewayCore
import GatewayTokens

/// A key of the storm's issuer.
struct IssuedKey: Sendable {
  /// Its number among all keys, from 0, and its `kid`.
  let number: Int
  let name: String
  let jwk: [UInt8]
  let tokens: any TokenIssuer
  /// When it begins to sign.
  let since: WallTime

  /// Makes a key on P-256.
  ///
  /// - Parameters:
  ///   - number: Its number.
  ///   - run: The beginning of its name, which differs from run to run.
  ///   - since: When it begins to sign.
  ///   - given: The private key of a file; nil to generate one.
  ///   - tokens: Returns the issuer of tokens that a signer signs.
  init(
    number: Int, run: String, since: WallTime, given: KeyMaterial? = nil, tokens: (JWTSigner) -> any TokenIssuer
  ) throws(KeyError) {
    var material: KeyMaterial
    if let given {
      material = given
    } else {
      guard let made = try KeyMaterial.jwks(P256KeyPair.generate().jwk).first else { throw .notPrivate }
      material = made
    }
    let name = material.id ?? "\(run)-\(number)"
    material.id = name
    jwk = try P256PublicKey(of: material).jwk(named: name)
    self.tokens = tokens(try JWTSigner(material, algorithm: .es256))
    self.name = name
    self.number = number
    self.since = since
  }
}
