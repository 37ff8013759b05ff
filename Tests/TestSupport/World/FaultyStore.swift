package import GatewayCore
internal import GatewayFaults
package import GatewayKit
internal import GatewayStores
internal import Synchronization

/// A store with a fault, for as long as the test wants.
package final class FaultyStore: Store {
  package enum Fault: Hashable, Sendable {
    /// The store is unavailable.
    case away
    /// Every request takes that long.
    case late(Duration)
    /// Commits are made, but their answers are lost.
    case lostAnswer
    /// One commit in five is not made, and the answers of one in five are lost, so that the caller cannot tell which.
    case lossy
    /// Every commit has a conflict.
    case conflict
  }

  package let lines: LocalTurns<StorePath>?
  package let outlivesProcess: Bool
  private let inner: any Store
  private let state: State

  /// The present fault, and the number of requests.
  private final class State: Sendable {
    let fault: Mutex<Fault?>
    let commits = Atomic(0)
    let requests = Atomic(0)
    let generator = Mutex(SeededGenerator(seed: 1))

    init(_ fault: Fault?) {
      self.fault = Mutex(fault)
    }

    func fate(_ writes: Bool) -> StoreFate? {
      requests.add(1, ordering: .relaxed)
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

  /// Creates a store with that fault.
  ///
  /// - Parameter outlivesProcess: Whether gateways keep in it what the next process needs; nil for as `inner` does.
  package init(_ inner: any Store, _ fault: Fault?, outlivesProcess: Bool? = nil) {
    self.outlivesProcess = outlivesProcess ?? inner.outlivesProcess
    let state = State(fault)
    self.state = state
    self.inner = HinderedStore(inner) { state.fate($0) }
    lines = inner.lines
  }

  /// Creates a store in memory.
  package convenience init(
    _ fault: Fault? = nil, on executor: any SerialExecutor = SerialTestExecutor(), outlivesProcess: Bool = false
  ) {
    self.init(MemoryStore(on: executor), fault, outlivesProcess: outlivesProcess)
  }

  /// The number of requested commits.
  package var commitCount: Int { state.commits.load(ordering: .relaxed) }

  /// The number of requested reads, scans and commits: trips, if the store were elsewhere.
  package var requestCount: Int { state.requests.load(ordering: .relaxed) }

  /// The present fault; nil for none.
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
