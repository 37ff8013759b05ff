package import GatewayCore
package import GatewayRuntime
internal import Synchronization

/// An event loop without a thread of its own. Its world runs it, on the thread that runs the world.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
package final class SimulatedLoop: @unchecked Sendable {
  package let eventLoop: EventLoop
  /// The stage that runs async work on this loop.
  package let stage: LoopStage
  private let driver: SimulatedDriver

  init(index: Int, driver: SimulatedDriver) {
    self.driver = driver
    eventLoop = EventLoop(index: index, driver: driver)
    stage = LoopStage(loop: eventLoop)
  }

  /// The time on the monotonic clock.
  package var now: Instant { driver.now }

  /// Runs `body` on the loop when virtual time has reached `instant`.
  package func execute(at instant: Instant, _ body: @escaping () -> Void) {
    eventLoop.deadlines.set(Delayed(body).wakeup, at: instant)
  }

  /// Runs some of the work that is due; returns false if there was none.
  func turn() -> Bool {
    let isDue = eventLoop.deadlines.earliest.map { $0 <= now } ?? false
    guard driver.takeWork() || isDue else { return false }
    eventLoop.asCurrent {
      if eventLoop.runQueued() { driver.wake() }
      _ = eventLoop.fireDeadlines()
    }
    return true
  }
}

/// The clock and the random generator of one simulated loop.
///
/// `@unchecked Sendable`: all but the flag is touched only by the thread that runs the world; the flag is atomic.
final class SimulatedDriver: LoopDriver, @unchecked Sendable {
  private let timeline: SimulatedTimeline
  private let isForeign: @Sendable () -> Bool
  private let hasWork = Atomic(false)
  private var generator: SeededGenerator

  /// - Parameter isForeign: Whether the world runs, and the calling thread is not the one that runs it.
  init(timeline: SimulatedTimeline, seed: UInt64, isForeign: @escaping @Sendable () -> Bool) {
    self.timeline = timeline
    self.isForeign = isForeign
    generator = SeededGenerator(seed: seed)
  }

  var now: Instant { timeline.now }

  var wallTime: WallTime { timeline.wallTime }

  func nextShare() -> Double { generator.nextShare() }

  func wake() {
    // Work outside the world, on the shared pool, returns at a time that no seed determines.
    precondition(!isForeign(), "work from outside the world: a task or an actor without its executor")
    hasWork.store(true, ordering: .sequentiallyConsistent)
  }

  func takeWork() -> Bool {
    hasWork.exchange(false, ordering: .sequentiallyConsistent)
  }
}

/// A piece of work that waits for its time. It keeps itself alive until then.
private final class Delayed: WakeupTarget {
  private let body: () -> Void
  private(set) var wakeup: Wakeup!
  private var keepAlive: Delayed?

  init(_ body: @escaping () -> Void) {
    self.body = body
    wakeup = Wakeup(target: self)
    keepAlive = self
  }

  func wakeUp() {
    keepAlive = nil
    body()
  }
}
