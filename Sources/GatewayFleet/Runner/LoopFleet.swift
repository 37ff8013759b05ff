internal import GatewayCore
internal import GatewayRuntime

/// The clients of one loop, which it starts at their times.
///
/// `@unchecked Sendable`: touched only on its loop. Other threads use ``perform(_:)``.
final class LoopFleet: WakeupTarget, @unchecked Sendable {
  let loop: EventLoop
  let dialer: any Dialer
  let setup: StormSetup
  let sharedPolicy: SharedClientPolicy
  var ledger: Ledger
  /// The array that collects effects. It is lent to one client at a time, so that an event allocates none.
  var scratch: [ClientEffect] = []
  /// The latest `Date` header of a token provider that was checked.
  var lastDate = ""
  private let loopNumber: Int
  private let pacer: ArrivalPacer
  private let behaviours: [Behaviour]
  private let start: Instant
  private var clients: [StormClient] = []
  /// The number of arrivals so far, whether they found a place or not.
  private var arrived = 0
  /// The places of clients that come and go, and the clients at them; nil for a fleet that stays.
  private var places: ArrivalPlaces?
  private var present: [Int: StormClient] = [:]
  /// The devices whose refresh tokens clients share, and their requests in flight, by number.
  private var devices: [Int: DeviceGrant] = [:]
  private var flights: [Int: TokenFlight] = [:]
  private var wakeup: Wakeup!
  private var heartbeat: Heartbeat?
  private var isStopped = false
  private var stragglers = Stragglers()

  /// The clients' queue for the provider.
  let queue: FetchQueue
  /// The traced operations of its clients; nil without traces.
  let traces: FleetTraces?
  /// The limit on their calls after failures; nil for none.
  var retries: RetryGates?

  /// The maximum number of clients that begin at one wake-up, before the loop does other work.
  private static let slice = 64

  /// Creates the fleet of the `loopNumber`-th loop of its process. Only on the loop.
  init(
    _ setup: StormSetup, loop: EventLoop, dialer: any Dialer, loopNumber: Int, behaviours: [Behaviour]
  ) {
    self.loop = loop
    self.dialer = dialer
    self.setup = setup
    self.loopNumber = loopNumber
    self.behaviours = behaviours
    let policy =
      setup.dialect is AloneClientDialect && setup.phases.phases.isEmpty
      ? ClientPolicy.alone(setup.plan)
      : ClientPolicy(setup.plan, habits: setup.dialect.habits, closeNames: setup.dialect.closeNames)
    traces =
      setup.traces.indices.contains(loopNumber)
      ? FleetTraces(setup.traces[loopNumber], dialect: setup.plan.dialect) : nil
    sharedPolicy = SharedClientPolicy(policy)
    pacer = setup.plan.pacer
    let others = setup.process + setup.plan.processes * loopNumber
    let loops = setup.plan.processes * setup.plan.loops
    places =
      setup.plan.arrivals == nil ? nil : ArrivalPlaces(most: max(0, (setup.plan.clients - others + loops - 1) / loops))
    retries = setup.plan.retry.map { RetryGates($0, parts: loops) }
    start = loop.now + (setup.startsAt - loop.wallTime)
    let start = start
    ledger = Ledger(
      start: start, onset: setup.onset.map { start + $0 }, lead: setup.plan.gateway.lead,
      boundaries: setup.phases.phases.map { start + $0.start },
      length: max(setup.end(timeout: nil), setup.longest ?? .zero))
    let makeQueue = { FetchQueue(setup.plan, on: loop) }
    queue = setup.queues?.queue(for: setup.provider, onLoop: loopNumber, makeQueue) ?? makeQueue()
    wakeup = Wakeup(target: self)
  }

  var policy: ClientPolicy { sharedPolicy.policy }

  /// Runs `body` on the fleet's loop, at once if that is the caller's.
  nonisolated(nonsending) func perform<Answer: Sendable>(
    _ body: @escaping @Sendable (LoopFleet) -> Answer
  ) async -> Answer {
    if loop.isCurrent { return body(self) }
    return await withCheckedContinuation { continuation in
      loop.execute { continuation.resume(returning: body(self)) }
    }
  }

  // MARK: Arrivals

  /// Schedules the first client, and watches the loop's lateness if the setup requires it.
  func begin() {
    setWakeup()
    guard setup.processors != nil else { return }
    let startsByPlan = if case .minted = setup.tokens { true } else { false }
    ledger.watch(
      from: loop.now, startsByPlan: startsByPlan, process: setup.process, patience: policy.refreshTimeout)
    heartbeat = Heartbeat(on: loop) { [unowned self] in ledger.beat(at: loop.now) }
    heartbeat?.wakeUp()
  }

