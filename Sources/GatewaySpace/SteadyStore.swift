internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime
internal import Synchronization

/// A store that sweeps by a ``SteadyClock``, so that a used nonce is still known when a clock went ahead of its expiry
/// and back.
final class SteadyStore: ForwardingStore {
  let inner: any Store
  private let clock = Mutex(SteadyClock())

  init(_ inner: any Store) {
    self.inner = inner
  }

  /// Sweeps nothing where no loop says how late it is.
  func commit(_ commit: StoreCommit, at now: WallTime) async throws(StoreError) -> Bool {
    var commit = commit
    commit.sweepsUntil =
      EventLoop.current.map { loop in clock.withLock { $0.time(at: loop.now, loop.wallTime) } }
      ?? WallTime(nanoseconds: .min)
    return try await inner.commit(commit, at: now)
  }
}
