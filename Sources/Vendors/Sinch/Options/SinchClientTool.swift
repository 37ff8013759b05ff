internal import GatewayCore
internal import GatewayKit
internal import GatewayTokens

/// Sinch's clients in a storm.
struct SinchClientTool: ClientTool {
  let serviceDomains = ["sinch.com"]
  var usualApplication: String? { SinchApplications.usualKey.text }

  func dialect(_ choice: ClientChoice, _ arguments: Arguments) -> any ClientDialect {
    SinchClientDialect(application: application(choice), providerSecret: choice.providerSecret)
  }

  /// Returns an issuer whose keys are derived from the secret for each day.
  func issuer(_ choice: ClientChoice, _ arguments: Arguments) throws -> any TokenIssuer {
    guard let secret = try SinchTokenTool.secret(arguments) else {
      throw UsageError("--mint needs the application's secret: --secret-file or POSTERN_SECRET")
    }
    return SinchTokenIssuer(application: application(choice), secret: secret, drawing: .system)
  }

  private func application(_ choice: ClientChoice) -> Name {
    choice.application.map { Name($0) } ?? SinchApplications.usualKey
  }
}
