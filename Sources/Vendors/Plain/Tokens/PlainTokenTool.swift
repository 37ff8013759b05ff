internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// The plain scheme's tokens in the token commands, e.g. `postern token mint --user ann --life 10m`.
struct PlainTokenTool: TokenTool {
  let unusedInVerifying = ["user"]

  // MARK: Minting

  /// Returns the life as claims, dated to the microsecond.
  func lifeFlags(from issuedAt: WallTime, until end: WallTime?) -> [(name: String, text: String)] {
    [("issued-at", NumericDate.text(issuedAt)), ("expires", end.map(NumericDate.text) ?? "never")]
  }

  func mint(_ draft: MintDraft, _ arguments: Arguments, at now: WallTime) throws -> String {
    let claims = try claims(draft, at: now)
    guard let keys = try TokenKeys(arguments) else {
      throw UsageError("no key: give --secret-file, POSTERN_SECRET or --key-file with a private key")
    }
    guard let signer = try keys.signer(type: draft.type) else {
      throw UsageError("minting needs a secret or a private key; only public keys were given")
    }
    return signer.sign(claims)
  }

  /// Returns the claims as one JSON object. Throws what the gateway would refuse, except for `--claim`, so that an
  /// invalid token can be issued on purpose.
  private func claims(_ draft: MintDraft, at now: WallTime) throws -> [UInt8] {
    let asked = try draft.kind(of: UserKind.self)
    guard let user = draft.user ?? (asked == .anonymous ? UserID.anonymous.rawValue : nil) else {
      throw UsageError("--user is missing; give the user that the token is for")
    }
    let isAnonymous = UserID(user) == .anonymous
    let kind = asked ?? (isAnonymous ? .anonymous : .regular)
    let issuedAt = try draft.issuedAt() ?? now
    let expiresAt = try draft.expiry(issuedAt: issuedAt, usual: .seconds(3600))
    let calls = draft.calls
    let others = try draft.others()
    guard (1...UserID.lengthMax).contains(user.utf8.count) else {
      throw UsageError("the user has 1 to \(UserID.lengthMax) bytes")
    }
    guard isAnonymous == (kind == .anonymous) else {
      throw UsageError("the user !anon is anonymous, and no other is")
    }
    guard calls.count <= PlainTokenScheme.callsMax else {
      throw UsageError("a token opens at most \(PlainTokenScheme.callsMax) calls")
    }
    if isAnonymous {
      guard !calls.isEmpty else { throw UsageError("an anonymous user's token needs --call: the calls it opens") }
      guard expiresAt != nil else { throw UsageError("an anonymous user's token needs an expiry") }
    }
    var claims = [JSONMember("user_id", user)]
    if kind != .regular { claims.append(JSONMember("kind", kind.rawValue)) }
    claims.append(JSONMember("iat", json: NumericDate.text(issuedAt)))
    if let expiresAt { claims.append(JSONMember("exp", json: NumericDate.text(expiresAt))) }
    if let issuer = draft.issuer { claims.append(JSONMember("iss", issuer)) }
    if let audience = draft.audience { claims.append(JSONMember("aud", audience)) }
    if !calls.isEmpty { claims.append(JSONMember("call_cids", calls.map(\.cid))) }
    return claims.object(others)
  }

  // MARK: Verifying

  func verify(
    _ token: String, _ draft: VerifyDraft, _ arguments: Arguments, at now: WallTime
  ) throws -> TokenReport {
    let verifier = try verifier(draft, arguments)
    do throws(TokenError) {
      let claims = try verifier.verify(token, at: now)
      let read = try PlainTokenScheme.read(claims, fingerprint: TokenFingerprint(of: token))
      return .valid(
        nil, "valid: \(read.kind.rawValue) user \(read.user)",
        [
          .init(nil, "user_id", .text(read.user.rawValue)), .init(nil, "kind", .text(read.kind.rawValue)),
          .init("issued", "issued_at", .time(read.issuedAt)),
          .init("expires", "expires_at", .time(read.expiresAt, otherwise: "never")),
        ] + (read.calls.map { [.init("opens", "call_cids", .list($0.map(\.cid)))] } ?? [])
          + [.init("fingerprint", "fingerprint", .text(read.fingerprint.description))])
    } catch {
      let told = error.gatewayError
      return .refused(
        nil, "refused by the check of \(error.check): \(error) (\(told.number) \(told.name))",
        [
          .init(nil, "check", .text(error.check)), .init(nil, "reason", .text(error.description)),
          .init(
            nil, "error",
            .object([
              .init(nil, "number", .number(Int64(told.number))), .init(nil, "name", .text(told.name)),
              .init(nil, "message", .text(told.message)),
            ])),
        ])
    }
  }

  private func verifier(_ draft: VerifyDraft, _ arguments: Arguments) throws -> JWTVerifier {
    try TokenKeys.needed(arguments).verifier(draft.policy(try TokenPolicyDraft(arguments).policy))
  }

  // MARK: Inspecting

  func nature(of token: UnverifiedToken, _ text: String) -> TokenNature? {
    let claims = token.payload
    if claims["call_cids"] != nil { return .shared("a call token") }
    if claims["kind"] != nil { return .own("a token of the plain scheme") }
    return claims["user_id"] != nil ? .shared("a user's token") : nil
  }
}
