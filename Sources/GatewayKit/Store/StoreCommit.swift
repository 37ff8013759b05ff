package import GatewayCore

/// A number of rows, or of their bytes, that must not rise above a bound: the members of a call, for instance. A row says
/// when it is written in which counts it is, and is in them until it is deleted or expires.
package struct StoreCount: Hashable, Sendable {
  package let path: StorePath
  package var atMost: Int
  /// What is counted, for whoever is told that there are too many.
  package let noun: String
  /// How much a row adds: 1, or its size where bytes are counted.
  package let weight: Int

  /// The count of that name, one for each list of `parts`. A `weight` is 1 or more.
  package init(_ name: String, _ parts: String..., atMost: Int, of noun: String, weight: Int = 1) {
    precondition(weight > 0, "a row that counts for nothing")
    self.weight = weight
    path = StorePath(name, parts)
    self.atMost = atMost
    self.noun = noun
  }
}

/// The changes of one step, all or none: a new row, for instance, if another is still as it was read.
package struct StoreCommit: Sendable {
  /// By which a store knows it again: asked a second time within a minute, it does nothing and answers as if it had.
  package let id = StoreCommitID.next()
  /// A row that must still be as it was read: absent, for instance, so that a name is taken once.
  package struct Check: Sendable {
    package var path: StorePath
    package var version: StoreVersion

    package init(_ path: StorePath, _ version: StoreVersion) {
      self.path = path
      self.version = version
    }
  }

  /// A row to write, or to delete: a member of a call, counted among that call's, for instance.
  package struct Write: Sendable {
    package var path: StorePath
    /// Nil deletes.
    package var value: (any StoreValue)?
    /// When the row is no longer there; nil if it stays.
    package var expires: WallTime?
    package var counts: [StoreCount]

    package init(
      _ key: StoreKey, _ value: (any StoreValue)?, expires: WallTime? = nil, in counts: [StoreCount] = []
    ) {
      path = key.path
      self.value = value
      self.expires = expires
      self.counts = counts
    }
  }

  /// The time up to which expired rows may be swept; nil for the time of the commit. A caller whose clock may have been
  /// moved ahead passes an earlier time, so that a row that expired by the moved clock only is alive again when the clock
  /// goes back. A row that has expired by the time of the commit is swept all the same where its room is needed.
  package var sweepsUntil: WallTime?
  package var checks: [Check]
  /// Each row once.
  package var writes: [Write]

  package init(checks: [Check] = [], writes: [Write] = []) {
    self.checks = checks
    self.writes = writes
  }
}
