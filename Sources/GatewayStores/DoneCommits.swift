package import GatewayCore
package import GatewayKit

/// The commits of the last minute. A commit whose answer was lost is thus not applied again when it is retried. The
/// count is bounded; the oldest commit is removed first.
package struct DoneCommits {
  private static let memory = Duration.seconds(60)

  private struct Entry {
    var id: StoreCommitID
    var version: StoreVersion
    var time: WallTime
  }

  private let countMax: Int
  private var ids: Set<StoreCommitID> = []
  /// In the order of their versions, from ``first`` on.
  private var entries: [Entry] = []
  private var first = 0

  package init(countMax: Int = 65_536) {
    self.countMax = countMax
  }

  package func contains(_ id: StoreCommitID) -> Bool { ids.contains(id) }

  package var count: Int { ids.count }

  /// The version of the oldest commit that is known, nil if there is none.
  package var oldest: StoreVersion? {
    first < entries.count ? entries[first].version : nil
  }

  package mutating func note(_ id: StoreCommitID, _ version: StoreVersion, at now: WallTime) {
    guard ids.insert(id).inserted else { return }
    entries.append(Entry(id: id, version: version, time: now))
    while first < entries.count - 1, entries.count - first > countMax || entries[first].time + Self.memory <= now {
      ids.remove(entries[first].id)
      first += 1
    }
    if first * 2 > entries.count {
      entries.removeFirst(first)
      first = 0
    }
  }

  /// Returns the commits with versions later than `version`, oldest first.
  package func ids(after version: StoreVersion) -> [StoreCommitID] {
    let start = entries.lastIndex { $0.version <= version }.map { $0 + 1 } ?? first
    return entries[max(start, first)...].map(\.id)
  }

  /// Forgets the commits with versions later than `version`, because their transaction failed.
  package mutating func forget(after version: StoreVersion) {
    while first < entries.count, let last = entries.last, last.version > version {
      ids.remove(last.id)
      entries.removeLast()
    }
  }
}
