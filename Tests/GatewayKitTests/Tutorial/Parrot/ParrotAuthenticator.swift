import GatewayCore
import GatewayJSON
import GatewayTokens

/// Judges the parrot's tokens: JWTs whose `sub` is the user.
struct ParrotAuthenticator: Authenticator {
  let verifier: JWTVerifier

  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    do throws(TokenError) {
      let claims = try verifier.verify(credentials.token, at: now)
      guard let name = claims["sub"]?.string, (1...UserID.lengthMax).contains(name.utf8.count) else {
        throw .claimMissing("sub")
      }
      let user = UserID(name)
      return .decided(
        .success(
          VerifiedToken(
            user: user, kind: user == .anonymous ? .anonymous : .regular,
            fingerprint: TokenFingerprint(of: credentials.token), issuedAt: claims.issuedAt,
            expiresAt: claims.expiresAt)))
    } catch {
      return .decided(.failure(error.gatewayError))
    }
  }
}
