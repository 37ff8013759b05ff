internal import GatewayCore
internal import GatewayKit

// Joining and leaving, and the records of departures.

extension SendbirdChannels {
  private static let departuresOfUserMax = 1_000

  func add(_ member: SendbirdMember, to row: inout SendbirdChannelRow, in transaction: inout Transaction) {
    row.lastPlace += 1
    put(SendbirdMemberRow(member, place: row.lastPlace, of: row), of: row.url, in: &transaction)
  }

  /// Removes those of the users that are members; returns them in the order in which they were added.
  func remove(
    _ users: Set<UserID>, from row: SendbirdChannelRow, in transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) -> [UserID] {
    var leaving: [SendbirdMemberRow] = []
    for entry in try await transaction.read(users.map { Self.members.key(row.url.text, $0.rawValue) }) {
      if let member = try transaction.value(entry, as: SendbirdMemberRow.self) { leaving.append(member) }
    }
    guard !leaving.isEmpty else { return [] }
    for member in leaving { transaction.delete(Self.members.key(row.url.text, member.member.user.rawValue)) }
    endDistinction(of: row, in: &transaction)
    var row = row
    row.distinctKey = nil
    put(row, in: &transaction)
    return leaving.sorted { $0.place < $1.place }.map(\.member.user)
  }

  // MARK: Distinct channels

  /// Returns the key of the distinct channel of these users, in any order.
  static func distinctKey(_ users: [UserID]) -> String {
    Set(users).sorted().map { "\($0.rawValue.utf8.count):\($0.rawValue)" }.joined()
  }

  func endDistinction(of row: SendbirdChannelRow, in transaction: inout Transaction) {
    if let key = row.distinctKey { transaction.delete(Self.distinct.key(key)) }
  }

  // MARK: Departures

  /// Returns the group channels that the user has left since that time, or that were deleted. Bounded: the oldest
  /// departures are forgotten first.
  func departures(
    of user: UserID, since: WallTime, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> [Name] {
    try await settle(at: now)
    return try await ask { () async throws(StoreError) in
      let key = Self.departures.key(user.rawValue)
      let entries = try await store.get(key, as: SendbirdDeparturesRow.self, at: now)?.entries ?? []
      var seen = Set(await memberships.channels(of: user))
      return entries.filter { $0.at >= since && seen.insert($0.channel).inserted }.map(\.channel)
    }
  }

  /// Returns the count of remembered departures.
  func departureCount(_ weight: Int) -> StoreCount {
    StoreCount("sendbird.departures", atMost: limits.departures, of: "departures", weight: weight)
  }

  func note(
    _ users: [UserID], from url: Name, givingWay: Int, at now: WallTime, in transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) {
    let oldest = try await Self.asking { () async throws(StoreError) in
      try await departureAges.oldest(givingWay, at: now)
    }
    for row in oldest {
      transaction.delete(departureAges.key(of: row))
      for user in row.parts { transaction.delete(Self.departures.key(user)) }
    }
    let keys = users.map { Self.departures.key($0.rawValue) }
    for (user, (key, entry)) in zip(users, zip(keys, try await transaction.read(keys))) {
      let known = try transaction.value(entry, as: SendbirdDeparturesRow.self)
      if let known {
        for key in departureAges.keys(known.number, at: known.entries.last?.at) { transaction.delete(key) }
      }
      let number = try await Self.asking { () async throws(StoreError) in try await departureNumbers.take(at: now) }
      // If the channel was left before, the latest time is enough for every reader.
      let others = (known?.entries ?? []).filter { $0.channel != url }
      let entries = others + [SendbirdDeparturesRow.Entry(channel: url, at: now)]
      let kept = Array(entries.suffix(min(Self.departuresOfUserMax, limits.departures)))
      transaction.put(key, SendbirdDeparturesRow(entries: kept, number: number), in: [departureCount(kept.count)])
      transaction.put(
        departureAges.key(number, at: now), SendbirdAgeRow(number: number, at: now, parts: [user.rawValue]))
    }
  }
}
