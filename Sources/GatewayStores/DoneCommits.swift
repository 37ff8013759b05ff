package import GatewayCore
package import GatewayKit

/// The commits of the last minute, for whoever lost the answer to one and asks again; at most so many, of which the
/// oldest is forgotten first. The commit whose answer was lost 5 s ago is not done again, for instance.
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

  /// The version of the oldest that is known, nil if there is none.
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

  /// Those of later versions than that, oldest first.
  package func ids(after version: StoreVersion) -> [StoreCommitID] {
    let start = entries.lastIndex { $0.version <= version }.map { $0 + 1 } ?? first
    return entries[max(start, first)...].map(\.id)
  }

  /// Forgets those of later versions than that, which were not done after all.
  package mutating func forget(after version: StoreVersion) {
    while first < entries.count, let last = entries.last, last.version > version {
      ids.remove(last.id)
      entries.removeLast()
    }
  }
}
