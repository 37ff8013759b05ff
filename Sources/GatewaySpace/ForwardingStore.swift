internal import GatewayCore
internal import GatewayKit

/// A store that passes everything but its commits to another store unchanged.
protocol ForwardingStore: Store {
  var inner: any Store { get }
}

extension ForwardingStore {
  var lines: LocalTurns<StorePath>? { inner.lines }
  var outlivesProcess: Bool { inner.outlivesProcess }

  func read(_ keys: [StoreKey], at now: WallTime) async throws(StoreError) -> [StoreEntry?] {
    try await inner.read(keys, at: now)
  }

  func scan(_ range: StoreRange, limit: Int, at now: WallTime) async throws(StoreError) -> [StoreEntry] {
    try await inner.scan(range, limit: limit, at: now)
  }

  func tallies(_ counts: [StoreCount]) async throws(StoreError) -> [Int] {
    try await inner.tallies(counts)
  }
}
