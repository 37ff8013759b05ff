internal import GatewayCore
package import GatewayFleet

/// A fleet, a gateway and a token provider in virtual time, with up to millions of clients in one process. It uses the
/// same state machines as the storm and the gateway, without wires, sockets or actors.
///
/// It runs on one thread with its own clock only: the same settings have the same result, byte for byte.
package struct MachineWorld: ~Copyable {
  /// The progress of a world, for observers.
  package struct Progress: Sendable {
    package var storm = StormProgress()
    /// Requests in the provider's queue.
    package var queued = 0
    package var events: UInt64 = 0
  }

  /// The outcome of a world.
  package struct Outcome: Sendable {
    package var result: StormResult
    /// The number of events.
    package var events: UInt64
  }

  let settings: WorldSettings
  let machines: UnsafeMutablePointer<Machine>
  var ledger: Ledger
  var wheel = EventWheel()
  var now: Int64 = 0
  var linkChance: SeededGenerator
  var provider: ProviderState
  /// The gateway's random generator, which draws the spread.
  var gatewayChance: SeededGenerator
  var clientEffects: [ClientEffect] = []
  var sessionEffects: [SessionEffect] = []
  let sessionPolicy: SharedSessionPolicy
  let wire: WireModel?
  /// The sessions that the gateway keeps beyond their connections, by the client's number; empty if it keeps none.
  var kept: [KeptSession]
  /// Whether a budget has refused each client a token; empty as long as none was refused.
  var refusedByBudget: [Bool] = []
  /// The refresh tokens; nil if none rotate.
  var refresh: RefreshState?
  /// The limit on the clients' calls after failures; nil for none.
  var retries: RetryGates?
  let phases: [WorldPhase]
  /// The counts at the beginning of each phase.
  var marks: [StormResult] = []
  /// The number of times that all tokens were revoked.
  var revocations: Int64 = 0
  /// The time until which clients stay away if the planner cuts their loop.
  var heldUntil: Int64 = 0
  /// The time at which the gateway accepts the next connection.
  var acceptsAt: Int64 = 0
  /// The time at which the first tokens expire together; nil if each expires by itself.
  let commonExpiry: Int64?
  /// The time at which the scenario first makes the gateway ask all clients; nil for never.
  let asksAt: Duration?
  /// The names of the errors that the gateway has sent, by number.
  var errorNames: [Int: String] = [:]
  private let clientPolicy: SharedClientPolicy
  private let behaviours: [Behaviour]
  private let pacer: ArrivalPacer
  /// The places of clients that come and go; nil for a fleet that stays, whose clients keep the places of their numbers.
  var places: ArrivalPlaces?
  /// The number of arrivals so far, and the time of the next.
  private var arrived = 0
  private var nextArrival: Int64 = .max
  /// The number of places that have had a client.
  private(set) var started = 0
  private var events: UInt64 = 0
  private var stragglers = Stragglers()
  private var nextLook: Int64 = 0
  private let report: (Progress) -> Bool

  /// The interval in nanoseconds between checks for the end.
  private static let pause: Int64 = 250_000_000

  /// Creates a world.
  ///
  /// - Parameters:
  ///   - settings: The settings of the simulation.
  ///   - report: Called with the progress once a second of virtual time; returns whether the world continues.
  package init(_ settings: WorldSettings, report: @escaping (Progress) -> Bool = { _ in true }) throws {
    try self.init(settings, policy: settings.sessionPolicy(), phases: settings.worldPhases(), report)
  }

  private init(
    _ settings: WorldSettings, policy: SessionPolicy, phases: [WorldPhase], _ report: @escaping (Progress) -> Bool
  ) {
    let plan = settings.plan
    self.settings = settings
    self.report = report
    self.phases = phases
    wire = settings.wire
    kept = Array(repeating: KeptSession(), count: settings.wire?.hasKeys == true ? plan.clients : 0)
    refresh = settings.provider.rotation.map { RefreshState($0, of: settings.plan) }
    retries = plan.retry.map { RetryGates($0) }
    sessionPolicy = SharedSessionPolicy(policy)
    clientPolicy = SharedClientPolicy(
      ClientPolicy(plan, habits: settings.wire?.habits ?? ClientHabits(), closeNames: settings.closeNames))
    behaviours = plan.behaviours == .allWell ? [] : plan.behaviours.assignment(clients: plan.people, seed: plan.seed)
    pacer = plan.pacer
    places = plan.arrivals == nil ? nil : ArrivalPlaces(most: plan.clients)
    nextArrival = pacer.count > 0 ? pacer.arrival(of: 0).nanoseconds : .max
    asksAt = settings.times?.asksAt
    commonExpiry = plan.expiry == .common ? plan.expiresAfter.nanoseconds : nil
    ledger = Ledger(
      start: .zero, onset: settings.onset.map { .zero + $0 }, lead: plan.gateway.lead,
      length: settings.end(timeout: nil))
    linkChance = SeededGenerator(seed: plan.seed ^ 0x6C69_6E6B_2121_2121)
    gatewayChance = SeededGenerator(seed: plan.seed ^ 0x6761_7465_7761_7921)
    provider = ProviderState(
      settings.provider, push: settings.disturbance, clients: plan.clients, seed: plan.seed ^ 0x7072_6F76_6964_6572)
    machines = .allocate(capacity: plan.clients)
    for (number, phase) in phases.enumerated() {
      wheel.add(.phase, at: phase.start.nanoseconds, subject: UInt32(number))
    }
    if let push = settings.disturbance, push.length == .zero {
      wheel.add(.pushed, at: push.at.nanoseconds, subject: 0)
    }
    if let cut = settings.cut { wheel.add(.cut, at: cut.at.nanoseconds, subject: 0) }
    for pause in settings.provider.pauses {
      wheel.add(.paused, at: pause.at.nanoseconds, subject: pause.refuses ? 1 : 0)
      wheel.add(.resumed, at: (pause.at + pause.length).nanoseconds, subject: 0)
    }
  }

  deinit {
    machines.deinitialize(count: started)
    machines.deallocate()
  }

  /// Returns the maximum number of bytes of a world with that many clients.
  package static func bytes(clients: Int) -> UInt64 {
    // The memory of each client: a grant on the heap, its kept session and one or two pending events. In a herd also a
    // request with its timeout and place in the queue, and the sorted events of one millisecond.
    let perClient =
      MemoryLayout<Machine>.stride + MemoryLayout<KeptSession>.stride + 160
      + 3 * EventWheel.bytesPerEvent + MemoryLayout<TokenRequest>.stride + 16
    return UInt64(clients) * UInt64(perClient) + 64 << 20
  }

  /// Returns the same including the maximum of its provider's queue. Requests whose callers have gone wait in it too, a
  /// few of each client.
  package static func bytes(_ settings: WorldSettings) -> UInt64 {
    let plan = settings.plan
    let tries = 1 + settings.end(timeout: nil).inSeconds / max(0.001, plan.fetchTimeout.inSeconds)
    let waiting = min(Double(settings.provider.queue), Double(plan.clients) * tries)
    // A hash table is at least three eighths full.
    let counted = settings.provider.budgets.reduce(UInt64(0)) { sum, budget in
      let keys = budget.scope == .user ? plan.clients : budget.scope == .address ? plan.addresses : 1
      return sum + UInt64(keys) * (budget.ban == nil ? 64 : 128)
    }
    let comeAndGo = plan.arrivals == nil ? 0 : 8 * plan.clients + plan.people
    let grants = plan.grants ?? GrantPlan()
    let sharing = settings.provider.rotation == nil ? 0 : RefreshState.bytes(grants, clients: plan.clients)
    let retrying = plan.retry?.per == .client ? RetryGates.bytesPerClient * plan.clients : 0
    return bytes(clients: plan.clients) + UInt64(comeAndGo + retrying) + sharing + counted
      + (settings.provider.budgets.isEmpty ? 0 : UInt64(plan.clients))
      + UInt64(waiting) * UInt64(MemoryLayout<TokenRequest>.stride + MemoryLayout<UInt32>.stride)
  }

  /// Runs the world to its end, once.
  package mutating func run() -> Outcome {
    let isInterrupted = !runToTheEnd()
    let plan = settings.plan
    let end = now
    let isOver = places != nil || isEverybodyThrough()
    for index in 0..<started where places.map({ $0.client(at: index) != nil }) ?? true { close(index) }
    marks.append(ledger.result)
    let horizon = horizon(at: end)
    for index in 0..<started where places.map({ $0.client(at: index) != nil }) ?? true { stop(index) }
    var result = ledger.result
    result.source = "machines"
    result.wasInterrupted = isInterrupted
    result.ranOutOfTime = !isOver && !isInterrupted
    result.seconds = Duration.nanoseconds(end).inSeconds
    result.given = settings.plan.given(timeout: result.seen.longestTimeout.map { .seconds($0) }).inSeconds
    result.queue = provider.figures
    if refresh != nil { result.rotation = provider.rotation }
    result.triggerEnd = settings.triggerEnd.inSeconds
    result.horizon = horizon
    if plan.expiry == .common { result.askOrderedAt = asksAt?.inSeconds }
    result.phases = phaseResults(until: result.seconds)
    return Outcome(result: result, events: events)
  }

  /// Returns whether the world need not wait for any client.
  private mutating func isEverybodyThrough() -> Bool {
    guard places == nil, started == settings.plan.clients, ledger.settled + ledger.refreshingAgain == started else {
      return false
    }
    let machines = machines
    return stragglers.areGone(of: started, waves: settings.plan.waves, awaitsAll: asksAt != nil) { machines[$0].client }
  }

  /// Runs all events; returns false if the observer ended it early.
  private mutating func runToTheEnd() -> Bool {
    while true {
      let arrival = nextArrival
      let timeOut = provider.nextTimeOut ?? .max
      let event = wheel.nextTime() ?? .max
      let next = min(arrival, timeOut, event)
      guard next < nextLook else {
        now = nextLook
        nextLook += Self.pause
        guard look() else { return false }
        if isEnded(hasEvents: next != .max || provider.lastTimeOut >= now) { return true }
        continue
      }
      now = next
      events &+= 1
      if timeOut == next {
        timeOutRequest()
      } else if arrival == next {
        begin()
      } else {
        handle(wheel.next())
      }
    }
  }

  private mutating func isEnded(hasEvents: Bool) -> Bool {
    let isThrough = now >= settings.phasesEnd.nanoseconds
    // A world ends like a storm: the provider's remaining work serves no client.
    if isThrough && isEverybodyThrough() { return true }
    // There will be no further events.
    if !hasEvents && places == nil && started == pacer.count && isThrough { return true }
    return now >= settings.end(timeout: ledger.result.seen.longestTimeout.map { .seconds($0) }).nanoseconds
  }

  private mutating func look() -> Bool {
    provider.sample(at: now)
    guard now % 1_000_000_000 == 0 else { return true }
    var progress = Progress()
    progress.storm = StormProgress(ledger, started: arrived)
    progress.storm.seconds = Duration.nanoseconds(now).inSeconds
    let elapsed = Duration.nanoseconds(now)
    progress.storm.stage =
      elapsed < pacer.duration ? .connecting : elapsed < settings.plan.onset ? .holding : .refreshing
    progress.queued = provider.queued
    progress.events = events
    return report(progress)
  }

  /// Starts the next client.
  private mutating func begin() {
    let number = arrived
    arrived += 1
    nextArrival = arrived < pacer.count ? pacer.arrival(of: arrived).nanoseconds : .max
    let behaviour = behaviours.isEmpty ? Behaviour.wellBehaved : behaviours[number]
    guard places != nil else {
      started += 1
      (machines + number).initialize(to: machine(number, at: number, behaviour))
      ledger.began(behaviour)
      return tell(number, .start)
    }
    guard let index = places?.take(for: number) else { return ledger.notStarted() }
    ledger.arrived(present: places?.taken ?? 0)
    if index == started {
      started += 1
      (machines + index).initialize(to: machine(number, at: index, behaviour))
    } else {
      follow(machine(number, at: index, behaviour), at: index)
    }
    ledger.began(behaviour)
    tell(index, .start)
  }

  private func machine(_ number: Int, at place: Int, _ behaviour: Behaviour) -> Machine {
    Machine(
      client: ClientSession(behaviour, policy: clientPolicy),
      session: Session(id: ConnectionID(loop: 0, serial: UInt64(place)), policy: sessionPolicy, now: .zero),
      chance: settings.plan.chance(of: number))
  }

  /// Counts the outcome of a client.
  mutating func close(_ index: Int) {
    let outcome = machines[index].client.outcome(waves: settings.plan.wavesWanted)
    ledger.close(machines[index].client.behaviour, outcome, isSignedOut: refresh?.isSignedOut(index) ?? false)
  }

  private mutating func handle(_ event: WorldEvent) {
    let subject = Int(event.subject)
    switch event.kind {
    case .clientDue: clientIsDue(subject, event.time)
    case .sessionDue: sessionIsDue(subject, event.time)
    case .asked: providerAsked(event.subject)
    case .made: providerMade(event.subject)
    case .answered: requestAnswered(event.subject)
    case .paused:
      provider.pause(refuses: event.subject == 1)
    case .resumed:
      provider.resume(at: now)
      serveWaiting()
    case .phase: begin(phase: phases[subject])
    case .pushed: push()
    case .cut: cutLoop()
    case .released: release(event, subject)
    case .redialled: redial(event, subject)
    case .departs: depart(subject, client: Int(event.value))
    case .keyAsked: keyAsked(event, subject)
    case .keyAnswered: keyAnswered(event, subject)
    case .upgrade, .presented, .nonsense, .pinged, .clientClosed:
      if event.connection == machines[subject].connection { arriveAtGateway(event, subject) }
    case .opened, .connected, .refreshRequired, .refreshed, .error, .refusal, .ponged, .gatewayClosed:
      if event.connection == machines[subject].connection { arriveAtClient(event, subject) }
    }
  }

  /// Returns the upcoming expiries of connected clients, in steps of ten seconds.
  private func horizon(at end: Int64) -> [Int] {
    var steps: [Int] = []
    for index in 0..<started {
      guard let grant = machines[index].session.grant, grant.expiresAt != .distantFuture else { continue }
      let step = Int((grant.expiresAt.nanoseconds - end) / 10_000_000_000)
      guard (0..<StormResult.horizonMax).contains(step) else { continue }
      while steps.count <= step { steps.append(0) }
      steps[step] += 1
    }
    return steps
  }
}
