package import GatewayCore
package import GatewayTokens

/// An application as one API key has it: what its tokens are checked and minted with, a secret for instance.
package struct StreamApplication: Sendable {
  package let verifier: JWTVerifier
  package let signer: JWTSigner

  /// An application whose tokens are verified by the keys of `verifier`, up to ``StreamToken/sizeMax`` bytes.
  package init(verifier: JWTVerifier, signer: JWTSigner) {
    var policy = verifier.policy
    policy.sizeMax = StreamToken.sizeMax
    self.verifier = JWTVerifier(keys: verifier.keys, policy: policy)
    self.signer = signer
  }

  /// An application whose tokens are HS256 by `secret`, taken as raw bytes; it may be as short as it likes, as long as it
  /// is not empty.
  package init(secret: String) throws(KeyError) {
    let material = try KeyMaterial.secret(Array(secret.utf8))
    guard !secret.isEmpty else { throw .secretTooShort(bytes: 0, algorithm: .hs256) }
    self.init(
      verifier: JWTVerifier(keys: try KeySet([VerificationKey(material, allowingShortSecret: true)])),
      signer: try JWTSigner(material, allowingShortSecret: true))
  }
}

extension StreamApplication {
  /// Goes by the keys of `other` from now on.
  fileprivate func takeKeys(of other: StreamApplication) {
    verifier.takeKeys(of: other.verifier)
    signer.takeKey(of: other.signer)
  }
}

/// The API keys that are known, with their applications: `key` with its secret, for instance. All of them share the
/// users, as the keys of one application do at Stream.
package struct StreamApplications: Sendable {
  private let byKey: [Name: StreamApplication]
  /// For every key that is not listed; nil if those are refused.
  private let fallback: StreamApplication?

  package init(_ byKey: [Name: StreamApplication] = [:], fallback: StreamApplication? = nil) {
    self.byKey = byKey
    self.fallback = fallback
  }

  /// Has each application go by the keys of the one in `other` that has the same API key.
  package func takeKeys(of other: StreamApplications) {
    if let fallback, let fresh = other.fallback { fallback.takeKeys(of: fresh) }
    for (key, application) in byKey {
      if let fresh = other.byKey[key] { application.takeKeys(of: fresh) }
    }
  }

  /// The application whose tokens are minted where nobody names a key: the one for every key, else that of the first
  /// key by name.
  package var usual: StreamApplication? { fallback ?? byKey.min { $0.key < $1.key }?.value }

  /// The application of `key`.
  package func application(_ key: String?) throws(StreamError) -> StreamApplication {
    guard let key, !key.isEmpty else { throw .accessKey("api_key not provided") }
    guard let application = byKey[Name(key)] ?? fallback else { throw .accessKey("api_key not valid") }
    return application
  }
}
