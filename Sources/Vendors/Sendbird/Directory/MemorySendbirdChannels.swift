package import GatewayCore

/// The channels of a Sendbird application in the memory of one process: gone when it ends.
///
/// Runs on the executor it is given, so that in a simulated world its answers come in the same order every time.
package actor MemorySendbirdChannels: SendbirdChannelDirectory {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// A channel with what is not told of it in one piece. Never leaves the actor.
  final class Room {
    var channel: SendbirdChannel
    /// Who hears of what happens in a group channel.
    var joined: Set<UserID> = []
    var banned: Set<UserID> = []
    /// Who may not send in an open channel; a group channel's members know it of themselves.
    var muted: Set<UserID> = []
    var participants: [UserID: Set<ConnectionID>] = [:]
    /// Oldest first.
    var messages: [SendbirdMessage] = []
    var messageBytes = 0
    /// The messages that were deleted, in the order of that.
    var deletions: [SendbirdDeletion] = []

    init(_ channel: SendbirdChannel) {
      self.channel = channel
    }
  }

  private let executor: any SerialExecutor
  let limits: MemorySendbirdChannelLimits
  var rooms: [Name: Room] = [:]
  /// The distinct channel of these members.
  var distinct: [Set<UserID>: Name] = [:]
  /// The group channels that a user is a member of.
  var memberships: [UserID: Set<Name>] = [:]
  var membershipCount = 0
  /// What users have not read, of all channels together.
  var unreadSums: [UserID: SendbirdUnread] = [:]
  var departures: SendbirdDepartures
  /// The open channels that a connection is in.
  var entered: [ConnectionID: Set<Name>] = [:]
  /// Whom a user blocks.
  var blocks: [UserID: Set<UserID>] = [:]
  var blockCount = 0
  var banCount = 0
  var ledger = SendbirdMessageLedger()
  /// How many messages have given way to others.
  var displaced: UInt64 = 0
  var lastMessageID: Int64 = 0
  private var channelBytes = 0
  private var lastNumber: Int64 = 0

  package init(
    on executor: any SerialExecutor, limits: MemorySendbirdChannelLimits = MemorySendbirdChannelLimits()
  ) {
    self.executor = executor
    self.limits = limits
    departures = SendbirdDepartures(countMax: limits.departures)
  }

  func room(_ url: Name, _ kind: SendbirdChannel.Kind? = nil) throws(SendbirdChannelRefusal) -> Room {
    guard let room = rooms[url] else { throw .channelNotFound }
    if let kind, room.channel.kind != kind { throw .wrongKind }
    return room
  }

  /// How much is held, for those who watch over it.
  package var usage: SendbirdChannelUsage {
    SendbirdChannelUsage(
      channels: rooms.count, channelBytes: channelBytes, messages: ledger.count, messageBytes: ledger.bytes,
      messagesDisplaced: displaced)
  }

  // MARK: Channels

  package func create(_ channel: SendbirdChannel) throws(SendbirdChannelRefusal) -> SendbirdCreation {
    let users = Set(channel.members.map(\.user))
    if channel.isDistinct, let url = distinct[users], let known = rooms[url] {
      return SendbirdCreation(channel: known.channel, isNew: false)
    }
    guard rooms[channel.url] == nil else { throw .channelExists }
    guard rooms.count < limits.channels, channelBytes + channel.properties.bytes <= limits.channelBytes else {
      throw .tooManyChannels
    }
    guard users.count <= limits.membersOfChannel, membershipCount + users.count <= limits.memberships else {
      throw .tooManyMembers
    }
    lastNumber += 1
    var made = channel
    made.number = lastNumber
    made.members = []
    let room = Room(made)
    rooms[made.url] = room
    channelBytes += made.properties.bytes
    for member in channel.members where room.channel.member(member.user) == nil { add(member, to: room) }
    if made.isDistinct { distinct[users] = made.url }
    return SendbirdCreation(channel: room.channel, isNew: true)
  }

  package func channel(_ url: Name) -> SendbirdChannel? {
    rooms[url]?.channel
  }

  package func channels(_ query: SendbirdChannelQuery) -> SendbirdChannelPage {
    let candidates = query.member.map { (memberships[$0] ?? []).compactMap { rooms[$0] } } ?? Array(rooms.values)
    let found = candidates.lazy.map(\.channel).filter { query.includes($0) }.sorted { query.puts($0, before: $1) }
    let page = found.dropFirst(query.offset).prefix(query.limit)
    let isLast = query.offset >= found.count - page.count
    return SendbirdChannelPage(channels: Array(page), next: isLast ? nil : query.offset + page.count)
  }

  package func update(
    _ url: Name, _ change: @Sendable (inout SendbirdChannel.Properties) -> Void
  ) throws(SendbirdChannelRefusal) -> SendbirdChannel {
    let room = try room(url)
    let before = room.channel.properties
    var properties = before
    change(&properties)
    let growth = properties.bytes - before.bytes
    guard growth <= 0 || channelBytes + growth <= limits.channelBytes else { throw .tooManyChannels }
    channelBytes += growth
    // What is not read counts by the channel's type.
    let counts = room.channel.members.indices.map { room.channel.members[$0].unreadCount }
    if properties.customType != before.customType {
      for index in room.channel.members.indices { setUnread(0, at: index, of: room) }
    }
    room.channel.properties = properties
    for (index, count) in zip(room.channel.members.indices, counts) { setUnread(count, at: index, of: room) }
    return room.channel
  }

  package func delete(_ url: Name, at now: WallTime) throws(SendbirdChannelRefusal) -> SendbirdMembership {
    let room = try room(url)
    let channel = room.channel
    let users = channel.kind == .group ? channel.members.map(\.user) : room.participants.keys.sorted()
    let connections = room.participants.values.flatMap { $0 }
    endDistinction(of: room)
    for member in channel.members { remove(member.user, from: room, at: now) }
    for connection in connections { forget(url, enteredBy: connection) }
    for message in room.messages { ledger.remove(message) }
    channelBytes -= channel.properties.bytes
    banCount -= room.banned.count + room.muted.count
    rooms[url] = nil
    return SendbirdMembership(channel: channel, changed: users, connections: connections)
  }

  // MARK: Who is in them

  func add(_ member: SendbirdMember, to room: Room) {
    room.channel.members.append(member)
    if member.state == .joined { room.joined.insert(member.user) }
    memberships[member.user, default: []].insert(room.channel.url)
    membershipCount += 1
  }

  func remove(_ user: UserID, from room: Room, at now: WallTime) {
    guard let index = room.channel.members.firstIndex(where: { $0.user == user }) else { return }
    setUnread(0, at: index, of: room)
    room.channel.members.remove(at: index)
    room.joined.remove(user)
    memberships[user]?.remove(room.channel.url)
    if memberships[user]?.isEmpty == true { memberships[user] = nil }
    membershipCount -= 1
    departures.note(user, from: room.channel.url, at: now)
  }

  func endDistinction(of room: Room) {
    guard room.channel.isDistinct else { return }
    distinct[Set(room.channel.members.map(\.user))] = nil
    room.channel.isDistinct = false
  }

  func forget(_ url: Name, enteredBy connection: ConnectionID) {
    entered[connection]?.remove(url)
    if entered[connection]?.isEmpty == true { entered[connection] = nil }
  }
}

extension SendbirdChannel.Properties {
  /// About how many bytes of memory they take.
  fileprivate var bytes: Int {
    let texts = name.utf8.count + coverURL.utf8.count + customType.text.utf8.count + data.utf8.count
    return 1_000 + texts + metadata.bytes + operators.reduce(0) { $0 + 32 + $1.rawValue.utf8.count }
  }
}
