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
    /// The number of clients that were lost for good before the planner's cut.
    var lostBeforeCut = 0
  }

  /// The fleets, and the one whose event is handled.
  let fleets: UnsafeMutablePointer<FleetState>
  let count: Int
  var fleet: UnsafeMutablePointer<FleetState>
  private let providers: UnsafeMutablePointer<ProviderState>
  /// The index of a fleet of each provider.
  private let users: [Int]
  /// The time at which each gateway accepts the next connection.
  var gatewayTurns: [Int64]
  var wheel = EventWheel()
  var now: Int64 = 0
  var clientEffects: [ClientEffect] = []
  var sessionEffects: [SessionEffect] = []
  let phases: [WorldPhase]
  /// The number of times that all tokens were revoked.
  var revocations: Int64 = 0
  /// The time until which clients stay away if the planner cuts their loop.
  var heldUntil: Int64 = 0
  var lostBeforeCut = 0
  /// The names of the errors that the gateway has sent, by number.
  var errorNames: [Int: String] = [:]
  private var events: UInt64 = 0
  private var nextLook: Int64 = 0
  private let report: (Progress) -> Bool

  /// The interval in nanoseconds between checks for the end.
  private static let pause: Int64 = 250_000_000

  /// Creates a world of one fleet.
  ///
  /// - Parameters:
  ///   - settings: The settings of the simulation.
  ///   - report: Called with the progress once a second of virtual time; returns whether the world continues.
  package init(_ settings: WorldSettings, report: @escaping (Progress) -> Bool = { _ in true }) throws {
    try self.init(fleets: [settings], report: report)
  }

  /// Creates a world of several fleets, which share providers and gateways as their places say. The link, the scenario,
  /// the planner's push and its cut are those of the first.
  package init(fleets all: [WorldSettings], report: @escaping (Progress) -> Bool = { _ in true }) throws {
    precondition(!all.isEmpty, "a world has a fleet")
    let policies = try all.map { try $0.sessionPolicy() }
    self.init(all, policies, phases: try all[0].worldPhases(), report)
  }

  private init(
    _ all: [WorldSettings], _ policies: [SessionPolicy], phases: [WorldPhase], _ report: @escaping (Progress) -> Bool
  ) {
    self.report = report
    self.phases = phases
    let world = all[0]
    let numbers = all.map(\.place.provider)
    users = (0...(numbers.max() ?? 0)).map { numbers.firstIndex(of: $0) ?? 0 }
    gatewayTurns = Array(repeating: 0, count: 1 + (all.map(\.place.gateway).max() ?? 0))
    providers = .allocate(capacity: users.count)
    for (number, user) in users.enumerated() {
      (providers + number).initialize(
        to: ProviderState(
          all[user].provider, push: all[user].disturbance, seed: all[user].plan.seed ^ 0x7072_6F76_6964_6572))
    }
    count = all.count
    fleets = .allocate(capacity: count)
    fleet = fleets
    let length = all.map { $0.end(timeout: nil) }.max() ?? .zero
    var base = 0
    for (index, settings) in all.enumerated() {
      (fleets + index).initialize(
        to: FleetState(
          settings, policies[index], base: base, provider: providers + settings.place.provider, length: length))
      base += settings.plan.clients
    }
    for (number, phase) in phases.enumerated() {
      wheel.add(.phase, at: phase.start.nanoseconds, subject: UInt32(number))
    }
    if let push = world.disturbance, push.length == .zero {
      wheel.add(.pushed, at: push.at.nanoseconds, subject: 0)
    }
    if let cut = world.cut { wheel.add(.cut, at: cut.at.nanoseconds, subject: 0) }
    for user in users {
      for pause in all[user].provider.pauses {
        let index = UInt16(truncatingIfNeeded: user)
        wheel.add(.paused, at: pause.at.nanoseconds, subject: pause.refuses ? 1 : 0, connection: index)
        wheel.add(.resumed, at: (pause.at + pause.length).nanoseconds, subject: 0, connection: index)
      }
    }
  }

  deinit {
    for index in 0..<count { fleets[index].free() }
    fleets.deinitialize(count: count)
    fleets.deallocate()
    providers.deinitialize(count: users.count)
    providers.deallocate()
  }

  /// Runs the world to its end, once.
  package mutating func run() -> Outcome {
    let isInterrupted = !runToTheEnd()
    var results: [FleetResult] = []
    for index in 0..<count {
      enter(index)
      let result = finish(isInterrupted: isInterrupted)
      results.append(FleetResult(settings.plan.fleet ?? FleetPlace(name: "\(index)"), result))
    }
    guard count > 1 || settings.plan.fleet != nil else {
      return Outcome(result: results[0].result, events: events, lostBeforeCut: lostBeforeCut)
    }
    var whole = StormResult.whole(results)
    if users.count == 1 {
      whole.queue = provider.figures
      if refresh != nil { whole.rotation = provider.rotation }
    }
    return Outcome(result: whole, events: events)
  }

  /// Ends the fleet at hand. Returns its outcome.
  private mutating func finish(isInterrupted: Bool) -> StormResult {
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
    // The figures of a provider that several fleets share are no fleet's.
    if (0..<count).allSatisfy({ fleets + $0 == fleet || fleets[$0].provider != fleet.pointee.provider }) {
      result.queue = provider.figures
      if refresh != nil { result.rotation = provider.rotation }
    }
    result.triggerEnd = settings.triggerEnd.inSeconds
    result.horizon = horizon
    if plan.expiry == .common { result.askOrderedAt = asksAt?.inSeconds }
    result.phases = phaseResults(until: result.seconds)
    return result
  }

  /// Returns whether the world need not wait for any client of the fleet at hand.
  private mutating func isEverybodyThrough() -> Bool {
    guard places == nil, !settings.runsToItsEnd else { return false }
    if count > 1, fleet.pointee.isThrough { return true }
    guard started == settings.plan.clients, ledger.settled + ledger.refreshingAgain == started else { return false }
    let machines = machines
    let isThrough = fleet.pointee.stragglers.areGone(
      of: started, waves: settings.plan.waves, awaitsAll: asksAt != nil
    ) { machines[$0].client }
    fleet.pointee.isThrough = isThrough
    return isThrough
  }

  /// Runs all events; returns false if the observer ended it early.
  private mutating func runToTheEnd() -> Bool {
    while true {
      var arrival = Int64.max
      var timeOut = Int64.max
      var (arriving, timingOut) = (0, 0)
      for index in 0..<count {
        if fleets[index].nextArrival < arrival { (arrival, arriving) = (fleets[index].nextArrival, index) }
        if let next = fleets[index].timeOuts.next, next < timeOut { (timeOut, timingOut) = (next, index) }
      }
      let event = wheel.nextTime() ?? .max
      let next = min(arrival, timeOut, event)
      guard next < nextLook else {
        now = nextLook
        nextLook += Self.pause
        guard look() else { return false }
        let hasTimeOuts = (0..<count).contains { fleets[$0].timeOuts.last >= now }
        if isEnded(hasEvents: next != .max || hasTimeOuts) { return true }
        continue
      }
      now = next
      events &+= 1
      if timeOut == next {
        enter(timingOut)
        timeOutRequest()
      } else if arrival == next {
        enter(arriving)
        begin()
      } else {
        handle(wheel.next())
      }
    }
  }

  private mutating func isEnded(hasEvents: Bool) -> Bool {
    for index in 0..<count {
      enter(index)
      guard isFleetEnded(hasEvents: hasEvents) else { return false }
    }
    return true
  }

  private mutating func isFleetEnded(hasEvents: Bool) -> Bool {
    let isThrough = now >= settings.phasesEnd.nanoseconds
    // A world ends like a storm: the provider's remaining work serves no client.
    if isThrough && isEverybodyThrough() { return true }
    // There will be no further events.
    let isWatched = places != nil || settings.runsToItsEnd
    if !hasEvents && !isWatched && started == fleet.pointee.pacer.count && isThrough { return true }
    return now >= settings.end(timeout: ledger.result.seen.longestTimeout.map { .seconds($0) }).nanoseconds
  }

  private mutating func look() -> Bool {
    for number in users.indices { providers[number].sample(at: now) }
    guard now % 1_000_000_000 == 0 else { return true }
    var progress = Progress()
    var pacers = Duration.zero
    var onset = Duration.nanoseconds(Int64.max)
    for index in 0..<count {
      enter(index)
      progress.storm.add(StormProgress(ledger, started: fleet.pointee.arrived))
      pacers = max(pacers, fleet.pointee.pacer.duration)
      onset = min(onset, settings.plan.onset)
    }
    let elapsed = Duration.nanoseconds(now)
    progress.storm.seconds = elapsed.inSeconds
    progress.storm.stage = elapsed < pacers ? .connecting : elapsed < onset ? .holding : .refreshing
    progress.queued = users.indices.reduce(0) { $0 + providers[$1].queued }
    progress.events = events
    return report(progress)
  }

  /// Starts the next client of the fleet at hand.
  private mutating func begin() {
    let number = fleet.pointee.arrived
    let pacer = fleet.pointee.pacer
    fleet.pointee.arrived += 1
    fleet.pointee.nextArrival = number + 1 < pacer.count ? pacer.arrival(of: number + 1).nanoseconds : .max
    let behaviour = fleet.pointee.behaviours.isEmpty ? Behaviour.wellBehaved : fleet.pointee.behaviours[number]
    guard places != nil else {
      fleet.pointee.started += 1
      (machines + number).initialize(to: machine(number, at: number, behaviour))
      ledger.began(behaviour)
      return tell(number, .start)
    }
    guard let index = places?.take(for: number) else { return ledger.notStarted() }
    ledger.arrived(present: places?.taken ?? 0)
    if index == started {
      fleet.pointee.started += 1
      (machines + index).initialize(to: machine(number, at: index, behaviour))
    } else {
      follow(machine(number, at: index, behaviour), at: index)
    }
    ledger.began(behaviour)
    tell(index, .start)
  }

  private func machine(_ number: Int, at place: Int, _ behaviour: Behaviour) -> Machine {
    Machine(
      client: ClientSession(behaviour, policy: fleet.pointee.clientPolicy),
      session: Session(id: ConnectionID(loop: 0, serial: UInt64(place)), policy: sessionPolicy, now: .zero),
      chance: settings.plan.chance(of: number))
  }

  /// Counts the outcome of a client.
  mutating func close(_ index: Int) {
    let outcome = machines[index].client.outcome(waves: settings.plan.wavesWanted)
    ledger.close(machines[index].client.behaviour, outcome, isSignedOut: refresh?.isSignedOut(index) ?? false)
  }

  private mutating func handle(_ event: WorldEvent) {
    switch event.kind {
    case .asked, .made, .answered, .paused, .resumed:
      if count > 1 { enter(Int(event.connection)) }
      handleAtProvider(event)
    case .phase: begin(phase: phases[Int(event.subject)])
    case .pushed: push()
    case .cut: cutLoop()
    default:
      if count > 1 { enter(index(ofFleetWith: event.subject)) }
      handle(event, index(event.subject))
    }
  }

  /// Handles an event of the provider that the fleet at hand uses.
  private mutating func handleAtProvider(_ event: WorldEvent) {
    switch event.kind {
    case .asked: providerAsked(event.subject)
    case .made: providerMade(event.subject)
    case .answered: requestAnswered(event.subject)
    case .paused: provider.pause(refuses: event.subject == 1)
    default:
      provider.resume(at: now)
      serveWaiting()
    }
  }

  /// Handles an event of a client of the fleet at hand.
  private mutating func handle(_ event: WorldEvent, _ subject: Int) {
    switch event.kind {
    case .clientDue: clientIsDue(subject, event.time)
    case .sessionDue: sessionIsDue(subject, event.time)
    case .released: release(event, subject)
    case .redialled: redial(event, subject)
    case .departs: depart(subject, client: Int(event.value))
    case .keyAsked: keyAsked(event, subject)
    case .keyAnswered: keyAnswered(event, subject)
    case .upgrade, .presented, .nonsense, .pinged, .clientClosed:
      if event.connection == machines[subject].connection { arriveAtGateway(event, subject) }
    default:
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
