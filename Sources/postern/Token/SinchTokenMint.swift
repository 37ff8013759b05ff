import GatewayCore
import GatewaySinch

/// Makes credentials of Sinch's: a registration token, a legacy mobile signature or a user ticket.
enum SinchTokenMint {
  enum Form: String, CaseIterable {
    case jwt, signature, ticket
  }

  static let flags = [
    Flag("application", "KEY", "the application's key (sinch; default postern)"),
    Flag("form", "jwt|signature|ticket", "which credentials: registration token (default), mobile or web (sinch)"),
    Flag("registration-life", "DURATION", "when the registration ends, from the time of issue (sinch; default never)"),
    Flag("any-life", nil, "let the two lives be shorter than Sinch's least, by a claim of ours (sinch)"),
    Flag("nonce", "TEXT", "the nonce (sinch; default by chance)"),
    Flag("sequence", "N", "the sequence that the signature is for (sinch)"),
  ]

  static func mint(_ arguments: Arguments, at now: WallTime) throws -> String {
    try TokenScheme.sinch.refuse(["role", "no-issued-at", "call", "claim", "typ", "issuer", "audience"], arguments)
    guard let secret = try SinchFlags.ownSecret(arguments) else {
      throw UsageError("minting needs the application's secret: --secret-file or POSTERN_SECRET")
    }
    let application = arguments.string("application").map { Name($0) } ?? SinchApplications.usualKey
    let issuedAt = try arguments.number("issued-at", in: 0...9e9).map { WallTime(seconds: $0) } ?? now
    let form = try arguments.choice("form", Form.self) ?? .jwt
    let user = try user(arguments, form)
    switch form {
    case .jwt:
      try refuse(["sequence"], arguments, form)
      return SinchTokenIssuer(application: application, secret: secret).sign(
        try claims(arguments, user, issuedAt: issuedAt))
    case .signature:
      try refuse(["registration-life", "nonce", "life", "expires", "kind", "any-life"], arguments, form)
      guard let sequence = try sequence(arguments) else { throw UsageError("--sequence is missing: a whole number") }
      return SinchMobileSignature.sign(user: user, application: application, sequence: sequence, secret: secret)
    case .ticket:
      try refuse(["registration-life", "nonce", "sequence", "expires", "kind", "any-life"], arguments, form)
      return SinchUserTicket.mint(
        user: user, application: application, secret: secret, createdAt: issuedAt,
        life: try arguments.duration("life") ?? .seconds(3600))
    }
  }

  private static func claims(
    _ arguments: Arguments, _ user: UserID, issuedAt: WallTime
  ) throws -> SinchTokenIssuer.Claims {
    // A token is dated in whole seconds, as the vendor's samples date theirs.
    let issued = WallTime(nanoseconds: issuedAt.nanoseconds / 1_000_000_000 * 1_000_000_000)
    guard let end = try TokenMintCommand.expiry(arguments, issuedAt: issued, usual: .seconds(600)) else {
      throw UsageError("a registration token has an end: --expires never is not for --scheme sinch")
    }
    return SinchTokenIssuer.Claims(
      user: user, kind: try arguments.choice("kind", UserKind.self) ?? .regular, issuedAt: issued, expiresAt: end,
      instanceEndsAt: try arguments.duration("registration-life").map { issued + $0 },
      nonce: arguments.string("nonce"), isOfAnyLife: try arguments.isOn("any-life"))
  }

  private static func user(_ arguments: Arguments, _ form: Form) throws -> UserID {
    let name = arguments.string("user") ?? ""
    guard form == .ticket ? SinchUserName.isLegacyWeb(name) : SinchUserName.isCurrent(name) else {
      throw UsageError(
        "--user is missing or wrong: "
          + (form == .ticket ? "1 to 40 printable characters" : "1 to 255 of A-Z a-z 0-9 - _ ="))
    }
    return UserID(name)
  }

  private static func refuse(_ flags: [String], _ arguments: Arguments, _ form: Form) throws {
    for flag in flags {
      if let value = arguments.value(flag) {
        throw UsageError("\(value.source) says nothing to --form \(form.rawValue)")
      }
    }
  }

  /// The sequence that the flag gives; nil if there is none.
  static func sequence(_ arguments: Arguments) throws -> UInt64? {
    guard let value = arguments.value("sequence") else { return nil }
    guard let number = UInt64(value.text) else {
      throw UsageError(value.source, value: value.text, expected: "a whole number of 64 bits without sign")
    }
    return number
  }
}
