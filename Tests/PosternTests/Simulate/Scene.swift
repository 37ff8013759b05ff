import GatewayCore
import GatewayFleet
import GatewayPlanner
import Testing

@testable import postern

/// A fleet and a provider that both worlds can have.
struct Scene: CustomTestStringConvertible, Sendable {
  let name: String
  var plan = StormPlan()
  /// How many tokens are issued at once; nil for no limit.
  var places: Int?
  var latency = Duration.zero
  var queue = 100_000
  var failures = 0.0
  var drops = false
  /// The vendor of the wire and its SDK; nil for the plain dialect, and for the default SDK.
  var dialect: String?
  var sdk: String?
  /// Whether it ends when the last of a few unlucky clients is served.
  var isEndLuck = false

  init(_ name: String, _ set: (inout Scene) -> Void = { _ in }) {
    self.name = name
    plan.clients = 2000
    plan.rate = 50
    plan.expireAfter = 60.2
    set(&self)
  }

  var testDescription: String { name }

  /// Sets 100 tokens a second.
  mutating func isPressed(queue: Int) {
    places = 5
    latency = .milliseconds(50)
    self.queue = queue
  }

  static let all: [Scene] = [
    Scene("calm") { $0.plan.jitter = 0.02 },
    Scene("a herd and a provider without a limit"),
    Scene("a herd, and a queue that all have room in") {
      $0.isPressed(queue: 5000); $0.plan.fetchTimeout = .seconds(30)
    },
    Scene("a herd, short of the cliff") { $0.isPressed(queue: 900) },
    Scene("a herd, beyond the cliff") { $0.isPressed(queue: 1500) },
    Scene("beyond it, but the provider drops whose callers have gone") {
      $0.isPressed(queue: 1500)
      $0.drops = true
    },
    Scene("beyond it, and they come back") {
      $0.isPressed(queue: 1500)
      $0.plan.reconnects = true
      $0.plan.bound = 400
    },
    Scene("a short queue and Retry-After") { $0.isPressed(queue: 100) },
    Scene("one request in five fails") {
      $0.isPressed(queue: 900); $0.failures = 0.2; $0.plan.jitter = 0.005; $0.isEndLuck = true
    },
    Scene("tokens that expire each by itself, in two waves") {
      $0.isPressed(queue: 900)
      $0.plan.expiry = .own
      $0.plan.life = .seconds(90)
      $0.plan.jitter = 0.1
      $0.plan.waves = 2
    },
    Scene("beyond the cliff, with a retry budget that all share") {
      $0.isPressed(queue: 1500)
      $0.plan.retry = RetryRule(per: .fleet, budget: .init(deposit: 0.1, capacity: 200))
    },
    Scene("a short queue, with a circuit breaker for each client") {
      $0.isPressed(queue: 100)
      $0.plan.retry = RetryRule(breaker: .init(failures: 2, of: 4, open: .seconds(7), probes: 1))
      $0.isEndLuck = true
    },
    Scene("a gateway that spreads") {
      $0.isPressed(queue: 900)
      $0.plan.gateway.lead = .seconds(2)
      $0.plan.gateway.spread = .seconds(10)
    },
    Scene("impatient clients without jitter") {
      $0.isPressed(queue: 400)
      $0.plan.fetchTimeout = .seconds(3)
      $0.plan.backoff = Backoff(.exponential, base: .seconds(1), cap: .seconds(8))
    },
    Scene("clients of every behaviour") {
      $0.isPressed(queue: 900)
      $0.plan.slowDelay = .seconds(5)
      $0.plan.behaviours = try! BehaviourMix(
        parsing: "well-behaved=60,slow=10,forgetful=10,stale=8,garbage=7,refused=5")
    },
  ]

  private var clients: SimulatedClients {
    get throws { try SimulatedClients(scheme: dialect, sdk: sdk) }
  }

  private func settings(seed: UInt64, _ fidelity: SimulateScenario.Fidelity) throws -> WorldSettings {
    var provider = ProviderModel(places.map { .places($0, latency: latency...latency) } ?? .unbounded, queue: queue)
    provider.failures = failures
    provider.abandoned = drops ? .drop : .serve
    var settings = WorldSettings(plan: plan, provider: provider)
    settings.duration = plan.end
    settings.plan.seed = seed
    try clients.set(&settings, for: fidelity)
    return settings
  }

  /// Returns the result of the whole gateway with its wires.
  func wire(seed: UInt64) throws -> StormResult {
    let settings = try settings(seed: seed, .wire)
    try WireWorld.check(settings, clientsMax: plan.clients)
    return try WireWorld(settings, try clients).run()
  }

  /// Returns the result of the machines alone.
  func machines(seed: UInt64) throws -> StormResult {
    var world = try MachineWorld(try settings(seed: seed, .machines))
    return world.run().result
  }
}
