internal import GatewayCore
internal import GatewayKit
internal import GatewayTokens

/// The directory's API keys ready for verification, and the gateway's own keys for signing.
///
/// An own key is created when a company first needs one, and kept in the directory, so that every process of the store signs
/// with the same.
actor StreemKeyring {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let executor: any SerialExecutor
  private let directory: StreemDirectory
  private let settings: StreemSettings
  private let secrets: Secrets
  private var ready: [Name: (publicKey: [UInt8], key: StreemVerificationKey)] = [:]
  private var issuers: [Name: StreemTokenIssuer]

  /// Creates a keyring.
  ///
  /// - Parameter issuers: The existing issuers by company code, of which ``keep(_:jwk:for:at:)`` stores the keys.
  init(
    on executor: any SerialExecutor, directory: StreemDirectory, settings: StreemSettings, secrets: Secrets,
    issuers: [Name: StreemTokenIssuer] = [:]
  ) {
    self.executor = executor
    self.directory = directory
    self.settings = settings
    self.secrets = secrets
    self.issuers = issuers
  }

  /// Returns a valid API key and the code of its company; nil for one that is unknown or revoked.
  func key(_ id: Name, at now: WallTime) async throws(GatewayError) -> (company: Name, key: StreemVerificationKey)? {
    guard let record = try await directory.apiKey(id, at: now), !record.isRevoked else {
      ready[id] = nil
      return nil
    }
    if let known = ready[id], known.publicKey == record.publicKey { return (record.company, known.key) }
    // Keys are parsed before they are stored.
    guard let publicKey = try? P256PublicKey(jwk: record.publicKey), let key = try? StreemVerificationKey(publicKey)
    else { return nil }
    ready[id] = (record.publicKey, key)
    return (record.company, key)
  }

  /// Returns an issuer for the company with the gateway's own key; creates the key if there is none, or if it was revoked.
  func issuer(for company: Name, at now: WallTime) async throws(GatewayError) -> StreemTokenIssuer {
    if let issuer = issuers[company], try await key(issuer.apiKey, at: now) != nil { return issuer }
    let made = P256KeyPair.generate()
    let kept = try await signingKey(
      of: company, or: made.publicKey, jwk: made.jwk, as: Name(StreemID.make("api", from: secrets)), at: now)
    guard let issuer = try? StreemTokenIssuer(apiKey: kept.apiKey.id, jwk: kept.jwk, settings: settings) else {
      throw StoredSecret.damage("streem.signing-key")
    }
    issuers[company] = issuer
    return issuer
  }

  /// Has the company's issuer sign with the stored key; stores its own, with the private half `jwk`, if there is none.
  func keep(
    _ issuer: StreemTokenIssuer, _ publicKey: P256PublicKey, jwk: [UInt8], for company: Name, at now: WallTime
  ) async throws(GatewayError) {
    let kept = try await signingKey(of: company, or: publicKey, jwk: jwk, as: issuer.apiKey, at: now)
    guard kept.apiKey.id != issuer.apiKey else { return }
    guard issuer.take(apiKey: kept.apiKey.id, jwk: kept.jwk) else { throw StoredSecret.damage("streem.signing-key") }
  }

  private func signingKey(
    of company: Name, or publicKey: P256PublicKey, jwk: [UInt8], as id: Name, at now: WallTime
  ) async throws(GatewayError) -> StreemDirectory.SigningKey {
    let key = StreemAPIKey(id: id, publicKey: publicKey.jwk, company: company, secretHash: nil, createdAt: now)
    return try await directory.signingKey(of: company, or: .init(apiKey: key, jwk: jwk), at: now)
  }
}
