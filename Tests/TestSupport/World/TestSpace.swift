package import GatewayCore
package import GatewayKit
internal import GatewayPlain
package import GatewayRuntime
package import GatewaySimulator
package import GatewaySpace
internal import GatewayTokens

/// A gateway in virtual time that plays one vendor, with a loop for its clients: what a test of `PlainVendor`,
/// for instance, talks to.
package struct TestSpace<Played> {
  package let world: SimulatedWorld
  package let network: SimulatedNetwork
  package let space: Space
  /// What everything is remembered in.
  package let store: FaultyStore
  package let vendor: Played
  /// The loop the clients live on; the gateway has those before it.
  package let clients: SimulatedLoop

  /// - Parameters:
  ///   - loops: How many loops the gateway has.
  ///   - issuer: Signs the gateway's own tokens.
  ///   - isSecure: Whether it says that clients reach it over TLS.
  ///   - takesFaults: Whether it may be ordered to fail; it has one loop and a journal then.
  package init<Settings: VendorSettings>(
    _ settings: Settings, _ configuration: GatewayConfiguration, seed: UInt64 = 1, loops: Int = 2,
    conditions: LinkConditions = LinkConditions(), keepsTrace: Bool = true, issuer: any TokenIssuer = FakeTokens(),
    isSecure: Bool = false, takesFaults: Bool = false
  ) throws where Settings.Played == Played {
    var space = SpaceSettings(
      configuration: configuration, vendors: [settings], issuer: issuer, provider: try TokenProviderPolicy())
    space.isSecure = isSecure
    space.takesFaults = takesFaults
    try self.init(space, seed: seed, loops: loops, conditions: conditions, keepsTrace: keepsTrace)
  }

  /// A gateway with these settings, of whose vendors the first is the one that is played.
  package init(
    _ settings: SpaceSettings, seed: UInt64 = 1, loops: Int = 2, conditions: LinkConditions = LinkConditions(),
    keepsTrace: Bool = true
  ) throws {
    world = SimulatedWorld(seed: seed, loops: loops + 1, keepsTrace: keepsTrace)
    network = SimulatedNetwork(world, conditions: conditions)
    let own = Array(world.loops.prefix(loops))
    clients = world.loops[loops]
    var settings = settings
    settings.seed = seed
    settings.secrets = Secrets(seed: seed)
    store = FaultyStore(on: own[0].eventLoop)
    let whole = try Space(settings, on: own.map(\.eventLoop), store: store)
    guard let vendor = whole.vendors[0] as? Played else { preconditionFailure("made of these settings") }
    self.space = whole
    self.vendor = vendor
    network.listen(on: .gateway, loops: own, site: whole.site)
    network.listen(on: .control, loops: own, site: GatewaySite(whole.gateway, routes: whole.controlRoutes))
    _ = world.ask { try? await whole.prepare() }
  }

  package var gateway: Gateway { space.gateway }

  /// A client that dials, and has got what it gets at once.
  package func dial(_ upgrade: HTTPRequest) -> SimulatedPeer {
    let peer = SimulatedPeer(network, on: clients, to: .gateway, upgrade: upgrade)
    world.settle()
    return peer
  }

  /// What the gateway answers to an HTTP request; nil if it has not within the time of a test.
  package func fetch(
    _ request: HTTPRequest, from target: DialTarget = .gateway
  ) -> Result<HTTPResponse, DialFailure>? {
    let dialer = SimulatedDialer(network, on: clients)
    return world.ask(on: clients.eventLoop.index) {
      await dialer.fetch(request, from: target, timeout: .seconds(30))
    }
  }

  /// What the gateway answers to requests that come at once, each over a connection of its own; nil where it has not
  /// while no time passed.
  package func fetch(atOnce requests: [HTTPRequest]) -> [HTTPResponse?] {
    let dialer = SimulatedDialer(network, on: clients)
    let started = requests.map { request in
      let started = Started<Result<HTTPResponse, DialFailure>>()
      clients.stage.start { started.end(with: await dialer.fetch(request, from: .gateway, timeout: .seconds(30))) }
      return started
    }
    world.settle()
    return started.map { try? $0.value?.get() }
  }

  /// Starts work on the loop of the clients, and lets happen what can without time passing.
  package func start<Answer: Sendable>(
    _ body: nonisolated(nonsending) @escaping @Sendable () async -> Answer
  ) -> Started<Answer> {
    let started = Started<Answer>()
    clients.stage.start { started.end(with: await body()) }
    world.settle()
    return started
  }

  /// What the gateway answers to an order of an operator.
  package func order<Answer: Sendable>(_ body: @escaping @Sendable (Gateway) async -> Answer) -> Answer? {
    let gateway = gateway
    return world.ask { await body(gateway) }
  }
}

extension DialTarget {
  /// Where the gateway of a ``TestSpace`` listens.
  package static let gateway = DialTarget(host: "gateway", port: 80)
  /// Where the vendors' part of its control port is.
  package static let control = DialTarget(host: "gateway", port: 81)
}
