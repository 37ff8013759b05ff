internal import GatewayCore
internal import GatewayTokens

/// A token in a login, checked without the store. The client does not say which kind it is.
enum SendbirdPresentedToken: Hashable, Sendable {
  /// None: a user with a name only.
  case none
  /// A session token with a valid signature; its expiry and its user are not checked yet.
  case session(SendbirdSessionToken, TokenFingerprint)
  /// Possibly the user's access token.
  case access(Credentials)
  /// A JWT that was not issued here.
  case bad(GatewayError)

  init(_ token: String, verifier: JWTVerifier, at now: WallTime) {
    guard !token.isEmpty else {
      self = .none
      return
    }
    guard SendbirdSessionToken.isOne(token) else {
      self = .access(Credentials(token: token))
      return
    }
    do throws(TokenError) {
      self = .session(try SendbirdSessionToken(token, verifier: verifier, at: now), TokenFingerprint(of: token))
    } catch {
      self = .bad(error.gatewayError)
    }
  }
}

/// The part of an accepted token that a session stores.
struct SendbirdAcceptedToken: Hashable, Codable, Sendable {
  var form: TokenForm
  var fingerprint: TokenFingerprint
  var issuedAt: WallTime?
  var expiresAt: WallTime?

  /// Returns whether it was revoked since, in either way.
  func isRevoked(for user: SendbirdUser) -> Bool {
    switch form {
    case .jwt: SendbirdSessionToken.isVoid(issuedAt: issuedAt, for: user)
    // A user without a known access token was created again after a restart.
    case .opaque: user.accessToken.map { TokenFingerprint(of: $0.token) != fingerprint } ?? false
    case .session, .none: false
    }
  }
}
