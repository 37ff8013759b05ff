package import GatewayCore
package import GatewayTokens

/// The directory's API keys ready for verification, and the gateway's own keys for signing.
///
/// An own key is created when a company first needs one. Its public half is stored in the directory, where every node
/// finds it, and stays there as long as its signatures may be valid.
package actor StreemKeyring {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let executor: any SerialExecutor
  private let directory: StreemDirectory
  private let settings: StreemSettings
  private let secrets: Secrets
  private var ready: [Name: (publicKey: [UInt8], key: StreemVerificationKey)] = [:]
  private var issuers: [Name: StreemTokenIssuer]

  /// Creates a keyring.
  ///
  /// - Parameter issuers: The existing issuers by company code. The directory has their keys, or will have them.
  package init(
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

  /// Returns an issuer for the company with one of the gateway's own keys; creates a key if there is none, or if it was
  /// revoked.
  package func issuer(for company: Name, at now: WallTime) async throws(GatewayError) -> StreemTokenIssuer {
    if let issuer = issuers[company], try await key(issuer.apiKey, at: now) != nil { return issuer }
    let pair = P256KeyPair.generate()
    let id = Name(StreemID.make("api", from: secrets))
    guard let issuer = try? StreemTokenIssuer(apiKey: id, jwk: pair.jwk, settings: settings) else {
      throw .internalError
    }
    try await directory.addAPIKey(
      StreemAPIKey(id: id, publicKey: pair.publicKey.jwk, company: company, secretHash: nil, createdAt: now),
      isOwn: true, at: now)
    issuers[company] = issuer
    return issuer
  }
}
