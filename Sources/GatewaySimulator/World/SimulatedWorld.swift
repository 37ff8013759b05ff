package import GatewayCore
internal import GatewayRuntime
internal import Synchronization

/// Several simulated loops on one line of time, a gateway's and a storm's for instance, run by one thread: the
/// caller's.
///
/// The loops take turns in a fixed order, so that two runs with the same seed and the same orders do the same things at
/// the same times. Time stands still while anything is left to do, then jumps to the next deadline.
///
/// `@unchecked Sendable`: only the thread that runs the world touches it; what other threads may ask is atomic.
package final class SimulatedWorld: @unchecked Sendable {
  /// 2027-01-15T08:00:00Z, when worlds begin unless told otherwise.
  package static let usualStart = WallTime(seconds: 1_800_000_000)
  /// How many rounds may pass without time moving, before the world counts as stuck.
  private static let roundsMax = 10_000_000

  package let seed: UInt64
  package let timeline: SimulatedTimeline
  package let loops: [SimulatedLoop]
  /// What happened, as far as the parts of the world note it.
  package let trace: Trace

  /// A world at ``GatewayCore/Instant/zero``.
  ///
  /// - Parameters:
  ///   - seed: Decides every chance in the world.
  ///   - loops: How many loops, 1 at least.
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

  /// Whether the world runs now; foreign threads may ask.
  private let isRunning: Shared<Bool>

  /// The first loop.
  package var loop: SimulatedLoop { loops[0] }

  /// The time on the monotonic line.
  package var now: Instant { timeline.now }

  /// The time of day.
  package var wallTime: WallTime { timeline.wallTime }

  /// Adds a line to the trace, dated now.
  package func note(_ text: @autoclosure () -> String) {
    trace.add(text(), at: now)
  }

  // MARK: Running

  /// Does everything that can be done without time passing.
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

  /// Lets everything happen that is due by `instant`, which then is now.
  package func run(until instant: Instant) {
    settle()
    while let next = nextDeadline, next <= instant {
      timeline.move(to: max(now, next))
      settle()
    }
    timeline.move(to: max(now, instant))
  }

  /// Lets `duration` pass.
  package func advance(by duration: Duration) {
    run(until: now + duration)
  }

  /// Runs until nothing waits for anything; false if something still does after `limit`.
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

  /// Runs until `isDone`; false if it is not after `limit`.
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

  /// The answer of async work on a loop; nil if it is not there after `limit`.
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

  /// When the next thing is due, nil if nothing is.
  package var nextDeadline: Instant? {
    loops.compactMap { $0.eventLoop.deadlines.earliest }.min()
  }
}

/// A value that several threads may see: the answer to a question that was asked on a loop, for instance.
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
