internal import GatewayCore
internal import GatewayKit
internal import GatewayTokens

/// The plain dialect's clients in a storm. They get their tokens from `/v1/tokens` or, with `--mint`, issue them
/// themselves.
struct PlainClientTool: ClientTool {
  func dialect(_ choice: ClientChoice, _ arguments: Arguments) -> any ClientDialect {
    PlainClientDialect(providerSecret: choice.providerSecret)
  }

  func issuer(_ choice: ClientChoice, _ arguments: Arguments) throws -> any TokenIssuer {
    let signer = try signer(arguments, allowsShortSecret: false)
    let policy = try TokenPolicyDraft(arguments)
    return PlainTokenIssuer(signer: signer, issuer: policy.issuer, audience: policy.audience)
  }

  func issuer(signing signer: JWTSigner, issuer: String, audience: String?) -> (any TokenIssuer)? {
    PlainTokenIssuer(signer: signer, issuer: issuer, audience: audience)
  }
}
