internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// Sinch's credentials in the token commands: registration tokens, legacy mobile signatures and user tickets.
struct SinchTokenTool: TokenTool {
  /// The form of credentials that `--form` names, e.g. `ticket`.
  enum Form: String, CaseIterable, Sendable {
    case jwt, signature, ticket
  }

  let mintFlags = options.map(\.flag)
  let unusedInMinting = ["call", "claim", "typ", "issuer", "audience"]
  let unusedInVerifying = ["issuer", "audience", "typ", "require-expiry", "leeway"]
  let notes = ["life": "10m by default"]

  var verifyFlags: [Flag] { Self.checkOptions.map(\.flag) + SinchVendor.tokenOptions.map(\.flag) }

  /// The values of the flags of `mint` that only these credentials have.
  private struct Draft: Sendable {
    var application = SinchApplications.usualKey
    var form = Form.jwt
    var registrationLife: Sourced<Duration>?
    var isOfAnyLife: Sourced<Bool>?
    var nonce: Arguments.Value?
    var sequence: Sourced<UInt64>?
  }

  @OptionList<Draft>
  private static var options: [Option<Draft>] {
    Option(
      "application", "KEY", "sinch: the application's key (default postern)", \.application,
      Reading<String>.text.map { key, _ in Name(key) })
    Option(
      "form", "jwt|signature|ticket",
      "sinch: the credentials to make: jwt, a registration token (default); signature, for mobile; ticket, for web",
      \.form,
      .choice)
    Option(
      "registration-life", "DURATION",
      "sinch: how long the registration lasts, from the time of issue (default: for ever)",
      \.registrationLife, Reading<Duration>.duration.sourced)
    Option(
      "any-life", "sinch: allow lives below Sinch's minimum, with a claim that only postern reads", \.isOfAnyLife)
    Option("nonce", "TEXT", "sinch: the token's nonce (default: random)", \.nonce, .asGiven)
    Option(
      "sequence", "N", "sinch: the sequence number that the signature is for", \.sequence,
      Reading<UInt64>.sequence.sourced)
  }

  /// The values of the flags of `verify` that only these credentials have.
  struct Check: Sendable {
    var application: Name?
    var sequence: Arguments.Value?
  }

  @OptionList<Check>
  static var checkOptions: [Option<Check>] {
    Option(
      "application", "KEY", "sinch: the application that the token must be for (default: any)", \.application,
      Reading<String>.text.map { key, _ in Name(key) })
    Option("sequence", "N", "sinch: the sequence number that the signature is for", \.sequence, .asGiven)
  }

  /// Returns the life as claims. The end is the registration's; the token itself always lives for ten minutes.
  func lifeFlags(from issuedAt: WallTime, until end: WallTime?) -> [(name: String, text: String)] {
    let begin = WallTime(nanoseconds: issuedAt.nanoseconds / 1_000_000_000 * 1_000_000_000)
    let life = end.map { max(1, (($0 - begin).inSeconds - 0.005).rounded(.up)) }
    return [("issued-at", issuedAt.secondsBefore), ("any-life", "true")]
      + (life.map { [("registration-life", "\(Int64($0))s")] } ?? [])
  }

  func mint(_ draft: MintDraft, _ arguments: Arguments, at now: WallTime) throws -> String {
    guard let secret = try Self.secret(arguments) else {
      throw UsageError("minting needs the application's secret: --secret-file or POSTERN_SECRET")
    }
    var own = Draft()
    try arguments.read(Self.options, into: &own)
    let issuedAt = try draft.issuedAt(in: 0...9e9) ?? now
    let user = try user(draft, own.form)
    let lives = [
      own.registrationLife?.source, own.nonce?.source, draft.life?.source, draft.expires?.source, draft.kind?.source,
      own.isOfAnyLife.flatMap { $0.value ? $0.source : nil },
    ]
    switch own.form {
    case .jwt:
      try refuse([own.sequence?.source], own.form)
      return SinchTokenIssuer(application: own.application, secret: secret, drawing: .system).sign(
        try claims(draft, own, user, issuedAt: issuedAt))
    case .signature:
      try refuse(lives, own.form)
      guard let sequence = own.sequence?.value else { throw UsageError("--sequence is missing: a whole number") }
      return SinchMobileSignature.sign(user: user, application: own.application, sequence: sequence, secret: secret)
    case .ticket:
      // A ticket has its own life.
      try refuse(lives.enumerated().filter { $0.offset != 2 }.map(\.element) + [own.sequence?.source], own.form)
      return SinchUserTicket.mint(
        user: user, application: own.application, secret: secret, createdAt: issuedAt,
        life: try draft.life?.duration() ?? .seconds(3600))
    }
  }

  private func claims(
    _ draft: MintDraft, _ own: Draft, _ user: UserID, issuedAt: WallTime
  ) throws -> SinchTokenIssuer.Claims {
    // The vendor's samples date tokens in whole seconds.
    let issued = WallTime(nanoseconds: issuedAt.nanoseconds / 1_000_000_000 * 1_000_000_000)
    guard let end = try draft.expiry(issuedAt: issued, usual: .seconds(600)) else {
      throw UsageError("a registration token has an end: --expires never is not for --scheme sinch")
    }
    return SinchTokenIssuer.Claims(
      user: user, kind: try draft.kind(of: UserKind.self) ?? .regular, issuedAt: issued, expiresAt: end,
      instanceEndsAt: own.registrationLife.map { issued + $0.value },
      nonce: own.nonce?.text, isOfAnyLife: own.isOfAnyLife?.value == true)
  }

  private func user(_ draft: MintDraft, _ form: Form) throws -> UserID {
    let name = draft.user ?? ""
    guard form == .ticket ? SinchUserName.isLegacyWeb(name) : SinchUserName.isCurrent(name) else {
      throw UsageError(
        "--user is missing or wrong: "
          + (form == .ticket ? "1 to 40 printable characters" : "1 to 255 of A-Z a-z 0-9 - _ ="))
    }
    return UserID(name)
  }

  /// Throws if a flag is given that has no meaning for the form. `sources` are the sources of the flags; nil if not given.
  private func refuse(_ sources: [String?], _ form: Form) throws {
    guard let source = sources.compactMap(\.self).first else { return }
    throw UsageError("\(source) has no effect with --form \(form.rawValue); leave it out")
  }

  /// Returns the application's secret from the key flags.
  static func secret(_ arguments: Arguments) throws -> SinchSecret? {
    try TokenKeys.secret(arguments).map { SinchSecret(of: $0) }
  }

  func nature(ofOpaque token: String) -> String? {
    let halves = token.split(separator: ":", omittingEmptySubsequences: false).map { Base64.decode(String($0)) }
    guard halves.count == 2, let json = halves[0], let code = halves[1], code.count == HMACSHA256.size,
      let said = try? JSONDocument.parse(json).root.text
    else { return nil }
    return "a Sinch user ticket, by its form: \(said)"
  }

  func nature(of token: UnverifiedToken, _ text: String) -> TokenNature? {
    let isDerived = token.header["kid"]?.string?.utf8.starts(with: SinchSigningKey.prefix.utf8) == true
    return isDerived ? .own("a Sinch registration token") : nil
  }
}

extension Reading<UInt64> {
  /// Reads the sequence of a signature.
  static var sequence: Self {
    Self { given, _ in
      guard let number = UInt64(given.text) else {
        throw UsageError(given.source, value: given.text, expected: "a whole number of 64 bits without sign")
      }
      return number
    }
  }
}
