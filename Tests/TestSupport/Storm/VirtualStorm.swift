package import GatewayCore
package import GatewayFleet
package import GatewayKit
import GatewayPlain
package import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import GatewayStores
import GatewayTokens

/// A storm in virtual time against the real gateway with its token provider: two loops of clients, two of the gateway.
package struct VirtualStorm {
  package var plan = StormPlan()
  package var refreshTimeout = Duration.seconds(60)
  package var refreshSpread = Duration.zero
  package var refreshLead = Duration.zero
  package var provider: TokenProviderPolicy
  package var isMinted = false
  package var dialect: any ClientDialect = PlainClientDialect()
  /// The settings of the clients' vendor; nil for the plain dialect.
  package var vendor: (any VendorSettings)?
  package var latency = Duration.milliseconds(1)...(.milliseconds(20))
  package var interruptAfter: Duration?
  /// The phases of the storm, without orders to the gateway.
  package var scenario: StormScenario?
  /// The address to which the clients connect; the gateway is at `gateway`.
  package var target = DialTarget(host: "gateway", port: 80)
  /// Whether it is one part that waits for others until it is interrupted.
  package var waitsForOthers = false
  /// The number of the process in the plan.
  package var process = 0
  /// The fleets of a storm of several, by name; each has the number of its token provider. None for one fleet.
  package var fleets: [(name: String, plan: StormPlan, provider: Int)] = []

  package init() throws {
    provider = try TokenProviderPolicy()
    plan.clients = 200
    plan.rate = 100
    plan.loops = 2
    // Not at the start of a second, so that all requests count in the same one.
    plan.expireAfter = 7.2
  }

  /// Runs the storm; returns its result with the progress reports.
  package func run(seed: UInt64 = 1) throws -> (result: StormResult, progress: [StormProgress]) {
    let world = SimulatedWorld(seed: seed, loops: 4, keepsTrace: false)
    let network = SimulatedNetwork(world, conditions: LinkConditions(latency: latency))
    try startGateway(in: world, network, at: DialTarget(host: "gateway", port: 80))

    let plans = StormPlan.split(fleets.map { (FleetPlace(name: $0.name), $0.plan) }, seed: seed)
    let setups = try (plans.isEmpty ? [plan] : plans).enumerated().map { index, plan in
      var setup = try setup(plan, seed: plans.isEmpty ? seed : plan.seed, startsAt: world.wallTime + .seconds(1))
      if !fleets.isEmpty { setup.provider = fleets[index].provider }
      return setup
    }
    let stormLoops = world.loops.suffix(2).map {
      (loop: $0.eventLoop, dialer: SimulatedDialer(network, on: $0) as any Dialer)
    }
    let told = Told()
    let runner = StormFleets(setups, loops: stormLoops) { told.progress.append($0) }
    if let interruptAfter {
      world.loops[2].execute(at: world.now + interruptAfter) { runner.interrupt() }
    }
    guard let result = world.ask(on: 2, within: .seconds(86_400), { await runner.run() }) else {
      throw Unfinished()
    }
    return (result, told.progress)
  }

  /// Returns the setup of one fleet.
  private func setup(_ given: StormPlan, seed: UInt64, startsAt: WallTime) throws -> StormSetup {
    var plan = given
    plan.seed = seed
    plan.gateway.timeout = refreshTimeout
    plan.gateway.spread = refreshSpread
    plan.gateway.lead = refreshLead
    plan.comeback = dialect.habits.comeback == nil ? .zero : .seconds(120)
    try plan.check()
    var setup = StormSetup(
      plan: plan, dialect: dialect, gateways: [target],
      tokens: isMinted ? .minted(try Self.issuer) : .provider(target, path: nil), startsAt: startsAt)
    setup.process = process
    setup.waitsForOthers = waitsForOthers
    if let scenario { setup.phases = try scenario.times(of: plan) }
    return setup
  }

  struct Unfinished: Error {}

  private func startGateway(
    in world: SimulatedWorld, _ network: SimulatedNetwork, at target: DialTarget
  ) throws {
    let policy = try SessionPolicy(
      refreshTimeout: refreshTimeout, refreshLead: refreshLead, refreshSpread: refreshSpread, anyRefreshTimeout: true)
    let verifier = JWTVerifier(keys: try KeySet([try VerificationKey(Self.key)]))
    var settings = SpaceSettings(
      configuration: GatewayConfiguration(session: policy),
      vendors: [PlainSettings(verifier: verifier)] + (vendor.map { [$0] } ?? []), issuer: try Self.issuer,
      provider: provider)
    settings.seed = 1
    settings.secrets = Secrets(seed: 1)
    let loops = Array(world.loops.prefix(2))
    let space = try Space(settings, on: loops.map(\.eventLoop), store: MemoryStore(on: loops[0].eventLoop))
    network.listen(on: target, loops: loops, site: space.site)
  }

  /// The gateway's signing secret.
  package static let secret = "a secret of thirty-two bytes, or more"
  private static var key: KeyMaterial { get throws { try KeyMaterial.secret(Array(secret.utf8)) } }
  private static var issuer: PlainTokenIssuer { get throws { PlainTokenIssuer(signer: try JWTSigner(key)) } }
}

/// The progress reports of a storm.
///
/// `@unchecked Sendable`: used only by the thread that runs the world.
private final class Told: @unchecked Sendable {
  package var progress: [StormProgress] = []
}
