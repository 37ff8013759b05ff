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
import Synchronization

/// A complete simulated storm: a gateway like that of `postern serve`, the storm's clients, HTTP and WebSockets over a
/// network in virtual time. Several fleets share the gateway and its provider.
struct WireWorld {
  /// The fleets. Of the world's own settings, those of the first count.
  private let fleets: [(settings: WorldSettings, clients: SimulatedClients)]
  private static let secret = "a secret that signs tokens of one hour"
  private static let gateway = DialTarget(host: "gateway", port: 80)

  init(_ settings: WorldSettings, _ clients: SimulatedClients) { self.init(fleets: [(settings, clients)]) }

  /// Creates a world of several fleets, at least one, each with its place among them in its plan.
  init(fleets: [(settings: WorldSettings, clients: SimulatedClients)]) {
    precondition(!fleets.isEmpty, "a world has a fleet")
    self.fleets = fleets
  }

  private var settings: WorldSettings { fleets[0].settings }

  private var conductor: WireConductor? {
    get throws { try settings.scenario.map { try WireConductor($0, of: settings.plans) } }
  }

  struct Unfinished: Error, CustomStringConvertible {
    var description: String { "the simulated storm did not end within its time" }
  }

  /// A handle to interrupt the storm.
  private final class Stop: Sendable {
    let storm = Mutex<StormFleets?>(nil)
  }

  /// Throws if the settings need something that this world does not have.
  static func check(_ settings: WorldSettings, clientsMax: Int) throws {
    func refuse(_ what: String) -> UsageError { UsageError("--fidelity wire: \(what); --fidelity machines has that") }
    let provider = settings.provider
    if case .rate = provider.capacity {
      throw refuse("a provider has \"concurrency\" and \"latency_ms\" there, no \"rate\"")
    }
    if case .places(_, let latency) = provider.capacity, latency.lowerBound < latency.upperBound {
      throw refuse("a token takes one time there, no range of \"latency_ms\"")
    }
    guard provider.order == .fifo else { throw refuse("requests are served in their order there") }
    guard provider.pauses.isEmpty, provider.warmUp == nil else { throw refuse("the provider has no pauses there") }
    guard provider.advice == .queue else {
      throw refuse("the provider tells clients to wait until a full queue is empty, without \"retry_after\"")
    }
    guard provider.budgets.allSatisfy({ $0.purpose == .both }) else {
      throw refuse("a budget counts logins and renewals alike there, without \"of\"")
    }
    guard settings.plan.addresses <= StormPlan.addressesMax else {
      throw refuse(
        "clients come from at most \(StormPlan.addressesMax) addresses there, not "
          + "\(Figures.count(settings.plan.addresses)) (\"users_per_address\")")
    }
    guard settings.link.loss == 0 else { throw refuse("the link loses nothing there") }
    guard settings.acceptsPerSecond == nil else { throw refuse("the gateway takes any number of connections there") }
    guard !settings.isFirstTokenInHand else { throw refuse("clients ask the provider for their first token there") }
    guard settings.plan.clients <= clientsMax else {
      throw refuse("at most \(Figures.count(clientsMax)) clients, not \(Figures.count(settings.plan.clients))")
    }
    guard settings.plan.arrivals == nil || settings.plan.people <= 10 * clientsMax else {
      throw refuse(
        "at most \(Figures.count(10 * clientsMax)) clients come and go, not \(Figures.count(settings.plan.people))")
    }
    do {
      if let scenario = settings.scenario { _ = try WireConductor(scenario, of: settings.plans) }
    } catch {
      throw UsageError("\(error)")
    }
  }

  /// Runs the storm to its end.
  ///
  /// - Parameter look: Called a few times in each virtual second with the progress and the length of the provider's queue.
  ///   The storm goes on while it returns true.
  func run(_ look: @escaping @Sendable (StormProgress, Int) -> Bool = { _, _ in true }) throws -> StormResult {
    let world = SimulatedWorld(seed: settings.plan.seed, loops: 4, keepsTrace: false)
    let network = SimulatedNetwork(world, conditions: LinkConditions(latency: settings.link.latency))
    let conductor = try conductor
    let takesFaults = conductor?.wantsFaults ?? false
    // Faults are counted in one place, on one loop.
    let gateway = try startGateway(in: world, network, loops: takesFaults ? 1 : 2, takesFaults: takesFaults)
    let watch = ProviderWatch(gateway.provider, on: world.loops[0].eventLoop)
    let setups = try setups(in: world)
    let start = world.now + (setups[0].startsAt - world.wallTime)
    let first = world.loops[0].eventLoop
    if let conductor {
      first.execute {
        Task.immediate(executorPreference: first) { await conductor.conduct(gateway, startsAt: start, on: first) }
      }
    }
    let loops = world.loops.suffix(setups[0].plan.loops).map {
      (loop: $0.eventLoop, dialer: SimulatedDialer(network, on: $0) as any Dialer)
    }
    let stop = Stop()
    let storm = StormFleets(setups, loops: loops) { progress in
      watch.look(atSecond: Int(progress.seconds))
      if !look(progress, watch.figures.lengths.last ?? 0) { stop.storm.withLock { $0?.interrupt() } }
    }
    stop.storm.withLock { $0 = storm }
    guard var result = world.ask(on: 2, within: WorldSettings.longest, { await storm.run() }) else {
      throw Unfinished()
    }
    result.source = "wire"
    result.queue = watch.figures
    result.rotation = watch.rotation
    result.triggerEnd = fleets.map(\.settings.triggerEnd.inSeconds).max()
    for (index, fleet) in fleets.enumerated() where result.fleets?.indices.contains(index) == true {
      result.fleets?[index].result.source = "wire"
      result.fleets?[index].result.triggerEnd = fleet.settings.triggerEnd.inSeconds
    }
    return result
  }

