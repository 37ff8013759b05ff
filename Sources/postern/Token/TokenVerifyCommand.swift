import GatewayCore
import GatewayJSON
import GatewayPlain
import GatewayTokens

/// Verifies a token as the gateway does, and says which check failed.
enum TokenVerifyCommand: Command {
  static let name = "token verify"
  static let summary = "verify a token, naming the check that fails"
  static let operands = "[TOKEN]"
  static let example = "postern token mint --user ann --secret-file secret | postern token verify --secret-file secret"

  static let sections = [
    FlagSection("the token", ownFlags),
    FlagSection("keys", TokenKeys.flags),
    FlagSection("what it must say", TokenKeys.policyFlags),
    FlagSection("Sinch", SinchTokenVerdict.flags + SinchFlags.tokenFlags),
    FlagSection("Streem", StreemTokenKeys.flags),
  ]
  static let neededFirst = [
    "scheme", "user", "secret-file", "key-file", "algorithm", "issuer", "audience", "leeway", "at", "json",
  ]

  private static let ownFlags =
    [
      TokenScheme.flag,
      Flag("user", "ID", "the user that must be the token's (stream-video, sendbird, sinch)"),
      Flag("api-key", "KEY", "the API key that a refusal names (stream-video)"),
      Flag("no-auth-checks", nil, "accept development tokens (stream-video)"),
      Flag("at", "UNIX_S", "as of this time (default now)"),
      Flag("typ", "TYPE", "the typ the token must have"),
      Flag("require-expiry", nil, "refuse a token without exp"),
      Flag("json", nil, "print one JSON object"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let now = try arguments.number("at", in: -1e11...1e11).map { WallTime(seconds: $0) } ?? SystemTime.now
    let (text, isValid) = try verify(try TokenInput.read(arguments), arguments, at: now)
    Output.line(text)
    return isValid ? 0 : 1
  }

  /// The verdict on a token of the scheme that the flags name, and whether it is a good one.
  static func verify(_ token: String, _ arguments: Arguments, at now: WallTime) throws -> (text: String, isValid: Bool)
  {
    let json = try arguments.isOn("json")
    switch try TokenScheme.read(arguments) {
    case .plain:
      try TokenScheme.plain.refuse(["user", "api-key", "no-auth-checks"], arguments)
      return verify(token, try verifier(arguments), json: json, at: now)
    case .streamVideo:
      let verdict = try StreamTokenVerdict(token, arguments, at: now)
      return (json ? verdict.json : verdict.text, verdict.isValid)
    case .sendbird:
      let verdict = try SendbirdTokenVerdict(token, arguments, at: now)
      return (json ? verdict.json : verdict.text, verdict.isValid)
    case .sinch:
      let verdict = try SinchTokenVerdict(token, arguments, at: now)
      return (json ? verdict.json : verdict.text, verdict.isValid)
    case .streem:
      let verdict = try StreemTokenVerdict(token, arguments, at: now)
      return (json ? verdict.json : verdict.text, verdict.isValid)
    }
  }

  /// The verifier the flags describe.
  static func verifier(_ arguments: Arguments) throws -> JWTVerifier {
    guard let keys = try TokenKeys(arguments) else {
      throw UsageError("no key: --secret-file, POSTERN_SECRET or --key-file")
    }
    var policy = try TokenKeys.policy(arguments)
    policy.type = arguments.string("typ")
    policy.requiresExpiry = try arguments.isOn("require-expiry")
    return try keys.verifier(policy)
  }

  /// The verdict for a person or as JSON, and whether it is a good one.
  static func verify(
    _ token: String, _ verifier: JWTVerifier, json: Bool, at now: WallTime
  ) -> (text: String, isValid: Bool) {
    do throws(TokenError) {
      let claims = try verifier.verify(token, at: now)
      let verified = try PlainTokenScheme.read(claims, fingerprint: TokenFingerprint(of: token))
      return (json ? object(verified) : text(verified, at: now), true)
    } catch {
      let told = error.gatewayError
      guard json else {
        return ("refused by the check of \(error.check): \(error) (\(told.number) \(told.name))", false)
      }
      return (object(error), false)
    }
  }

  private static func text(_ token: VerifiedToken, at now: WallTime) -> String {
    var lines = ["valid: \(token.kind.rawValue) user \(token.user)"]
    if let issuedAt = token.issuedAt { lines.append("issued   \(SystemTime.text(issuedAt, from: now))") }
    lines.append("expires  \(token.expiresAt.map { SystemTime.text($0, from: now) } ?? "never")")
    if let calls = token.calls { lines.append("opens    \(calls.map(\.cid).joined(separator: ", "))") }
    lines.append("fingerprint  \(token.fingerprint)")
    return lines.joined(separator: "\n")
  }

  private static func object(_ token: VerifiedToken) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("valid", true)
    writer.member("user_id", token.user.rawValue)
    writer.member("kind", token.kind.rawValue)
    writer.name("issued_at")
    writer.raw(token.issuedAt.map(NumericDate.text) ?? "null")
    writer.name("expires_at")
    writer.raw(token.expiresAt.map(NumericDate.text) ?? "null")
    if let calls = token.calls {
      writer.name("call_cids")
      writer.beginArray()
      for call in calls { writer.string(call.cid) }
      writer.endArray()
    }
    writer.member("fingerprint", token.fingerprint.description)
    writer.endObject()
    return writer.text
  }

  private static func object(_ error: TokenError) -> String {
    let told = error.gatewayError
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("valid", false)
    writer.member("check", error.check)
    writer.member("reason", error.description)
    writer.name("error")
    writer.beginObject()
    writer.member("number", Int64(told.number))
    writer.member("name", told.name)
    writer.member("message", told.message)
    writer.endObject()
    writer.endObject()
    return writer.text
  }
}
