import GatewayCore
import GatewayJSON
import GatewaySinch
import GatewayTokens

/// What a gateway that plays Sinch says about credentials, as far as no memory is needed: whether a nonce or sequence was
/// used, only the gateway knows.
struct SinchTokenVerdict {
  private struct Accepted {
    var form: SinchTokenMint.Form
    var user: UserID
    var application: Name
    var issuedAt: WallTime?
    var expiresAt: WallTime?
    var instanceEndsAt: WallTime?
  }

  private let result: Result<Accepted, SinchRefusal>
  private let now: WallTime

  static let flags = [
    Flag("application", "KEY", "the application that the token must be of (sinch; any otherwise)"),
    Flag("sequence", "N", "the sequence that the signature is for (sinch)"),
  ]

  var isValid: Bool { if case .success = result { true } else { false } }

  init(_ token: String, _ arguments: Arguments, at now: WallTime) throws {
    try TokenScheme.sinch.refuse(
      ["issuer", "audience", "typ", "require-expiry", "leeway", "api-key", "no-auth-checks"], arguments)
    guard let secret = try SinchFlags.ownSecret(arguments) else {
      throw UsageError("no key: --secret-file or POSTERN_SECRET, the application's secret")
    }
    self.now = now
    let policy = try SinchFlags.tokens(arguments)
    let applications = SinchApplications(any: secret)
    let user = arguments.string("user").map { UserID($0) }
    let key = arguments.string("application").map { Name($0) }
    if token.contains(":") {
      result = Self.catching { () throws(SinchRefusal) in
        let ticket = try SinchUserTicket.verify(
          token, applications: applications, user: user, application: key, skew: policy.clockSkew, at: now)
        return Accepted(
          form: .ticket, user: ticket.user, application: ticket.application, issuedAt: ticket.createdAt,
          expiresAt: ticket.expiresAt)
      }
    } else if let sequence = try SinchTokenMint.sequence(arguments) {
      guard let user else { throw UsageError("--user is missing: a signature does not say whose it is") }
      let key = key ?? SinchApplications.usualKey
      let expected = SinchMobileSignature.sign(user: user, application: key, sequence: sequence, secret: secret)
      let isRight = ConstantTime.areEqual(Array(expected.utf8), Array(token.utf8))
      result = isRight ? .success(Accepted(form: .signature, user: user, application: key)) : .failure(.badSignature)
    } else {
      result = Self.catching { () throws(SinchRefusal) in
        let read = try SinchTokenVerifier(applications: applications, policy: policy).verify(
          token, user: user, application: key, at: now)
        return Accepted(
          form: .jwt, user: read.user, application: read.application, issuedAt: read.issuedAt,
          expiresAt: read.expiresAt, instanceEndsAt: read.instanceEndsAt)
      }
    }
  }

  private static func catching(
    _ body: () throws(SinchRefusal) -> Accepted
  ) -> Result<Accepted, SinchRefusal> {
    do throws(SinchRefusal) {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }

  var text: String {
    switch result {
    case .failure(let refusal):
      return "refused by the check of \(refusal.rawValue): \(refusal.gatewayError.message)"
    case .success(let token):
      let what =
        switch token.form {
        case .jwt: "a registration token"
        case .signature: "a mobile signature"
        case .ticket: "a user ticket"
        }
      var lines = ["valid: \(what) of user \(token.user) in application \(token.application)"]
      if let issuedAt = token.issuedAt { lines.append("issued        \(SystemTime.text(issuedAt, from: now))") }
      if let expiresAt = token.expiresAt { lines.append("expires       \(SystemTime.text(expiresAt, from: now))") }
      if token.form == .jwt {
        let end = token.instanceEndsAt.map { SystemTime.text($0, from: now) } ?? "never"
        lines.append("registration  ends \(end)")
      }
      return lines.joined(separator: "\n")
    }
  }

  var json: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("valid", isValid)
    writer.member("scheme", TokenScheme.sinch.rawValue)
    switch result {
    case .failure(let refusal):
      writer.member("check", refusal.rawValue)
      writer.member("reason", refusal.gatewayError.message)
    case .success(let token):
      writer.member("form", token.form.rawValue)
      writer.member("user_id", token.user.rawValue)
      writer.member("application", token.application.text)
      for (name, time) in [
        ("issued_at", token.issuedAt), ("expires_at", token.expiresAt), ("instance_expires_at", token.instanceEndsAt),
      ] {
        writer.name(name)
        writer.raw(time.map(NumericDate.text) ?? "null")
      }
    }
    writer.endObject()
    return writer.text
  }
}
