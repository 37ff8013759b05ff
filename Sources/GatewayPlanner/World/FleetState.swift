internal import GatewayCore
internal import GatewayFleet

/// One fleet of a world: its clients, and all state that it shares with no other fleet. Numbers of clients begin at 0 in each
/// fleet, except in events and requests, which count on from fleet to fleet.
struct FleetState {
  private let constant: Constant
  /// The number of clients of the fleets before it.
  let base: Int
  let machines: UnsafeMutablePointer<Machine>
  /// Its provider.
  let provider: UnsafeMutablePointer<ProviderState>
  var ledger: Ledger
  var linkChance: SeededGenerator
  /// The gateway's random generator, which draws the spread.
  var gatewayChance: SeededGenerator
  let sessionPolicy: SharedSessionPolicy
  let clientPolicy: SharedClientPolicy
  let wire: WireModel?
  /// The sessions that the gateway keeps beyond their connections, by the client's number; empty if it keeps none.
  var kept: [KeptSession]
  /// Whether a budget has refused each client a token; empty as long as none was refused.
  var refusedByBudget: [Bool] = []
  /// The refresh tokens; nil if none rotate.
  var refresh: RefreshState?
  /// The limit on the clients' calls after failures; nil for none.
  var retries: RetryGates?
  var timeOuts: RequestTimeOuts
  /// The counts at the beginning of each phase.
  var marks: [StormResult] = []
  /// The time at which the first tokens expire together; nil if each expires by itself.
  let commonExpiry: Int64?
  /// The time at which the scenario first makes the gateway ask all clients; nil for never.
  let asksAt: Duration?
  let behaviours: [Behaviour]
  let pacer: ArrivalPacer
  /// The places of clients that come and go; nil for a fleet that stays, whose clients keep the places of their numbers.
  var places: ArrivalPlaces?
  /// The number of arrivals so far, and the time of the next.
  var arrived = 0
  var nextArrival: Int64 = .max
  /// The number of places that have had a client.
  var started = 0
  var stragglers = Stragglers()
  /// Whether the world need not wait for it any more.
  var isThrough = false

  /// Creates a fleet before its first client.
  ///
  /// - Parameters:
  ///   - settings: The settings of the fleet and its world.
  ///   - policy: The policy of the gateway's sessions.
  ///   - base: The number of clients of the fleets before it.
  ///   - provider: Its provider.
  ///   - length: The maximum duration of the world.
  init(
    _ settings: WorldSettings, _ policy: SessionPolicy, base: Int, provider: UnsafeMutablePointer<ProviderState>,
    length: Duration
  ) {
    let plan = settings.plan
    constant = Constant(settings)
    self.base = base
    self.provider = provider
    wire = settings.wire
    kept = Array(repeating: KeptSession(), count: settings.wire?.hasKeys == true ? plan.clients : 0)
    refresh = settings.provider.rotation.map { RefreshState($0, of: settings.plan) }
    retries = plan.retry.map { RetryGates($0) }
    timeOuts = RequestTimeOuts(clients: plan.clients)
    sessionPolicy = SharedSessionPolicy(policy)
    clientPolicy = SharedClientPolicy(settings.clientPolicy)
    behaviours = plan.behaviours == .allWell ? [] : plan.behaviours.assignment(clients: plan.people, seed: plan.seed)
    pacer = plan.pacer
    places = plan.arrivals == nil ? nil : ArrivalPlaces(most: plan.clients)
    nextArrival = pacer.count > 0 ? pacer.arrival(of: 0).nanoseconds : .max
    asksAt = settings.times?.asksAt
    commonExpiry = plan.expiry == .common ? plan.expiresAfter.nanoseconds : nil
    ledger = Ledger(
      start: .zero, onset: settings.onset.map { .zero + $0 }, lead: plan.gateway.lead, length: length)
    linkChance = SeededGenerator(seed: plan.seed ^ 0x6C69_6E6B_2121_2121)
    gatewayChance = SeededGenerator(seed: plan.seed ^ 0x6761_7465_7761_7921)
    machines = .allocate(capacity: plan.clients)
  }

  /// Frees the clients. Only once.
  func free() {
    machines.deinitialize(count: started)
    machines.deallocate()
  }

  /// The settings of the fleet and its world.
  var settings: WorldSettings { _read { yield constant.settings } }

  /// Settings that nothing changes, by reference: what lies in a fleet is copied for each call that gets it.
  private final class Constant: Sendable {
    let settings: WorldSettings

    init(_ settings: WorldSettings) {
      self.settings = settings
    }
  }
}

extension WorldSettings {
  /// The policy of the clients.
  fileprivate var clientPolicy: ClientPolicy {
    guard isAlone else { return ClientPolicy(plan, habits: wire?.habits ?? ClientHabits(), closeNames: closeNames) }
    return .alone(plan)
  }
}
