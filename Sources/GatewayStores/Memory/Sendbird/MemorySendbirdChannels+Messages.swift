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
    lastMessageID += 1
    message.id = lastMessageID
    keep(message, in: room)
    room.channel.lastMessage = message
    for index in room.channel.members.indices
    where room.channel.members[index].user != message.sender?.id && room.channel.members[index].state == .joined {
      room.channel.members[index].unreadCount += 1
    }
    return delivery(message, room)
  }

  private func check(_ sender: UserID, in room: Room, needsPresence: Bool) throws(SendbirdChannelRefusal) {
    guard !room.banned.contains(sender) else { throw .banned }
    let member = room.channel.member(sender)
    let isIn = room.channel.kind == .group ? member?.state == .joined : room.participants[sender] != nil
    guard isIn || !needsPresence else { throw .notAMember }
    guard !room.channel.properties.isFrozen || room.channel.isOperator(sender) else { throw .frozen }
    guard member?.isMuted != true else { throw .muted }
    if room.channel.kind == .group, room.channel.members.count == 2,
      let other = room.channel.members.first(where: { $0.user != sender })?.user,
      blocks[other]?.contains(sender) == true
    {
      throw .blocked
    }
  }

  /// Makes room in the channel, then in the whole store: the channel that holds most gives way.
  private func keep(_ message: SendbirdMessage, in room: Room) {
    room.messages.append(message)
    messageCount += 1
    if room.messages.count > limits.messagesOfChannel { drop(1, of: room) }
    guard messageCount > limits.messages, let fullest = rooms.values.max(by: { $0.messages.count < $1.messages.count })
    else { return }
    // A tenth at once, so that the next look at all channels is far away.
    drop(max(1, min(fullest.messages.count - 1, limits.messages / 10)), of: fullest)
  }

  private func drop(_ count: Int, of room: Room) {
    room.messages.removeFirst(count)
    messageCount -= count
  }

  private func delivery(_ message: SendbirdMessage, _ room: Room) -> SendbirdDelivery {
    SendbirdDelivery(
      message: message, kind: room.channel.kind, channelNumber: room.channel.number, members: room.joined)
  }

  package func edit(
    _ id: Int64, in url: String, by user: UserID?, _ change: @Sendable (inout SendbirdMessage) -> Void
  ) throws(SendbirdChannelRefusal) -> SendbirdDelivery {
    let room = try room(url)
    let index = try place(of: id, in: room, by: user)
    if let user { try check(user, in: room, needsPresence: true) }
    change(&room.messages[index])
    room.messages[index].id = id
    if room.channel.lastMessage?.id == id { room.channel.lastMessage = room.messages[index] }
    return delivery(room.messages[index], room)
  }

  package func deleteMessage(
    _ id: Int64, in url: String, by user: UserID?
  ) throws(SendbirdChannelRefusal) -> SendbirdDelivery {
    let room = try room(url)
    let message = room.messages.remove(at: try place(of: id, in: room, by: user))
    messageCount -= 1
    if room.channel.lastMessage?.id == id { room.channel.lastMessage = room.messages.last }
    return delivery(message, room)
  }

  package func message(_ id: Int64, in url: String) throws(SendbirdChannelRefusal) -> SendbirdMessage {
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
    of url: String, _ query: SendbirdMessageQuery
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
