internal import GatewayCore
internal import GatewayKit

// Sending, changing and deleting messages.

extension SendbirdChannels {
  /// Stores a message and returns it with its number. With `needsPresence` the sender must be in the channel, and must
  /// be neither muted nor banned; a frozen channel accepts only operators and the application. The message it replies
  /// to must exist, and so must its poll, which must be the sender's and not have been sent before. What `also` writes
  /// is committed with the message or not at all; if it throws, the message is not sent.
  func send(
    _ message: SendbirdMessage, asking poll: Int64? = nil, needsPresence: Bool, at now: WallTime,
    telling: (SendbirdDelivery) async -> Void = { _ in },
    also: (inout StoreTransaction<StoreOr<SendbirdChannelRefusal>>) async throws(StoreOr<SendbirdChannelRefusal>)
      -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdDelivery {
    let url = message.channelURL
    return try await inTurn(of: url, at: now, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdDelivery in
      var number: Int64 = 0
      let (sent, displaced) = try await transactMessages(of: url, sparing: message.parentID, at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdDelivery in
        try await also(&transaction)
        var row = try await row(url, in: &transaction)
        var message = message
        if let sender = message.sender?.id {
          if var member = try await check(sender, row, needsPresence: needsPresence, at: now, in: &transaction) {
            // A sender's own message is not unread for them.
            member.readCount += 1
            put(member, of: url, in: &transaction)
          }
          message.isByOperator = row.properties.operators.contains(sender)
        }
        var parent: SendbirdMessage?
        if let id = message.parentID {
          parent = try await self.message(id, in: url, by: nil, &transaction)
          message.parent = parent.map { SendbirdParentMessage($0) }
        }
        while number <= row.lastMessageID {
          number = try await Self.asking { () async throws(StoreError) in try await messageNumbers.take(at: now) }
        }
        message.id = number
        message.createdAt = row.time(ofNext: message.createdAt)
        row.lastMessageID = number
        row.lastMessageAt = message.createdAt
        row.messageCount += 1
        if let poll { message.poll = try await attach(poll, to: message, in: &transaction) }
        put(row, in: &transaction)
        put(message, in: &transaction)
        transaction.put(messageAges.key(number), Self.age(message))
        var delivery = SendbirdDelivery(message: message, kind: row.kind, channelNumber: row.number, members: [])
        if let parent {
          delivery.parent = try await countReplies(to: parent, with: message, at: message.createdAt, in: &transaction)
        }
        return delivery
      }
      var delivery = sent
      (delivery.members, delivery.unread) = await memberships.sent(url, by: message.sender?.id, displacing: displaced)
      return delivery
    }
  }

  /// Changes a message of `user`, or of any user if nil.
  func edit(
    _ id: Int64, in url: Name, by user: UserID?, at now: WallTime,
    telling: (SendbirdDelivery) async -> Void = { _ in }, _ change: (inout SendbirdMessage) -> Void
  ) async throws(SendbirdChannelRefusal) -> SendbirdDelivery {
    try await inTurn(of: url, at: now, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdDelivery in
      var (delivery, _) = try await transactMessages(of: url, sparing: id, at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdDelivery in
        let row = try await row(url, in: &transaction)
        var message = try await self.message(id, in: url, by: user, &transaction)
        if let user { _ = try await check(user, row, needsPresence: true, at: now, in: &transaction) }
        change(&message)
        message.id = id
        put(message, in: &transaction)
        return SendbirdDelivery(message: message, kind: row.kind, channelNumber: row.number, members: [])
      }
      delivery.members = await memberships.roster(of: url)?.joined ?? []
      return delivery
    }
  }

  /// Deletes a message of `user`, or of any user if nil.
  func deleteMessage(
    _ id: Int64, in url: Name, by user: UserID?, at now: WallTime,
    telling: (SendbirdDelivery) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdDelivery {
    try await inTurn(of: url, at: now, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdDelivery in
      var delivery = try await transactDeleting(at: now) {
        (transaction, oldest) async throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdDelivery in
        var row = try await row(url, in: &transaction)
        let message = try await self.message(id, in: url, by: user, &transaction)
        delete(message, in: &transaction)
        if row.lastMessageID == id {
          let others = try await Self.asking { () async throws(StoreError) in try await kept(url, at: now) }
          row.lastMessageID = others.last { $0.id != id }?.id ?? 0
        }
        row.properties.pins.removeAll { $0 == id }
        try await note(id, deletedFrom: &row, givingWay: oldest, at: now, in: &transaction)
        put(row, in: &transaction)
        var delivery = SendbirdDelivery(message: message, kind: row.kind, channelNumber: row.number, members: [])
        if let parent = message.parentID {
          let key = Self.key(parent, in: url)
          if let parent = try await transaction.get(key, as: SendbirdMessage.self) {
            delivery.parent = try await countReplies(to: parent, without: id, at: now, in: &transaction)
          }
        }
        return delivery
      }
      delivery.members = await memberships.roster(of: url)?.joined ?? []
      delivery.unread = await memberships.unread(delivery.members)
      return delivery
    }
  }

  // MARK: Access

  /// Throws unless the user may send; returns their membership.
  private func check(
    _ sender: UserID, _ row: SendbirdChannelRow, needsPresence: Bool, at now: WallTime,
    in transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdMemberRow? {
    let (url, name) = (row.url.text, sender.rawValue)
    // In a channel of two users, the other one may have blocked the sender.
    let others = await memberships.roster(of: row.url).flatMap { $0.unread.count == 2 ? $0.unread.keys : nil }
    let other = others?.first { $0 != sender }?.rawValue ?? ""
    let found = try await transaction.read([
      Self.members.key(url, name), Self.bans.key(url, name), Self.mutes.key(url, name), Self.blocks.key(other, name),
    ])
    let member = try transaction.value(found[0], as: SendbirdMemberRow.self)
    guard found[1] == nil else { throw .failure(.banned) }
    let isIn: Bool
    switch row.kind {
    case .group: isIn = member?.member.state == .joined
    case .open: isIn = await presence.contains(sender, in: row.url)
    }
    guard isIn || !needsPresence else { throw .failure(.notAMember) }
    guard !row.properties.isFrozen || row.properties.operators.contains(sender) else { throw .failure(.frozen) }
    guard member?.member.mute(at: now) == nil, found[2] == nil else { throw .failure(.muted) }
    if !other.isEmpty, found[3] != nil { throw .failure(.blocked) }
    return member
  }

  // MARK: Threads

  /// Updates a message's thread of replies; returns the message.
  private func countReplies(
    to parent: SendbirdMessage, with new: SendbirdMessage? = nil, without gone: Int64? = nil, at now: WallTime,
    in transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdMessage {
    var replies = try await Self.asking { () async throws(StoreError) in
      try await kept(parent.channelURL, after: parent.id, at: now)
    }
    replies.removeAll { $0.parentID != parent.id || $0.id == gone }
    if let new { replies.append(new) }
    var parent = parent
    parent.thread = SendbirdThread(replies, updatedAt: now)
    put(parent, in: &transaction)
    return parent
  }

  func message(
    _ id: Int64, in url: Name, by user: UserID?, _ transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdMessage {
    guard id > 0, let message = try await transaction.get(Self.key(id, in: url), as: SendbirdMessage.self) else {
      throw .failure(.messageNotFound)
    }
    if let user, message.sender?.id != user { throw .failure(.notTheOwner) }
    return message
  }
}
