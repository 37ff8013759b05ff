internal import GatewayCore
internal import GatewayKit

// Sending, changing and deleting messages.

extension SendbirdChannels {
  /// Stores a message and returns it with its number. With `needsPresence` the sender must be in the channel, and must
  /// be neither muted nor banned; a frozen channel accepts only operators and the application. The message it replies
  /// to must exist, and so must its poll, which must be the sender's and not have been sent before. What `also` writes
  /// is committed with the message or not at all; if it throws, the message is not sent. With `readsSender` the sender must
  /// be an active user, whose name and picture are read at the same moment.
  func send(
    _ message: SendbirdMessage, asking poll: Int64? = nil, needsPresence: Bool, readsSender: Bool = false,
    at now: WallTime,
    telling: (SendbirdDelivery) async -> Void = { _ in },
    also: (inout StoreTransaction<StoreOr<SendbirdChannelRefusal>>) async throws(StoreOr<SendbirdChannelRefusal>)
      -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdDelivery {
    let url = message.channelURL
    let sender = message.sender?.id
    return try await inTurn(
      of: url, at: now, news: { [.message(url, by: sender, count: $0.messageCount)] }, telling: telling
    ) {
      () async throws(SendbirdChannelRefusal) -> SendbirdDelivery in
      var number: Int64 = 0
      let (sent, displaced) = try await transactMessages(of: url, sparing: message.parentID, at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdDelivery in
        try await also(&transaction)
        var message = message
        var row: SendbirdChannelRow
        if let sender = message.sender?.id {
          let standing = try await standing(of: sender, in: url, readsUser: readsSender, &transaction)
          if let user = standing.user { message.sender = SendbirdMessage.Sender(user) }
          try await check(standing, needsPresence: needsPresence, at: now)
          if var member = standing.member {
            // A sender's own message is not unread for them.
            member.readCount += 1
            put(member, of: url, in: &transaction)
          }
          row = standing.row
          message.isByOperator = row.properties.operators.contains(sender)
        } else {
          row = try await self.row(url, in: &transaction)
        }
        var parent: SendbirdMessage?
        if let id = message.parentID {
          parent = try await self.message(id, in: url, by: nil, &transaction)
          message.parent = parent.map { SendbirdParentMessage($0) }
        }
        if number <= row.lastMessageID {
          let last = row.lastMessageID
          number = try await Self.asking { () async throws(StoreError) in
            try await messageNumbers.take(after: last, at: now)
          }
        }
        message.id = number
        message.createdAt = row.time(ofNext: message.createdAt)
        row.lastMessageID = number
        row.lastMessageAt = message.createdAt
        row.messageCount += 1
        if let poll { message.poll = try await attach(poll, to: message, in: &transaction) }
        put(row, in: &transaction)
        put(message, in: &transaction)
        transaction.put(messageAges.key(of: Self.age(message)), Self.age(message))
        var delivery = SendbirdDelivery(message: message, kind: row.kind, channelNumber: row.number, members: [])
        delivery.messageCount = row.messageCount
        if let parent {
          delivery.parent = try await countReplies(to: parent, with: message, at: message.createdAt, in: &transaction)
        }
        return delivery
      }
      var delivery = sent
      (delivery.members, delivery.unread) = await memberships.sent(
        url, by: sender, as: sent.messageCount, displacing: displaced)
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
        let standing: Standing?
        let row: SendbirdChannelRow
        if let user {
          let own = try await self.standing(of: user, in: url, &transaction)
          (standing, row) = (own, own.row)
        } else {
          (standing, row) = (nil, try await self.row(url, in: &transaction))
        }
        var message = try await self.message(id, in: url, by: user, &transaction)
        if let standing { try await check(standing, needsPresence: true, at: now) }
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

  /// The facts that decide whether a user may send.
  private struct Standing {
    let sender: UserID
    let row: SendbirdChannelRow
    let member: SendbirdMemberRow?
    let isBanned: Bool
    /// Whether an open channel has muted the user.
    let isMuted: Bool
    /// Whether the only other user of the channel has blocked the user.
    let isBlocked: Bool
    /// Whether the user is in an open channel.
    let isParticipant: Bool
    /// The sender, if asked for.
    let user: SendbirdUser?
  }

  /// Reads the channel and the facts that decide whether the user may send, at one moment. If `readsUser`, the user must be
  /// active.
  private func standing(
    of sender: UserID, in url: Name, readsUser: Bool = false, _ transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) -> Standing {
    let (place, name) = (url.text, sender.rawValue)
    let others = await memberships.roster(of: url).flatMap { $0.unread.count == 2 ? $0.unread.keys : nil }
    let other = others?.first { $0 != sender }?.rawValue ?? ""
    let found = try await transaction.read(
      [
        Self.channels.key(place), Self.members.key(place, name), Self.bans.key(place, name),
        Self.mutes.key(place, name), Self.blocks.key(other, name),
      ] + (readsUser ? [SendbirdDirectory.users.key(name)] : [])
        + (hasNodes ? [Self.participants.key(place, name)] : []))
    let user = readsUser ? try transaction.value(found[5], as: SendbirdUser.self) : nil
    if readsUser, user?.isActive != true { throw .failure(.senderDeactivated) }
    let isParticipant = hasNodes ? found[found.count - 1] != nil : await presence.contains(sender, in: url)
    return Standing(
      sender: sender, row: try Self.row(transaction.value(found[0], as: SendbirdChannelRow.self), nil),
      member: try transaction.value(found[1], as: SendbirdMemberRow.self), isBanned: found[2] != nil,
      isMuted: found[3] != nil, isBlocked: !other.isEmpty && found[4] != nil, isParticipant: isParticipant, user: user)
  }

  /// Throws unless the user may send.
  private func check(
    _ user: Standing, needsPresence: Bool, at now: WallTime
  ) async throws(StoreOr<SendbirdChannelRefusal>) {
    guard !user.isBanned else { throw .failure(.banned) }
    let row = user.row
    let isIn: Bool
    switch row.kind {
    case .group: isIn = user.member?.member.state == .joined
    case .open: isIn = user.isParticipant
    }
    guard isIn || !needsPresence else { throw .failure(.notAMember) }
    guard !row.properties.isFrozen || row.properties.operators.contains(user.sender) else { throw .failure(.frozen) }
    guard user.member?.member.mute(at: now) == nil, !user.isMuted else { throw .failure(.muted) }
    if user.isBlocked { throw .failure(.blocked) }
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
