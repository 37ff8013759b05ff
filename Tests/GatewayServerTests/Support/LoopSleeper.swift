import GatewayCore
import GatewayRuntime
import GatewayServer

/// Sleeps on a loop, and says whether it woke on time.
actor LoopSleeper {
  private let loop: SocketLoop

  init(loop: SocketLoop) {
    self.loop = loop
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.events.asUnownedSerialExecutor() }

  /// True unless it woke early.
  @discardableResult
  func sleep(milliseconds: Int) async -> Bool { await sleep(for: .milliseconds(milliseconds)) }

  /// True unless it woke early.
  @discardableResult
  func sleep(for duration: Duration) async -> Bool {
    let deadline = loop.events.now + duration
    await loop.events.sleep(until: deadline)
    return loop.events.now >= deadline
  }

  /// True unless it woke early, both times.
  func sleepTwice(for duration: Duration) async -> Bool {
    let first = await sleep(for: duration)
    let second = await sleep(for: duration)
    return first && second
  }
}
