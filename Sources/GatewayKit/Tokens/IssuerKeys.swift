package import GatewayCore
package import GatewayTokens

/// Keys that are fetched from the issuer of tokens, so that the key of a token may not be here yet.
package protocol IssuerKeys: Sendable {
  /// The verifier that has them, beside the gateway's own keys.
  var verifier: JWTVerifier { get }

  /// Returns what to do after the failure of `token`, whose key may be unknown yet.
  ///
  /// - Parameter mayWait: Whether the token may wait for half a minute, until keys may be fetched again.
  func advice(on failure: TokenError, of token: String, mayWait: Bool) -> KeyAdvice

  /// Returns the session at the login that a verified token is of; nil if it says none, or no logout is taken.
  func session(_ claims: JWTClaims) -> LoginSession?

  /// Returns the error for `token`, which failed although keys were fetched for it.
  func error(for failure: TokenError, of token: String) -> GatewayError
}

/// The next step after a token failed whose key may not have been fetched yet.
package enum KeyAdvice: Sendable {
  /// The failure stands.
  case stands
  /// The token is refused with this error, and keys are not fetched now.
  case refused(GatewayError)
  /// The keys are fetched first. The function returns an error if the token cannot wait for them.
  case wait(Wait)

  package typealias Wait = nonisolated(nonsending) @Sendable () async -> GatewayError?
}

extension IssuerKeys {
  /// Returns the judgement on a token that has failed, after new keys where these may help.
  ///
  /// - Parameters:
  ///   - failure: The failure.
  ///   - token: The token.
  ///   - bearer: Its bearer. At a refresh the token may wait longer for its key: the session is there anyway, and a client
  ///     that logs in tries again.
  ///   - verify: Verifies the token again.
  package func judgement(
    on failure: TokenError, of token: String, of bearer: Bearer,
    verify: @escaping @Sendable () throws(TokenError) -> VerifiedToken
  ) -> Judgement {
    switch advice(on: failure, of: token, mayWait: bearer.user != nil) {
    case .stands: .decided(.failure(failure.gatewayError))
    case .refused(let error): .decided(.failure(error))
    case .wait(let wait):
      .pending {
        if let error = await wait() { return .failure(error) }
        do throws(TokenError) {
          return .success(try verify())
        } catch {
          return .failure(self.error(for: error, of: token))
        }
      }
    }
  }
}
