package import GatewayCore
package import GatewayKit
internal import GatewayRuntime

/// A store with something wrong, as somebody says for each thing that it is asked: that it is away, for instance.
package final class HinderedStore: Store {
  private let inner: any Store
  private let fate: @Sendable (_ writes: Bool) -> StoreFate?

  /// - Parameters:
  ///   - inner: The store that does the work.
  ///   - fate: What becomes of the next question, of one that writes or one that only reads; nil for what should.
  package init(_ inner: any Store, _ fate: @escaping @Sendable (_ writes: Bool) -> StoreFate?) {
    self.inner = inner
    self.fate = fate
  }

  package var lines: Turns<StorePath>? { inner.lines }

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
  /// The store with everything about it that may go wrong.
  package func decorate(_ store: any Store) -> any Store {
    HinderedStore(store) { [weak self] writes in
      // Before anything listens the gateway reads from elsewhere what it knew in an earlier life.
      guard let self, loop.isCurrent else { return nil }
      return fault((any StoreFault).self, of: FaultSubject()) { writes || $0.fate.isOfReading }?.fate
    }
  }
}