  /// Returns the setup of each fleet's clients.
  private func setups(in world: SimulatedWorld) throws -> [StormSetup] {
    // The maximum number of clients at one time, and what they share, are counted on one loop, as a world of machines
    // does.
    let isOnOneLoop = fleets.contains { $0.settings.plan.arrivals != nil || $0.settings.plan.retry?.per == .fleet }
    let ready = fleets.map { startsAt(in: world, $0.settings) }.max() ?? world.wallTime
    return try fleets.map { settings, clients in
      var plan = settings.plan
      if let rotation = settings.provider.rotation {
        var grants = plan.grants ?? GrantPlan()
        grants.idle = rotation.idle?.inSeconds
        plan.grants = grants
      }
      plan.loops = isOnOneLoop ? 1 : 2
      // A virtual limit without effect: there is no machine for which clients would have to wait.
      plan.fetches = 60_000
      plan.bound = settings.duration?.inSeconds
      var setup = StormSetup(
        plan: plan, dialect: clients.dialect.client, gateways: [Self.gateway], tokens: try tokens(of: clients),
        startsAt: ready)
      if let scenario = settings.scenario { setup.phases = try scenario.times(of: settings.plans) }
      return setup
    }
  }

  /// Returns when the storm starts: in a second, or later if tokens dated in whole seconds are to expire together.
  private func startsAt(in world: SimulatedWorld, _ settings: WorldSettings) -> WallTime {
    let ready = world.wallTime + .seconds(1)
    // A request with a refresh token states its token's expiry in whole seconds.
    let grain = (settings.provider.rotation == nil ? settings.tokenGrain : .seconds(1)).nanoseconds
    guard settings.plan.expiry == .common, grain > 0 else { return ready }
    let past = (ready + settings.plan.expiresAfter).nanoseconds % grain
    return past == 0 ? ready : ready + .nanoseconds(grain - past)
  }

  /// Starts a gateway like that of `postern serve`, on the first loops of the world.
  ///
  /// - Parameters:
  ///   - world: The simulated world.
  ///   - network: The network on which the gateway listens.
  ///   - count: The number of its loops.
  ///   - takesFaults: Whether it accepts orders for faults.
  func startGateway(
    in world: SimulatedWorld, _ network: SimulatedNetwork, loops count: Int, takesFaults: Bool
  ) throws -> Space {
    let times = settings.plan.gateway
    let policy = try SessionPolicy(
      refreshTimeout: times.timeout, refreshLead: times.lead, refreshSpread: times.spread, anyRefreshTimeout: true)
    let key = try KeyMaterial.secret(Array(Self.secret.utf8))
    let own = OwnKeys(
      verifier: JWTVerifier(keys: try KeySet([try VerificationKey(key)])), signer: try JWTSigner(key),
      secret: Self.secret)
    let arguments = Arguments(flags: ServeCommand.flags)
    // The first vendor is the gateway's own, whose provider serves all clients.
    let spoken = fleets.map(\.clients.vendor)
    let vendors =
      [Vendors.all[0]] + Vendors.all.dropFirst().filter { vendor in spoken.contains { $0 == vendor } }
    var space = SpaceSettings(
      configuration: GatewayConfiguration(session: policy),
      vendors: try vendors.map { vendor -> any VendorSettings in try vendor.settings(arguments, own) },
      issuer: PlainTokenIssuer(signer: try JWTSigner(key)), provider: try provider)
    space.seed = settings.plan.seed
    space.secrets = Secrets(seed: settings.plan.seed)
    space.takesFaults = takesFaults
    let loops = Array(world.loops.prefix(count))
    let gateway = try Space(space, on: loops.map(\.eventLoop), store: MemoryStore(on: loops[0].eventLoop))
    guard world.ask(on: 0, { (try? await gateway.prepare()) != nil }) == true else { throw Unfinished() }
    network.listen(on: Self.gateway, loops: loops, site: gateway.site)
    return gateway
  }

  private func tokens(of clients: SimulatedClients) throws -> TokenSource {
    guard settings.provider.rotation != nil else { return .provider(Self.gateway, path: nil) }
    return try RotatingEndpoint.tokens(scheme: clients.vendor.scheme, at: Self.gateway)
  }

  private var provider: TokenProviderPolicy {
    get throws {
      let model = settings.provider
      var places: Int?
      var latency = Duration.zero
      if case .places(let number, let range) = model.capacity { (places, latency) = (number, range.lowerBound) }
      return try TokenProviderPolicy(
        latency: latency, concurrency: places, queueMax: model.queue,
        abandoned: model.abandoned == .drop ? .drop : .serve, failureRate: model.failures, budgets: model.budgets,
        refusalLatency: model.refusalTime, rotation: model.rotation, repliesLost: model.repliesLost)
    }
  }
}
