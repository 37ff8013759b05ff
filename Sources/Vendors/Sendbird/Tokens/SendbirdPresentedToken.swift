internal import GatewayCore
internal import GatewayTokens

/// A token as a client presents it, looked at as far as that needs no store: one that may be an access token, for
/// instance, since the client does not say which kind it is.
enum SendbirdPresentedToken: Hashable, Sendable {
  /// Nothing: a user by name alone.
  case none
  /// A session token whose signature verifies; its end and its user are yet to be looked at.
  case session(SendbirdSessionToken, TokenFingerprint)
  /// What may be the user's access token.
  case access(Credentials)
  /// A JWT that is not one of ours.
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

/// A token that let somebody in, as far as a session must remember it: when it was issued, for instance.
struct SendbirdAcceptedToken: Hashable, Codable, Sendable {
  var form: TokenForm
  var fingerprint: TokenFingerprint
  var issuedAt: WallTime?
  var expiresAt: WallTime?

  /// Whether it was taken back since, one way or the other.
  func isRevoked(for user: SendbirdUser) -> Bool {
    switch form {
    case .jwt: SendbirdSessionToken.isVoid(issuedAt: issuedAt, for: user)
    // A user of whom no access token is known was made again after the gateway was started anew.
    case .opaque: user.accessToken.map { TokenFingerprint(of: $0.token) != fingerprint } ?? false
    case .session, .none: false
    }
  }
}
