internal import GatewayCore
internal import GatewayKit

/// A store with a hundredth of the room, e.g. for a vendor's users. The limits of one call or one channel are unchanged.
struct SmallStore: ForwardingStore {
  private static let share = 100
  private static let leastRoom = 100

  let inner: any Store

  init(_ inner: any Store) {
    self.inner = inner
  }

  func commit(_ commit: StoreCommit, at now: WallTime) async throws(StoreError) -> Bool {
    var commit = commit
    for index in commit.writes.indices { commit.writes[index].counts = commit.writes[index].counts.map(Self.small) }
    return try await inner.commit(commit, at: now)
  }

  private static func small(_ count: StoreCount) -> StoreCount {
    guard count.path.isOfAll else { return count }
    var count = count
    count.atMost = room(of: count.atMost)
    return count
  }

  /// Returns the reduced limit for `atMost`.
  static func room(of atMost: Int) -> Int { min(atMost, max(leastRoom, atMost / share)) }
}
