internal import GatewayPlain
internal import GatewayTokens

/// The random keys of one gateway, which sign and verify its tokens.
struct PlainKeys {
  let issuer: PlainTokenIssuer
  let verifier: JWTVerifier

  init() throws {
    let secret = try KeyMaterial.secret(SecureRandom.bytes(32))
    issuer = PlainTokenIssuer(signer: try JWTSigner(secret))
    verifier = JWTVerifier(keys: try KeySet([try VerificationKey(secret)]))
  }
}
