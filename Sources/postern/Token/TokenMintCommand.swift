import GatewayCore
import GatewayTokens

/// Makes a token.
enum TokenMintCommand: Command {
  static let name = "token mint"
  static let summary = "make a token for a user"
  static let example = "postern token mint --user ann --life 10m --secret-file secret"

  static let flags =
    [
      Flag("user", "ID", "the user; !anon for an anonymous one"),
      Flag("kind", "KIND", "regular (default), guest or anonymous"),
      Flag("life", "DURATION", "how long the token is good (default 1h)"),
      Flag("expires", "UNIX_S", "when the token expires, in place of --life; never for no expiry"),
      Flag("issued-at", "UNIX_S", "when the token was issued (default now)"),
      Flag("call", "CID", "a call the token opens, as type:id", repeats: true),
      Flag("claim", "NAME=VALUE", "a further claim, or another value for one; JSON or text", repeats: true),
      Flag("typ", "TYPE", "the typ in the header (default JWT)"),
      Flag("issuer", "TEXT", "the iss"),
      Flag("audience", "TEXT", "the aud"),
    ] + TokenKeys.flags

  static func run(_ arguments: Arguments) async throws -> Int32 {
    Output.line(try mint(arguments, at: SystemTime.now))
    return 0
  }

  /// The token the flags ask for, minted at `now`.
  static func mint(_ arguments: Arguments, at now: WallTime) throws -> String {
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
    claims.expiresAt = try expiry(arguments, issuedAt: issuedAt)
    claims.calls = try arguments.values("call").map {
      guard let call = CallID(cid: $0.text) else {
        throw UsageError($0.source, value: $0.text, expected: "a call as type:id, of letters, digits, _, - and !")
      }
      return call
    }
    claims.issuer = arguments.string("issuer")
    claims.audience = arguments.string("audience")
    claims.others = try arguments.values("claim").map(TokenClaims.parse)
    let names = claims.others.map(\.name)
    guard Set(names).count == names.count else { throw UsageError("--claim names the same claim twice") }
    return claims
  }

  private static func expiry(_ arguments: Arguments, issuedAt: WallTime) throws -> WallTime? {
    guard let expires = arguments.value("expires") else {
      return issuedAt + (try arguments.duration("life") ?? .seconds(3600))
    }
    guard arguments.value("life") == nil else { throw UsageError("--life and --expires are both given; one is meant") }
    if expires.text == "never" { return nil }
    return try arguments.number("expires", in: -1e11...1e11).map { WallTime(seconds: $0) }
  }
}
