internal import CRuntime
package import GatewayCore
internal import Synchronization

/// One thread of the gateway: it runs the jobs of the actors pinned to it, and wakes what waits for a deadline.
///
/// The real loop and the simulated one differ in their clock, their chance, and how a sleeping loop is woken: their
/// ``LoopDriver`` provides these. The queue and the heap are the same code in both; the owner of the loop decides when they
/// run. It is a task executor too, for the tasks that its actors start: a continuation is resumed on the executor that its
/// task prefers, and without a preference that is the shared pool, whatever actor waits. Start every task on a loop with
/// `Task.immediate(executorPreference: loop)`.
///
/// `@unchecked Sendable`: the queue is behind its own lock; everything else is touched only on the loop's own thread, which
/// ``preconditionOnLoop()`` asserts.
package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  /// The loop's number in its gateway; part of every `ConnectionID`.
  package let index: Int
  /// The deadlines of all waiters. Only on the loop.
  package let deadlines = DeadlineHeap()

  private enum Work: Sendable {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  private let inbox = Mutex<[Work]>([])
  /// The jobs that are being run, taken from the inbox in one swap.
  private var batch: [Work] = []
  private var batchIndex = 0

  private let driver: any LoopDriver
  /// The loop around this one; nil if it has its own thread.
  private let host: EventLoop?
  package private(set) var hasEnded = false
  /// The number of tasks' jobs that have run through its queue. Only on the loop.
  package private(set) var jobCount: UInt64 = 0

  /// Creates loop number `index`, with the time and randomness of the driver. It has its own thread, or runs on that of
  /// `host`, which is then around it.
  package init(index: Int, driver: any LoopDriver, inside host: EventLoop? = nil) {
    precondition(host?.host == nil, "a loop inside a loop inside a loop")
    self.index = index
    self.driver = driver
    self.host = host
  }

  /// The loop with the network's time, which no order moves: this one, or the loop around it.
  package var transport: EventLoop { host ?? self }

  /// The time on the monotonic line, read once for each wake-up. Only on the loop.
  package var now: Instant { driver.now }

  /// The time of day that belongs to ``now``, as far as the loop's clock is right. Only on the loop.
  package var wallTime: WallTime {
    guard let wallError else { return rightWallTime }
    return rightWallTime + wallError()
  }

  /// The time of day, however wrong the loop's own clock. Only on the loop.
  package var rightWallTime: WallTime { driver.wallTime }

  /// How far the loop's clock is wrong on purpose; nil for not at all. Only on the loop.
  @exclusivity(unchecked) package var wallError: (() -> Duration)?

  /// The `Date` of what is answered now (RFC 9110 section 6.6.1), by the loop's clock, right or wrong. Only on the loop.
  package var date: HTTPField {
    let now = wallTime
    let second = now.nanoseconds / 1_000_000_000
    if let lastDate, lastDate.second == second { return lastDate.field }
    let field = HTTPField.date(now)
    lastDate = (second, field)
    return field
  }

  /// Written once a second.
  private var lastDate: (second: Int64, field: HTTPField)?

  /// The next number in 0..<1 of the loop's generator. Only on the loop.
  package func nextShare() -> Double { driver.nextShare() }

  /// Begins to measure how late the loop is, unless that is done already; nothing is late in virtual time. Only on the loop.
  package func measureLateness() { driver.measureLateness() }

  /// The times at which it was late since ``measureLateness()``. Only on the loop.
  package var lateness: LateSpans { driver.lateness }

  /// How long the loop's turns were. Only on the loop.
  package var turns: Histogram { driver.turns }

  // MARK: Executor

  package func enqueue(_ job: consuming ExecutorJob) {
    add(.job(UnownedJob(job)))
  }

  /// Runs `work` on the loop, after what is queued already. From any thread.
  package func execute(_ work: @escaping @Sendable () -> Void) {
    add(.closure(work))
  }

  private func add(_ work: Work) {
    let wasEmpty = inbox.withLock { inbox in
      inbox.append(work)
      return inbox.count == 1
    }
    if wasEmpty { driver.wake() }
  }

  /// The loop that the calling thread is inside, nil if none.
  package static var current: EventLoop? {
    postern_current_loop().map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Whether the calling thread is inside this loop.
  package var isCurrent: Bool {
    postern_current_loop() == UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  package func isIsolatingCurrentContext() -> Bool? { isCurrent }

  package func checkIsolated() {
    precondition(isCurrent, "not on loop \(index)")
  }

  /// Traps unless called on the loop.
  package func preconditionOnLoop() {
    precondition(isCurrent, "not on loop \(index)")
  }

  /// Traps unless called on the loop, or on one inside it.
  package func preconditionOnTransport() {
    precondition(Self.current?.transport === self, "not on loop \(index), nor inside it")
  }

  /// Says that the calling thread is inside this loop, for the length of `body`.
  package func asCurrent<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = postern_current_loop()
    postern_set_current_loop(UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    defer {
      postern_set_current_loop(outer)
      driver.left()
    }
    return try body()
  }

  /// Runs at most `limit` pieces of queued work, in order. True if some is left. Only on the loop.
  package func runQueued(limit: Int = 4096) -> Bool {
    var left = limit
    while left > 0 {
      if batchIndex == batch.count {
        batch.removeAll(keepingCapacity: true)
        batchIndex = 0
        inbox.withLock { swap(&$0, &batch) }
        if batch.isEmpty { return false }
      }
      let work = batch[batchIndex]
      batchIndex += 1
      left -= 1
      switch work {
      case .job(let job):
        jobCount &+= 1
        // Without the task executor, every `await` on an actor of this loop would come through the queue again.
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      case .closure(let closure): closure()
      }
    }
    return batchIndex < batch.count || inbox.withLock { !$0.isEmpty }
  }

  /// Wakes at most `limit` waiters whose deadline has passed, earliest first, and for equal deadlines in the order in
  /// which they were set. Returns true if more are due: do I/O, then call it again. Only on the loop.
  package func fireDeadlines(limit: Int = 64) -> Bool {
    for _ in 0..<limit {
      guard let wakeup = deadlines.popDue(at: now) else { return false }
      wakeup.fire()
    }
    return deadlines.earliest.map { $0 <= now } ?? false
  }

  /// Ends all deadlines: every sleeper wakes now, in the order of the deadlines, and none sleeps again. Only on the
  /// loop, by its owner, which runs the queued work afterwards.
  package func end() {
    hasEnded = true
    deadlines.wakeAll { $0 is Sleeper }
  }

  /// Suspends until `deadline`, or until the loop ends. `purpose` is a text for diagnostics. Only from a task on the
  /// loop.
  package nonisolated(nonsending) func sleep(until deadline: Instant, as purpose: String = "something") async {
    preconditionOnLoop()
    guard !hasEnded else { return }
    await withCheckedContinuation { continuation in
      deadlines.set(Sleeper(continuation, as: purpose).wakeup, at: deadline)
    }
  }

  /// Suspends until the network has been served, for tasks that have much to do at once. Only from a task on the loop.
  package nonisolated(nonsending) func pause() async {
    preconditionOnLoop()
    guard !transport.hasEnded else { return }
    await withCheckedContinuation { continuation in
      let next = transport.now + .nanoseconds(1)
      transport.deadlines.set(Sleeper(continuation, as: "a pause").wakeup, at: next)
    }
  }

  /// A sleeping task, its purpose, and when it wakes.
  package struct Sleep: Hashable, Sendable {
    package let purpose: String
    package let until: Instant
  }

  /// The first `limit` that sleep, who wakes first before. Only on the loop.
  package func sleeps(limit: Int) -> [Sleep] {
    Array(
      deadlines.waiting().lazy.compactMap { target, at in
        (target as? any SleepTarget).map { Sleep(purpose: $0.purpose, until: at) }
      }.prefix(limit))
  }
}

/// A waiter for a deadline that can name its purpose, e.g. "the token provider's latency".
package protocol SleepTarget: WakeupTarget {
  var purpose: String { get }
}

/// A task that waits for a deadline.
///
/// The heap holds it by its wake-up, which it holds in turn until it fires.
private final class Sleeper: SleepTarget, @unchecked Sendable {
  // @unchecked Sendable: made, held and fired on one loop.
  private let continuation: CheckedContinuation<Void, Never>
  let purpose: String
  private(set) var wakeup: Wakeup!
  private var keepAlive: Sleeper?

  init(_ continuation: CheckedContinuation<Void, Never>, as purpose: String) {
    self.continuation = continuation
    self.purpose = purpose
    wakeup = Wakeup(target: self)
    keepAlive = self
  }

  func wakeUp() {
    keepAlive = nil
    continuation.resume()
  }
}
