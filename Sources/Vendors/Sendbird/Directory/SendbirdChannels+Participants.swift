internal import GatewayCore
internal import GatewayKit

// Participants of open channels: of this process's connections in memory, or of all nodes' in the store.

extension SendbirdChannels {
  /// Adds the user's connection to an open channel; does nothing if it is in it already.
  func enter(
    _ url: Name, user: UserID, by connection: ConnectionID, at now: WallTime,
    telling: (SendbirdParticipation) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdParticipation {
    try await inParticipantTurn(of: url, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdParticipation in
      if hasNodes { return try await addParticipant(url, user, connection, at: now) }
      let row = try await transact(at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdChannelRow in
        let found = try await transaction.read(Self.keysOfEntry(url, user))
        return try Self.entered(found, in: transaction)
      }
      return try await presence.enter(row.channel(members: [], lastMessage: nil), user: user, by: connection)
    }
  }

  /// Removes the user's connection from an open channel. Without other nodes the store is used only if the channel is then
  /// empty.
  func exit(
    _ url: Name, user: UserID, by connection: ConnectionID, at now: WallTime,
    telling: (SendbirdParticipation) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdParticipation {
    if let participation = try await leave(url, user, connection, at: now, telling: telling) { return participation }
    guard let channel = try await outline(url, at: now) else { throw .channelNotFound }
    guard channel.kind == .open else { throw .wrongKind }
    return SendbirdParticipation(channel: channel, user: user, isChange: false)
  }

  /// Removes the connection from every open channel. If it throws, it may be repeated; without other nodes it does not.
  func exitAll(
    _ user: UserID, by connection: ConnectionID, at now: WallTime,
    telling: (SendbirdParticipation) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) {
    for url in await presence.channels(of: connection) {
      _ = try await leave(url, user, connection, at: now, telling: telling)
    }
  }

  /// Removes the connection from the channel; returns nil if nobody is in it, or there is none.
  private func leave(
    _ url: Name, _ user: UserID, _ connection: ConnectionID, at now: WallTime,
    telling: (SendbirdParticipation) async -> Void
  ) async throws(SendbirdChannelRefusal) -> SendbirdParticipation? {
    // Without other nodes this neither waits for the store nor fails with it.
    try await inParticipantTurn(of: url, telling: { if let participation = $0 { await telling(participation) } }) {
      () async throws(SendbirdChannelRefusal) -> SendbirdParticipation? in
      hasNodes
        ? try await removeParticipant(url, user, connection, at: now)
        : await presence.exit(url, user: user, by: connection)
    }
  }

  /// Removes the user or all users from an open channel, in its turn; returns the removed users with their connections.
  func clear(
    _ url: Name, of user: UserID? = nil, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> [(user: UserID, connections: Set<ConnectionID>)] {
    hasNodes ? try await removeParticipants(url, of: user, at: now) : await presence.clear(url, of: user)
  }

  /// Returns the number of users in the channel, which is 0 for a group channel.
  func participantCount(of row: SendbirdChannelRow) async throws(StoreError) -> Int {
    guard row.kind == .open else { return 0 }
    return hasNodes ? try await store.tallies([participantTally(row.url)])[0] : await presence.count(row.url)
  }

  /// Returns whether the user is in an open channel.
  func isParticipant(
    _ user: UserID, of url: Name, in transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) -> Bool {
    guard hasNodes else { return await presence.contains(user, in: url) }
    return try await transaction.read([Self.participants.key(url.text, user.rawValue)])[0] != nil
  }

  /// Returns the participants, sorted by name.
  func participants(
    _ url: Name, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> [SendbirdParticipant] {
    guard let channel = try await outline(url, at: now) else { throw .channelNotFound }
    guard channel.kind == .open else { throw .wrongKind }
    return try await ask { () async throws(StoreError) in
      let users = hasNodes ? try await storedParticipants(url, at: now) : await presence.participants(url)
      let muted = try await store.read(users.map { Self.mutes.key(url.text, $0.rawValue) }, at: now)
      return zip(users, muted).map { SendbirdParticipant(user: $0, isMuted: $1 != nil) }
    }
  }

  /// The keys of the rows that decide whether the user may enter: see ``entered(_:in:)``.
  static func keysOfEntry(_ url: Name, _ user: UserID) -> [StoreKey] {
    [channels.key(url.text), bans.key(url.text, user.rawValue)]
  }

  /// Returns the channel's row if these rows let the user enter.
  static func entered(
    _ found: [StoreEntry?], in transaction: Transaction
  ) throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdChannelRow {
    let row = try row(try transaction.value(found[0], as: SendbirdChannelRow.self), .open)
    guard found[1] == nil else { throw .failure(.banned) }
    return row
  }
}
