package import GatewayCore
package import GatewayKit

/// Stream's clients in a storm, with the habits of one of its SDKs, e.g. `--sdk swift`.
package struct StreamClientTool: ClientTool {
  package let serviceDomains = ["getstream.io", "stream-io-api.com"]
  private static let usualAPIKey = "storm"

  package let sdks = StreamVideoSDK.allCases.map(\.rawValue)
  package let flags = [Flag("api-key", "KEY", "the api_key of stream-video (default \(usualAPIKey))")]

  package func dialect(_ arguments: Arguments, providerSecret: Credentials?) throws -> any ClientDialect {
    StreamVideoClientDialect(
      try arguments.choice("sdk", StreamVideoSDK.self) ?? .javascript,
      apiKey: arguments.string("api-key") ?? Self.usualAPIKey, providerSecret: providerSecret)
  }

  package func issuer(_ arguments: Arguments) throws -> any TokenIssuer {
    StreamTokenIssuer(signer: try signer(arguments))
  }
}
