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
    /// One in five commits is not made, and of one in five that are nobody learns: whoever asked cannot say which it was.
    case lossy
    /// Somebody else was always faster.
    case conflict
  }

  package let lines: Turns<StorePath>?
  private let inner: any Store
  private let state: Mutex<Fault?>
  private let commits = Atomic(0)
  private let generator = Mutex(SeededGenerator(seed: 1))

  /// A store with that wrong.
  package init(_ inner: any Store, _ fault: Fault?) {
    self.inner = inner
    lines = inner.lines
    state = Mutex(fault)
  }

  /// A store in memory.
  package convenience init(_ fault: Fault? = nil, on executor: any SerialExecutor = SerialTestExecutor()) {
    self.init(MemoryStore(on: executor), fault)
  }

  /// How many commits it has been asked for.
  package var commitCount: Int { commits.load(ordering: .relaxed) }

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
    commits.add(1, ordering: .relaxed)
    try await wait()
    if fault == .conflict { return false }
    if fault == .lossy, isUnlucky() { throw .unknown("the question was lost") }
    let isDone = try await inner.commit(commit, at: now)
    if fault == .lostAnswer || fault == .lossy && isUnlucky() { throw .unknown("the answer was lost") }
    return isDone
  }

  private func isUnlucky() -> Bool {
    generator.withLock { Int.random(in: 0..<5, using: &$0) == 0 }
  }

  package func tallies(_ counts: [StoreCount]) async throws(StoreError) -> [Int] {
    try await wait()
    return try await inner.tallies(counts)
  }

  private func wait() async throws(StoreError) {
    switch fault {
    case .away: throw .unavailable("away")
    case .late(let duration):
      if let loop = EventLoop.current { await loop.sleep(until: loop.now + duration) }
    case .lostAnswer, .lossy, .conflict, nil: break
    }
  }
}
