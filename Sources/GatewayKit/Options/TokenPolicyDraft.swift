internal import GatewayCore
package import GatewayTokens

/// The values of the flags about what tokens must say.
package struct TokenPolicyDraft: Sendable {
  package private(set) var issuer: String?
  package private(set) var audience: String?
  private var leeway: Duration?

  @OptionList<TokenPolicyDraft>
  static var options: [Option<TokenPolicyDraft>] {
    Option("issuer", "TEXT", "the issuer: tokens must have this iss, and minted tokens have it", \.issuer, .text)
    Option("audience", "TEXT", "the audience: tokens must have this aud, and minted tokens have it", \.audience, .text)
    Option(
      "leeway", "DURATION", "how far clocks may differ when exp, nbf and iat of tokens are checked (default 5s)",
      \.leeway, .duration)
  }

  package init(_ arguments: Arguments) throws { try arguments.read(Self.options, into: &self) }

  /// The clock skew that the flag allows for, else `usual`.
  package func leeway(usual: Duration) -> Duration { leeway ?? usual }

  package var policy: TokenPolicy {
    var policy = TokenPolicy()
    policy.leeway = leeway(usual: policy.leeway)
    policy.issuer = issuer.map { Name($0) }
    policy.audiences = audience.map { [Name($0)] } ?? []
    return policy
  }
}
