internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// Streem Tokens in the token commands. Verification covers what needs no directory: only the gateway knows whether a
/// reservation is still valid.
struct StreemTokenTool: TokenTool {
  private static let usualSession = Duration.seconds(4 * 3600)

  var mintFlags: [Flag] { verifyFlags + Self.options.map(\.flag) }

  /// The values of the flags that only these tokens have.
  private struct Draft: Sendable {
    var startLife = StreemSettings().tokenLife
    var name: String?
    var email: String?
    var picture: String?
    var reservation: Name?
  }

  @OptionList<Draft>
  private static var options: [Option<Draft>] {
    Option(
      "start-life", "DURATION", "streem: how long the token can start a session (default 5m)", \.startLife, .duration)
    Option("name", "TEXT", "streem: the user's name", \.name, .text)
    Option("email", "TEXT", "streem: the user's email address", \.email, .text)
    Option("picture", "URL", "streem: the URL of the user's avatar", \.picture, .text)
    Option(
      "reservation", "SID", "streem: the reservation that the token is for", \.reservation,
      Reading<String>.text.map { reservation, _ in Name(reservation) })
  }

  var verifyFlags: [Flag] { StreemTokenKeys.options.map(\.flag) }
  var unusedInMinting: [String] {
    ["kind", "call", "claim", "typ", "issuer", "audience"] + TokenKeys.flags.map(\.name)
  }
  var unusedInVerifying: [String] {
    ["user", "typ", "require-expiry", "issuer", "audience"] + TokenKeys.flags.map(\.name)
  }
  let notes = ["life": "4h by default, for the session"]
  let dates = ["session_exp"]

  /// Returns the life as claims. A session always has an end.
  func lifeFlags(from issuedAt: WallTime, until end: WallTime?) -> [(name: String, text: String)] {
    [("issued-at", issuedAt.secondsBefore)] + (end.map { [("expires", $0.secondsBehind)] } ?? [])
  }

  func mint(_ draft: MintDraft, _ arguments: Arguments, at now: WallTime) throws -> String {
    let user = try draft.user()
    let issuedAt = try draft.issuedAt() ?? now
    guard let end = try draft.expiry(issuedAt: issuedAt, usual: Self.usualSession) else {
      throw UsageError("a session has an end: --expires never is not for --scheme streem")
    }
    let issuer = try StreemTokenKeys.issuer(arguments)
    var own = Draft()
    try arguments.read(Self.options, into: &own)
    return issuer.sign(
      StreemClaims(
        apiKey: issuer.apiKey, subject: Name(user), audience: issuer.audience, issuedAt: issuedAt,
        expiresAt: issuedAt + own.startLife, sessionExpiresAt: end, name: own.name, email: own.email,
        picture: own.picture, reservation: own.reservation)
    ).token
  }

  func verify(
    _ token: String, _ draft: VerifyDraft, _ arguments: Arguments, at now: WallTime
  ) throws -> TokenReport {
    let settings = try StreemTokenKeys.settings(arguments)
    guard !settings.apiKeys.isEmpty else {
      throw UsageError("no key: give --streem-api-key ID=FILE, the secret or a JWK in the file")
    }
    let verifier = StreemTokenVerifier(
      audience: settings.audience, skew: try TokenPolicyDraft(arguments).leeway(usual: settings.skew))
    do throws(GatewayError) {
      let open = try verifier.open(token)
      guard let named = settings.apiKeys.first(where: { $0.id == open.apiKey }),
        let key = try? StreemVerificationKey(named.key.publicKey)
      else { throw .applicationUnknown }
      return valid(try verifier.verify(open, with: key, at: now))
    } catch {
      let reason = StreemReason(error)?.rawValue ?? error.name
      return .refused(
        StreemVendor.scheme, "refused: \(reason) (\(error.message))",
        [.init(nil, "reason", .text(reason)), .init(nil, "message", .text(error.message))])
    }
  }

  private func valid(_ claims: StreemClaims) -> TokenReport {
    var rows: [TokenReport.Row] = [
      .init(nil, "api_key", .text(claims.apiKey.text)), .init(nil, "user_id", .text(claims.subject.text)),
      .init("issued", "issued_at", .time(claims.issuedAt)),
      .init("starts a session until", "expires_at", .time(claims.expiresAt)),
      .init("stays logged in until ", "session_expires_at", .time(claims.sessionExpiresAt)),
    ]
    if let name = claims.name { rows.append(.init("name", nil, .text(name))) }
    if let reservation = claims.reservation {
      rows.append(.init("reservation", nil, .text("\(reservation), not looked up")))
    }
    return .valid(StreemVendor.scheme, "valid: user \(claims.subject) of \(claims.apiKey)", rows)
  }

  func nature(of token: UnverifiedToken, _ text: String) -> TokenNature? {
    token.payload["session_exp"] != nil ? .own("a Streem Token") : nil
  }
}
