internal import GatewayCore
internal import GatewayKit

// Changes to messages other than their content: reactions, pins, translations.

extension SendbirdChannels {
  /// The maximum number of pinned messages of a channel.
  static let pinsMax = 10

  /// Adds the user's reaction to a message, or removes it; does nothing if it is so already. With `needsPresence` the
  /// user must be in the channel.
  func react(
    _ key: Name, isAdding: Bool, to id: Int64, in url: Name, by user: UserID, needsPresence: Bool, at now: WallTime,
    telling: (SendbirdDelivery) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdDelivery {
    try await changeMessage(id, in: url, by: user, needsPresence: needsPresence, at: now, telling: telling) {
      (message) throws(SendbirdChannelRefusal) in
      let place = message.reactions.firstIndex { $0.key == key }
      var reaction = place.map { message.reactions[$0] } ?? SendbirdReaction(key, users: [], updatedAt: now)
      guard reaction.users.contains(user) != isAdding else { return }
      if isAdding { reaction.users.append(user) } else { reaction.users.removeAll { $0 == user } }
      reaction.updatedAt = now
      if let place { message.reactions.remove(at: place) }
      if !reaction.users.isEmpty { message.reactions.insert(reaction, at: place ?? message.reactions.count) }
      guard message.reactions.count <= SendbirdReaction.kindsMax, reaction.users.count <= SendbirdReaction.usersMax
      else { throw .tooManyReactions }
      message.touchedAt = now
    }
  }

  /// Stores the translations of a message.
  func translate(
    _ id: Int64, in url: Name, to languages: [Name], at now: WallTime,
    telling: (SendbirdDelivery) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdDelivery {
    try await changeMessage(id, in: url, by: nil, needsPresence: false, at: now, telling: telling) {
      (message) throws(SendbirdChannelRefusal) in message.translate(to: languages, at: now)
    }
  }

  /// Changes a property of a message that any member may change.
  func changeMessage(
    _ id: Int64, in url: Name, by user: UserID?, needsPresence: Bool, at now: WallTime,
    telling: (SendbirdDelivery) async -> Void,
    _ change: (inout SendbirdMessage) throws(SendbirdChannelRefusal) -> Void
  ) async throws(SendbirdChannelRefusal) -> SendbirdDelivery {
    try await inTurn(of: url, at: now, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdDelivery in
      var (delivery, _) = try await transactMessages(of: url, sparing: id, at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdDelivery in
        let row = try await row(url, in: &transaction)
        if let user, needsPresence {
          let isIn: Bool
          switch row.kind {
          case .group: isIn = await memberships.roster(of: url)?.joined.contains(user) == true
          case .open: isIn = try await isParticipant(user, of: url, in: &transaction)
          }
          guard isIn else { throw .failure(.notAMember) }
        }
        var message = try await self.message(id, in: url, by: nil, &transaction)
        let before = message
        do throws(SendbirdChannelRefusal) { try change(&message) } catch { throw .failure(error) }
        if message != before { put(message, in: &transaction) }
        var delivery = SendbirdDelivery(message: message, kind: row.kind, channelNumber: row.number, members: [])
        delivery.isChange = message != before
        return delivery
      }
      delivery.members = await memberships.roster(of: url)?.joined ?? []
      return delivery
    }
  }

  // MARK: Pins

  /// Pins a message to its channel, as the newest, or unpins it; calls `telling` only if that changes something.
  func setPinned(
    _ isPinned: Bool, _ id: Int64, in url: Name, at now: WallTime,
    telling: (SendbirdChannel) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel {
    let (channel, _) = try await inTurn(
      of: url, at: now, telling: { (channel, isChange) in if isChange { await telling(channel) } }
    ) {
      () async throws(SendbirdChannelRefusal) -> (SendbirdChannel, isChange: Bool) in
      let isChange = try await transact(at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> Bool in
        var row = try await row(url, in: &transaction)
        _ = try await self.message(id, in: url, by: nil, &transaction)
        guard row.properties.pins.contains(id) != isPinned else { return false }
        if isPinned { row.properties.pins.append(id) } else { row.properties.pins.removeAll { $0 == id } }
        guard row.properties.pins.count <= Self.pinsMax else { throw .failure(.tooManyPins) }
        put(row, in: &transaction)
        return true
      }
      return (try await seated(url, at: now), isChange)
    }
    return channel
  }

  /// Returns the channel's pinned messages that still exist, the newest pin first.
  func pinned(in url: Name, at now: WallTime) async throws(SendbirdChannelRefusal) -> [SendbirdMessage] {
    try await ask { () async throws(StoreError) in
      guard let row = try await store.get(Self.channels.key(url.text), as: SendbirdChannelRow.self, at: now) else {
        return []
      }
      return try await pinned(row.properties.pins, in: url, at: now)
    }
  }

  func pinned(_ pins: [Int64], in url: Name, at now: WallTime) async throws(StoreError) -> [SendbirdMessage] {
    guard !pins.isEmpty else { return [] }
    var messages: [SendbirdMessage] = []
    for entry in try await store.read(pins.reversed().map { Self.key($0, in: url) }, at: now) {
      if let entry { messages.append(try entry.value(as: SendbirdMessage.self)) }
    }
    return messages
  }
}
