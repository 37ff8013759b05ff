internal import GatewayCore
package import GatewayFleet

/// A fleet, a gateway and a token provider in virtual time, made of the very machines that run in the storm and in the
/// gateway, without wires, sockets or actors: ten million clients in one process, for instance.
///
/// One thread, and no clock but its own: the same settings come to the same result, byte for byte.
package struct MachineWorld: ~Copyable {
  /// The progress of a world, for whoever looks on: 5,000 requests wait for the provider, for instance.
  package struct Progress: Sendable {
    package var storm = StormProgress()
    /// Requests that wait for the provider.
    package var queued = 0
    package var events: UInt64 = 0
  }

  /// The outcome of a world: the storm's result, for instance, after 120 million events.
  package struct Outcome: Sendable {
    package var result: StormResult
    /// How many events there were.
    package var events: UInt64
  }

  let settings: WorldSettings
  let machines: UnsafeMutablePointer<Machine>
  var ledger: Ledger
  var wheel = EventWheel()
  var now: Int64 = 0
  var linkChance: SeededGenerator
  var provider: ProviderState
  /// The gateway's chance, of which the spread is drawn.
  var gatewayChance: SeededGenerator
  var clientEffects: [ClientEffect] = []
  var sessionEffects: [SessionEffect] = []
  let sessionPolicy: SharedSessionPolicy
  let wire: WireModel?
  /// What the gateway keeps of sessions beyond their connections, by the client's number; empty where it keeps nothing.
  var kept: [KeptSession]
  let phases: [WorldPhase]
  /// What had been counted when each phase began.
  var marks: [StormResult] = []
  /// How often all tokens were revoked.
  var revocations: Int64 = 0
  /// When the gateway takes the next connection.
  var acceptsAt: Int64 = 0
  /// When the first tokens expire together; nil where each does by itself.
  let commonExpiry: Int64?
  /// When the scenario first has the gateway ask everybody; nil for never.
  let asksAt: Duration?
  /// The names of the errors that the gateway has sent, by their numbers.
  var errorNames: [Int: String] = [:]
  private let clientPolicy: SharedClientPolicy
  private let behaviours: [Behaviour]
  private let pacer: ArrivalPacer
  private(set) var started = 0
  private var events: UInt64 = 0
  private var stragglers = Stragglers()
  private var nextLook: Int64 = 0
  private let report: (Progress) -> Bool

  /// Between two looks at whether it is over.
  private static let pause: Int64 = 250_000_000

  /// - Parameters:
  ///   - settings: What is simulated.
  ///   - report: Told how far it is, four times a second of its own time; it goes on while that says so.
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
    sessionPolicy = SharedSessionPolicy(policy)
    clientPolicy = SharedClientPolicy(
      ClientPolicy(plan, habits: settings.wire?.habits ?? ClientHabits(), closeNames: settings.closeNames))
    behaviours = plan.behaviours == .allWell ? [] : plan.behaviours.assignment(clients: plan.clients, seed: plan.seed)
    pacer = plan.pacer
    asksAt = settings.times?.asksAt
    commonExpiry = plan.expiry == .common ? plan.expiresAfter.nanoseconds : nil
    ledger = Ledger(
      start: .zero, onset: settings.onset.map { .zero + $0 }, lead: plan.gateway.lead,
      length: settings.end(timeout: nil))
    linkChance = SeededGenerator(seed: plan.seed ^ 0x6C69_6E6B_2121_2121)
    gatewayChance = SeededGenerator(seed: plan.seed ^ 0x6761_7465_7761_7921)
    provider = ProviderState(
      settings.provider, clients: plan.clients, seed: plan.seed ^ 0x7072_6F76_6964_6572)
    machines = .allocate(capacity: plan.clients)
    for (number, phase) in phases.enumerated() {
      wheel.add(.phase, at: phase.start.nanoseconds, subject: UInt32(number))
    }
    for pause in settings.provider.pauses {
      wheel.add(.paused, at: pause.at.nanoseconds, subject: pause.refuses ? 1 : 0)
      wheel.add(.resumed, at: (pause.at + pause.length).nanoseconds, subject: 0)
    }
  }

  deinit {
    machines.deinitialize(count: started)
    machines.deallocate()
  }

  /// How many bytes a world of so many clients takes at the most.
  package static func bytes(clients: Int) -> UInt64 {
    // A grant on the heap for each, what is kept of its session, an event or two that wait, and in a herd a request with its
    // time-out and its place in the queue, and the events of one millisecond in order.
    let perClient =
      MemoryLayout<Machine>.stride + MemoryLayout<KeptSession>.stride + 160
      + 3 * EventWheel.bytesPerEvent + MemoryLayout<TokenRequest>.stride + 16
    return UInt64(clients) * UInt64(perClient) + 64 << 20
  }

  /// The same with what its provider's queue takes at the most: requests whose callers have gone wait in it too, a few of each
  /// client.
  package static func bytes(_ settings: WorldSettings) -> UInt64 {
    let plan = settings.plan
    let tries = 1 + settings.end(timeout: nil).inSeconds / max(0.001, plan.fetchTimeout.inSeconds)
    let waiting = min(Double(settings.provider.queue), Double(plan.clients) * tries)
    return bytes(clients: plan.clients)
      + UInt64(waiting) * UInt64(MemoryLayout<TokenRequest>.stride + MemoryLayout<UInt32>.stride)
  }

  /// Runs it to its end. Once.
  package mutating func run() -> Outcome {
    let isInterrupted = !runToTheEnd()
    let plan = settings.plan
    let end = now
    let isOver = isEverybodyThrough()
    for index in 0..<started {
      ledger.close(machines[index].client.behaviour, machines[index].client.outcome(waves: settings.plan.waves))
    }
    marks.append(ledger.result)
    let horizon = horizon(at: end)
    for index in 0..<started { stop(index) }
    var result = ledger.result
    result.source = "machines"
    result.wasInterrupted = isInterrupted
    result.ranOutOfTime = !isOver && !isInterrupted
    result.seconds = Duration.nanoseconds(end).inSeconds
    result.given = settings.plan.given(timeout: result.seen.longestTimeout.map { .seconds($0) }).inSeconds
    result.queue = provider.figures
    result.triggerEnd = settings.triggerEnd.inSeconds
    result.horizon = horizon
    if plan.expiry == .common { result.askOrderedAt = asksAt?.inSeconds }
    result.phases = phaseResults(until: result.seconds)
    return Outcome(result: result, events: events)
  }

  /// Whether nobody is waited for any more.
  private mutating func isEverybodyThrough() -> Bool {
    guard started == settings.plan.clients, ledger.settled + ledger.refreshingAgain == started else { return false }
    let machines = machines
    return stragglers.areGone(of: started, waves: settings.plan.waves, awaitsAll: asksAt != nil) { machines[$0].client }
  }

  /// False if it was told to end early.
  private mutating func runToTheEnd() -> Bool {
    while true {
      let arrival = started < pacer.count ? pacer.arrival(of: started).nanoseconds : .max
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
    // As a storm ends: what the provider still has to do is for nobody.
    if isThrough && isEverybodyThrough() { return true }
    // Nothing will ever happen again.
    if !hasEvents && started == pacer.count && isThrough { return true }
    return now >= settings.end(timeout: ledger.result.seen.longestTimeout.map { .seconds($0) }).nanoseconds
  }

  private mutating func look() -> Bool {
    provider.sample(at: now)
    guard now % 1_000_000_000 == 0 else { return true }
    var progress = Progress()
    progress.storm = StormProgress(ledger, started: started)
    progress.storm.seconds = Duration.nanoseconds(now).inSeconds
    let elapsed = Duration.nanoseconds(now)
    progress.storm.stage =
      elapsed < pacer.duration ? .connecting : elapsed < settings.plan.onset ? .holding : .refreshing
    progress.queued = provider.queued
    progress.events = events
    return report(progress)
  }

  /// The next client's turn has come.
  private mutating func begin() {
    let index = started
    started += 1
    let behaviour = behaviours.isEmpty ? Behaviour.wellBehaved : behaviours[index]
    (machines + index).initialize(
      to: Machine(
        client: ClientSession(behaviour, policy: clientPolicy),
        session: Session(id: ConnectionID(loop: 0, serial: UInt64(index)), policy: sessionPolicy, now: .zero),
        chance: settings.plan.chance(of: index)))
    ledger.began(behaviour)
    tell(index, .start)
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
    case .keyAsked: keyAsked(event, subject)
    case .keyAnswered: keyAnswered(event, subject)
    case .upgrade, .presented, .nonsense, .pinged, .clientClosed:
      if event.connection == machines[subject].connection { arriveAtGateway(event, subject) }
    case .opened, .connected, .refreshRequired, .refreshed, .error, .refusal, .ponged, .gatewayClosed:
      if event.connection == machines[subject].connection { arriveAtClient(event, subject) }
    }
  }

  /// The expiries that are ahead of the connected, in steps of ten seconds.
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
