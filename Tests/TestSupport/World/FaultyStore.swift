package import GatewayCore
internal import GatewayFaults
package import GatewayKit
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
  private let state: State

  /// What is wrong, and what has been asked for.
  private final class State: Sendable {
    let fault: Mutex<Fault?>
    let commits = Atomic(0)
    let generator = Mutex(SeededGenerator(seed: 1))

    init(_ fault: Fault?) {
      self.fault = Mutex(fault)
    }

    func fate(_ writes: Bool) -> StoreFate? {
      if writes { commits.add(1, ordering: .relaxed) }
      return switch fault.withLock({ $0 }) {
      case .away: .away
      case .late(let duration): .late(duration)
      case .lostAnswer: .lostAnswer
      case .conflict: .conflict
      case .lossy: writes ? lossyFate : nil
      case nil: nil
      }
    }

    private var lossyFate: StoreFate? {
      isUnlucky ? .lostQuestion : isUnlucky ? .lostAnswer : nil
    }

    private var isUnlucky: Bool {
      generator.withLock { Int.random(in: 0..<5, using: &$0) == 0 }
    }
  }

  /// A store with that wrong.
  package init(_ inner: any Store, _ fault: Fault?) {
    let state = State(fault)
    self.state = state
    self.inner = HinderedStore(inner) { state.fate($0) }
    lines = inner.lines
  }

  /// A store in memory.
  package convenience init(_ fault: Fault? = nil, on executor: any SerialExecutor = SerialTestExecutor()) {
    self.init(MemoryStore(on: executor), fault)
  }

  /// How many commits it has been asked for.
  package var commitCount: Int { state.commits.load(ordering: .relaxed) }

  /// What is wrong now; nil for nothing.
  package var fault: Fault? {
    get { state.fault.withLock { $0 } }
    set { state.fault.withLock { $0 = newValue } }
  }

  package func read(_ keys: [StoreKey], at now: WallTime) async throws(StoreError) -> [StoreEntry?] {
    try await inner.read(keys, at: now)
  }

  package func scan(_ range: StoreRange, limit: Int, at now: WallTime) async throws(StoreError) -> [StoreEntry] {
    try await inner.scan(range, limit: limit, at: now)
  }

  package func commit(_ commit: StoreCommit, at now: WallTime) async throws(StoreError) -> Bool {
    try await inner.commit(commit, at: now)
  }

  package func tallies(_ counts: [StoreCount]) async throws(StoreError) -> [Int] {
    try await inner.tallies(counts)
  }
}
