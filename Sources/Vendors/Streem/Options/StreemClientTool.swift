package import GatewayCore
package import GatewayKit

/// Streem's clients in a storm.
package struct StreemClientTool: ClientTool {
  package let serviceDomains = ["streem.com", "streem.pro"]
  package var keyFlags: [Flag] { StreemTokenKeys.options.map(\.flag) }

  package func dialect(_ choice: ClientChoice, _ arguments: Arguments) -> any ClientDialect {
    StreemClientDialect(providerSecret: choice.providerSecret)
  }

  package func issuer(_ choice: ClientChoice, _ arguments: Arguments) throws -> any TokenIssuer {
    try StreemTokenKeys.issuer(arguments)
  }
}
