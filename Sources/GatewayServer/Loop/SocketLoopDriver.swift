internal import CLibEV
internal import GatewayCore
internal import GatewayRuntime
internal import Glibc
internal import Synchronization

/// The clocks, the random generator and the wake-up of a ``SocketLoop``.
///
/// `@unchecked Sendable`: everything except ``wake()`` is used only on the loop; the state that ``wake()`` needs is behind a
/// lock.
final class SocketLoopDriver: LoopDriver, @unchecked Sendable {
  /// The loop it drives, which owns it.
  unowned(unsafe) var loop: EventLoop!
  private(set) var now = Instant.zero
  private(set) var wallTime = WallTime(nanoseconds: 0)
  private(set) var turns = Histogram()
  private var generator: SeededGenerator
  /// The address of the libev loop while it runs: other threads may wake it just when it ends.
  private let running = Mutex<UInt>(0)
  private var meter: LatenessMeter?
  private let async = UnsafeMutablePointer<ev_async>.allocate(capacity: 1)

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    readClocks()
  }

  deinit {
    async.deallocate()
  }

  func nextShare() -> Double { generator.nextShare() }

  func measureLateness() { meter = meter ?? LatenessMeter(on: loop) }

  var lateness: LateSpans { meter?.current ?? LateSpans() }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
  }

  /// Notes the end of the turn that began with ``readClocks()``.
  func endTurn() {
    let time = Self.read(CLOCK_MONOTONIC)
    turns.record(Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)) - now)
  }

  /// Reads both clocks; called once for each wake-up.
  func readClocks() {
    var time = Self.read(CLOCK_MONOTONIC)
    now = Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    time = Self.read(CLOCK_REALTIME)
    wallTime = WallTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  func start(on ev: OpaquePointer) {
    readClocks()
    postern_ev_async_init(async) { _, _, _ in }
    ev_async_start(ev, async)
    running.withLock { $0 = UInt(bitPattern: ev) }
  }

  func stop() {
    running.withLock { address in
      guard let ev = OpaquePointer(bitPattern: address) else { return }
      ev_async_stop(ev, async)
      address = 0
    }
  }

  func wake() {
    // On the loop, the queue is drained before the loop blocks. Elsewhere libev writes to its eventfd, unless another thread
    // already has.
    guard !loop.isCurrent else { return }
    running.withLock { address in
      guard let ev = OpaquePointer(bitPattern: address) else { return }
      ev_async_send(ev, async)
    }
  }
}
