internal import GatewayCore
internal import GatewayKit

// Records of deleted messages, for clients that were disconnected and still cache them.

extension SendbirdChannels {
  /// Returns the messages deleted since that time. Bounded: the oldest deletions are forgotten first.
  func deletions(
    of url: Name, since: WallTime, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> [SendbirdDeletion] {
    try await ask { () async throws(StoreError) in
      try await deletionRows(of: url, at: now).filter { $0.at >= since }
        .map { SendbirdDeletion(message: $0.message, at: $0.at) }
    }
  }

  private func deletionRows(of url: Name, at now: WallTime) async throws(StoreError) -> [SendbirdDeletionRow] {
    try await store.scan(Self.deletions.range(url.text), limit: limits.deletionsOfChannel, at: now).map {
      (entry) throws(StoreError) in try entry.value(as: SendbirdDeletionRow.self)
    }
  }

  /// Runs a transaction that records a deletion. `body` gets the deletions that must be forgotten for it.
  func transactDeleting<Answer>(
    at now: WallTime,
    _ body: (inout Transaction, [SendbirdAgeRow]) async throws(StoreOr<SendbirdChannelRefusal>) -> Answer
  ) async throws(SendbirdChannelRefusal) -> Answer {
    try await SendbirdAges.makingRoom(in: deletionCount) { (givingWay) async throws(StoreOr<SendbirdChannelRefusal>) in
      try await store.transact(at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> Answer in
        let oldest = try await Self.asking { () async throws(StoreError) in
          try await deletionAges.oldest(givingWay, at: now)
        }
        return try await body(&transaction, oldest)
      }
    }
  }

  /// Records that a message of the channel was deleted. The channel's oldest deletion is forgotten if there are too
  /// many.
  ///
  /// - Parameter oldest: Deletions of any channel that are forgotten for it.
  func note(
    _ message: Int64, deletedFrom row: inout SendbirdChannelRow, givingWay oldest: [SendbirdAgeRow], at now: WallTime,
    in transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) {
    for age in oldest {
      transaction.delete(Self.deletions.key(age.parts[0], age.parts[1]))
      transaction.delete(deletionAges.key(of: age))
    }
    row.deletionCount += 1
    let first = Self.key(ofDeletion: row.deletionCount - Int64(limits.deletionsOfChannel), in: row.url)
    if let known = try await transaction.get(first, as: SendbirdDeletionRow.self) {
      transaction.delete(first)
      for key in ages(of: known) { transaction.delete(key) }
    }
    let number = try await Self.asking { () async throws(StoreError) in try await deletionNumbers.take(at: now) }
    let new = Self.key(ofDeletion: row.deletionCount, in: row.url)
    transaction.put(new, SendbirdDeletionRow(message: message, at: now, number: number), in: [deletionCount])
    let place = SendbirdAges.text(row.deletionCount)
    transaction.put(
      deletionAges.key(number, at: now), SendbirdAgeRow(number: number, at: now, parts: [row.url.text, place]))
  }

  /// Forgets the deletions of a deleted channel.
  func forgetDeletions(
    of url: Name, at now: WallTime, in transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) {
    let rows = try await Self.asking { () async throws(StoreError) in try await deletionRows(of: url, at: now) }
    for key in rows.flatMap(ages) { transaction.delete(key) }
    try await deleteAll(in: Self.deletions.range(url.text), at: now, &transaction)
  }

  /// Returns the keys by which the index of ages may have the deletion.
  private func ages(of row: SendbirdDeletionRow) -> [StoreKey] {
    row.number.map { deletionAges.keys($0, at: row.at) } ?? []
  }

  private var deletionCount: StoreCount {
    StoreCount("sendbird.deletions", atMost: limits.deletions, of: "deletions")
  }

  private static func key(ofDeletion number: Int64, in url: Name) -> StoreKey {
    deletions.key(url.text, SendbirdAges.text(number))
  }
}

/// A message that was deleted from a channel.
struct SendbirdDeletionRow: StoreValue {
  let message: Int64
  let at: WallTime
  /// Its number among the deletions of all channels; nil in rows of earlier versions.
  var number: Int64?
}
