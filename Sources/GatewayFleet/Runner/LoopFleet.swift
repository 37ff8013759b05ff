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
  private var wakeup: Wakeup!
  private var heartbeat: Heartbeat?
  private var isStopped = false
  private var stragglers = Stragglers()

  /// The clients' queue for the provider.
  let queue: FetchQueue

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
    var policy = ClientPolicy(setup.plan, habits: setup.dialect.habits, closeNames: setup.dialect.closeNames)
    if setup.dialect is AloneClientDialect, setup.phases.phases.isEmpty { policy.renewalsWanted = setup.plan.waves }
    sharedPolicy = SharedClientPolicy(policy)
    pacer = setup.plan.pacer
    start = loop.now + (setup.startsAt - loop.wallTime)
    let start = start
    ledger = Ledger(
      start: start, onset: setup.onset.map { start + $0 }, lead: setup.plan.gateway.lead,
      boundaries: setup.phases.phases.map { start + $0.start }, length: setup.end(timeout: nil))
    queue = FetchQueue(setup.plan, on: loop)
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
  private func index(ofLocal local: Int) -> Int {
    setup.process + setup.plan.processes * (loopNumber + setup.plan.loops * local)
  }

  func wakeUp() {
    for _ in 0..<Self.slice {
      let index = index(ofLocal: clients.count)
      let due = start + pacer.arrival(of: index)
      guard !isStopped, index < pacer.count, due <= loop.now else { break }
      ledger.begins(due: due, at: loop.now)
      let client = StormClient(index: index, behaviour: behaviours[index], fleet: self)
      clients.append(client)
      ledger.began(behaviours[index])
      client.begin(due: due)
    }
    setWakeup()
  }

  private func setWakeup() {
    let next = index(ofLocal: clients.count)
    let isOver = isStopped || next >= pacer.count
    loop.deadlines.set(wakeup, at: isOver ? nil : start + pacer.arrival(of: next))
  }

  /// The number of clients of this fleet when all have begun.
  var size: Int {
    let stride = setup.plan.processes * setup.plan.loops
    return max(0, (pacer.count - index(ofLocal: 0) + stride - 1) / stride)
  }

  var progress: StormProgress { StormProgress(ledger, started: clients.count) }

  // MARK: The end

  /// Returns whether the storm need not wait for any client, once all are settled or at a further refresh.
  func isThrough() -> Bool {
    stragglers.areGone(of: clients.count, waves: setup.plan.waves, awaitsAll: setup.awaitsAll) { clients[$0].current }
  }

  /// Notes the outcome of every client and closes every socket.
  func stop() {
    guard !isStopped else { return }
    isStopped = true
    loop.deadlines.remove(wakeup)
    heartbeat?.stop()
    for client in clients {
      ledger.close(client.behaviour, client.outcome(waves: setup.plan.waves))
      if let source = client.endToldBy { ledger.close(endToldBy: source) }
    }
    for client in clients { client.stop() }
  }

  /// Whether every client has ended.
  var isOver: Bool { clients.allSatisfy(\.isOver) }

  /// Releases the clients, which have references to the fleet.
  func dismiss() {
    clients = []
    queue.dismiss()
  }
}
