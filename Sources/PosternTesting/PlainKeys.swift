internal import GatewayPlain
internal import GatewayTokens

/// The keys of one gateway, made for it alone: it signs and verifies tokens with them.
struct PlainKeys {
  let issuer: PlainTokenIssuer
  let verifier: JWTVerifier

  init() throws {
    let secret = try KeyMaterial.secret(SecureRandom.bytes(32))
    issuer = PlainTokenIssuer(signer: try JWTSigner(secret))
    verifier = JWTVerifier(keys: try KeySet([try VerificationKey(secret)]))
  }
}
