import Dispatch
import GatewayCore
import GatewayRuntime
import Synchronization
import Testing

/// A driver whose time is set by hand, and which counts its wake-ups.
private final class HandDriver: LoopDriver {
  private let state = Mutex((now: Instant.zero, wakes: 0))

  var now: Instant {
    get { state.withLock { $0.now } }
    set { state.withLock { $0.now = newValue } }
  }

  var wallTime: WallTime { WallTime(nanoseconds: now.nanoseconds) }
  var wakes: Int { state.withLock { $0.wakes } }

  func nextShare() -> Double { 0.5 }

  func wake() { state.withLock { $0.wakes += 1 } }
}

/// A list to which several threads may add.
private final class Journal<Entry: Sendable>: Sendable {
  private let stored = Mutex<[Entry]>([])

  var entries: [Entry] { stored.withLock { $0 } }

  func add(_ entry: Entry) {
    stored.withLock { $0.append(entry) }
  }
}

/// An actor pinned to a loop.
private actor Pinned {
  nonisolated let loop: EventLoop
  let journal: Journal<String>

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: EventLoop, _ journal: Journal<String>) {
    self.loop = loop
    self.journal = journal
  }

  func note(_ text: String) {
    loop.preconditionOnLoop()
    journal.add(text)
  }

  func start(_ name: String, sleepingUntil deadlines: [Instant]) {
    Task.immediate(executorPreference: loop) {
      self.note("\(name) begins")
      for deadline in deadlines {
        await self.loop.sleep(until: deadline)
        self.note("\(name) at \(deadline.nanoseconds)")
      }
    }
  }

  func ask(_ other: Pinned, _ text: String) {
    Task.immediate(executorPreference: loop) {
      await other.note(text)
      self.note("after \(text)")
    }
  }
}

/// A waiter that runs an action when it is woken.
private final class Action: WakeupTarget {
  private let body: () -> Void
  private(set) var wakeup: Wakeup!

  init(_ body: @escaping () -> Void) {
    self.body = body
    wakeup = Wakeup(target: self)
  }

  func wakeUp() {
    body()
  }
}

struct EventLoopTests {
  private let driver = HandDriver()
  private let loop: EventLoop

  init() {
    loop = EventLoop(index: 3, driver: driver)
  }

  /// Runs the loop until no work is left for now.
  private func drain() {
    loop.asCurrent {
      while loop.runQueued() {}
      while loop.fireDeadlines() {}
    }
  }

  @Test
  func `a loop runs work in the order in which it came, and only the first piece wakes it`() {
    let journal = Journal<Int>()
    for number in 0..<100 { loop.execute { journal.add(number) } }
    #expect(driver.wakes == 1)
    drain()
    #expect(journal.entries == Array(0..<100))
    loop.execute { journal.add(100) }
    #expect(driver.wakes == 2)
  }

  @Test
  func `a batch of work is bounded, keeps its place, and says whether anything is left`() {
    let journal = Journal<Int>()
    for number in 0..<10 { loop.execute { journal.add(number) } }
    loop.asCurrent {
      #expect(loop.runQueued(limit: 4))
      #expect(journal.entries == [0, 1, 2, 3])
      loop.execute { journal.add(10) }
      #expect(loop.runQueued(limit: 6))
      #expect(!loop.runQueued(limit: 6))
      #expect(!loop.runQueued())
    }
    #expect(journal.entries == Array(0...10))
  }

  @Test
  func `a batch of work that ends with the last piece says that nothing is left`() {
    for _ in 0..<4 { loop.execute {} }
    loop.asCurrent { #expect(!loop.runQueued(limit: 4)) }
  }

  @Test
  func `work that enqueues work runs after what was queued, in the same drain`() {
    let journal = Journal<String>()
    let loop = loop
    loop.execute {
      journal.add("first")
      loop.execute { journal.add("made by the first") }
    }
    loop.execute { journal.add("second") }
    drain()
    #expect(journal.entries == ["first", "second", "made by the first"])
  }

  @Test
  func `work from many threads all runs, each thread's in its order`() {
    let journal = Journal<(thread: Int, number: Int)>()
    let loop = loop
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for number in 0..<1_000 { loop.execute { journal.add((thread, number)) } }
    }
    drain()
    #expect(journal.entries.count == 8_000)
    for thread in 0..<8 {
      #expect(journal.entries.filter { $0.thread == thread }.map(\.number) == Array(0..<1_000))
    }
  }

