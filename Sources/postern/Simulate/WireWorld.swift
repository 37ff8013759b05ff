import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlain
import GatewayPlanner
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import GatewayStores
import GatewayTokens

/// A simulated storm with everything: the gateway put together as `postern serve` does it, the storm's clients, HTTP and WebSockets over
/// a network in virtual time.
struct WireWorld {
  private let settings: WorldSettings
  private static let secret = "a secret that signs tokens of one hour"
  private static let gateway = DialTarget(host: "gateway", port: 80)

  init(_ settings: WorldSettings) {
    self.settings = settings
  }

  struct Unfinished: Error, CustomStringConvertible {
    var description: String { "the simulated storm did not end within its time" }
  }

  /// Refuses, with a word, what this world does not have.
  static func check(_ settings: WorldSettings, clientsMax: Int) throws {
    func refuse(_ what: String) -> UsageError { UsageError("--fidelity wire: \(what); --fidelity machines has that") }
    let provider = settings.provider
    if case .rate = provider.capacity {
      throw refuse("a provider has \"places\" and \"latency_ms\" there, no \"rate\"")
    }
    if case .places(_, let latency) = provider.capacity, latency.lowerBound < latency.upperBound {
      throw refuse("a token takes one time there, no range of \"latency_ms\"")
    }
    guard provider.order == .fifo else { throw refuse("requests are served in their order there") }
    guard provider.pauses.isEmpty, provider.warmUp == nil else { throw refuse("the provider has no pauses there") }
    guard settings.link.loss == 0 else { throw refuse("the link loses nothing there") }
    guard settings.acceptsPerSecond == nil else { throw refuse("the gateway takes any number of connections there") }
    guard !settings.isFirstTokenInHand else { throw refuse("clients ask the provider for their first token there") }
    guard settings.plan.clients <= clientsMax else {
      throw refuse("at most \(Figures.count(clientsMax)) clients, not \(Figures.count(settings.plan.clients))")
    }
  }

  func run() throws -> StormResult {
    var plan = settings.plan
    let world = SimulatedWorld(seed: plan.seed, loops: 4, keepsTrace: false)
    let network = SimulatedNetwork(world, conditions: LinkConditions(latency: settings.link.latency))
    try startGateway(in: world, network)
    plan.loops = 2
    // No client waits for its turn to ask: there is no machine between them that would make it.
    plan.fetches = 60_000
    plan.bound = settings.duration?.inSeconds
    let setup = StormSetup(
      plan: plan, dialect: PlainClientDialect(), gateways: [Self.gateway],
      tokens: .provider(Self.gateway, path: nil), startsAt: world.wallTime + .seconds(1))
    let loops = world.loops.suffix(2).map {
      (loop: $0.eventLoop, dialer: SimulatedDialer(network, on: $0) as any Dialer)
    }
    let runner = StormRunner(setup, loops: loops)
    guard var result = world.ask(on: 2, within: WorldSettings.longest, { await runner.run() }) else {
      throw Unfinished()
    }
    result.source = "wire"
    result.triggerEnd = settings.triggerEnd.inSeconds
    return result
  }

  private func startGateway(in world: SimulatedWorld, _ network: SimulatedNetwork) throws {
    let times = settings.plan.gateway
    let policy = try SessionPolicy(
      refreshTimeout: times.timeout, refreshLead: times.lead, refreshSpread: times.spread, anyRefreshTimeout: true)
    let key = try KeyMaterial.secret(Array(Self.secret.utf8))
    var space = SpaceSettings(
      configuration: GatewayConfiguration(session: policy),
      vendors: [PlainSettings(verifier: JWTVerifier(keys: try KeySet([try VerificationKey(key)])))],
      issuer: PlainTokenIssuer(signer: try JWTSigner(key)), provider: try provider)
    space.seed = settings.plan.seed
    let loops = Array(world.loops.prefix(2))
    let gateway = try Space(space, on: loops.map(\.eventLoop), store: MemoryStore(on: loops[0].eventLoop))
    network.listen(on: Self.gateway, loops: loops, site: gateway.site)
  }

  private var provider: TokenProviderPolicy {
    get throws {
      let model = settings.provider
      var places: Int?
      var latency = Duration.zero
      if case .places(let number, let range) = model.capacity { (places, latency) = (number, range.lowerBound) }
      return try TokenProviderPolicy(
        latency: latency, concurrency: places, queueMax: model.queue,
        abandoned: model.abandoned == .drop ? .drop : .serve, failureRate: model.failures)
    }
  }
}
