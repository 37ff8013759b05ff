package import GatewayCore
package import GatewayKit

/// The plain dialect's clients in a storm. They get their tokens from `/v1/tokens` or, with `--mint`, issue them
/// themselves.
package struct PlainClientTool: ClientTool {
  package func dialect(_ choice: ClientChoice, _ arguments: Arguments) -> any ClientDialect {
    PlainClientDialect(providerSecret: choice.providerSecret)
  }

  package func issuer(_ choice: ClientChoice, _ arguments: Arguments) throws -> any TokenIssuer {
    PlainTokenIssuer(
      signer: try signer(arguments, allowsShortSecret: false), issuer: arguments.string("issuer"),
      audience: arguments.string("audience"))
  }
}