  @Test
  func `due deadlines fire in slices, so that a storm does not starve the rest`() {
    let journal = Journal<Int>()
    let actions = (0..<150).map { number in Action { journal.add(number) } }
    for action in actions { loop.deadlines.set(action.wakeup, at: .zero + .seconds(1)) }
    loop.asCurrent {
      #expect(!loop.fireDeadlines())
      driver.now = .zero + .seconds(1)
      #expect(loop.fireDeadlines(limit: 64))
      #expect(journal.entries.count == 64)
      #expect(loop.fireDeadlines(limit: 64))
      #expect(!loop.fireDeadlines(limit: 64))
    }
    // A wake-up does not retain its target.
    withExtendedLifetime(actions) { #expect(journal.entries == Array(0..<150)) }
  }

  @Test
  func `a deadline that is set while deadlines fire waits for its own time`() {
    let journal = Journal<Int64>()
    let (loop, driver) = (loop, driver)
    var action: Action!
    action = Action {
      journal.add(driver.now.nanoseconds)
      if journal.entries.count < 3 { loop.deadlines.set(action.wakeup, at: driver.now + .nanoseconds(10)) }
    }
    loop.deadlines.set(action.wakeup, at: .zero)
    for nanoseconds in [0, 9, 10, 20, 30] as [Int64] {
      driver.now = Instant(nanoseconds: nanoseconds)
      drain()
    }
    withExtendedLifetime(action) { #expect(journal.entries == [0, 10, 20]) }
    // Its body has it.
    action = nil
  }

  @Test
  func `tasks of a pinned actor sleep and wake on the loop, in the order of their deadlines`() {
    let journal = Journal<String>()
    let pinned = Pinned(loop, journal)
    loop.asCurrent {
      pinned.assumeIsolated { pinned in
        pinned.start("late", sleepingUntil: [Instant(nanoseconds: 20), Instant(nanoseconds: 30)])
        pinned.start("early", sleepingUntil: [Instant(nanoseconds: 10), Instant(nanoseconds: 20)])
      }
    }
    for nanoseconds in [5, 10, 20, 30] as [Int64] {
      driver.now = Instant(nanoseconds: nanoseconds)
      drain()
      drain()
    }
    #expect(
      journal.entries == ["late begins", "early begins", "early at 10", "late at 20", "early at 20", "late at 30"])
  }

  @Test
  func `an actor on one loop awaits one on another, each on its own loop`() {
    let journal = Journal<String>()
    let otherDriver = HandDriver()
    let other = EventLoop(index: 4, driver: otherDriver)
    let (near, far) = (Pinned(loop, journal), Pinned(other, journal))
    loop.asCurrent { near.assumeIsolated { $0.ask(far, "question") } }
    #expect(otherDriver.wakes == 1 && journal.entries.isEmpty)
    for _ in 0..<3 {
      other.asCurrent { while other.runQueued() {} }
      drain()
    }
    #expect(journal.entries == ["question", "after question"])
  }

  @Test
  func `a thread is inside the innermost loop it entered, and outside again when it leaves`() {
    let inner = EventLoop(index: 5, driver: driver)
    #expect(EventLoop.current == nil && loop.isIsolatingCurrentContext() == false)
    loop.asCurrent {
      #expect(EventLoop.current === loop && loop.isCurrent)
      inner.asCurrent { #expect(EventLoop.current === inner && !loop.isCurrent) }
      #expect(loop.isIsolatingCurrentContext() == true)
    }
    #expect(EventLoop.current == nil)
  }

  @Test
  func `a loop's clock and chance are the driver's`() {
    driver.now = .zero + .seconds(7)
    #expect(loop.now == .zero + .seconds(7))
    #expect(loop.wallTime == WallTime(seconds: 7))
    #expect(loop.nextShare() == 0.5)
    #expect(loop.index == 3)
  }
}