  /// Returns the number in the whole storm of this fleet's client number `local`.
  /// The clients of one user are on one loop.
  private func index(ofLocal local: Int) -> Int {
    let (user, client) = local.quotientAndRemainder(dividingBy: clientsPerUser)
    return (setup.process + setup.plan.processes * (loopNumber + setup.plan.loops * user)) * clientsPerUser + client
  }

  private var clientsPerUser: Int { setup.plan.grants?.clientsPerUser ?? 1 }

  /// Returns the device with that number, which `make` creates for its first client.
  func device(_ number: Int, _ make: () -> DeviceGrant) -> DeviceGrant {
    if let device = devices[number] { return device }
    let device = make()
    if clientsPerUser > 1 { devices[number] = device }
    return device
  }

  /// Returns the flight with that number.
  func flight(_ number: Int) -> TokenFlight {
    if let flight = flights[number] { return flight }
    let flight = TokenFlight()
    if clientsPerUser > 1 { flights[number] = flight }
    return flight
  }

  func wakeUp() {
    for _ in 0..<Self.slice {
      let index = index(ofLocal: arrived)
      let due = start + pacer.arrival(of: index)
      guard !isStopped, index < pacer.count, due <= loop.now else { break }
      ledger.begins(due: due, at: loop.now)
      arrived += 1
      guard let client = client(index) else { continue }
      if !client.isForger { ledger.began(behaviours[index]) }
      client.begin(due: due)
    }
    setWakeup()
  }

  /// Returns a new client; nil if it comes to a full house.
  private func client(_ index: Int) -> StormClient? {
    guard places != nil else {
      let client = StormClient(index: index, behaviour: behaviours[index], fleet: self)
      clients.append(client)
      return client
    }
    guard let place = places?.take(for: index) else {
      ledger.notStarted()
      return nil
    }
    let client = StormClient(index: index, behaviour: behaviours[index], fleet: self, place: place)
    present[place] = client
    ledger.arrived(present: places?.taken ?? 0)
    return client
  }

  /// Notes the outcome of a client whose stay is over, or that has ended, and frees its place.
  func gone(_ client: StormClient, from place: Int) {
    guard !isStopped, places?.leave(place, client.index) == true else { return }
    present[place] = nil
    retries?.forget(client.index)
    close(client)
  }

  private func close(_ client: StormClient) {
    guard !client.isForger else { return }
    ledger.close(
      client.behaviour, client.outcome(waves: setup.plan.wavesWanted), isSignedOut: client.isSignedOut)
    if let source = client.endToldBy { ledger.close(endToldBy: source) }
  }

  private func setWakeup() {
    let next = index(ofLocal: arrived)
    let isOver = isStopped || next >= pacer.count
    loop.deadlines.set(wakeup, at: isOver ? nil : start + pacer.arrival(of: next))
  }

  /// The number of clients of this fleet when all have begun.
  var size: Int {
    let users = (pacer.count + clientsPerUser - 1) / clientsPerUser
    let stride = setup.plan.processes * setup.plan.loops
    let own = max(0, (users - index(ofLocal: 0) / clientsPerUser + stride - 1) / stride)
    // The last user may have fewer clients than others.
    let hasLast = own > 0 && index(ofLocal: (own - 1) * clientsPerUser) / clientsPerUser == users - 1
    return own * clientsPerUser - (hasLast ? users * clientsPerUser - pacer.count : 0)
  }

  var progress: StormProgress { StormProgress(ledger, started: arrived) }

  // MARK: The end

  /// Returns whether the storm need not wait for any client, once all are settled or at a further refresh.
  func isThrough() -> Bool {
    stragglers.areGone(of: clients.count, waves: setup.plan.waves, awaitsAll: setup.awaitsAll) { index in
      clients[index].isForger ? nil : clients[index].current
    }
  }

  /// Notes the outcome of every client and closes every socket.
  func stop() {
    guard !isStopped else { return }
    isStopped = true
    loop.deadlines.remove(wakeup)
    heartbeat?.stop()
    if places != nil {
      // Arrivals that the storm itself was too late for.
      while index(ofLocal: arrived) < pacer.count, start + pacer.arrival(of: index(ofLocal: arrived)) <= loop.now {
        let index = index(ofLocal: arrived)
        arrived += 1
        guard places?.take(for: index) != nil else {
          ledger.notStarted()
          continue
        }
        ledger.arrived(present: places?.taken ?? 0)
        guard setup.trial?.isForger(index) != true else { continue }
        ledger.began(behaviours[index])
        ledger.unfinished(at: loop.now)
      }
      clients = present.sorted { $0.key < $1.key }.map(\.value)
      present = [:]
    }
    for client in clients { close(client) }
    for client in clients { client.stop() }
  }

  /// Whether every client has ended.
  var isOver: Bool { clients.allSatisfy(\.isOver) }

  /// Releases the clients, which have references to the fleet.
  func dismiss() {
    clients = []
    devices = [:]
    flights = [:]
    queue.dismiss(self)
  }
}
