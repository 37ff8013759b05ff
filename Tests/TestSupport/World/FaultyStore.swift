package import GatewayCore
package import GatewayKit
internal import GatewayRuntime
internal import GatewayStores
internal import Synchronization

/// A store with something wrong, as long as the test says so.
package final class FaultyStore: Store {
  package enum Fault: Hashable, Sendable {
    /// Nothing reaches it.
    case away
    /// Every question takes that long.
    case late(Duration)
    /// Commits are made, but nobody learns of it.
    case lostAnswer
    /// Somebody else was always faster.
    case conflict
  }

  private let inner: any Store
  private let state: Mutex<Fault?>

  /// A store in memory.
  package init(_ fault: Fault? = nil, on executor: any SerialExecutor = SerialTestExecutor()) {
    inner = MemoryStore(on: executor)
    state = Mutex(fault)
  }

  /// What is wrong now; nil for nothing.
  package var fault: Fault? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  package func read(_ keys: [StoreKey], at now: WallTime) async throws(StoreError) -> [StoreEntry?] {
    try await wait()
    return try await inner.read(keys, at: now)
  }

  package func scan(_ range: StoreRange, limit: Int, at now: WallTime) async throws(StoreError) -> [StoreEntry] {
    try await wait()
    return try await inner.scan(range, limit: limit, at: now)
  }

  package func commit(_ commit: StoreCommit, at now: WallTime) async throws(StoreError) -> Bool {
    try await wait()
    if fault == .conflict { return false }
    let isDone = try await inner.commit(commit, at: now)
    if fault == .lostAnswer { throw .unavailable("the answer was lost") }
    return isDone
  }

  private func wait() async throws(StoreError) {
    switch fault {
    case .away: throw .unavailable("away")
    case .late(let duration):
      if let loop = EventLoop.current { await loop.sleep(until: loop.now + duration) }
    case .lostAnswer, .conflict, nil: break
    }
  }
}
