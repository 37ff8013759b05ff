package import GatewayCore

// Who is in open channels, for as long as a connection lasts.

extension MemorySendbirdChannels {
  package func enter(
    _ url: Name, user: UserID, by connection: ConnectionID
  ) throws(SendbirdChannelRefusal) -> SendbirdParticipation {
    let room = try room(url, .open)
    guard !room.banned.contains(user) else { throw .banned }
    let isNew = room.participants[user] == nil
    guard !isNew || room.participants.count < limits.participantsOfChannel else { throw .tooManyParticipants }
    let own = entered[connection] ?? []
    guard own.count < limits.channelsOfConnection || own.contains(url) else { throw .tooManyParticipants }
    entered[connection, default: []].insert(url)
    room.participants[user, default: []].insert(connection)
    room.channel.participantCount = room.participants.count
    return SendbirdParticipation(channel: room.channel, user: user, isChange: isNew)
  }

  package func exit(
    _ url: Name, user: UserID, by connection: ConnectionID
  ) throws(SendbirdChannelRefusal) -> SendbirdParticipation {
    let room = try room(url, .open)
    forget(url, enteredBy: connection)
    let wasIn = room.participants[user]?.remove(connection) != nil
    let isGone = room.participants[user]?.isEmpty == true
    if isGone { room.participants[user] = nil }
    room.channel.participantCount = room.participants.count
    return SendbirdParticipation(channel: room.channel, user: user, isChange: wasIn && isGone)
  }

  package func exitAll(_ user: UserID, by connection: ConnectionID) -> [SendbirdParticipation] {
    (entered[connection] ?? []).sorted().compactMap { try? exit($0, user: user, by: connection) }
  }

  package func participants(_ url: Name) throws(SendbirdChannelRefusal) -> [SendbirdParticipant] {
    let room = try room(url, .open)
    return room.participants.keys.sorted().map { SendbirdParticipant(user: $0, isMuted: room.muted.contains($0)) }
  }
}
