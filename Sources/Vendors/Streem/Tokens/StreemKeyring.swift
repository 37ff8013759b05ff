package import GatewayCore
package import GatewayTokens

/// The API keys of the directory made ready for checking signatures, that of `api_…` for instance, and the gateway's
/// own keys for signing.
///
/// The own keys are made when a company first needs one; their public halves go into the directory, where every node finds
/// them, and where they outlive the keys for as long as what they signed may be good.
package actor StreemKeyring {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let executor: any SerialExecutor
  private let directory: StreemDirectory
  private let settings: StreemSettings
  private let secrets: Secrets
  private var ready: [Name: (publicKey: [UInt8], key: StreemVerificationKey)] = [:]
  private var issuers: [Name: StreemTokenIssuer]

  /// - Parameter issuers: Who signs for companies already, by their codes; their keys are in the directory, or will be.
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

  /// A live API key's code of company, and the key; nil for one that was never made, or was revoked.
  func key(_ id: Name, at now: WallTime) async throws(GatewayError) -> (company: Name, key: StreemVerificationKey)? {
    guard let record = try await directory.apiKey(id, at: now), !record.isRevoked else {
      ready[id] = nil
      return nil
    }
    if let known = ready[id], known.publicKey == record.publicKey { return (record.company, known.key) }
    // The directory holds only keys that were read before they were kept.
    guard let publicKey = try? P256PublicKey(jwk: record.publicKey), let key = try? StreemVerificationKey(publicKey)
    else { return nil }
    ready[id] = (record.publicKey, key)
    return (record.company, key)
  }

  /// Signs for the company with a key of the gateway's own; makes one if there is none, or if it has been revoked.
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
