internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// Sendbird's session tokens in the token commands, e.g. `postern token mint --scheme sendbird`. Access tokens are
/// stored by the application that issues them, so none can be issued without it.
struct SendbirdTokenTool: TokenTool {
  private static let userLengthMax = 80
  private static let accessTokenDigits = 40
  private static let sessionKeyDigits = 48

  let unusedInMinting = ["call", "claim", "issuer", "audience"]
  let unusedInVerifying = ["issuer", "audience", "typ", "require-expiry", "leeway"]
  let notes = ["life": "7d by default"]
  let dates = ["e"]

  /// Returns the life in claims. A session token always has an expiry. It has no id: tokens of the same second differ
  /// in the millisecond of issue.
  func lifeFlags(from issuedAt: WallTime, until end: WallTime?) -> [(name: String, text: String)] {
    let seconds = Double(issuedAt.nanoseconds / 1_000_000) / 1000
    return [("issued-at", String(seconds))] + (end.map { [("expires", $0.secondsBehind)] } ?? [])
  }

  func mint(_ draft: MintDraft, _ arguments: Arguments, at now: WallTime) throws -> String {
    if let kind = draft.kind?.text, kind != UserKind.regular.rawValue {
      throw UsageError(
        kind == "access"
          ? "an access token is kept by the application: POST /v3/users/ID with issue_access_token has one issued"
          : "--kind has no effect with --scheme sendbird, whose users are all alike; leave it out")
    }
    let user = try draft.user(bytes: 1...Self.userLengthMax)
    let issuedAt = try draft.issuedAt(in: 0...1e11) ?? now
    guard let expiry = try draft.expiry(issuedAt: issuedAt, usual: .seconds(7 * 86_400)) else {
      throw UsageError("a session token has an end: --expires never is not for --scheme sendbird")
    }
    let keys = try TokenKeys.needed(arguments, allowsShortSecret: true)
    guard let signer = try keys.signer(type: draft.type) else {
      throw UsageError("minting needs the application's Api-Token as --secret-file")
    }
    return SendbirdTokenIssuer(signer: signer).mint(
      user: UserID(user), kind: .regular, issuedAt: issuedAt, expiresAt: expiry, calls: nil
    ).token
  }

  /// Returns the vendor's code and message, and the failed check: at the vendor every fault of a token has the same
  /// code.
  func verify(
    _ token: String, _ draft: VerifyDraft, _ arguments: Arguments, at now: WallTime
  ) throws -> TokenReport {
    let verifier = try TokenKeys.needed(arguments, allowsShortSecret: true).verifier(TokenPolicy())
    let user = draft.user
    guard SendbirdSessionToken.isOne(token) else {
      throw UsageError(
        "not a session token: without dots it may be an access token, which only the application that issued it knows")
    }
    do throws(TokenError) {
      let read = try SendbirdSessionToken(token, verifier: verifier, at: now)
      if let user, read.userNumber != SendbirdSessionToken.number(of: user) {
        return refused("u", "u is not the number of user \(user)")
      }
      return read.expiresAt <= now ? refused("e", "e has passed") : valid(read, of: user)
    } catch {
      return refused(error.check, error.description)
    }
  }

  private func valid(_ token: SendbirdSessionToken, of user: UserID?) -> TokenReport {
    let whose = user.map { "user \($0)" } ?? "the user of number \(token.userNumber) (--user compares it)"
    let issuedAt = token.issuedAt.nanoseconds == .min ? nil : token.issuedAt
    return .valid(
      SendbirdWire.name, "valid: a session token of \(whose)",
      (user.map { [.init(nil, "user_id", .text($0.rawValue))] } ?? []) + [
        .init(nil, "user_number", .number(Int64(clamping: token.userNumber))),
        .init("issued", "issued_at", .time(issuedAt, otherwise: "not said")),
        .init("expires", "expires_at", .time(token.expiresAt)),
      ])
  }

  private func refused(_ check: String, _ reason: String) -> TokenReport {
    let told = SendbirdError.accessTokenInvalid
    return .refused(
      SendbirdWire.name, "refused by the check of \(check): \(reason) (\(told.code) \(told.message))",
      [
        .init(nil, "check", .text(check)), .init(nil, "reason", .text(reason)),
        .init(
          nil, "error",
          .object([.init(nil, "code", .number(Int64(told.code))), .init(nil, "message", .text(told.message))])),
      ])
  }

  func nature(ofOpaque token: String) -> String? {
    guard token.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else { return nil }
    return switch token.utf8.count {
    case Self.accessTokenDigits:
      "a Sendbird access token, by its form: only the application that issued it knows it"
    case Self.sessionKeyDigits: "a Sendbird session key, by its form: only the gateway that handed it out knows it"
    default: nil
    }
  }

  func nature(of token: UnverifiedToken, _ text: String) -> TokenNature? {
    ["v", "u", "e"].allSatisfy { token.payload[$0] != nil } ? .own("a Sendbird session token") : nil
  }
}
