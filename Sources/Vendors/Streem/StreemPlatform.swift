package import GatewayCore
internal import GatewayTokens

/// A Streem platform put together: its companies and keys, its sessions, its HTTP side.
package struct StreemPlatform: Sendable {
  package let settings: StreemSettings
  package let directory: any StreemDirectory
  package let keyring: StreemKeyring
  package let authenticator: StreemAuthenticator
  /// Signs for the home company: invitations, and what the built-in token provider is asked for.
  package let issuer: StreemTokenIssuer
  private let ownKey: P256PublicKey
  private let rooms: StreemRooms
  private let grants: OpenIDGrants
  private let openIDKey: OpenIDKey
  private let seal = OpenIDSeal()
  private let session: SessionPolicy

  /// - Parameters:
  ///   - executor: Where its actors run; best the directory's.
  ///   - session: The times its sessions keep to.
  package init(
    on executor: any SerialExecutor, directory: any StreemDirectory, settings: StreemSettings, session: SessionPolicy
  ) {
    self.settings = settings
    self.directory = directory
    self.session = session
    let pair = P256KeyPair.generate()
    guard let issuer = try? StreemTokenIssuer(apiKey: Name(StreemID.make("api")), jwk: pair.jwk, settings: settings),
      let openIDKey = try? OpenIDKey()
    else { preconditionFailure("a new P-256 key signs") }
    self.openIDKey = openIDKey
    grants = OpenIDGrants(on: executor, settings: settings.openID)
    self.issuer = issuer
    ownKey = pair.publicKey
    keyring = StreemKeyring(
      on: executor, directory: directory, settings: settings, issuers: [settings.homeCompany.code: issuer])
    authenticator = StreemAuthenticator(keyring: keyring, directory: directory, settings: settings)
    rooms = StreemRooms(on: executor)
  }

  /// Puts the home company and the keys it has from the start into the directory.
  package func prepare(at now: WallTime) async throws(GatewayError) {
    try await directory.putCompany(settings.homeCompany)
    try await directory.addAPIKey(
      StreemAPIKey(
        id: issuer.apiKey, publicKey: ownKey.jwk, company: settings.homeCompany.code, secretHash: nil, createdAt: now))
    for (id, key) in settings.apiKeys {
      try await directory.addAPIKey(
        StreemAPIKey(
          id: id, publicKey: key.publicKey.jwk, company: settings.homeCompany.code, secretHash: key.hash,
          createdAt: now))
    }
  }

  /// Its wire format, its routes, and its part of the control port.
  package var suite: DialectSuite {
    let inviting = StreemInviting(directory: directory, keyring: keyring, settings: settings)
    let home = settings.homeCompany.code
    let operations = StreemOperations(directory: directory, rooms: rooms, inviting: inviting, home: home)
    let binding = DialectBinding(
      StreemDialect(home: home), authenticator, session: session.allowingIdentityChange, operations: operations,
      observer: operations)
    return DialectSuite([binding], issuers: [StreemDialect.name: issuer]) {
      [directory, authenticator, rooms, settings, keyring, grants, openIDKey, seal] services in
      StreemRoutes(
        services: services, directory: directory, authenticator: authenticator, inviting: inviting, rooms: rooms,
        settings: settings
      ).routes
        + OpenIDRoutes(
          services: services, directory: directory, keyring: keyring, grants: grants, key: openIDKey, seal: seal,
          settings: settings
        ).routes
    } controlRoutes: { [directory, settings] services in
      StreemControlRoutes(services: services, directory: directory, settings: settings).routes
    }
  }
}
