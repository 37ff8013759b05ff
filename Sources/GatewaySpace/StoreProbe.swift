package import GatewayCore
internal import GatewayKit
internal import Synchronization

/// A probe of a store: whether it accepts a write, to a row of its own that is overwritten. It asks at most once a
/// second; in between the answer is the last one.
package final class StoreProbe: Sendable {
  private struct Row: StoreValue {
    var at: WallTime
  }

  private static let table = StoreTable<Row>("gateway.probe")
  private static let interval = Duration.seconds(1)

  private let store: any Store
  private let last = Mutex<(at: Instant, takesWrites: Bool)?>(nil)

  init(_ store: any Store) {
    self.store = store
  }

  /// Whether the store takes a write, within the last second of the loop's time.
  package func takesWrites(at now: Instant, _ wallNow: WallTime) async -> Bool {
    if let known = last.withLock({ $0 }), now - known.at < Self.interval { return known.takesWrites }
    let commit = StoreCommit(writes: [StoreCommit.Write(Self.table.key(), Row(at: wallNow))])
    let takesWrites: Bool
    do throws(StoreError) {
      takesWrites = try await store.commit(commit, at: wallNow)
    } catch {
      takesWrites = false
    }
    last.withLock { $0 = (now, takesWrites) }
    return takesWrites
  }
}
