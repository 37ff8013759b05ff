package import GatewayCore
package import GatewayKit

/// Streem's clients in a storm.
package struct StreemClientTool: ClientTool {
  package let serviceDomains = ["streem.com", "streem.pro"]
  package var keyFlags: [Flag] { StreemTokenKeys.options.map(\.flag) }

  package func dialect(_ arguments: Arguments, providerSecret: Credentials?) -> any ClientDialect {
    StreemClientDialect(providerSecret: providerSecret)
  }

  package func issuer(_ arguments: Arguments) throws -> any TokenIssuer {
    try StreemTokenKeys.issuer(arguments)
  }
}
