internal import CLibEV
internal import CLibWebSockets
internal import GatewayCore
package import GatewayRuntime
internal import Glibc
internal import Synchronization

/// The event loop of the real gateway: one thread, one libev loop (epoll) and its libwebsockets contexts.
///
/// The library's default loop is poll(), linear in open sockets at every wake-up, and its timers are one sorted list,
/// linear to insert. So it runs on libev, and everything that waits for a time waits in `EventLoop.deadlines`.
///
/// `@unchecked Sendable`: what start() and stop() share with the thread is ordered by its creation and its end;
/// everything else is touched only on the loop.
package final class SocketLoop: @unchecked Sendable {
  /// How much of one message the library holds for a connection: memory of each against callbacks for long messages.
  /// Nearly every token fits.
  static let receiveBufferBytes = 512
  /// How many pieces of queued work run before sockets have their turn.
  private static let workSlice = 1024
  /// After how many ends freed memory is given back, once no more follow.
  private static let massDeparture = 1000

  /// The queue and the deadlines.
  package let events: EventLoop
  let limits: ServerLimits
  /// Where messages are laid out for the library, which writes its header in front of them.
  let scratch = ScratchBuffer()
  /// The actor that HTTP handlers run on.
  let serving: ServingActor
  private let driver: SocketLoopDriver

  private var ev: OpaquePointer?
  /// The library's contexts; nil before the start and after the end.
  private(set) var contexts: LibraryContexts?
  /// How many descriptors the library's tables have a place for, the first of which is number 0. Set before the thread
  /// starts.
  package private(set) var descriptorsMax = 0
  private var vhosts: [VirtualHost] = []
  /// How many there have been: the library wants a name for each that no other has had, nor begins with.
  private var vhostsMade = 0
  /// The connections that have something under way, and those that wait for another request.
  let connections = ConnectionList()
  let idleConnections = ConnectionList()
  /// Where one connection at a time is read to. As much as a record of TLS holds, so that nothing stays decrypted.
  let inbound = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)
  private let check = UnsafeMutablePointer<ev_check>.allocate(capacity: 1)
  private let timer = UnsafeMutablePointer<ev_timer>.allocate(capacity: 1)
  private let tick = UnsafeMutablePointer<ev_timer>.allocate(capacity: 1)
  private var armedFor = Instant.distantFuture
  private let batch = WriteBatch()
  let stopped = StoppedSockets()
  /// WebSockets that have ended since freed memory was last given back to the system, and how many of them had before
  /// the last tick.
  private var departures = 0
  private var departuresBefore = 0
  private(set) var isStopping = false
  private var thread = pthread_t()
  private let state = Mutex(State.new)

  private enum State { case new, running, stopped }

  /// Loop number `index`. Without a `seed` the system seeds the generator.
  package init(index: Int, limits: ServerLimits = ServerLimits(), seed: UInt64? = nil) {
    self.limits = limits
    var system = SystemRandomNumberGenerator()
    driver = SocketLoopDriver(seed: seed ?? system.next())
    events = EventLoop(index: index, driver: driver)
    serving = ServingActor(loop: events)
    driver.loop = events
  }

  deinit {
    check.deallocate()
    timer.deallocate()
    tick.deallocate()
    inbound.deallocate()
  }

  /// The time on the monotonic line. Only on the loop.
  var now: Instant { driver.now }

  /// What waits for a time. Only on the loop.
  var deadlines: DeadlineHeap { events.deadlines }

  // MARK: Life

  /// Starts the thread.
  package func start() throws(ServerError) {
    let isNew = state.withLock { state in
      defer { if state == .new { state = .running } }
      return state == .new
    }
    precondition(isNew, "a loop starts once")
    guard postern_interposition_works() != 0 else {
      throw .cannotStartLoop("libwebsockets does not find recv, lws_write and OpenSSL's functions in this executable")
    }
    _ = Endpoint.receiveCallbacks
    guard let ev = postern_ev_loop_new() else { throw .cannotStartLoop("no epoll loop: \(ServerError.systemError)") }
    self.ev = ev
    guard let contexts = LibraryContexts(on: ev, limits: limits) else {
      ev_loop_destroy(ev)
      throw .cannotStartLoop("libwebsockets gave no context: is libwebsockets-evlib-ev installed?")
    }
    self.contexts = contexts
    descriptorsMax = contexts.descriptorsMax
    DescriptorTable.makeRoom(for: descriptorsMax)
    driver.start(on: ev)
    initWatchers(on: ev)
    try startThread()
  }

  private func initWatchers(on ev: OpaquePointer) {
    let me = Unmanaged.passUnretained(self).toOpaque()
    postern_ev_check_init(check) { _, watcher, _ in
      Unmanaged<SocketLoop>.fromOpaque(watcher!.pointee.data)._withUnsafeGuaranteedRef { $0.driver.readClocks() }
    }
    check.pointee.data = me
    ev_check_start(ev, check)
    postern_ev_timer_init(
      timer,
      { _, watcher, _ in
        Unmanaged<SocketLoop>.fromOpaque(watcher!.pointee.data)._withUnsafeGuaranteedRef {
          $0.timerFired()
        }
      }, 0, 0)
    timer.pointee.data = me
    // On an idle libev loop the library's own time-outs do not fire unless something wakes it.
    postern_ev_timer_init(
      tick,
      { _, watcher, _ in
        Unmanaged<SocketLoop>.fromOpaque(watcher!.pointee.data)._withUnsafeGuaranteedRef { $0.ticked() }
      }, 0.5, 0.5)
    tick.pointee.data = me
    ev_timer_start(ev, tick)
  }

  private func startThread() throws(ServerError) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, 8 << 20)
    let failure = pthread_create(
      &thread, &attributes,
      { pointer in
        let loop = Unmanaged<SocketLoop>.fromOpaque(pointer!).takeRetainedValue()
        loop.events.asCurrent { loop.run() }
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    guard failure == 0 else { throw .cannotStartLoop("no thread: \(String(cString: strerror(failure)))") }
  }

  /// Closes everything and ends the thread. Never from the loop itself. Again: does nothing.
  package func stop() {
    precondition(!events.isCurrent, "a loop cannot wait for its own end")
    let wasRunning = state.withLock { state in
      defer { state = .stopped }
      return state == .running
    }
    guard wasRunning else { return }
    events.execute { self.isStopping = true }
    pthread_join(thread, nil)
  }

  // MARK: The thread

  private func run() {
    postern_begin_reading()
    while !isStopping {
      let hasWork = events.runQueued(limit: Self.workSlice)
      let hasDue = events.fireDeadlines()
      let hasMore = hasWork || hasDue || events.runQueued(limit: Self.workSlice)
      if isStopping { break }
      armTimer()
      writeBatch()
      ev_run(ev, hasMore ? CInt(EVRUN_NOWAIT) : CInt(EVRUN_ONCE))
      writeBatch()
    }
    tearDown()
  }

  /// Writes the message at the end of the turn, behind all that wait already. Only on the loop.
  func write(_ frame: Frame, to writer: any WaitingWriter) {
    batch.add(frame, to: writer)
    if batch.isFull { batch.write() }
  }

  /// Writes all that waits for the end of the turn. Only on the loop.
  func writeBatch() {
    batch.write()
  }

  private func armTimer() {
    guard let earliest = deadlines.earliest, earliest < armedFor else { return }
    armedFor = earliest
    timer.pointee.repeat = max(0.000_001, (earliest - now).inSeconds)
    ev_timer_again(ev, timer)
  }

  private func ticked() {
    contexts?.serviceTimeouts()
    stopped.tellThoseAlone()
    // The heap keeps what has been freed between what has not: after a mass departure most of what it has.
    if departures >= Self.massDeparture && departures == departuresBefore {
      malloc_trim(0)
      departures = 0
    }
    departuresBefore = departures
  }

  /// A WebSocket has ended. Only on the loop.
  func departed() { departures += 1 }

  private func timerFired() {
    // It would come again and again: ev_timer_again() is what moves a timer, and wants it repeating.
    ev_timer_stop(ev, timer)
    armedFor = .distantFuture
  }

  private func tearDown() {
    for list in [connections, idleConnections] {
      while let connection = list.first { connection.end() }
    }
    events.end()
    runQueued()
    writeBatch()
    contexts?.destroy()
    contexts = nil
    postern_end_reading()
    // What the ends of the connections set off.
    runQueued()
    vhosts.forEach { $0.free() }
    vhosts = []
    ev_timer_stop(ev, timer)
    ev_timer_stop(ev, tick)
    ev_check_stop(ev, check)
    driver.stop()
    ev_loop_destroy(ev)
    ev = nil
  }

  /// Runs what is queued, but not for ever: a task that sleeps and sleeps again finds no rest on a loop that ends.
  private func runQueued() {
    for _ in 0..<1000 where !events.runQueued() { return }
  }
}

