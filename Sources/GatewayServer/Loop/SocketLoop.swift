internal import CLibEV
internal import CLibWebSockets
internal import GatewayCore
package import GatewayRuntime
internal import Glibc
internal import Synchronization

/// The event loop of the real gateway: one thread, one libev loop (epoll) and its libwebsockets contexts.
///
/// The library's default loop is poll(), which is linear in the open sockets at every wake-up, and its timers are one sorted
/// list, linear to insert. Therefore it runs on libev, and all deadlines are in `EventLoop.deadlines`.
///
/// `@unchecked Sendable`: the state that start() and stop() share with the thread is ordered by its creation and its end;
/// everything else is touched only on the loop.
package final class SocketLoop: @unchecked Sendable {
  /// The bytes of one message that the library holds for a connection. More costs memory for each connection; less costs
  /// callbacks for long messages. Nearly every token fits.
  static let receiveBufferBytes = 512
  /// The number of queued tasks that run before sockets have their turn.
  private static let workSlice = 1024
  /// The number of ended connections after which freed memory is returned, once no more follow.
  private static let massDeparture = 1000

  /// The queue and the deadlines.
  package let events: EventLoop
  let limits: ServerLimits
  /// The buffer in which messages are prepared for the library, which writes its header in front of them.
  let scratch = ScratchBuffer()
  /// The actor that HTTP handlers run on.
  let serving: ServingActor
  private let driver: SocketLoopDriver

  private var ev: OpaquePointer?
  /// The library's contexts; nil before the start and after the end.
  private(set) var contexts: LibraryContexts?
  /// The number of descriptors that the library's tables have an entry for, counted from number 0. Set before the thread
  /// starts.
  package private(set) var descriptorsMax = 0
  private var vhosts: [VirtualHost] = []
  /// The number of vhosts made so far. The library requires a unique name for each, which is no prefix of another.
  private var vhostsMade = 0
  /// The connections with work under way, and the ones that wait for another request.
  let connections = ConnectionList()
  let idleConnections = ConnectionList()
  /// The buffer into which one connection at a time is read. It has the size of a TLS record, so that no decrypted bytes
  /// remain.
  let inbound = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)
  private let check = UnsafeMutablePointer<ev_check>.allocate(capacity: 1)
  private let timer = UnsafeMutablePointer<ev_timer>.allocate(capacity: 1)
  private let tick = UnsafeMutablePointer<ev_timer>.allocate(capacity: 1)
  private var armedFor = Instant.distantFuture
  private let batch = WriteBatch()
  let stopped = StoppedSockets()
  /// The payloads of pings that are not answered or reported yet, by WebSocket.
  var pings: [ObjectIdentifier: [[UInt8]]] = [:]
  /// Whether the library is writing a ping or pong of ours.
  var isWritingControl = false
  /// The WebSockets that have ended since freed memory was last returned to the system, and their number before the last tick.
  private var departures = 0
  private var departuresBefore = 0
  private(set) var isStopping = false
  private var thread = pthread_t()
  private let state = Mutex(State.new)

  private enum State { case new, running, stopped }

  /// Creates loop number `index`. Without a `seed` the system seeds the generator.
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

  /// The time on the monotonic clock. Only on the loop.
  var now: Instant { driver.now }

  /// The deadlines of the loop. Only on the loop.
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
    // On an idle libev loop the library's own timeouts fire only if something wakes the loop.
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

  /// Closes everything and ends the thread. Must not be called from the loop itself. A second call does nothing.
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
      driver.endTurn()
      ev_run(ev, hasMore ? CInt(EVRUN_NOWAIT) : CInt(EVRUN_ONCE))
      writeBatch()
    }
    tearDown()
  }

  /// Queues the message for the end of the turn, after all waiting ones. Only on the loop.
  func write(_ frame: Frame, to writer: any WaitingWriter) {
    batch.add(frame, to: writer)
    if batch.isFull { batch.write() }
  }

  /// Writes all messages that wait for the end of the turn. Only on the loop.
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
    // The heap keeps freed memory between memory still in use: after a mass departure most of its total.
    if departures >= Self.massDeparture && departures == departuresBefore {
      malloc_trim(0)
      departures = 0
    }
    departuresBefore = departures
  }

  /// Counts a WebSocket that has ended. Only on the loop.
  func departed() { departures += 1 }

  private func timerFired() {
    // It would fire again and again: ev_timer_again() moves a timer, and requires a repeating one.
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
    // Runs the work that the ends of the connections have queued.
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

  /// Runs the queued work, at most 1,000 times: a task that sleeps in a loop never ends on a stopping loop.
  private func runQueued() {
    for _ in 0..<1000 where !events.runQueued() { return }
  }
}

extension SocketLoop {
  /// Runs `body` on the loop and returns its result.
  package func perform<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      events.execute { continuation.resume(returning: body()) }
    }
  }

  /// Adds a vhost; returns nil if the library refuses, or the loop has ended. Only on the loop.
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

  /// Removes a vhost that has ended. Only on the loop.
  func remove(_ host: VirtualHost) {
    vhosts.removeAll { $0 === host }
  }

  /// Returns a vhost's connections outside the library, as they are now. Only on the loop.
  func connections(of host: VirtualHost) -> [LoopConnection] {
    [connections, idleConnections].flatMap { $0.all { (connection: LoopConnection) in connection.server === host } }
  }

  /// The libev loop, for watchers of our own. Only on the loop.
  var watchers: OpaquePointer? { ev }
}

/// The actor that a loop's HTTP handlers run on; it makes the loop the executor of their tasks.
actor ServingActor {
  nonisolated let loop: EventLoop

  init(loop: EventLoop) {
    self.loop = loop
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Waits without blocking the loop.
  func sleep(until deadline: Instant) async { await loop.sleep(until: deadline) }
}
