package import GatewayCore
package import GatewayKit

/// Sendbird's clients in a storm, with the habits of one of its SDKs, e.g. `--sdk unity`.
package struct SendbirdClientTool: ClientTool {
  package let serviceDomains = ["sendbird.com"]
  package let sdks = SendbirdSDK.allCases.map(\.rawValue)
  package let usualApplication: String? = "STORM"
  package let providerSecret: String? = "the Api-Token"
  package let lacks: [WireFeature: String] = [
    .terminalClose: "no close code of this wire keeps a client away",
    .revocationRequest: "a revoked session of this wire logs its client out in place of asking for another token",
  ]

  package func dialect(_ choice: ClientChoice, _ arguments: Arguments) throws -> any ClientDialect {
    SendbirdClientDialect(
      try choice.sdk(of: SendbirdSDK.self) ?? .javascript,
      applicationID: choice.application ?? usualApplication ?? "", apiToken: choice.providerSecret)
  }

  /// Returns the Platform API's path if there is an Api-Token, with which tokens are requested from it.
  package func providerPath(_ providerSecret: Credentials?) -> String? {
    providerSecret.map { _ in "/v3/users/USER/token" }
  }

  package func issuer(_ choice: ClientChoice, _ arguments: Arguments) throws -> any TokenIssuer {
    SendbirdTokenIssuer(signer: try signer(arguments))
  }
}
