import GatewayCore
import GatewayDialects
import GatewayTokens

/// Which wire format a storm's clients speak, and who makes their tokens.
struct StormDialect {
  /// The wire formats, by the names of `--dialect`.
  enum Name: String, CaseIterable {
    case plain
    case streamVideo = "stream-video"
    case sendbird
    case streem
  }

  let client: any ClientDialect
  /// Where tokens are asked for, below the provider's address.
  let providerPath: String
  private let name: Name

  /// What clients call themselves where nobody says otherwise.
  private static let usualAPIKey = "storm"
  private static let usualApplication = "STORM"

  init(_ arguments: Arguments) throws {
    name = try arguments.choice("dialect", Name.self) ?? .plain
    let secret = try arguments.string("provider-secret-file").map { Credentials(token: try SecretFile.read($0)) }
    switch name {
    case .plain:
      try Self.refuse(["sdk", "api-key", "application"], arguments, "plain")
      client = PlainClientDialect(providerSecret: secret)
      providerPath = "/v1/tokens"
    case .streamVideo:
      try Self.refuse(["application"], arguments, "stream-video")
      client = StreamVideoClientDialect(
        try arguments.choice("sdk", StreamVideoSDK.self) ?? .javascript,
        apiKey: arguments.string("api-key") ?? Self.usualAPIKey, providerSecret: secret)
      providerPath = "/v1/tokens"
    case .sendbird:
      try Self.refuse(["api-key"], arguments, "sendbird")
      client = SendbirdClientDialect(
        try arguments.choice("sdk", SendbirdSDK.self) ?? .javascript,
        applicationID: arguments.string("application") ?? Self.usualApplication, apiToken: secret)
      providerPath = secret == nil ? "/v1/tokens" : "/v3/users/USER/token"
    case .streem:
      try Self.refuse(["sdk", "api-key", "application"], arguments, "streem")
      client = StreemClientDialect(providerSecret: secret)
      providerPath = "/v1/tokens"
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
    switch name {
    case .plain:
      return PlainTokenIssuer(
        signer: try signer(arguments), issuer: arguments.string("issuer"), audience: arguments.string("audience"))
    case .streamVideo: return StreamTokenIssuer(signer: try signer(arguments))
    case .sendbird: return SendbirdTokenIssuer(signer: try signer(arguments))
    case .streem: return try StreemTokenKeys.issuer(arguments)
    }
  }

  private func signer(_ arguments: Arguments) throws -> JWTSigner {
    // The vendors sign with whatever secret they gave out, of any length.
    guard let signer = try TokenKeys(arguments, allowsShortSecret: name != .plain)?.signer() else {
      throw UsageError("--mint needs a key that can sign: --secret-file, POSTERN_SECRET or --key-file")
    }
    return signer
  }

  /// How long the clients may take to come back by themselves: JavaScript's silence of 35 s after a close with 1000, and
  /// the waits of several attempts.
  var comeback: Duration {
    guard let comeback = client.habits.comeback else { return .zero }
    let silence = comeback.heedsNormalClose ? client.habits.keepAlive?.limit ?? .zero : .zero
    return silence + .seconds(60)
  }
}
