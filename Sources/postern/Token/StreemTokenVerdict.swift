import GatewayCore
import GatewayJSON
import GatewayStreem
import GatewayTokens

/// What a gateway with the API keys of the flags says about a Streem Token: its reason. Whether a reservation is alive only
/// the gateway knows.
struct StreemTokenVerdict {
  private let result: Result<StreemClaims, StreemReason>
  private let now: WallTime

  var isValid: Bool { if case .success = result { true } else { false } }

  init(_ token: String, _ arguments: Arguments, at now: WallTime) throws {
    try TokenScheme.streem.refuse(
      ["user", "api-key", "no-auth-checks", "typ", "require-expiry", "issuer", "audience"]
        + TokenKeys.flags.map(\.name), arguments)
    let keys = try StreemTokenKeys.read(arguments)
    guard !keys.isEmpty else { throw UsageError("no key: --streem-api-key ID=FILE, the secret or a JWK in the file") }
    var settings = StreemSettings()
    settings.environment = try StreemTokenKeys.environment(arguments)
    let verifier = StreemTokenVerifier(
      audience: settings.audience, skew: try arguments.duration("leeway") ?? settings.skew)
    self.now = now
    do throws(StreemReason) {
      let open = try verifier.open(token)
      guard let named = keys.first(where: { $0.id == open.apiKey }),
        let key = try? StreemVerificationKey(named.key.publicKey)
      else { throw .unknownAPIKey }
      result = .success(try verifier.verify(open, with: key, at: now))
    } catch {
      result = .failure(error)
    }
  }

  var text: String {
    switch result {
    case .failure(let reason):
      return "refused: \(reason.rawValue) (\(reason.gatewayError.message))"
    case .success(let claims):
      var lines = [
        "valid: user \(claims.subject) of \(claims.apiKey)", "issued   \(SystemTime.text(claims.issuedAt, from: now))",
        "starts a session until  \(SystemTime.text(claims.expiresAt, from: now))",
        "stays logged in until   \(SystemTime.text(claims.sessionExpiresAt, from: now))",
      ]
      if let name = claims.name { lines.append("name     \(name)") }
      if let reservation = claims.reservation { lines.append("reservation  \(reservation), not looked up") }
      return lines.joined(separator: "\n")
    }
  }

  var json: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("valid", isValid)
    writer.member("scheme", TokenScheme.streem.rawValue)
    switch result {
    case .failure(let reason):
      writer.member("reason", reason.rawValue)
      writer.member("message", reason.gatewayError.message)
    case .success(let claims):
      writer.member("api_key", claims.apiKey.text)
      writer.member("user_id", claims.subject.text)
      for (name, time) in [
        ("issued_at", claims.issuedAt), ("expires_at", claims.expiresAt),
        ("session_expires_at", claims.sessionExpiresAt),
      ] {
        writer.name(name)
        writer.raw(NumericDate.text(time))
      }
    }
    writer.endObject()
    return writer.text
  }
}
