package import GatewayCore
package import GatewayKit
internal import GatewayTokens

/// Streem's part of a gateway: a platform with companies and keys, sessions at `/streem/v1/connect`, and an HTTP API.
package struct StreemVendor: Vendor {
  let directory: StreemDirectory
  package let bindings: [DialectBinding]
  private let settings: StreemSettings
  private let keyring: StreemKeyring
  private let authenticator: StreemAuthenticator
  private let inviting: StreemInviting
  /// The issuer for the home company, used by invitations and the built-in token provider.
  let issuer: StreemTokenIssuer
  private let commands: StreemCommands
  private let rooms: StreemRooms
  private let grants: OpenIDGrants
  private let seal: OpenIDSeal
  private let openIDKey: OpenIDKey
  private let store: any Store
  private let secrets: Secrets
  private let services: any GatewayServices
  private let webhooks: (any WebhookOutlet)?

  /// The signing key that the gateway stores if the store has none, created once for the process, which may run many gateways.
  /// It has a different id in each, so that none accepts another's tokens.
  private static let own = makeOwnKey()

  private static func makeOwnKey() -> (pair: P256KeyPair, signer: JWTSigner) {
    let pair = P256KeyPair.generate()
    guard let key = try? KeyMaterial.jwks(pair.jwk).first, let signer = try? StreemTokenIssuer.signer(key) else {
      preconditionFailure("a new P-256 key signs")
    }
    return (pair, signer)
  }

  init(_ settings: StreemSettings, on ground: Ground) {
    var settings = settings
    settings.openID.isSecure = ground.isSecure
    settings.openID.admitsEverybody = ground.isLocal
    if settings.homeCompany.sid.isEmpty { settings.homeCompany.sid = StreemID.make("co", from: ground.secrets) }
    self.settings = settings
    services = ground.services
    webhooks = ground.webhooks
    secrets = ground.secrets
    store = ground.store
    seal = OpenIDSeal(secrets)
    openIDKey = OpenIDKey(ground.store)
    let executor = ground.executor
    directory = StreemDirectory(ground.store, tries: NodeTally("streem.codes", on: ground))
    webhooks?.open(StreemDialect.name) { [directory] (rows, now) async throws(StoreError) in
      try await StreemWebhook.restored(rows, by: directory, at: now)
    }
    let issuer = StreemTokenIssuer(
      apiKey: Name(StreemID.make("api", from: secrets)), signer: Self.own.signer, settings: settings)
    grants = OpenIDGrants(
      ground.store, settings: settings.openID, chance: secrets, tally: NodeTally("streem.forms", on: ground))
    self.issuer = issuer
    keyring = StreemKeyring(
      on: executor, directory: directory, settings: settings, secrets: secrets,
      issuers: [settings.homeCompany.code: issuer])
    authenticator = StreemAuthenticator(
      keyring: keyring, directory: directory, settings: settings, secrets: secrets)
    rooms = StreemRooms(ground.store)
    inviting = StreemInviting(directory: directory, keyring: keyring, settings: settings, secrets: secrets)
    let home = settings.homeCompany.code
    commands = StreemCommands(directory: directory, rooms: rooms, inviting: inviting, home: home)
    bindings = [
      DialectBinding(
        StreemDialect(home: home), authenticator, session: ground.session.allowingIdentityChange,
        commands: commands, observer: commands, home: ground.home)
    ]
  }

  /// Stores the home company, its configured keys and the gateway's own secrets.
  package func prepare(at now: WallTime) async throws(GatewayError) {
    let home = settings.homeCompany
    _ = try await directory.changeCompany(home.code, at: now) { known in
      var company = known ?? home
      company.name = home.name
      return company
    }
    let own = Self.own.pair
    try await keyring.keep(issuer, own.publicKey, jwk: own.jwk, for: home.code, at: now)
    try await seal.keepKey(in: store, at: now)
    try await keepKeys(of: settings, at: now)
  }

  /// Ends the calls of dead lives.
  package func takeOver(_ dead: DeadBoots, at now: WallTime) async throws(GatewayError) {
    try await commands.endCalls(of: dead, at: now, on: services)
  }

  package func hear(_ note: VendorNote) async {
    if note.topic == StreemRoutes.logoutTopic { return await StreemRoutes.logOut(UserID(note.text), on: services) }
    let now = services.wallTime
    directory.tries.hear(note, settings.tries, at: now)
    grants.loginLimits.hear(note, at: now)
  }

  package func keepKeys(of settings: any VendorSettings, at now: WallTime) async throws(GatewayError) {
    guard let fresh = settings as? StreemSettings else { return }
    let home = self.settings.homeCompany.code
    try await directory.nameAPIKeys(
      fresh.apiKeys.map { id, key in
        StreemAPIKey(id: id, publicKey: key.publicKey.jwk, company: home, secretHash: key.hash, createdAt: now)
      }, at: now)
  }

  package func renewal(by settings: any VendorSettings) throws -> KeyRenewal {
    guard let fresh = settings as? StreemSettings else { return {} }
    return { [openID = self.settings.openID] in openID.takeUsers(of: fresh.openID) }
  }

  package var issuers: [String: any TokenIssuer] { [StreemDialect.name: issuer] }

  package func routes(with provider: TokenProvider) -> [HTTPRoute] {
    StreemRoutes(
      services: services, directory: directory, authenticator: authenticator, inviting: inviting, rooms: rooms,
      settings: settings, webhooks: webhooks
    ).routes
      + OpenIDRoutes(
        services: services, directory: directory, keyring: keyring, grants: grants, key: openIDKey, seal: seal,
        settings: settings
      ).routes
  }

  package var controlRoutes: [HTTPRoute] {
    StreemControlRoutes(services: services, directory: directory, settings: settings, secrets: secrets).routes
  }
}

extension StreemSettings: VendorSettings {
  package func vendor(on ground: Ground) -> StreemVendor { StreemVendor(self, on: ground) }
}
