internal import GatewayCore
package import GatewayTokens

/// The values of the flags about what tokens must say.
package struct TokenPolicyDraft: Sendable {
  package private(set) var issuer: String?
  package private(set) var audience: String?
  private var leeway: Duration?

  @OptionList<TokenPolicyDraft>
  static var options: [Option<TokenPolicyDraft>] {
    Option("issuer", "TEXT", "the iss that tokens must have, and are minted with", \.issuer, .text)
    Option("audience", "TEXT", "the aud that tokens must have, and are minted with", \.audience, .text)
    Option(
      "leeway", "DURATION", "the clock skew that exp, nbf and iat allow for (default 5s)", \.leeway, .duration)
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
