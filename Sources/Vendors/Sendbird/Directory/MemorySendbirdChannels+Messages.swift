package import GatewayCore

// What is said in channels.

extension MemorySendbirdChannels {
  package func send(
    _ message: SendbirdMessage, needsPresence: Bool
  ) throws(SendbirdChannelRefusal) -> SendbirdDelivery {
    let room = try room(message.channelURL)
    var message = message
    if let sender = message.sender?.id {
      try check(sender, in: room, needsPresence: needsPresence)
      message.isByOperator = room.channel.isOperator(sender)
    }
    if let parent = message.parentID {
      message.parent = SendbirdParentMessage(room.messages[try place(of: parent, in: room, by: nil)])
    }
    lastMessageID += 1
    message.id = lastMessageID
    room.channel.lastMessage = message
    keep(message, in: room)
    for index in room.channel.members.indices {
      let member = room.channel.members[index]
      guard member.user != message.sender?.id, member.state == .joined else { continue }
      setUnread(member.unreadCount + 1, at: index, of: room)
    }
    var delivery = delivery(message, room)
    delivery.unread = unread(room.joined)
    delivery.parent = message.parentID.flatMap { countReplies(to: $0, in: room, at: message.createdAt) }
    return delivery
  }

  private func check(_ sender: UserID, in room: Room, needsPresence: Bool) throws(SendbirdChannelRefusal) {
    guard !room.banned.contains(sender) else { throw .banned }
    let member = room.channel.member(sender)
    let isIn = room.channel.kind == .group ? member?.state == .joined : room.participants[sender] != nil
    guard isIn || !needsPresence else { throw .notAMember }
    guard !room.channel.properties.isFrozen || room.channel.isOperator(sender) else { throw .frozen }
    guard member?.isMuted != true, !room.muted.contains(sender) else { throw .muted }
    if room.channel.kind == .group, room.channel.members.count == 2,
      let other = room.channel.members.first(where: { $0.user != sender })?.user,
      blocks[other]?.contains(sender) == true
    {
      throw .blocked
    }
  }

  // MARK: Room for messages

  /// Makes room in the channel, then in the whole store: the oldest give way, the new one never.
  private func keep(_ message: SendbirdMessage, in room: Room) {
    room.messages.append(message)
    room.messageBytes += message.bytes
    ledger.add(message)
    while room.messages.count > limits.messagesOfChannel
      || (room.messageBytes > limits.messageBytesOfChannel && room.messages.count > 1)
    {
      removeMessage(at: 0, of: room)
      displaced += 1
    }
    while ledger.count > limits.messages || (ledger.bytes > limits.messageBytes && ledger.count > 1),
      let oldest = ledger.takeOldest()
    {
      guard let other = rooms[oldest.channel], other.messages.first?.id == oldest.id else { continue }
      removeMessage(at: 0, of: other)
      displaced += 1
      // Else it would be kept as the channel's last.
      if other.messages.isEmpty { other.channel.lastMessage = nil }
    }
    ledger.tidy { [rooms] id, url in
      guard let messages = rooms[url]?.messages else { return false }
      let index = messages.partition { $0.id >= id }
      return index < messages.count && messages[index].id == id
    }
  }

  @discardableResult
  private func removeMessage(at index: Int, of room: Room) -> SendbirdMessage {
    let message = room.messages.remove(at: index)
    room.messageBytes -= message.bytes
    ledger.remove(message)
    return message
  }

  /// Changes a message where it is kept.
  private func changeMessage(at index: Int, of room: Room, _ change: (inout SendbirdMessage) -> Void) {
    let before = room.messages[index]
    change(&room.messages[index])
    room.messages[index].id = before.id
    let growth = room.messages[index].bytes - before.bytes
    room.messageBytes += growth
    ledger.resize(by: growth)
    if room.channel.lastMessage?.id == before.id { room.channel.lastMessage = room.messages[index] }
  }

  private func delivery(_ message: SendbirdMessage, _ room: Room) -> SendbirdDelivery {
    SendbirdDelivery(
      message: message, kind: room.channel.kind, channelNumber: room.channel.number, members: room.joined)
  }

  // MARK: Threads

  /// Tells a message what has been replied to it; the message then, nil if there is none any more.
  private func countReplies(to id: Int64, in room: Room, at now: WallTime) -> SendbirdMessage? {
    guard let index = try? place(of: id, in: room, by: nil) else { return nil }
    let thread = SendbirdThread(room.messages[index...].lazy.filter { $0.parentID == id }, updatedAt: now)
    changeMessage(at: index, of: room) { $0.thread = thread }
    return room.messages[index]
  }

  // MARK: Changes

  package func edit(
    _ id: Int64, in url: Name, by user: UserID?, _ change: @Sendable (inout SendbirdMessage) -> Void
  ) throws(SendbirdChannelRefusal) -> SendbirdDelivery {
    let room = try room(url)
    let index = try place(of: id, in: room, by: user)
    if let user { try check(user, in: room, needsPresence: true) }
    changeMessage(at: index, of: room, change)
    return delivery(room.messages[index], room)
  }

  package func deleteMessage(
    _ id: Int64, in url: Name, by user: UserID?, at now: WallTime
  ) throws(SendbirdChannelRefusal) -> SendbirdDelivery {
    let room = try room(url)
    let message = removeMessage(at: try place(of: id, in: room, by: user), of: room)
    if room.channel.lastMessage?.id == id { room.channel.lastMessage = room.messages.last }
    room.deletions.append(SendbirdDeletion(message: id, at: now))
    if room.deletions.count > limits.deletionsOfChannel { room.deletions.removeFirst() }
    var delivery = delivery(message, room)
    delivery.parent = message.parentID.flatMap { countReplies(to: $0, in: room, at: now) }
    return delivery
  }

  package func deletions(of url: Name, since: WallTime) throws(SendbirdChannelRefusal) -> [SendbirdDeletion] {
    try room(url).deletions.filter { $0.at >= since }
  }

  // MARK: Looking

  package func message(_ id: Int64, in url: Name) throws(SendbirdChannelRefusal) -> SendbirdMessage {
    let room = try room(url)
    return room.messages[try place(of: id, in: room, by: nil)]
  }

  private func place(of id: Int64, in room: Room, by user: UserID?) throws(SendbirdChannelRefusal) -> Int {
    let index = room.messages.partition { $0.id >= id }
    guard index < room.messages.count, room.messages[index].id == id else { throw .messageNotFound }
    if let user, room.messages[index].sender?.id != user { throw .notTheOwner }
    return index
  }

  package func messages(
    of url: Name, _ query: SendbirdMessageQuery
  ) throws(SendbirdChannelRefusal) -> [SendbirdMessage] {
    let messages = try room(url).messages
    let first: Int
    let last: Int
    switch query.point {
    case .time(let time):
      first = messages.partition { $0.createdAt >= time }
      last = messages.partition { $0.createdAt > time }
    case .message(let id):
      first = messages.partition { $0.id >= id }
      last = messages.partition { $0.id > id }
    }
    var found: [SendbirdMessage] = []
    var index = first
    while index > 0, found.count < query.before {
      index -= 1
      if query.includes(messages[index]) { found.append(messages[index]) }
    }
    found.reverse()
    if query.includesPoint { found += messages[first..<last].filter { query.includes($0) } }
    found += messages[last...].lazy.filter { query.includes($0) }.prefix(query.after)
    return found
  }
}

extension Array<SendbirdMessage> {
  /// The first place where `isBehind` holds, which must hold from there on.
  fileprivate func partition(_ isBehind: (SendbirdMessage) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
