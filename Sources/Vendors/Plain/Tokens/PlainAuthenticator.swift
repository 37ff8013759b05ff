package import GatewayCore
package import GatewayKit
package import GatewayTokens

/// An authenticator of the plain dialect's credentials. It verifies a JWT at once, and looks up an opaque access token
/// in the directory, or has the server that issued it asked.
package struct PlainAuthenticator: Authenticator {
  private let verifier: JWTVerifier
  private let directory: PlainDirectory
  private let issuerKeys: (any IssuerKeys)?
  private let introspector: (any TokenIntrospector)?

  /// Creates an authenticator.
  ///
  /// - Parameters:
  ///   - verifier: The keys of the tokens.
  ///   - directory: The access tokens.
  ///   - issuerKeys: The keys that are fetched from the tokens' issuer, which `verifier` has; nil for none.
  ///   - introspector: The judge of opaque tokens that another server has issued; nil for none.
  package init(
    verifier: JWTVerifier, directory: PlainDirectory, issuerKeys: (any IssuerKeys)? = nil,
    introspector: (any TokenIntrospector)? = nil
  ) {
    self.verifier = verifier
    self.directory = directory
    self.issuerKeys = issuerKeys
    self.introspector = introspector
  }

  package func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    guard AccessToken.isOne(credentials.token) else {
      guard let introspector, !JWTForm.isOne(credentials.token) else {
        return verify(credentials.token, of: bearer, at: now)
      }
      let fingerprint = TokenFingerprint(of: credentials.token)
      return introspector.judge(credentials.token, at: now) { (claims, user) throws(TokenError) in
        try PlainTokenScheme.read(claims, fingerprint: fingerprint, user: user)
      }
    }
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

  /// Returns the verdict on a JWT. One with a known key is verified at once.
  private func verify(_ token: String, of bearer: Bearer, at now: WallTime) -> Judgement {
    do throws(TokenError) {
      return .decided(.success(try verified(token, at: now)))
    } catch {
      guard let issuerKeys else { return .decided(.failure(error.gatewayError)) }
      return issuerKeys.judgement(on: error, of: token, of: bearer) { [self] () throws(TokenError) in
        try verified(token, at: now)
      }
    }
  }

  private func verified(_ token: String, at now: WallTime) throws(TokenError) -> VerifiedToken {
    let claims = try verifier.verify(token, at: now)
    var verified = try PlainTokenScheme.read(claims, fingerprint: TokenFingerprint(of: token))
    if let issuerKeys { verified.session = issuerKeys.session(claims) }
    return verified
  }
}
