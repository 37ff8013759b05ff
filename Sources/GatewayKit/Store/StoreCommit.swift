package import GatewayCore

/// A number of rows, or of their bytes, with a maximum, e.g. the members of a call. A row names its counts when it is
/// written, and is in them until it is deleted or expires.
package struct StoreCount: Hashable, Sendable {
  package let path: StorePath
  package var atMost: Int
  /// The name of the counted things, for the error if there are too many.
  package let noun: String
  /// The amount that a row adds: 1, or its size if bytes are counted.
  package let weight: Int

  /// Creates the count of that name and these `parts`. A `weight` is at least 1.
  package init(_ name: String, _ parts: String..., atMost: Int, of noun: String, weight: Int = 1) {
    precondition(weight > 0, "a row that counts for nothing")
    self.weight = weight
    path = StorePath(name, parts)
    self.atMost = atMost
    self.noun = noun
  }
}

/// A set of changes that is applied whole or not at all, if the checked rows are still as they were read.
package struct StoreCommit: Sendable {
  /// The id by which a store recognizes the commit. If it is asked again within a minute, the store does nothing and
  /// answers as if it had.
  package let id = StoreCommitID.next()
  /// A row that must still be as it was read, e.g. absent, so that a name is taken once.
  package struct Check: Sendable {
    package var path: StorePath
    package var version: StoreVersion

    package init(_ path: StorePath, _ version: StoreVersion) {
      self.path = path
      self.version = version
    }
  }

  /// A row to write or to delete, and the counts that it is in.
  package struct Write: Sendable {
    package var path: StorePath
    /// The new value; nil deletes the row.
    package var value: (any StoreValue)?
    /// The expiry of the row; nil if it never expires.
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

  /// The time up to which expired rows may be swept; nil for the time of the commit.
  ///
  /// A caller whose clock may have been moved ahead passes an earlier time. A row that expired by the moved clock only
  /// is then valid again when the clock goes back. A row that has expired by the time of the commit is still swept if
  /// its room is needed.
  package var sweepsUntil: WallTime?
  package var checks: [Check]
  /// The writes, each row once.
  package var writes: [Write]

  package init(checks: [Check] = [], writes: [Write] = []) {
    self.checks = checks
    self.writes = writes
  }
}
