package import GatewayCore
package import GatewayFaults
package import GatewayIdentity
package import GatewayKit
package import GatewayRuntime
internal import GatewayTelemetry
internal import GatewayTokens
internal import Synchronization

/// A gateway put together: its vendors, its token provider and its HTTP side, on the loops of any world.
///
/// `postern serve` has one on sockets, a test one in virtual time. There is no other assembly of the parts.
package final class Space: Sendable {
  package let gateway: Gateway
  private let revocations: RevocationFeed
  private let secrets: Secrets
  private let home: Home
  /// In the order of the settings.
  package let vendors: [any Vendor]
  package let provider: TokenProvider
  /// The application's own login, whose keys are fetched; nil for none.
  package let identity: LoginIssuers?
  /// The judge of opaque tokens of that login; nil for none.
  let introspector: Introspector?
  /// Asks the application's backend about its users; nil without hooks.
  package let hooks: Hooks?
  /// Sends the vendors' webhooks; nil if there are none.
  package let webhooks: WebhookSender?
  /// Sends traces to a collector; nil without traces.
  let telemetry: Telemetry?
  let spanCounts = SpanCounts()
  /// The signals from outside that end logins.
  package let signals: Signals
  /// Whether the store accepts writes, apart from ordered faults.
  private let storeProbe: StoreProbe
  /// Asks the application's own servers.
  let caller: EndpointCaller
  /// The last good keys of issuers, in the store.
  let keys: StoredKeys
  /// The fetchers of issuers' keys, none before it begins to ask.
  let fetchers = Mutex<[KeyFetcher]>([])
  /// The faults; nil if none may be ordered.
  package let faults: FaultBook?

  /// - Parameters:
  ///   - loops: Numbered from 0; parts of which there is one live on the first.
  ///   - store: The store of its vendors.
  /// - Throws: A vendor's error about its settings, or a ``RouteClash``.
  package init(_ settings: SpaceSettings, on loops: [EventLoop], store: any Store) throws {
    var configuration = settings.configuration
    // The journal tells faults the event that they follow, and the user that they affect.
    if settings.takesFaults, configuration.journalBytes == nil {
      configuration.journalBytes = GatewayConfiguration.usualJournalBytes
    }
    configuration.traces = settings.telemetry?.traces(settings.secrets)
    let seed = settings.seed ?? Self.chance()
    let faults = settings.takesFaults ? FaultBook(on: loops[0], seed: seed) : nil
    let steady = SteadyStore(store)
    storeProbe = StoreProbe(steady)
    let store = faults?.decorate(steady) ?? steady
    let revocations = StoredRevocations(store, countMax: settings.configuration.revocationsMax)
    let gateway = Gateway(configuration: configuration, loops: loops, keeper: revocations)
    let caller = EndpointCaller(log: settings.configuration.log, objector: faults)
    let webhooks = settings.webhooks.map { WebhookSender($0, of: gateway, by: caller, store: store) }
    let ground = Ground(
      services: gateway, executor: loops[0], store: store, session: settings.configuration.session,
      issuer: settings.issuer, seed: seed, secrets: settings.secrets,
      life: settings.configuration.life, turns: settings.turns, isSecure: settings.isSecure, isLocal: settings.isLocal,
      webhooks: webhooks)
    let vendors = try settings.vendors.map { settings -> any Vendor in try settings.vendor(on: ground) }
    try settings.hooks.map { try UnknownDialect.check($0.dialects, vendors.flatMap(\.bindings)) }
    let hooks = settings.hooks.map { Hooks($0, of: gateway, by: caller, secrets: settings.secrets) }
    gateway.open(with: vendors.flatMap(\.bindings), objector: faults, attendant: hooks) { binding in
      let binding = hooks?.decorate(binding) ?? binding
      return faults?.decorate(binding) ?? binding
    }
    let provider = TokenProvider(
      on: loops[0], policy: settings.provider, services: gateway, issuer: settings.issuer,
      vendors: vendors.reduce(into: [:]) { $0.merge($1.issuers) { one, _ in one } }, minting: faults?.minting,
      secrets: settings.secrets)
    self.gateway = gateway
    self.revocations = RevocationFeed(revocations, to: gateway)
    secrets = settings.secrets
    identity = settings.identity
    introspector = settings.introspector
    self.caller = caller
    self.hooks = hooks
    self.webhooks = webhooks
    telemetry = Telemetry(settings.telemetry, of: gateway, by: caller, counting: spanCounts)
    for issuer in settings.identity?.issuers ?? [] { _ = caller.tally(issuer.settings.name) }
    if let transmitter = settings.signals.transmitter { _ = caller.tally(transmitter.issuer.settings.name) }
    if settings.introspector != nil { _ = caller.tally(IntrospectionSettings.name) }
    keys = StoredKeys(store: store)
    signals = Signals(settings.signals, to: gateway, objector: faults)
    home = ground.home
    self.vendors = vendors
    self.provider = provider
    self.faults = faults
    if faults != nil { signals.door = self }
    faults?.signals = signals
    faults?.keysChanged = { [weak self] in self?.fetchKeysAgain() }
    faults?.places = { [weak self] in self?.outboundPlaces(settings) ?? [] }
    if vendors.contains(where: \.namesItsRoutes), let clash = HTTPRouter.clash(in: routes) { throw clash }
  }

  /// Judges an upgrade request before the 101. Only on the loop.
  package func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission {
    faults?.admit(upgrade, to: gateway) ?? gateway.admit(upgrade, on: loop)
  }

  /// All routes of the gateway's own port, created anew by each call.
  package var routes: [HTTPRoute] { vendors.flatMap { routes(of: $0) } + signalRoutes }

  var signalRoutes: [HTTPRoute] { finished(signals.routes) }

  /// Returns the routes of one of its vendors on the gateway's own port.
  func routes(of vendor: any Vendor) -> [HTTPRoute] { finished(vendor.routes(with: provider)) }

  private func finished(_ routes: [HTTPRoute]) -> [HTTPRoute] {
    var routes = routes
    if gateway.tables.count > 1 { routes = routes.map { $0.answered(at: home) } }
    if gateway.hasNodes { routes = routes.map { settled($0) } }
    return faults?.decorate(routes, of: gateway) ?? routes
  }

  /// The vendors' routes on the control port.
  package var controlRoutes: [HTTPRoute] { vendors.flatMap(\.controlRoutes) }

  /// Makes its gateway one of several nodes. Once, before ``prepare(takingOver:)``.
  ///
  /// - Parameters:
  ///   - bus: The channel between them.
  ///   - names: Returns the names of the nodes, by their lives.
  ///   - heard: A function that is called on the first loop with each note of another node, which may be the process's own.
  package func join(
    _ bus: any Bus, names: @escaping @Sendable () -> [NodeBoot: String], heard: @escaping @Sendable (VendorNote) -> Void
  ) {
    let loop = gateway.tables[0].loop
    gateway.join(bus, names: names) { [vendors] note in
      heard(note)
      Task.immediate(executorPreference: loop) { for vendor in vendors { await vendor.hear(note) } }
    } missed: { [vendors] in
      Task.immediate(executorPreference: loop) { for vendor in vendors { await vendor.missedNotes() } }
    }
  }

  /// Returns the same resource with an answer that comes after everything that its handler announced.
  private func settled(_ route: HTTPRoute) -> HTTPRoute {
    let (handler, gateway) = (route.handler, gateway)
    return route.answered { request, parameters in
      let response = await handler(request, parameters)
      await gateway.settle()
      return response
    }
  }

  /// Lets every vendor remember what it knows from the start and end what `dead` lives left, and the gateway what was
  /// revoked in an earlier life. Before anything listens.
  package func prepare(takingOver dead: DeadBoots = .everybody) async throws {
    let now = await gateway.tables[0].perform { [gateway, faults] table in
      gateway.journal?.begin()
      faults?.attach(to: gateway.journal)
      return table.loop.wallTime
    }
    try await revocations.begin(at: now)
    for vendor in vendors { try await vendor.prepare(at: now) }
    // Before vendors post what ends now.
    try await webhooks?.takeOver(dead, at: now)
    for vendor in vendors { try await vendor.takeOver(dead, at: now) }
  }

  /// Ends what `dead` lives of other processes left in the store. Only from a task on the first loop.
  package func takeOver(_ dead: DeadBoots) async throws {
    try await webhooks?.takeOver(dead, at: gateway.wallTime)
    for vendor in vendors { try await vendor.takeOver(dead, at: gateway.wallTime) }
  }

  /// Does what other processes of the store revoked since the last call. Only from a task on the first loop.
  package func learnRevocations() async throws {
    try await revocations.learn(at: gateway.wallTime)
  }

  /// Whether its store takes what is written, and no fault keeps it away. Only on the first loop.
  package func takesWrites() async -> Bool {
    guard let loop = EventLoop.current, faults?.keepsStoreAway != true else { return false }
    return await storeProbe.takesWrites(at: loop.now, loop.wallTime)
  }

  /// Makes its vendors and its token provider use the keys and secrets of `settings`, which are its own with every file
  /// read again; sessions stay. Throws the error in them, with nothing changed.
  package func renewKeys(by settings: SpaceSettings) async throws {
    let renewals = try zip(vendors, settings.vendors).map { vendor, fresh in try vendor.renewal(by: fresh) }
    let now = await gateway.tables[0].perform { $0.loop.wallTime }
    let login = try await prepareLogin(for: settings.identity)
    do {
      for (vendor, fresh) in zip(vendors, settings.vendors) { try await vendor.keepKeys(of: fresh, at: now) }
    } catch {
      if let login { await cancel(login) }
      throw error
    }
    for renew in renewals { renew() }
    if let login { await change(login) }
    provider.policy.takeSecret(of: settings.provider)
    signals.takeSecret(of: settings.signals)
    introspector?.takeSecret(of: settings.introspector)
    hooks?.takeSecrets(of: settings.hooks)
  }

  /// Returns an unguessable name of 256 bits, in the alphabet of base64url.
  package func newKey() -> String { Base64URL.encode(secrets.bytes(32)) }

  /// A word of the system's chance: the seed where none is given.
  static func chance() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  /// The site of the gateway's port, created anew by each call.
  package var site: SpaceSite { SpaceSite(self, finding: HTTPRouter(routes)) }

  /// The same where few of its resources are ever asked for: a vendor's are made when one is.
  package var frugalSite: SpaceSite { SpaceSite(self, finding: VendorRoutes(self)) }
}
