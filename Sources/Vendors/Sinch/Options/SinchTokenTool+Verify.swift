internal import GatewayCore
internal import GatewayKit
internal import GatewayTokens

// Verification of credentials as far as it needs no directory: only the gateway knows whether a nonce or sequence was
// used.

extension SinchTokenTool {
  func verify(
    _ token: String, _ draft: VerifyDraft, _ arguments: Arguments, at now: WallTime
  ) throws -> TokenReport {
    guard let secret = try Self.secret(arguments) else {
      throw UsageError("no key: give --secret-file or POSTERN_SECRET, the application's secret")
    }
    var policy = SinchTokenPolicy()
    try arguments.read(SinchVendor.tokenOptions, into: &policy)
    let applications = SinchApplications(any: secret)
    let user = draft.user
    var check = Check()
    try arguments.read(Self.checkOptions, into: &check)
    let key = check.application
    if let given = check.sequence, !token.contains(":") {
      let sequence = try Reading<UInt64>.sequence.read(given, "sequence")
      guard let user else { throw UsageError("--user is missing: a signature does not say whose it is") }
      let key = key ?? SinchApplications.usualKey
      let expected = SinchMobileSignature.sign(user: user, application: key, sequence: sequence, secret: secret)
      guard ConstantTime.areEqual(Array(expected.utf8), Array(token.utf8)) else { return refused(.badSignature) }
      return valid(.signature, user, key)
    }
    do throws(SinchRefusal) {
      if token.contains(":") {
        let ticket = try SinchUserTicket.verify(
          token, applications: applications, user: user, application: key, skew: policy.clockSkew, at: now)
        return valid(
          .ticket, ticket.user, ticket.application, issuedAt: ticket.createdAt, expiresAt: ticket.expiresAt)
      }
      let read = try SinchTokenVerifier(applications: applications, policy: policy).verify(
        token, user: user, application: key, at: now)
      return valid(
        .jwt, read.user, read.application, issuedAt: read.issuedAt, expiresAt: read.expiresAt,
        endsAt: read.instanceEndsAt)
    } catch {
      return refused(error)
    }
  }

  private func valid(
    _ form: Form, _ user: UserID, _ application: Name, issuedAt: WallTime? = nil, expiresAt: WallTime? = nil,
    endsAt: WallTime? = nil
  ) -> TokenReport {
    let what =
      switch form {
      case .jwt: "a registration token"
      case .signature: "a mobile signature"
      case .ticket: "a user ticket"
      }
    return .valid(
      SinchVendor.scheme, "valid: \(what) of user \(user) in application \(application)",
      [
        .init(nil, "form", .text(form.rawValue)), .init(nil, "user_id", .text(user.rawValue)),
        .init(nil, "application", .text(application.text)), .init("issued", "issued_at", .time(issuedAt)),
        .init("expires", "expires_at", .time(expiresAt)),
        .init(
          form == .jwt ? "registration" : nil, "instance_expires_at",
          .time(endsAt, before: "ends ", otherwise: form == .jwt ? "never" : nil)),
      ], labelWidth: 12)
  }

  private func refused(_ refusal: SinchRefusal) -> TokenReport {
    let reason = refusal.gatewayError.message
    return .refused(
      SinchVendor.scheme, "refused by the check of \(refusal.rawValue): \(reason)",
      [.init(nil, "check", .text(refusal.rawValue)), .init(nil, "reason", .text(reason))])
  }
}
