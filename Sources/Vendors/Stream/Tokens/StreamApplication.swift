internal import GatewayCore
internal import GatewayKit
internal import GatewayTokens

/// An application of one API key: the keys that verify and sign its tokens.
struct StreamApplication: Sendable {
  let verifier: JWTVerifier
  let signer: JWTSigner

  /// Creates an application whose tokens `verifier` verifies, up to ``StreamToken/sizeMax`` bytes.
  init(verifier: JWTVerifier, signer: JWTSigner) {
    var policy = verifier.policy
    policy.sizeMax = StreamToken.sizeMax
    self.verifier = JWTVerifier(keys: verifier.keys, policy: policy)
    self.signer = signer
  }

  /// Creates an application whose tokens are HS256 with `secret`, taken as raw bytes. The secret may have any length
  /// above 0.
  init(secret: String) throws(KeyError) {
    let material = try KeyMaterial.secret(Array(secret.utf8))
    guard !secret.isEmpty else { throw .secretTooShort(bytes: 0, algorithm: .hs256) }
    self.init(
      verifier: JWTVerifier(keys: try KeySet([VerificationKey(material, allowingShortSecret: true)])),
      signer: try JWTSigner(material, allowingShortSecret: true))
  }
}

extension StreamApplication {
  /// Returns the value of `x-signature` for a body; nil if the key is no secret.
  func webhookSignature(of body: [UInt8]) -> String? {
    guard signer.algorithm == .hs256 else { return nil }
    return Webhook.hex(signer.signature(of: body))
  }

  /// Adopts the keys of `other`.
  fileprivate func takeKeys(of other: StreamApplication) {
    verifier.takeKeys(of: other.verifier)
    signer.takeKey(of: other.signer)
  }
}

/// The known API keys with their applications. All of them share the users, as the keys of one application do at
/// Stream.
struct StreamApplications: Sendable {
  private let byKey: [Name: StreamApplication]
  /// The application of all other keys; nil if those are refused.
  private let fallback: StreamApplication?

  init(_ byKey: [Name: StreamApplication] = [:], fallback: StreamApplication? = nil) {
    self.byKey = byKey
    self.fallback = fallback
  }

  /// Gives each application the keys of the one in `other` with the same API key.
  func takeKeys(of other: StreamApplications) {
    if let fallback, let fresh = other.fallback { fallback.takeKeys(of: fresh) }
    for (key, application) in byKey {
      if let fresh = other.byKey[key] { application.takeKeys(of: fresh) }
    }
  }

  /// The application whose tokens are issued when no key is named: the one for all keys, else that of the first key by
  /// name.
  var usual: StreamApplication? { fallback ?? byKey.min { $0.key < $1.key }?.value }

  /// Returns the application of `key`.
  func application(_ key: String?) throws(StreamError) -> StreamApplication {
    guard let key, !key.isEmpty else { throw .accessKey("api_key not provided") }
    guard let application = byKey[Name(key)] ?? fallback else { throw .accessKey("api_key not valid") }
    return application
  }
}
