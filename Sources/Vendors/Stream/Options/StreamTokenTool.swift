internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// Stream's tokens, as the token commands make and verify them, e.g. `postern token mint --scheme stream-video`.
struct StreamTokenTool: TokenTool {
  let mintFlags = StreamTokenClaims.flags
  let verifyFlags = options.map(\.flag)
  let unusedInMinting = ["issuer", "audience"]
  let unusedInVerifying = ["issuer", "audience", "typ", "require-expiry"]
  let notes = ["kind": "also server, server-empty, development", "life": "for ever for a server's token"]

  func mint(_ draft: MintDraft, _ arguments: Arguments, at now: WallTime) throws -> String {
    try StreamTokenClaims(draft, arguments, at: now).token(
      { try TokenKeys.needed(arguments, allowsShortSecret: true) }, type: draft.type)
  }

  /// The values of the flags of `verify` that only these tokens have.
  private struct Check: Sendable {
    var apiKey = ""
    var allowsDevelopment = false
  }

  @OptionList<Check>
  private static var options: [Option<Check>] {
    Option("api-key", "KEY", "stream-video: the API key that an error message names", \.apiKey, .text)
    Option("no-auth-checks", "stream-video: accept development tokens", \.allowsDevelopment)
  }

  /// Returns the vendor's code and message, and the failed check.
  func verify(
    _ token: String, _ draft: VerifyDraft, _ arguments: Arguments, at now: WallTime
  ) throws -> TokenReport {
    let keys = try TokenKeys.needed(arguments, allowsShortSecret: true)
    let application = StreamApplication(
      verifier: try keys.verifier(TokenPolicy()), signer: try keys.signer() ?? Self.unused())
    var check = Check()
    try arguments.read(Self.options, into: &check)
    let leeway = try TokenPolicyDraft(arguments).leeway(usual: .zero)
    do throws(StreamError) {
      let read = try StreamToken(token, of: application, key: check.apiKey, at: now, leeway: leeway)
      if read.isDevelopment && !check.allowsDevelopment { throw .signatureInvalid(key: check.apiKey) }
      if let user = draft.user, read.user != user {
        throw .authentication("JWTAuth error: claim user_id must be the connecting user's")
      }
      return valid(read)
    } catch {
      return refused(error)
    }
  }

  /// Returns a signer for an application that only verifies, since each application has one.
  private static func unused() throws -> JWTSigner {
    try JWTSigner(try KeyMaterial.secret(SecureRandom.bytes(32)))
  }

  private func valid(_ token: StreamToken) -> TokenReport {
    var nature = "a server's token"
    var rows: [TokenReport.Row] = [.init(nil, "server", .yes)]
    if let user = token.user {
      let kind = token.isDevelopment ? "a development token" : token.calls == nil ? "a token" : "a call token"
      nature = "\(kind) of user \(user)"
      rows = [.init(nil, "user_id", .text(user.rawValue))]
    }
    if token.isDevelopment { rows.append(.init(nil, "development", .yes)) }
    if let role = token.role { rows.append(.init("role", "role", .text(role.text))) }
    rows += [
      .init("issued", "issued_at", .time(token.issuedAt)),
      .init("expires", "expires_at", .time(token.expiresAt, otherwise: "never")),
    ]
    if let calls = token.calls { rows.append(.init("opens", "call_cids", .list(calls.map(\.cid)))) }
    rows.append(.init("fingerprint", "fingerprint", .text(token.fingerprint.description)))
    return .valid(StreamVendor.scheme, "valid: \(nature)", rows)
  }

  private func refused(_ error: StreamError) -> TokenReport {
    let check = Self.check(error)
    return .refused(
      StreamVendor.scheme,
      "refused by the check of \(check): code \(error.code), status \(error.status), \(error.message)",
      [
        .init(nil, "check", .text(check)),
        .init(
          nil, "error",
          .object([
            .init(nil, "code", .number(Int64(error.code))), .init(nil, "StatusCode", .number(Int64(error.status))),
            .init(nil, "message", .text(error.message)),
          ])),
      ])
  }

  /// Returns the name of the check that failed: the claim or part of the token that it concerns.
  private static func check(_ error: StreamError) -> String {
    switch error.code {
    case 2: return "api_key"
    case 40: return "exp"
    case 41: return "nbf"
    case 42: return "iat"
    case 43: return "signature"
    default: break
    }
    if let claim = error.message.firstRange(bytesOf: "claim ") {
      let name = error.message[claim.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      if !name.isEmpty { return String(name) }
    }
    if error.message.contains(bytesOf: "call token") { return "call_cids" }
    if error.message.contains(bytesOf: "segments") { return "segments" }
    return error.message.contains(bytesOf: "signing method") ? "alg" : "form"
  }

  func nature(of token: UnverifiedToken, _ text: String) -> TokenNature? {
    let claims = token.payload
    if text.utf8.suffix(StreamToken.developmentSignature.utf8.count + 1).elementsEqual(
      ".\(StreamToken.developmentSignature)".utf8)
    {
      return .own("a Stream development token: nobody signed it")
    }
    if claims["server"]?.bool == true { return .own("a Stream server token") }
    if claims.count == 0 { return .own("a Stream server token without claims, as the Python SDK writes it") }
    if claims["call_cids"] != nil { return .shared("a call token") }
    return claims["user_id"] != nil ? .shared("a user's token") : nil
  }
}
