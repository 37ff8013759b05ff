package import GatewayCore
internal import GatewayRuntime
internal import Synchronization

/// Several simulated loops that share one virtual time and run on the caller's thread.
///
/// The loops run in a fixed order, so that two runs with the same seed and the same orders do the same things at the
/// same times. Time stands still while any work is left, then jumps to the next deadline.
///
/// `@unchecked Sendable`: only the thread that runs the world touches it, except a flag that a mutex protects.
package final class SimulatedWorld: @unchecked Sendable {
  /// The start of a world by default: 2027-01-15T08:00:00Z.
  package static let usualStart = WallTime(seconds: 1_800_000_000)
  /// The number of rounds without an advance of time after which the world counts as stuck.
  private static let roundsMax = 10_000_000

  package let seed: UInt64
  package let timeline: SimulatedTimeline
  package let loops: [SimulatedLoop]
  /// The record of the events that the parts of the world note.
  package let trace: Trace

  /// Creates a world at ``GatewayCore/Instant/zero``.
  ///
  /// - Parameters:
  ///   - seed: The seed of every random number in the world.
  ///   - loops: The number of loops, at least 1.
  ///   - keepsTrace: Whether ``trace`` keeps its lines, or only their hash.
  package init(
    seed: UInt64 = 1, loops: Int = 1, wallStart: WallTime = SimulatedWorld.usualStart, keepsTrace: Bool = true
  ) {
    precondition(loops > 0, "a world needs a loop")
    self.seed = seed
    let timeline = SimulatedTimeline(wallStart: wallStart)
    let isRunning = Shared(false)
    var seeds = SeededGenerator(seed: seed)
    self.timeline = timeline
    self.loops = (0..<loops).map { index in
      let driver = SimulatedDriver(timeline: timeline, seed: seeds.next()) {
        isRunning.value && EventLoop.current == nil
      }
      return SimulatedLoop(index: index, driver: driver)
    }
    self.isRunning = isRunning
    trace = Trace(keepsLines: keepsTrace)
  }

  /// Whether the world is running; may be read from any thread.
  private let isRunning: Shared<Bool>

  /// The first loop.
  package var loop: SimulatedLoop { loops[0] }

  /// The time on the monotonic clock.
  package var now: Instant { timeline.now }

  /// The wall clock's time.
  package var wallTime: WallTime { timeline.wallTime }

  /// Adds a line to the trace, with the current time.
  package func note(_ text: @autoclosure () -> String) {
    trace.add(text(), at: now)
  }

  // MARK: Running

  /// Runs all work that needs no time to pass.
  package func settle() {
    isRunning.value = true
    defer { isRunning.value = false }
    for _ in 0..<Self.roundsMax {
      var wasBusy = false
      for loop in loops where loop.turn() { wasBusy = true }
      if !wasBusy { return }
    }
    preconditionFailure("time stands still at \(now.nanoseconds) ns: something makes work for itself for ever")
  }

  /// Runs everything that is due by `instant`, which is then the current time.
  package func run(until instant: Instant) {
    settle()
    while let next = nextDeadline, next <= instant {
      timeline.move(to: max(now, next))
      settle()
    }
    timeline.move(to: max(now, instant))
  }

  /// Advances time by `duration`.
  package func advance(by duration: Duration) {
    run(until: now + duration)
  }

  /// Runs until nothing waits for anything; returns false if something still waits after `limit`.
  @discardableResult
  package func runUntilIdle(within limit: Duration = .seconds(86_400)) -> Bool {
    let end = now + limit
    settle()
    while let next = nextDeadline {
      guard next <= end else { return false }
      timeline.move(to: max(now, next))
      settle()
    }
    return true
  }

  /// Runs until `isDone` returns true; returns false if it does not within `limit`.
  package func run(within limit: Duration, until isDone: () -> Bool) -> Bool {
    let end = now + limit
    settle()
    while !isDone() {
      guard let next = nextDeadline, next <= end else { return false }
      timeline.move(to: max(now, next))
      settle()
    }
    return true
  }

  /// Returns the result of async work on a loop; nil if there is none within `limit`.
  package func ask<Answer: Sendable>(
    on loop: Int = 0, within limit: Duration = .seconds(60),
    _ body: nonisolated(nonsending) @escaping @Sendable () async -> Answer
  ) -> Answer? {
    let answer = Shared<Answer?>(nil)
    loops[loop].stage.start {
      let value = await body()
      answer.value = value
    }
    _ = run(within: limit) { answer.value != nil }
    return answer.value
  }

  /// The next deadline of any loop; nil if there is none.
  package var nextDeadline: Instant? {
    loops.compactMap { $0.eventLoop.deadlines.earliest }.min()
  }
}

/// A value that several threads may access.
private final class Shared<Value: Sendable>: Sendable {
  private let stored: Mutex<Value>

  init(_ value: Value) {
    stored = Mutex(value)
  }

  var value: Value {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}
