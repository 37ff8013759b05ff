package import GatewayCore
package import GatewayKit
internal import GatewayRuntime

/// A store with faults, which a function decides for each operation.
package final class HinderedStore: Store {
  private let inner: any Store
  private let fate: @Sendable (_ writes: Bool) -> StoreFate?

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - inner: The store that does the work.
  ///   - fate: Returns the fault of the next operation, which writes or only reads; nil for none.
  package init(_ inner: any Store, _ fate: @escaping @Sendable (_ writes: Bool) -> StoreFate?) {
    self.inner = inner
    self.fate = fate
  }

  package var lines: LocalTurns<StorePath>? { inner.lines }
  package var outlivesProcess: Bool { inner.outlivesProcess }

  package func read(_ keys: [StoreKey], at now: WallTime) async throws(StoreError) -> [StoreEntry?] {
    try await wait(fate(false))
    return try await inner.read(keys, at: now)
  }

  package func scan(_ range: StoreRange, limit: Int, at now: WallTime) async throws(StoreError) -> [StoreEntry] {
    try await wait(fate(false))
    return try await inner.scan(range, limit: limit, at: now)
  }

  package func tallies(_ counts: [StoreCount]) async throws(StoreError) -> [Int] {
    try await wait(fate(false))
    return try await inner.tallies(counts)
  }

  package func commit(_ commit: StoreCommit, at now: WallTime) async throws(StoreError) -> Bool {
    let fate = fate(true)
    try await wait(fate)
    if fate == .conflict { return false }
    if fate == .lostQuestion { throw .unknown("the question was lost") }
    let isDone = try await inner.commit(commit, at: now)
    if fate == .lostAnswer { throw .unknown("the answer was lost") }
    return isDone
  }

  private func wait(_ fate: StoreFate?) async throws(StoreError) {
    switch fate {
    case .away: throw .unavailable("away")
    case .late(let duration):
      guard let loop = EventLoop.current else { return }
      await loop.sleep(until: loop.now + duration, as: "the store, which a fault makes slow")
    case .lostAnswer, .lostQuestion, .conflict, nil: break
    }
  }
}

extension FaultBook {
  /// Returns the store with every possible fault.
  package func decorate(_ store: any Store) -> any Store {
    HinderedStore(store) { [weak self] writes in
      // Before anything listens, the gateway reads the state of an earlier run, and not on this loop.
      guard let self, loop.isCurrent else { return nil }
      return fault((any StoreFault).self, of: FaultSubject()) { writes || $0.fate.isOfReading }?.fate
    }
  }
}
