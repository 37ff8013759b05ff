package import GatewayCore
package import GatewayTokens

/// An authenticator of the plain dialect's credentials. It verifies a JWT at once, and looks up an opaque access token
/// in the directory.
package struct PlainAuthenticator: Authenticator {
  private let verifier: JWTVerifier
  private let directory: PlainDirectory

  package init(verifier: JWTVerifier, directory: PlainDirectory) {
    self.verifier = verifier
    self.directory = directory
  }

  package func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    guard AccessToken.isOne(credentials.token) else { return .decided(verify(credentials.token, at: now)) }
    guard let hash = AccessToken.hash(of: credentials.token) else { return .decided(.failure(.tokenMalformed)) }
    let fingerprint = TokenFingerprint(of: credentials.token)
    return .pending { [directory] in
      let found: AccessTokenRecord?
      do throws(GatewayError) {
        found = try await directory.accessToken(hash: hash, at: now)
      } catch {
        return .failure(error)
      }
      guard let record = found else { return .failure(.tokenUnknown) }
      return .success(
        VerifiedToken(
          user: record.user, kind: record.kind, fingerprint: fingerprint, issuedAt: record.issuedAt,
          expiresAt: record.expiresAt, form: .opaque))
    }
  }

  /// Returns the verdict on a JWT.
  private func verify(_ token: String, at now: WallTime) -> Verdict {
    do throws(TokenError) {
      let claims = try verifier.verify(token, at: now)
      return .success(try PlainTokenScheme.read(claims, fingerprint: TokenFingerprint(of: token)))
    } catch {
      return .failure(error.gatewayError)
    }
  }
}
