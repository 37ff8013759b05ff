package import GatewayCore
package import GatewayKit
internal import GatewayTokens

/// Sinch's clients in a storm.
package struct SinchClientTool: ClientTool {
  package let serviceDomains = ["sinch.com"]
  package var usualApplication: String? { SinchApplications.usualKey.text }

  package func dialect(_ arguments: Arguments, providerSecret: Credentials?) -> any ClientDialect {
    SinchClientDialect(application: application(arguments), providerSecret: providerSecret)
  }

  /// Returns an issuer whose keys are derived from the secret for each day.
  package func issuer(_ arguments: Arguments) throws -> any TokenIssuer {
    guard let secret = try SinchTokenTool.secret(arguments) else {
      throw UsageError("--mint needs the application's secret: --secret-file or POSTERN_SECRET")
    }
    return SinchTokenIssuer(application: application(arguments), secret: secret, drawing: .system)
  }

  private func application(_ arguments: Arguments) -> Name {
    arguments.string("application").map { Name($0) } ?? SinchApplications.usualKey
  }
}
