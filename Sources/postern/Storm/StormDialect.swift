import GatewayCore
import GatewayPlain
import GatewaySendbird
import GatewaySinch
import GatewayStream
import GatewayStreem

/// Which wire format a storm's clients speak, and who makes their tokens.
struct StormDialect {
  /// The wire formats, by the names of `--dialect`.
  enum Name: String, CaseIterable {
    case plain
    case streamVideo = "stream-video"
    case sendbird
    case sinch
    case streem
  }

  let client: any ClientDialect
  /// Where tokens are asked for, below the provider's address.
  let providerPath: String
  /// Whether the provider may have another path.
  var mayMoveProvider: Bool { providerPath == Self.ownProvider }
  private let name: Name

  private static let ownProvider = "/v1/tokens"
  /// What clients call themselves where nobody says otherwise.
  private static let usualAPIKey = "storm"
  private static let usualApplication = "STORM"

  init(_ arguments: Arguments) throws {
    name = try arguments.choice("dialect", Name.self) ?? .plain
    let secret = try arguments.secret("provider-secret-file").map { Credentials(token: $0) }
    switch name {
    case .plain:
      try Self.refuse(["sdk", "api-key", "application"], arguments, "plain")
      client = PlainClientDialect(providerSecret: secret)
      providerPath = Self.ownProvider
    case .streamVideo:
      try Self.refuse(["application"], arguments, "stream-video")
      client = StreamVideoClientDialect(
        try arguments.choice("sdk", StreamVideoSDK.self) ?? .javascript,
        apiKey: arguments.string("api-key") ?? Self.usualAPIKey, providerSecret: secret)
      providerPath = Self.ownProvider
    case .sendbird:
      try Self.refuse(["api-key"], arguments, "sendbird")
      client = SendbirdClientDialect(
        try arguments.choice("sdk", SendbirdSDK.self) ?? .javascript,
        applicationID: arguments.string("application") ?? Self.usualApplication, apiToken: secret)
      providerPath = secret == nil ? Self.ownProvider : "/v3/users/USER/token"
    case .sinch:
      try Self.refuse(["sdk", "api-key"], arguments, "sinch")
      client = SinchClientDialect(
        application: Self.sinchApplication(arguments), providerSecret: secret)
      providerPath = Self.ownProvider
    case .streem:
      try Self.refuse(["sdk", "api-key", "application"], arguments, "streem")
      client = StreemClientDialect(providerSecret: secret)
      providerPath = Self.ownProvider
    }
  }

  private static func refuse(_ flags: [String], _ arguments: Arguments, _ dialect: String) throws {
    for flag in flags {
      guard let value = arguments.value(flag) else { continue }
      throw UsageError("\(value.source) says nothing to --dialect \(dialect)")
    }
  }

  /// Who makes the tokens of clients that mint their own.
  func issuer(_ arguments: Arguments) throws -> any TokenIssuer {
    if name == .sinch { return try Self.sinchIssuer(arguments) }
    if name == .streem { return try StreemTokenKeys.issuer(arguments) }
    // The vendors sign with whatever secret they gave out, of any length.
    guard let signer = try TokenKeys(arguments, allowsShortSecret: name != .plain)?.signer() else {
      throw UsageError("--mint needs a key that can sign: --secret-file, POSTERN_SECRET or --key-file")
    }
    switch name {
    case .plain:
      return PlainTokenIssuer(
        signer: signer, issuer: arguments.string("issuer"), audience: arguments.string("audience"))
    case .streamVideo: return StreamTokenIssuer(signer: signer)
    case .sendbird: return SendbirdTokenIssuer(signer: signer)
    case .sinch: return try Self.sinchIssuer(arguments)
    case .streem: return try StreemTokenKeys.issuer(arguments)
    }
  }

  /// Sinch's keys are derived from the secret, day by day.
  private static func sinchIssuer(_ arguments: Arguments) throws -> any TokenIssuer {
    guard let secret = try SinchFlags.ownSecret(arguments) else {
      throw UsageError("--mint needs the application's secret: --secret-file or POSTERN_SECRET")
    }
    return SinchTokenIssuer(application: sinchApplication(arguments), secret: secret)
  }

  private static func sinchApplication(_ arguments: Arguments) -> GatewayCore.Name {
    arguments.string("application").map { GatewayCore.Name($0) } ?? SinchApplications.usualKey
  }

  /// How long the clients may take to come back by themselves: JavaScript's silence of 35 s after a close with 1000, and
  /// the waits of several attempts.
  var comeback: Duration {
    guard let comeback = client.habits.comeback else { return .zero }
    let silence = comeback.heedsNormalClose ? client.habits.keepAlive?.limit ?? .zero : .zero
    return silence + .seconds(60)
  }
}
