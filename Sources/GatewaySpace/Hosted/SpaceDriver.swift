internal import GatewayCore
internal import GatewayRuntime
internal import Synchronization

/// The clock, the chance and the waking of a loop inside another loop.
///
/// Two hundred hosted spaces can share the thread of one `SocketLoop`, each with its own clock. The inner loop runs on
/// its host's queue, one turn at a time however often it is woken. One timer in the host's heap wakes it for its
/// earliest deadline.
///
/// `@unchecked Sendable`: touched only on the host's thread, but for ``wake()``, which touches one atomic flag there.
final class SpaceDriver: LoopDriver, WakeupTarget, @unchecked Sendable {
  private static let workSlice = 1024
  /// How many deadlines are met, at most, when time runs out.
  private static let lastStepsMax = 100_000
  /// How many rounds a loop may make work for itself without time passing.
  private static let roundsMax = 10_000

  private let host: EventLoop
  /// The loop it drives, which holds it.
  private unowned(unsafe) var loop: EventLoop!
  private var clock = SpaceClock()
  private var generator: SeededGenerator
  private var timer: Wakeup!
  /// Whether a turn waits on the host's queue.
  private let isTurnAsked = Atomic(false)
  /// Whether the inner loop was woken from inside.
  private var wantsTurn = false
  /// How many deadlines may yet be met without waiting for their time; nil while time runs as it does.
  private var lastSteps: Int?

  init(host: EventLoop, seed: UInt64) {
    self.host = host
    generator = SeededGenerator(seed: seed)
    timer = Wakeup(target: self)
  }

  /// Creates the loop that it drives. The loop's owner keeps the driver until the loop has ended.
  static func loop(inside host: EventLoop, seed: UInt64) -> (loop: EventLoop, driver: SpaceDriver) {
    let driver = SpaceDriver(host: host, seed: seed)
    let loop = EventLoop(index: 0, driver: driver, inside: host)
    driver.loop = loop
    return (loop, driver)
  }

  var now: Instant { clock.now(host.now) }
  var wallTime: WallTime { clock.wallTime(host.rightWallTime) }
  func nextShare() -> Double { generator.nextShare() }

  // MARK: Turns

  func wake() {
    if loop.isCurrent { wantsTurn = true } else { askForTurn() }
  }

  private func askForTurn() {
    guard !isTurnAsked.exchange(true, ordering: .sequentiallyConsistent) else { return }
    host.execute { [self, loop = loop!] in
      isTurnAsked.store(false, ordering: .sequentiallyConsistent)
      withExtendedLifetime(loop) { turn() }
    }
  }

  func wakeUp() { turn() }

  private func turn() {
    let hasMore = loop.asCurrent(round)
    if lastSteps != nil && !hasMore { passTime() }
    if hasMore { askForTurn() }
  }

  /// Does some of the present work. Returns true if some is left. Only inside.
  private func round() -> Bool {
    let hasWork = loop.runQueued(limit: Self.workSlice)
    // Whoever woke the loop up to here has been served.
    wantsTurn = false
    let hasDue = loop.fireDeadlines()
    defer { wantsTurn = false }
    return hasWork || hasDue || wantsTurn
  }

  func left() {
    if wantsTurn {
      wantsTurn = false
      askForTurn()
    }
    setAlarm()
  }

  private func setAlarm() {
    guard lastSteps == nil else { return }
    host.deadlines.set(timer, at: loop.deadlines.earliest.flatMap(clock.hostTime))
  }

  // MARK: Time

  /// Stops the time of sessions, and the time of day too unless that must continue.
  func stop(wall: Bool) {
    if !clock.isStanding { clock.stop(at: host.now) }
    if wall { clock.stopWall(at: host.rightWallTime) }
    setAlarm()
  }

  /// Lets both continue from their present values.
  func run() {
    clock.run(from: host.now)
    clock.runWall(from: host.rightWallTime)
    setAlarm()
  }

  /// Has the time of day be another one from now on; the time of sessions goes on as it went.
  func setWall(to wall: WallTime) { clock.setWall(to: wall, at: host.rightWallTime) }

  /// Advances the time of sessions, which must stand still, and the time of day too unless that stays.
  func move(to instant: Instant, wall: Bool) {
    let duration = instant - now
    clock.move(by: duration)
    if wall { clock.moveWall(by: duration) }
  }

  /// Does everything that can be done without time passing.
  func settle() {
    for _ in 0..<Self.roundsMax where !loop.asCurrent(round) { return }
  }

  /// Waits for no deadline any more. Each present and future deadline is met as soon as there is nothing else to do, as if
  /// its time had come. Sleeping tasks wake and come to their end.
  func runOut() {
    guard lastSteps == nil else { return }
    host.deadlines.remove(timer)
    stop(wall: true)
    lastSteps = Self.lastStepsMax
    askForTurn()
  }

  private func passTime() {
    guard let steps = lastSteps, steps > 0, let next = loop.deadlines.earliest else { return }
    lastSteps = steps - 1
    move(to: max(now, next), wall: true)
    askForTurn()
  }
}
