package import GatewayCore
internal import GatewayJSON
package import GatewayKit
package import GatewayTokens

/// Sinch's credentials in the token commands: registration tokens, legacy mobile signatures and user tickets.
package struct SinchTokenTool: TokenTool {
  /// The form of credentials that `--form` names, e.g. `ticket`.
  enum Form: String, CaseIterable, Sendable {
    case jwt, signature, ticket
  }

  package let mintFlags = [
    Flag("application", "KEY", "the application's key (sinch; default postern)"),
    Flag("form", "jwt|signature|ticket", "which credentials: registration token (default), mobile or web (sinch)"),
    Flag("registration-life", "DURATION", "when the registration ends, from the time of issue (sinch; default never)"),
    Flag("any-life", nil, "let the two lives be shorter than Sinch's least, by a claim of ours (sinch)"),
    Flag("nonce", "TEXT", "the nonce (sinch; default by chance)"),
    Flag("sequence", "N", "the sequence that the signature is for (sinch)"),
  ]
  package let unusedInMinting = ["call", "claim", "typ", "issuer", "audience"]
  package let unusedInVerifying = ["issuer", "audience", "typ", "require-expiry", "leeway"]
  package let notes = ["life": "10m by default"]

  package var verifyFlags: [Flag] {
    [
      Flag("application", "KEY", "the application that the token must be of (sinch; any otherwise)"),
      Flag("sequence", "N", "the sequence that the signature is for (sinch)"),
    ] + SinchVendor.tokenOptions.map(\.flag)
  }

  /// Returns the life as claims. The end is the registration's; the token itself always lives for ten minutes.
  package func lifeFlags(from issuedAt: WallTime, until end: WallTime?) -> [(name: String, text: String)] {
    let begin = WallTime(nanoseconds: issuedAt.nanoseconds / 1_000_000_000 * 1_000_000_000)
    let life = end.map { max(1, (($0 - begin).inSeconds - 0.005).rounded(.up)) }
    return [("issued-at", issuedAt.secondsBefore), ("any-life", "true")]
      + (life.map { [("registration-life", "\(Int64($0))s")] } ?? [])
  }

  package func mint(_ arguments: Arguments, at now: WallTime) throws -> String {
    guard let secret = try Self.secret(arguments) else {
      throw UsageError("minting needs the application's secret: --secret-file or POSTERN_SECRET")
    }
    let application = arguments.string("application").map { Name($0) } ?? SinchApplications.usualKey
    let issuedAt = try arguments.issuedAt(in: 0...9e9) ?? now
    let form = try arguments.choice("form", Form.self) ?? .jwt
    let user = try user(arguments, form)
    switch form {
    case .jwt:
      try refuse(["sequence"], arguments, form)
      return SinchTokenIssuer(application: application, secret: secret, drawing: .system).sign(
        try claims(arguments, user, issuedAt: issuedAt))
    case .signature:
      try refuse(["registration-life", "nonce", "life", "expires", "kind", "any-life"], arguments, form)
      guard let sequence = try Self.sequence(arguments) else {
        throw UsageError("--sequence is missing: a whole number")
      }
      return SinchMobileSignature.sign(user: user, application: application, sequence: sequence, secret: secret)
    case .ticket:
      try refuse(["registration-life", "nonce", "sequence", "expires", "kind", "any-life"], arguments, form)
      return SinchUserTicket.mint(
        user: user, application: application, secret: secret, createdAt: issuedAt,
        life: try arguments.duration("life") ?? .seconds(3600))
    }
  }

  private func claims(_ arguments: Arguments, _ user: UserID, issuedAt: WallTime) throws -> SinchTokenIssuer.Claims {
    // The vendor's samples date tokens in whole seconds.
    let issued = WallTime(nanoseconds: issuedAt.nanoseconds / 1_000_000_000 * 1_000_000_000)
    guard let end = try arguments.expiry(issuedAt: issued, usual: .seconds(600)) else {
      throw UsageError("a registration token has an end: --expires never is not for --scheme sinch")
    }
    return SinchTokenIssuer.Claims(
      user: user, kind: try arguments.choice("kind", UserKind.self) ?? .regular, issuedAt: issued, expiresAt: end,
      instanceEndsAt: try arguments.duration("registration-life").map { issued + $0 },
      nonce: arguments.string("nonce"), isOfAnyLife: try arguments.isOn("any-life"))
  }

  private func user(_ arguments: Arguments, _ form: Form) throws -> UserID {
    let name = arguments.string("user") ?? ""
    guard form == .ticket ? SinchUserName.isLegacyWeb(name) : SinchUserName.isCurrent(name) else {
      throw UsageError(
        "--user is missing or wrong: "
          + (form == .ticket ? "1 to 40 printable characters" : "1 to 255 of A-Z a-z 0-9 - _ ="))
    }
    return UserID(name)
  }

  private func refuse(_ flags: [String], _ arguments: Arguments, _ form: Form) throws {
    try arguments.refuse(flags, with: "form", form.rawValue)
  }

  /// Returns the sequence in the flag; nil if there is none.
  static func sequence(_ arguments: Arguments) throws -> UInt64? {
    guard let value = arguments.value("sequence") else { return nil }
    guard let number = UInt64(value.text) else {
      throw UsageError(value.source, value: value.text, expected: "a whole number of 64 bits without sign")
    }
    return number
  }

  /// Returns the application's secret from the key flags.
  static func secret(_ arguments: Arguments) throws -> SinchSecret? {
    try TokenKeys.secret(arguments).map { SinchSecret(of: $0) }
  }

  package func nature(ofOpaque token: String) -> String? {
    let halves = token.split(separator: ":", omittingEmptySubsequences: false).map { Base64.decode(String($0)) }
    guard halves.count == 2, let json = halves[0], let code = halves[1], code.count == HMACSHA256.size,
      let said = try? JSONDocument.parse(json).root.text
    else { return nil }
    return "a Sinch user ticket, by its form: \(said)"
  }

  package func nature(of token: UnverifiedToken, _ text: String) -> TokenNature? {
    let isDerived = token.header["kid"]?.string?.utf8.starts(with: SinchSigningKey.prefix.utf8) == true
    return isDerived ? .own("a Sinch registration token") : nil
  }
}
