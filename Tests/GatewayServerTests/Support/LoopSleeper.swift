import GatewayCore
import GatewayRuntime
import GatewayServer

/// A sleeper on a loop, which reports whether it woke in time.
actor LoopSleeper {
  private let loop: SocketLoop

  init(loop: SocketLoop) {
    self.loop = loop
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.events.asUnownedSerialExecutor() }

  /// Returns true unless it woke early.
  @discardableResult
  func sleep(milliseconds: Int) async -> Bool { await sleep(for: .milliseconds(milliseconds)) }

  /// Returns true unless it woke early.
  @discardableResult
  func sleep(for duration: Duration) async -> Bool {
    let deadline = loop.events.now + duration
    await loop.events.sleep(until: deadline)
    return loop.events.now >= deadline
  }

  /// Returns true unless it woke early in one of two sleeps.
  func sleepTwice(for duration: Duration) async -> Bool {
    let first = await sleep(for: duration)
    let second = await sleep(for: duration)
    return first && second
  }
}
