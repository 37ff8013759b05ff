import GatewayCore
import GatewayJSON
import GatewayStream
import GatewayTokens

/// What a gateway that plays Stream says about a token: the vendor's code and message, and the check.
struct StreamTokenVerdict {
  private let result: Result<StreamToken, StreamError>
  private let now: WallTime

  var isValid: Bool { if case .success = result { true } else { false } }

  init(_ token: String, _ arguments: Arguments, at now: WallTime) throws {
    let scheme = TokenScheme.streamVideo
    try scheme.refuse(["issuer", "audience", "typ", "require-expiry"], arguments)
    let keys = try scheme.keys(arguments)
    let application = StreamApplication(
      verifier: try keys.verifier(TokenPolicy()), signer: try keys.signer() ?? Self.unused())
    let user = arguments.string("user").map { UserID($0) }
    let allowsDevelopment = try arguments.isOn("no-auth-checks")
    let key = arguments.string("api-key") ?? ""
    let leeway = try arguments.duration("leeway") ?? .zero
    self.now = now
    do throws(StreamError) {
      let read = try StreamToken(token, of: application, key: key, at: now, leeway: leeway)
      if read.isDevelopment && !allowsDevelopment { throw .signatureInvalid(key: key) }
      if let user, read.user != user {
        throw .authentication("JWTAuth error: claim user_id must be the connecting user's")
      }
      result = .success(read)
    } catch {
      result = .failure(error)
    }
  }

  /// A signer for an application that only verifies: an application has one.
  private static func unused() throws -> JWTSigner {
    try JWTSigner(try KeyMaterial.secret(SecureRandom.bytes(32)))
  }

  var text: String {
    switch result {
    case .failure(let error):
      return
        "refused by the check of \(Self.check(error)): code \(error.code), status \(error.status), \(error.message)"
    case .success(let token):
      var lines = ["valid: \(Self.nature(token))"]
      if let role = token.role { lines.append("role     \(role)") }
      if let issuedAt = token.issuedAt { lines.append("issued   \(SystemTime.text(issuedAt, from: now))") }
      lines.append("expires  \(token.expiresAt.map { SystemTime.text($0, from: now) } ?? "never")")
      if let calls = token.calls { lines.append("opens    \(calls.map(\.cid).joined(separator: ", "))") }
      lines.append("fingerprint  \(token.fingerprint)")
      return lines.joined(separator: "\n")
    }
  }

  private static func nature(_ token: StreamToken) -> String {
    guard let user = token.user else { return "a server's token" }
    let kind = token.isDevelopment ? "a development token" : token.calls == nil ? "a token" : "a call token"
    return "\(kind) of user \(user)"
  }

  var json: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("valid", isValid)
    writer.member("scheme", TokenScheme.streamVideo.rawValue)
    switch result {
    case .failure(let error):
      writer.member("check", Self.check(error))
      writer.name("error")
      writer.beginObject()
      writer.member("code", Int64(error.code))
      writer.member("StatusCode", Int64(error.status))
      writer.member("message", error.message)
      writer.endObject()
    case .success(let token):
      if let user = token.user { writer.member("user_id", user.rawValue) } else { writer.member("server", true) }
      if token.isDevelopment { writer.member("development", true) }
      if let role = token.role { writer.member("role", role.text) }
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
    }
    writer.endObject()
    return writer.text
  }

  /// The check that failed, by the claim or part of the token that it looks at.
  private static func check(_ error: StreamError) -> String {
    switch error.code {
    case 2: return "api_key"
    case 40: return "exp"
    case 41: return "nbf"
    case 42: return "iat"
    case 43: return "signature"
    default: break
    }
    if let claim = error.message.firstMatch(of: #/claim (\w+)/#) { return String(claim.output.1) }
    if error.message.contains("call token") { return "call_cids" }
    if error.message.contains("segments") { return "segments" }
    return error.message.contains("signing method") ? "alg" : "form"
  }
}
