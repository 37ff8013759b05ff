package import GatewayCore
package import GatewayKit
internal import GatewayPlain
package import GatewayRuntime
package import GatewaySimulator
package import GatewaySpace
internal import GatewayTokens

/// A gateway in virtual time that plays one vendor, with a loop for its clients.
package struct TestSpace<Played> {
  package let world: SimulatedWorld
  package let network: SimulatedNetwork
  package let space: Space
  /// The store of all data.
  package let store: FaultyStore
  package let vendor: Played
  /// The clients' loop; the gateway has those before it.
  package let clients: SimulatedLoop
  /// Which gateway the next client or request uses, where there are two.
  package let spread: TestSpread
  private let settings: SpaceSettings
  private let own: [SimulatedLoop]

  /// Creates a gateway.
  ///
  /// - Parameters:
  ///   - loops: The number of the gateway's loops.
  ///   - issuer: The issuer of the gateway's own tokens.
  ///   - isSecure: Whether its URLs say that clients use TLS.
  ///   - takesFaults: Whether it accepts orders to fail; it then has one loop and a journal.
  ///   - sharesTurns: Whether it shares turns with a ``second(_:takingOver:)``, in the rows of the store.
  package init<Settings: VendorSettings>(
    _ settings: Settings, _ configuration: GatewayConfiguration, seed: UInt64 = 1, loops: Int = 2,
    conditions: LinkConditions = LinkConditions(), keepsTrace: Bool = true, issuer: any TokenIssuer = FakeTokens(),
    isSecure: Bool = false, takesFaults: Bool = false, sharesTurns: Bool = false
  ) throws where Settings.Played == Played {
    var space = SpaceSettings(
      configuration: configuration, vendors: [settings], issuer: issuer, provider: try TokenProviderPolicy())
    space.isSecure = isSecure
    space.takesFaults = takesFaults
    try self.init(
      space, seed: seed, loops: loops, conditions: conditions, keepsTrace: keepsTrace, sharesTurns: sharesTurns)
  }

  /// Creates a gateway with these settings; the first of its vendors is the one that is tested.
  ///
  /// - Parameters:
  ///   - isCluster: Whether there is a second gateway on its store and its bus, over which clients and requests are spread.
  ///   - outlivesProcess: Whether the store counts as one that is there after the end of the process.
  package init(
    _ settings: SpaceSettings, seed: UInt64 = 1, loops: Int = 2, conditions: LinkConditions = LinkConditions(),
    keepsTrace: Bool = true, sharesTurns: Bool = false, isCluster: Bool = TestPlace.ofScenes == .cluster,
    outlivesProcess: Bool = false
  ) throws {
    world = SimulatedWorld(seed: seed, loops: loops + 1, keepsTrace: keepsTrace)
    network = SimulatedNetwork(world, conditions: conditions)
    own = Array(world.loops.prefix(loops))
    clients = world.loops[loops]
    var settings = settings
    settings.seed = seed
    settings.secrets = Secrets(seed: seed)
    store = FaultyStore(on: own[0].eventLoop, outlivesProcess: outlivesProcess)
    if sharesTurns || isCluster { settings.turns = Self.turns(settings.configuration.life, in: store, on: own[0]) }
    self.settings = settings
    let whole = try Space(settings, on: own.map(\.eventLoop), store: store)
    guard let vendor = whole.vendors[0] as? Played else { preconditionFailure("made of these settings") }
    self.space = whole
    self.vendor = vendor
    spread = TestSpread()
    network.listen(on: .gateway, loops: own, site: whole.site)
    network.listen(on: .control, loops: own, site: GatewaySite(whole.gateway, routes: whole.controlRoutes))
    _ = world.ask { try? await whole.prepare() }
    if isCluster { try addNode() }
  }

  /// The life of the second gateway of a cluster.
  package static var other: NodeBoot { NodeBoot(node: 1, boot: 0) }

  /// Makes the gateway one of two nodes.
  private func addNode() throws {
    let (second, loop, channel) = (try second(Self.other), own[0].eventLoop, MemoryBus.Channel())
    for (space, life, target) in [(self.space, .first, .gateway), (second, Self.other, DialTarget.second)] {
      let bus = MemoryBus(as: life, on: channel) { loop.execute($0) }
      space.join(bus, names: { [.first: "a", Self.other: "b"] }) { _ in }
      // Its answers now come after what it announced.
      listen(space, on: target)
    }
    network.listen(on: .secondControl, loops: own, site: GatewaySite(second.gateway, routes: second.controlRoutes))
    spread.second = second
  }

  package var gateway: Gateway { space.gateway }
  /// Returns the sessions of the user, or of everybody, of all gateways; 100 of each at most.
  package func sessions(of user: UserID? = nil) -> [SessionSummary] {
    let gateways = gateways
    return world.ask {
      var sessions: [SessionSummary] = []
      for gateway in gateways { sessions += await gateway.sessions(of: user, after: nil, limit: 100) }
      return sessions
    } ?? []
  }

  /// All gateways.
  package var gateways: [Gateway] { [gateway] + [spread.second?.gateway].compactMap(\.self) }

  /// Returns another gateway on the same store and loops, at ``DialTarget/second``, which takes over what `dead` lives left.
  /// It has the same settings, and chance of its own.
  package func second(_ life: NodeBoot, takingOver dead: DeadBoots = DeadBoots(before: [])) throws -> Space {
    var settings = settings
    settings.configuration.life = life
    if settings.turns != nil { settings.turns = Self.turns(life, in: store, on: own[0]) }
    let seed = UInt64(2 + 2 * life.boot)
    (settings.seed, settings.secrets) = (seed, Secrets(seed: seed))
    let space = try Space(settings, on: own.map(\.eventLoop), store: store)
    let outcome = world.ask { () async -> Result<Void, any Error> in
      do { return .success(try await space.prepare(takingOver: dead)) } catch { return .failure(error) }
    }
    try outcome?.get()
    listen(space, on: .second)
    return space
  }

  /// Has a gateway accept connections there, with its resources made anew.
  package func listen(_ space: Space, on target: DialTarget) {
    network.listen(on: target, loops: own, site: space.site)
  }

  private static func turns(_ life: NodeBoot, in store: any Store, on loop: SimulatedLoop) -> StoreTurns {
    let (events, stage) = (loop.eventLoop, loop.stage)
    return StoreTurns(
      store, as: life.description,
      .init(
        now: { events.wallTime }, sleep: { await events.sleep(until: events.now + $0, as: "a turn") },
        start: { body in stage.start { await body() } }))
  }

  /// Returns a client that connects, and has received the immediate messages.
  package func dial(_ upgrade: HTTPRequest) -> SimulatedPeer {
    let peer = SimulatedPeer(network, on: clients, to: spread.dial(), upgrade: upgrade)
    world.settle()
    return peer
  }

  /// Returns the gateway's answer to an HTTP request; nil if there is none within a test's time.
  package func fetch(
    _ request: HTTPRequest, from target: DialTarget = .gateway
  ) -> Result<HTTPResponse, DialFailure>? {
    let dialer = SimulatedDialer(network, on: clients)
    let (request, target) = spread.request(request, to: target)
    return world.ask(on: clients.eventLoop.index) {
      await dialer.fetch(request, from: target, timeout: .seconds(30))
    }
  }

  /// Returns the gateway's answers to concurrent requests, each on its own connection; nil for a request without an
  /// answer while no time passes.
  package func fetch(atOnce requests: [HTTPRequest]) -> [HTTPResponse?] {
    let dialer = SimulatedDialer(network, on: clients)
    let started = requests.map { request in
      let started = Started<Result<HTTPResponse, DialFailure>>()
      let (request, target) = spread.request(request, to: .gateway)
      clients.stage.start { started.end(with: await dialer.fetch(request, from: target, timeout: .seconds(30))) }
      return started
    }
    world.settle()
    // A turn among nodes takes time.
    if spread.second != nil { _ = world.run(within: .seconds(1)) { started.allSatisfy { $0.value != nil } } }
    return started.map { try? $0.value?.get() }
  }

  /// Starts work on the loop of the clients, and runs everything that is possible without letting time pass.
  package func start<Answer: Sendable>(
    _ body: nonisolated(nonsending) @escaping @Sendable () async -> Answer
  ) -> Started<Answer> {
    let started = Started<Answer>()
    clients.stage.start { started.end(with: await body()) }
    world.settle()
    return started
  }

  /// Returns the gateway's answer to an operator's order.
  package func order<Answer: Sendable>(_ body: @escaping @Sendable (Gateway) async -> Answer) -> Answer? {
    let (gateway, second) = (gateway, spread.second)
    return world.ask {
      let answer = await body(gateway)
      // A node looks for what others revoked after each renewal of its lease.
      try? await second?.learnRevocations()
      return answer
    }
  }
}

extension DialTarget {
  /// The address of a ``TestSpace``'s gateway.
  package static let gateway = DialTarget(host: "gateway", port: 80)
  /// The address of another gateway on the same store.
  package static let second = DialTarget(host: "gateway", port: 82)
  /// The address of the vendors' part of its control port.
  package static let control = DialTarget(host: "gateway", port: 81)
  /// The same of the other gateway.
  package static let secondControl = DialTarget(host: "gateway", port: 83)
}