extension SocketLoop {
  /// Runs `body` on the loop and returns what it returns.
  package func perform<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      events.execute { continuation.resume(returning: body()) }
    }
  }

  /// Adds a vhost; nil if the library refuses, or the loop has ended. Only on the loop.
  func addHost(limits: ServerLimits, tally: LoopTally, tls: TLSFiles?) -> VirtualHost? {
    events.preconditionOnLoop()
    guard let contexts,
      let host = VirtualHost(
        named: "\(vhostsMade).postern", on: self, contexts: contexts, limits: limits, tally: tally, tls: tls)
    else { return nil }
    vhosts.append(host)
    vhostsMade += 1
    return host
  }

  /// Forgets a vhost that has ended. Only on the loop.
  func remove(_ host: VirtualHost) {
    vhosts.removeAll { $0 === host }
  }

  /// What a vhost has of connections that are not the library's, as they are now. Only on the loop.
  func connections(of host: VirtualHost) -> [LoopConnection] {
    [connections, idleConnections].flatMap { $0.all { (connection: LoopConnection) in connection.server === host } }
  }

  /// The libev loop, for watchers of our own. Only on the loop.
  var watchers: OpaquePointer? { ev }
}

/// The actor that a loop's HTTP handlers run on, the one that makes ann's token for instance: gives their tasks the
/// loop as their executor.
actor ServingActor {
  nonisolated let loop: EventLoop

  init(loop: EventLoop) {
    self.loop = loop
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Waits; others are served meanwhile.
  func sleep(until deadline: Instant) async { await loop.sleep(until: deadline) }
}
