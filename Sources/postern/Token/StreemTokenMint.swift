import GatewayCore
import GatewayStreem

/// Makes a Streem Token as a company's server does, with the API key that a flag names.
enum StreemTokenMint {
  static let flags = [
    Flag("start-life", "DURATION", "streem: how long the token may start a session (default 5m)"),
    Flag("name", "TEXT", "streem: the user's name"),
    Flag("email", "TEXT", "streem: the user's address"),
    Flag("picture", "URL", "streem: the user's avatar"),
    Flag("reservation", "SID", "streem: the reservation that the token is for"),
  ]

  private static let usualSession = Duration.seconds(4 * 3600)

  static func mint(_ arguments: Arguments, at now: WallTime) throws -> String {
    try TokenScheme.streem.refuse(
      ["kind", "role", "no-issued-at", "call", "claim", "typ", "issuer", "audience"] + TokenKeys.flags.map(\.name),
      arguments)
    guard let user = arguments.string("user"), (1...UserID.lengthMax).contains(user.utf8.count) else {
      throw UsageError("--user is missing or not of 1 to \(UserID.lengthMax) bytes: who the token is for")
    }
    let issuedAt = try arguments.number("issued-at", in: -1e11...1e11).map { WallTime(seconds: $0) } ?? now
    guard let end = try TokenMintCommand.expiry(arguments, issuedAt: issuedAt, usual: usualSession) else {
      throw UsageError("a session has an end: --expires never is not for --scheme streem")
    }
    let issuer = try StreemTokenKeys.issuer(arguments)
    let start = try arguments.duration("start-life") ?? StreemSettings().tokenLife
    return issuer.sign(
      StreemClaims(
        apiKey: issuer.apiKey, subject: Name(user), audience: issuer.audience, issuedAt: issuedAt,
        expiresAt: issuedAt + start, sessionExpiresAt: end, name: arguments.string("name"),
        email: arguments.string("email"), picture: arguments.string("picture"),
        reservation: arguments.string("reservation").map { Name($0) })
    ).token
  }
}
