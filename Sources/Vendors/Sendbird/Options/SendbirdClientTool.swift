internal import GatewayCore
internal import GatewayKit

/// Sendbird's clients in a storm, with the habits of one of its SDKs, e.g. `--sdk unity`.
struct SendbirdClientTool: ClientTool {
  let serviceDomains = ["sendbird.com"]
  let sdks = SendbirdSDK.allCases.map(\.rawValue)
  let usualApplication: String? = "STORM"
  let providerSecret: String? = "the Api-Token"
  let lacks: [WireFeature: String] = [
    .terminalClose: "no close code of this wire keeps a client away",
    .revocationRequest: "a revoked session of this wire logs its client out in place of asking for another token",
  ]

  func dialect(_ choice: ClientChoice, _ arguments: Arguments) throws -> any ClientDialect {
    SendbirdClientDialect(
      try choice.sdk(of: SendbirdSDK.self) ?? .javascript,
      applicationID: choice.application ?? usualApplication ?? "", apiToken: choice.providerSecret)
  }

  /// Returns the Platform API's path if there is an Api-Token, with which tokens are requested from it.
  func providerPath(_ providerSecret: Credentials?) -> String? {
    providerSecret.map { _ in "/v3/users/USER/token" }
  }

  func issuer(_ choice: ClientChoice, _ arguments: Arguments) throws -> any TokenIssuer {
    SendbirdTokenIssuer(signer: try signer(arguments))
  }
}
