internal import GatewayCore
internal import GatewayKit

/// Streem's clients in a storm.
struct StreemClientTool: ClientTool {
  let serviceDomains = ["streem.com", "streem.pro"]
  var keyFlags: [Flag] { StreemTokenKeys.options.map(\.flag) }

  func dialect(_ choice: ClientChoice, _ arguments: Arguments) -> any ClientDialect {
    StreemClientDialect(providerSecret: choice.providerSecret)
  }

  func issuer(_ choice: ClientChoice, _ arguments: Arguments) throws -> any TokenIssuer {
    try StreemTokenKeys.issuer(arguments)
  }
}
