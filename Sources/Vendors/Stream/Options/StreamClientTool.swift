internal import GatewayCore
internal import GatewayKit

/// Stream's clients in a storm, with the habits of one of its SDKs, e.g. `--sdk swift`.
struct StreamClientTool: ClientTool {
  let serviceDomains = ["getstream.io", "stream-io-api.com"]
  private static let usualAPIKey = "storm"

  let sdks = StreamVideoSDK.allCases.map(\.rawValue)
  let flags = options.map(\.flag)

  /// The option for the API key.
  private static let options: [Option<String>] = [
    Option("api-key", "KEY", "stream-video: the api_key that clients send (default \(usualAPIKey))", \.self, .text)
  ]

  func dialect(_ choice: ClientChoice, _ arguments: Arguments) throws -> any ClientDialect {
    var apiKey = Self.usualAPIKey
    try arguments.read(Self.options, into: &apiKey)
    return StreamVideoClientDialect(
      try choice.sdk(of: StreamVideoSDK.self) ?? .javascript, apiKey: apiKey, providerSecret: choice.providerSecret)
  }

  func issuer(_ choice: ClientChoice, _ arguments: Arguments) throws -> any TokenIssuer {
    StreamTokenIssuer(signer: try signer(arguments))
  }
}
