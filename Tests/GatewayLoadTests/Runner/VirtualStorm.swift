import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayRuntime
import GatewaySendbird
import GatewaySimulator
import GatewaySinch
import GatewayStream
import TestSupport

@testable import GatewayLoad

/// A storm in virtual time against the real gateway with its token provider: two loops of clients, two of the gateway.
struct VirtualStorm {
  var plan = StormPlan()
  var refreshTimeout = Duration.seconds(60)
  var refreshSpread = Duration.zero
  var provider: TokenProviderPolicy
  var isMinted = false
  var dialect: any ClientDialect = PlainClientDialect()
  /// What a client of Stream's is told when its token expires.
  var streamExpiry = StreamExpiry()
  var sendbird = SendbirdSettings(apiToken: Credentials(token: Self.secret))
  var latency = Duration.milliseconds(1)...(.milliseconds(20))
  var interruptAfter: Duration?
  /// Where the clients connect to; the gateway is at `gateway`.
  var target = DialTarget(host: "gateway", port: 80)
  /// Which of the plan's processes this is.
  var process = 0

  init() throws {
    provider = try TokenProviderPolicy()
    plan.clients = 200
    plan.rate = 100
    plan.loops = 2
    // Not at the turn of a second, so that the requests all count in one.
    plan.expireAfter = 7.2
  }

  /// Runs it, and returns what it came to with the times at which it told of its progress.
  func run(seed: UInt64 = 1) throws -> (result: StormResult, progress: [StormProgress]) {
    let world = SimulatedWorld(seed: seed, loops: 4, keepsTrace: false)
    let network = SimulatedNetwork(world, conditions: LinkConditions(latency: latency))
    try startGateway(in: world, network, at: DialTarget(host: "gateway", port: 80))

    var plan = plan
    plan.seed = seed
    plan.gateway.timeout = refreshTimeout
    plan.gateway.spread = refreshSpread
    plan.comeback = dialect.habits.comeback == nil ? .zero : .seconds(120)
    try plan.check()
    var setup = StormSetup(
      plan: plan, dialect: dialect, gateway: target,
      tokens: isMinted ? .minted(FakeTokens()) : .provider(target, path: nil),
      startsAt: world.wallTime + .seconds(1))
    setup.process = process
    let stormLoops = world.loops.suffix(2).map {
      (loop: $0.eventLoop, dialer: SimulatedDialer(network, on: $0) as any Dialer)
    }
    let told = Told()
    let runner = StormRunner(setup, loops: stormLoops) { told.progress.append($0) }
    if let interruptAfter {
      world.loops[2].execute(at: world.now + interruptAfter) { runner.interrupt() }
    }
    guard let result = world.ask(on: 2, within: .seconds(86_400), { await runner.run() }) else {
      throw Unfinished()
    }
    return (result, told.progress)
  }

  struct Unfinished: Error {}

  private func startGateway(
    in world: SimulatedWorld, _ network: SimulatedNetwork, at target: DialTarget
  ) throws {
    let loops = Array(world.loops.prefix(2))
    let tokens = FakeTokens()
    let policy = try SessionPolicy(
      refreshTimeout: refreshTimeout, refreshSpread: refreshSpread, anyRefreshTimeout: true)
    let suites = try suites(policy, on: loops[0].eventLoop, tokens)
    let gateway = Gateway(
      configuration: GatewayConfiguration(session: policy), loops: loops.map(\.eventLoop),
      bindings: suites.flatMap(\.bindings))
    let directory = MemoryDirectory(
      on: loops[0].eventLoop, limits: MemoryDirectoryLimits(), generator: SeededGenerator(seed: 1))
    let provider = TokenProvider(
      on: loops[0].eventLoop, policy: provider, services: gateway, issuer: tokens,
      vendors: suites.reduce(into: [:]) { $0.merge($1.issuers) { one, _ in one } })
    let routes = PlainRoutes(
      services: gateway, directory: directory, authenticator: tokens, issuer: tokens, provider: provider)
    let vendors = suites.flatMap { $0.routes(gateway) }
    network.listen(on: target, loops: loops, site: GatewaySite(gateway, routes: routes.routes + vendors))
  }

  private static let secret = "a secret of thirty-two bytes, or more"

  /// The plain dialect, and the vendor's if its clients are stormed with.
  private func suites(_ policy: SessionPolicy, on loop: EventLoop, _ tokens: FakeTokens) throws -> [DialectSuite] {
    let plain = DialectSuite([PlainDialect.binding(tokens)])
    switch dialect.name {
    case "stream-video":
      var settings = StreamVideoSettings(
        applications: StreamApplications(fallback: try StreamApplication(secret: Self.secret)))
      settings.expiry = streamExpiry
      let directory = MemoryStreamDirectory(on: loop, settings: settings.app)
      let suite = try StreamVideoSuite(
        settings, directory: directory, calls: MemoryStreamCallDirectory(on: loop), session: policy, on: loop)
      return [plain, suite.dialects]
    case "sendbird":
      let suite = try SendbirdSuite(
        sendbird, directory: MemorySendbirdDirectory(on: loop), channels: MemorySendbirdChannels(on: loop), on: loop,
        generator: SeededGenerator(seed: 1))
      return [plain, try suite.dialectSuite(policy)]
    case "sinch":
      var settings = SinchSettings(applications: SinchApplications(any: SinchSecret(bytes: Array(0..<16))))
      // A storm does not wait for two days.
      settings.tokens.instanceLifeMin = .zero
      return [plain, SinchSuite.make(settings, directory: MemorySinchDirectory(on: loop))]
    default:
      return [plain]
    }
  }
}

/// What a storm told while it ran.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
private final class Told: @unchecked Sendable {
  var progress: [StormProgress] = []
}
