internal import GatewayCore
internal import GatewayKit

/// A user in an open channel, with the user's connections that are in it, on whatever node.
struct SendbirdParticipantRow: StoreValue {
  let channel: Name
  let user: UserID
  /// Sorted, each once, at least one.
  var connections: [ConnectionID]
}

// The participants of open channels in the store, where there are several nodes.
//
// A participant's row is changed in the channel's turn only. The node of a connection removes it when it ends, and other
// nodes do when that node is dead.

extension SendbirdChannels {
  /// The number of participants that are removed in one commit.
  private static let slice = 100

  func participantTally(_ url: Name) -> StoreCount {
    StoreCount(
      "sendbird.participants", url.text, atMost: limits.participantsOfChannel, of: SendbirdChannelRefusal.participants)
  }

  /// Adds the connection, in the channel's turn.
  func addParticipant(
    _ url: Name, _ user: UserID, _ connection: ConnectionID, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> SendbirdParticipation {
    let wasIn = try await remember(url, user, connection, at: now)
    do throws(SendbirdChannelRefusal) {
      let (row, isNew) = try await transact(at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> (SendbirdChannelRow, Bool) in
        let key = Self.participants.key(url.text, user.rawValue)
        let found = try await transaction.read(Self.keysOfEntry(url, user) + [key])
        let row = try Self.entered(found, in: transaction)
        let known = try transaction.value(found[2], as: SendbirdParticipantRow.self)
        var participant = known ?? SendbirdParticipantRow(channel: url, user: user, connections: [])
        guard !participant.connections.contains(connection) else { return (row, false) }
        participant.connections = (participant.connections + [connection]).sorted()
        transaction.put(key, participant, in: [participantTally(url)])
        return (row, known == nil)
      }
      return SendbirdParticipation(channel: try await outline(row), user: user, isChange: isNew)
    } catch {
      // If the outcome is unknown, the row is removed when the connection ends.
      if !wasIn, error != .storeUnavailable { await presence.forget(url, enteredBy: connection) }
      throw error
    }
  }

  /// Notes that the connection enters the channel; returns whether that was noted before.
  private func remember(
    _ url: Name, _ user: UserID, _ connection: ConnectionID, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> Bool {
    if let wasIn = await presence.remember(url, enteredBy: connection) { return wasIn }
    // Other nodes may have removed it from channels.
    let own = await presence.channels(of: connection)
    let found = try await ask { () async throws(StoreError) in
      try await store.read(own.map { Self.participants.key($0.text, user.rawValue) }, at: now)
        .map { (entry) throws(StoreError) in try entry?.value(as: SendbirdParticipantRow.self) }
    }
    for (url, row) in zip(own, found) where row?.connections.contains(connection) != true {
      await presence.forget(url, enteredBy: connection)
    }
    guard let wasIn = await presence.remember(url, enteredBy: connection) else { throw .tooManyParticipants }
    return wasIn
  }

  /// Removes the connection, in the channel's turn; returns nil if there is no such channel.
  func removeParticipant(
    _ url: Name, _ user: UserID, _ connection: ConnectionID, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> SendbirdParticipation? {
    let (row, isChange) = try await transact(at: now) {
      (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> (SendbirdChannelRow?, Bool) in
      let key = Self.participants.key(url.text, user.rawValue)
      let found = try await transaction.read([Self.channels.key(url.text), key])
      let row = try transaction.value(found[0], as: SendbirdChannelRow.self)
      guard var participant = try transaction.value(found[1], as: SendbirdParticipantRow.self),
        participant.connections.contains(connection)
      else { return (row, false) }
      participant.connections.removeAll { $0 == connection }
      put(participant, key, url, in: &transaction)
      return (row, participant.connections.isEmpty)
    }
    await presence.forget(url, enteredBy: connection)
    guard let row, row.kind == .open else { return nil }
    return SendbirdParticipation(channel: try await outline(row), user: user, isChange: isChange)
  }

  private func put(
    _ participant: SendbirdParticipantRow, _ key: StoreKey, _ url: Name, in transaction: inout Transaction
  ) {
    if participant.connections.isEmpty { return transaction.delete(key) }
    transaction.put(key, participant, in: [participantTally(url)])
  }

  /// Returns the participants, sorted by name.
  func storedParticipants(_ url: Name, at now: WallTime) async throws(StoreError) -> [UserID] {
    var users: [UserID] = []
    try await store.visit(Self.participants.range(url.text), at: now) { (page) throws(StoreError) in
      for entry in page { users.append(try entry.value(as: SendbirdParticipantRow.self).user) }
      return true
    }
    return users.sorted()
  }

  /// Removes the user or all users, in the channel's turn; returns them with their connections.
  func removeParticipants(
    _ url: Name, of user: UserID?, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> [(user: UserID, connections: Set<ConnectionID>)] {
    let users = try await ask { () async throws(StoreError) in
      if let user { [user] } else { try await storedParticipants(url, at: now) }
    }
    var gone: [(user: UserID, connections: Set<ConnectionID>)] = []
    for slice in users.inSlices(of: Self.slice) {
      gone += try await change(slice, of: url, at: now) { $0.connections = [] }.map { ($0.user, Set($0.connections)) }
    }
    return gone
  }

  /// Changes the rows of these participants in one commit, and returns those who have left, as they were before.
  private func change(
    _ users: some Collection<UserID>, of url: Name, at now: WallTime, _ change: (inout SendbirdParticipantRow) -> Void
  ) async throws(SendbirdChannelRefusal) -> [SendbirdParticipantRow] {
    let keys = users.map { Self.participants.key(url.text, $0.rawValue) }
    return try await transact(at: now) {
      (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> [SendbirdParticipantRow] in
      var gone: [SendbirdParticipantRow] = []
      for (key, entry) in zip(keys, try await transaction.read(keys)) {
        guard let before = try transaction.value(entry, as: SendbirdParticipantRow.self) else { continue }
        var after = before
        change(&after)
        guard after.connections != before.connections else { continue }
        put(after, key, url, in: &transaction)
        if after.connections.isEmpty { gone.append(before) }
      }
      return gone
    }
  }

  /// Removes the connections of `dead` lives from all open channels.
  func removeDeadParticipants(
    of dead: DeadBoots, at now: WallTime, telling: (SendbirdParticipation) async -> Void
  ) async throws(SendbirdChannelRefusal) {
    guard !dead.isEmpty else { return }
    var left: [Name: [UserID]] = [:]
    try await ask { () async throws(StoreError) in
      try await store.visit(Self.participants.range(), at: now) { (page) throws(StoreError) in
        for entry in page {
          let row = try entry.value(as: SendbirdParticipantRow.self)
          if row.connections.contains(where: { dead.contains($0) }) { left[row.channel, default: []].append(row.user) }
        }
        return true
      }
    }
    for (url, users) in left.sorted(by: { $0.key < $1.key }) {
      for slice in users.inSlices(of: Self.slice) {
        _ = try await inParticipantTurn(of: url, telling: { for participation in $0 { await telling(participation) } })
        {
          () async throws(SendbirdChannelRefusal) -> [SendbirdParticipation] in
          let gone = try await change(slice, of: url, at: now) { $0.connections.removeAll { dead.contains($0) } }
          guard !gone.isEmpty, var channel = try await outline(url, at: now) else { return [] }
          channel.participantCount += gone.count
          return gone.map { row in
            channel.participantCount -= 1
            return SendbirdParticipation(channel: channel, user: row.user, isChange: true)
          }
        }
      }
    }
  }
}

extension Array {
  /// Returns its elements in order, that many at a time.
  fileprivate func inSlices(of size: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}
