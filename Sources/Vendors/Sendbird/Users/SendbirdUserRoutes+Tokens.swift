internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

// Tokens of users.

/// The tokens that a request's body about a user asks for.
struct SendbirdTokenOrder: Sendable {
  static let usualLife = Duration.seconds(7 * 24 * 3_600)
  private static let accessTokenSize = 20

  /// The new access token, which replaces the one before.
  let accessToken: Credentials?
  /// The expiry of the session token, which is the older way to request one.
  let sessionTokenEnd: WallTime?

  init(_ body: SendbirdParameters, at now: WallTime, secrets: Secrets) throws(SendbirdError) {
    accessToken = try body.bool("issue_access_token") == true ? Self.makeAccessToken(from: secrets) : nil
    let end = try Self.end(body, "session_token_expires_at", at: now)
    sessionTokenEnd = try body.bool("issue_session_token") == true ? end : nil
  }

  /// Returns the expiry of a requested token: seven days from now by default.
  static func end(_ body: SendbirdParameters, _ name: String, at now: WallTime) throws(SendbirdError) -> WallTime {
    guard let end = try body.time(name) else { return now + usualLife }
    guard end > now else { throw .invalid(name) }
    return end
  }

  /// Returns 40 random hexadecimal digits, as is usual.
  private static func makeAccessToken(from secrets: Secrets) -> Credentials {
    let digits = secrets.bytes(accessTokenSize).map { byte in
      byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16)
    }
    return Credentials(token: digits.joined())
  }

  var isAny: Bool { accessToken != nil || sessionTokenEnd != nil }

  func apply(to user: inout SendbirdUser) {
    if let accessToken { user.accessToken = accessToken }
    if isAny { user.hasBeenIssuedToken = true }
  }
}

extension SendbirdUserRoutes {
  func issueToken(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let now = services.wallTime
    let end = try SendbirdTokenOrder.end(try request.body, "expires_at", at: now)
    let user = try await updated(request.userInPath) { $0.hasBeenIssuedToken = true }
    let token = sessionToken(for: user, until: end, at: now)
    return SendbirdResource.answer { json in
      json.member("token", token.token)
      json.member("expires_at", end.milliseconds)
    }
  }

  /// Revokes all session tokens of a user that were issued before now: they are not stored, so they cannot be revoked
  /// one by one.
  func revokeTokens(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let now = services.wallTime
    let user = try await updated(request.userInPath) { user in
      user.sessionTokensValidFrom = max(now, user.sessionTokensValidFrom ?? now)
    }
    await lifecycle.sessionTokensRevoked(user)
    return SendbirdResource.answer()
  }

  func sessionToken(for user: SendbirdUser, until end: WallTime, at now: WallTime) -> Credentials {
    SendbirdSessionToken(for: user, at: now, until: end).signed(by: signer)
  }
}
