package import GatewayTokens

/// The gateway's own keys, for a vendor that has no keys of its own.
package struct OwnKeys: Sendable {
  package let verifier: JWTVerifier
  package let signer: JWTSigner
  /// The secret behind them, if it was given as text.
  package let secret: String?
  /// The keys that are fetched from the application's own login, for the plain scheme only; nil for none.
  package var issuerKeys: (any IssuerKeys)?
  /// The judge of opaque tokens that the application's own login has issued, for the plain scheme only; nil for none.
  package var introspector: (any TokenIntrospector)?

  package init(verifier: JWTVerifier, signer: JWTSigner, secret: String?) {
    self.verifier = verifier
    self.signer = signer
    self.secret = secret
  }
}
