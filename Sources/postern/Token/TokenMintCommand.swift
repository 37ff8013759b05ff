import GatewayCore
import GatewaySendbird
internal import GatewayTokens

/// Makes a token.
enum TokenMintCommand: Command {
  static let name = "token mint"
  static let summary = "make a token for a user"
  static let example = "postern token mint --user ann --life 10m --secret-file secret"

  static let sections = [
    FlagSection("the token", ownFlags),
    FlagSection("keys", TokenKeys.flags),
    FlagSection("Sinch", SinchTokenMint.flags),
    FlagSection("Streem", StreemTokenKeys.flags + StreemTokenMint.flags),
  ]
  static let neededFirst = [
    "scheme", "user", "kind", "life", "expires", "call", "claim", "secret-file", "key-file", "algorithm",
  ]

  private static let ownFlags =
    [
      TokenScheme.flag,
      Flag("user", "ID", "the user; !anon for an anonymous one"),
      Flag("kind", "KIND", "regular (default), guest, anonymous; stream-video: server, server-empty, development too"),
      Flag("role", "NAME", "the role (stream-video)"),
      Flag(
        "life", "DURATION", "how long the token is good (default 1h; sendbird 7d, sinch 10m; for ever for a server)"),
      Flag("expires", "UNIX_S", "when the token expires, in place of --life; never for no expiry"),
      Flag("issued-at", "UNIX_S", "when the token was issued (default now)"),
      Flag("no-issued-at", nil, "leave iat out (stream-video)"),
      Flag("call", "CID", "a call the token opens, as type:id", repeats: true),
      Flag("claim", "NAME=VALUE", "a further claim, or another value for one; JSON or text", repeats: true),
      Flag("typ", "TYPE", "the typ in the header (default JWT)"),
      Flag("issuer", "TEXT", "the iss"),
      Flag("audience", "TEXT", "the aud"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    Output.line(try mint(arguments, at: SystemTime.now))
    return 0
  }

  /// The token the flags ask for, minted at `now`.
  static func mint(_ arguments: Arguments, at now: WallTime) throws -> String {
    let scheme = try TokenScheme.read(arguments)
    switch scheme {
    case .plain: return try mintPlain(arguments, at: now)
    case .streamVideo:
      return try StreamTokenClaims(arguments, at: now).token(
        { try scheme.keys(arguments) }, type: arguments.string("typ") ?? "JWT")
    case .sendbird: return try mintSendbird(arguments, at: now)
    case .sinch: return try SinchTokenMint.mint(arguments, at: now)
    case .streem: return try StreemTokenMint.mint(arguments, at: now)
    }
  }

  /// A session token: access tokens are kept by the application that issues them, so none can be made without it.
  private static func mintSendbird(_ arguments: Arguments, at now: WallTime) throws -> String {
    let scheme = TokenScheme.sendbird
    let others = ["call", "claim", "issuer", "audience", "role", "no-issued-at"]
    try scheme.refuse(others + SinchTokenMint.flags.map(\.name), arguments)
    if let kind = arguments.string("kind"), kind != UserKind.regular.rawValue {
      throw UsageError(
        kind == "access"
          ? "an access token is kept by the application: POST /v3/users/ID with issue_access_token has one issued"
          : "--kind says nothing to --scheme sendbird, whose users are all alike")
    }
    guard let user = arguments.string("user"), (1...SendbirdUserName.lengthMax).contains(user.utf8.count) else {
      throw UsageError("--user is missing or not of 1 to \(SendbirdUserName.lengthMax) bytes: who the token is for")
    }
    let issuedAt = try arguments.number("issued-at", in: 0...1e11).map { WallTime(seconds: $0) } ?? now
    guard let expiry = try expiry(arguments, issuedAt: issuedAt, usual: .seconds(7 * 86_400)) else {
      throw UsageError("a session token has an end: --expires never is not for --scheme sendbird")
    }
    guard let signer = try scheme.keys(arguments).signer(type: arguments.string("typ") ?? "JWT") else {
      throw UsageError("minting needs the application's Api-Token as --secret-file")
    }
    return SendbirdTokenIssuer(signer: signer).mint(
      user: UserID(user), kind: .regular, issuedAt: issuedAt, expiresAt: expiry, calls: nil
    ).token
  }

  private enum SendbirdUserName {
    static let lengthMax = 80
  }

  private static func mintPlain(_ arguments: Arguments, at now: WallTime) throws -> String {
    try TokenScheme.plain.refuse(["role", "no-issued-at"] + SinchTokenMint.flags.map(\.name), arguments)
    let claims = try claims(arguments, at: now).json()
    guard let keys = try TokenKeys(arguments) else {
      throw UsageError("no key: --secret-file, POSTERN_SECRET or --key-file with a private key")
    }
    guard let signer = try keys.signer(type: arguments.string("typ") ?? "JWT") else {
      throw UsageError("minting needs a secret or a private key; only public keys were given")
    }
    return signer.sign(claims)
  }

  private static func claims(_ arguments: Arguments, at now: WallTime) throws -> TokenClaims {
    let kind = try arguments.choice("kind", UserKind.self)
    guard let user = arguments.string("user") ?? (kind == .anonymous ? UserID.anonymous.rawValue : nil) else {
      throw UsageError("--user is missing: who the token is for")
    }
    let issuedAt = try arguments.number("issued-at", in: -1e11...1e11).map { WallTime(seconds: $0) } ?? now
    var claims = TokenClaims(user: UserID(user), issuedAt: issuedAt)
    claims.kind = kind ?? (claims.user == .anonymous ? .anonymous : .regular)
    claims.expiresAt = try expiry(arguments, issuedAt: issuedAt, usual: .seconds(3600))
    claims.calls = try calls(arguments)
    claims.issuer = arguments.string("issuer")
    claims.audience = arguments.string("audience")
    claims.others = try others(arguments)
    return claims
  }

  static func calls(_ arguments: Arguments) throws -> [CallID] {
    try arguments.values("call").map {
      guard let call = CallID(cid: $0.text) else {
        throw UsageError($0.source, value: $0.text, expected: "a call as type:id, of letters, digits, _, - and !")
      }
      return call
    }
  }

  static func others(_ arguments: Arguments) throws -> [(name: String, json: String)] {
    let others = try arguments.values("claim").map(TokenClaims.parse)
    let names = others.map(\.name)
    guard Set(names).count == names.count else { throw UsageError("--claim names the same claim twice") }
    return others
  }

  /// When the token expires; nil for never.
  static func expiry(_ arguments: Arguments, issuedAt: WallTime, usual: Duration) throws -> WallTime? {
    guard let expires = arguments.value("expires") else {
      return issuedAt + (try arguments.duration("life") ?? usual)
    }
    guard arguments.value("life") == nil else { throw UsageError("--life and --expires are both given; one is meant") }
    if expires.text == "never" { return nil }
    return try arguments.number("expires", in: -1e11...1e11).map { WallTime(seconds: $0) }
  }
}
