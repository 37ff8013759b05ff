import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayTokens

// The parrot in `postern serve`, `storm` and `token`.

extension ParrotVendor: OfferedVendor {
  static let title = "the parrot"
  static let scheme = ParrotDialect.name
  static let tokens: any TokenTool = ParrotTokenTool()
  static let clients: any ClientTool = ParrotClientTool()

  static func settings(_ arguments: Arguments, _ own: OwnKeys) throws -> ParrotSettings {
    var settings = ParrotSettings(verifier: own.verifier, signer: own.signer)
    try arguments.read(options, into: &settings)
    return settings
  }

  @OptionList<ParrotSettings>
  static var options: [Option<ParrotSettings>] {
    Option("parrot-words", "N", "how many words it can learn (default 1000)", \.wordsMax, .int(1...1_000_000))
  }
}

/// The parrot's clients in a storm, `postern storm --dialect parrot`.
struct ParrotClientTool: ClientTool {
  func dialect(_ choice: ClientChoice, _ arguments: Arguments) -> any ClientDialect {
    ParrotClientDialect(providerSecret: choice.providerSecret)
  }

  func issuer(_ choice: ClientChoice, _ arguments: Arguments) throws -> any TokenIssuer {
    ParrotTokenIssuer(signer: try signer(arguments))
  }
}

/// The parrot's tokens in `postern token`.
struct ParrotTokenTool: TokenTool {
  let unusedInMinting = ["call", "issuer", "audience"]
  let unusedInVerifying = ["user"]

  func mint(_ draft: MintDraft, _ arguments: Arguments, at now: WallTime) throws -> String {
    let issuedAt = try draft.issuedAt() ?? now
    let kind = try draft.kind(of: UserKind.self) ?? .regular
    var claims = [JSONMember("sub", try draft.user()), JSONMember("kind", kind.rawValue)]
    claims.append(JSONMember("iat", json: NumericDate.text(issuedAt)))
    if let expiresAt = try draft.expiry(issuedAt: issuedAt, usual: .seconds(3_600)) {
      claims.append(JSONMember("exp", json: NumericDate.text(expiresAt)))
    }
    guard let signer = try TokenKeys.needed(arguments).signer(type: draft.type) else {
      throw UsageError("minting needs a secret or a private key; only public keys were given")
    }
    return signer.sign(claims.object(try draft.others()))
  }

  func verify(
    _ token: String, _ draft: VerifyDraft, _ arguments: Arguments, at now: WallTime
  ) throws -> TokenReport {
    let policy = draft.policy(try TokenPolicyDraft(arguments).policy)
    let verifier = try TokenKeys.needed(arguments).verifier(policy)
    do throws(TokenError) {
      let claims = try verifier.verify(token, at: now)
      let read = try ParrotClaims(claims)
      return .valid(
        ParrotDialect.name, "valid: \(read.kind.rawValue) user \(read.user)",
        [
          .init(nil, "user", .text(read.user.rawValue)),
          .init("expires", "expires_at", .time(claims.expiresAt, otherwise: "never")),
        ])
    } catch {
      return .refused(
        ParrotDialect.name, "refused by the check of \(error.check): \(error)",
        [.init(nil, "check", .text(error.check))])
    }
  }

  func nature(of token: UnverifiedToken, _ text: String) -> TokenNature? {
    token.payload["sub"] != nil ? .shared("a user's token") : nil
  }
}
