import GatewayCore
import GatewayJSON
import GatewaySendbird
import GatewayTokens

/// What a gateway that plays Sendbird says about a session token: the vendor's code and message, and the check. Every
/// fault of a token has the same code there.
struct SendbirdTokenVerdict {
  private struct Refusal: Error {
    let check: String
    let reason: String
  }

  private let result: Result<SendbirdSessionToken, Refusal>
  private let user: UserID?
  private let now: WallTime

  var isValid: Bool { if case .success = result { true } else { false } }

  init(_ token: String, _ arguments: Arguments, at now: WallTime) throws {
    let scheme = TokenScheme.sendbird
    try scheme.refuse(
      ["issuer", "audience", "typ", "require-expiry", "leeway", "api-key", "no-auth-checks"], arguments)
    let verifier = try scheme.keys(arguments).verifier(TokenPolicy())
    let user = arguments.string("user").map { UserID($0) }
    self.user = user
    self.now = now
    guard SendbirdSessionToken.isOne(token) else {
      throw UsageError(
        "not a session token: without dots it may be an access token, which only the application that issued it knows")
    }
    do throws(TokenError) {
      let read = try SendbirdSessionToken(token, verifier: verifier, at: now)
      if let user, read.userNumber != SendbirdSessionToken.number(of: user) {
        result = .failure(Refusal(check: "u", reason: "u is not the number of user \(user)"))
      } else if read.expiresAt <= now {
        result = .failure(Refusal(check: "e", reason: "e has passed"))
      } else {
        result = .success(read)
      }
    } catch {
      result = .failure(Refusal(check: error.check, reason: error.description))
    }
  }

  var text: String {
    switch result {
    case .failure(let refusal):
      let told = SendbirdError.accessTokenInvalid
      return "refused by the check of \(refusal.check): \(refusal.reason) (\(told.code) \(told.message))"
    case .success(let token):
      let whose = user.map { "user \($0)" } ?? "the user of number \(token.userNumber) (--user compares it)"
      return """
        valid: a session token of \(whose)
        issued   \(token.issuedAt.nanoseconds == .min ? "not said" : SystemTime.text(token.issuedAt, from: now))
        expires  \(SystemTime.text(token.expiresAt, from: now))
        """
    }
  }

  var json: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("valid", isValid)
    writer.member("scheme", TokenScheme.sendbird.rawValue)
    switch result {
    case .failure(let refusal):
      writer.member("check", refusal.check)
      writer.member("reason", refusal.reason)
      writer.name("error")
      writer.beginObject()
      writer.member("code", Int64(SendbirdError.accessTokenInvalid.code))
      writer.member("message", SendbirdError.accessTokenInvalid.message)
      writer.endObject()
    case .success(let token):
      if let user { writer.member("user_id", user.rawValue) }
      writer.member("user_number", Int64(clamping: token.userNumber))
      writer.name("issued_at")
      writer.raw(token.issuedAt.nanoseconds == .min ? "null" : NumericDate.text(token.issuedAt))
      writer.name("expires_at")
      writer.raw(NumericDate.text(token.expiresAt))
    }
    writer.endObject()
    return writer.text
  }
}
