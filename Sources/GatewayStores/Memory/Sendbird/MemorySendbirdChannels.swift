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
    var participants: [UserID: Set<ConnectionID>] = [:]
    /// Oldest first.
    var messages: [SendbirdMessage] = []

    init(_ channel: SendbirdChannel) {
      self.channel = channel
    }
  }

  private let executor: any SerialExecutor
  let limits: MemorySendbirdChannelLimits
  var rooms: [String: Room] = [:]
  /// The distinct channel of these members.
  var distinct: [Set<UserID>: String] = [:]
  /// The group channels that a user is a member of.
  var memberships: [UserID: Set<String>] = [:]
  var membershipCount = 0
  /// The open channels that a connection is in.
  var entered: [ConnectionID: Set<String>] = [:]
  /// Whom a user blocks.
  var blocks: [UserID: Set<UserID>] = [:]
  var blockCount = 0
  var messageCount = 0
  var lastMessageID: Int64 = 0
  private var lastNumber: Int64 = 0

  package init(
    on executor: any SerialExecutor, limits: MemorySendbirdChannelLimits = MemorySendbirdChannelLimits()
  ) {
    self.executor = executor
    self.limits = limits
  }

  func room(_ url: String, _ kind: SendbirdChannel.Kind? = nil) throws(SendbirdChannelRefusal) -> Room {
    guard let room = rooms[url] else { throw .channelNotFound }
    if let kind, room.channel.kind != kind { throw .wrongKind }
    return room
  }

  // MARK: Channels

  package func create(_ channel: SendbirdChannel) throws(SendbirdChannelRefusal) -> SendbirdCreation {
    let users = Set(channel.members.map(\.user))
    if channel.isDistinct, let url = distinct[users], let known = rooms[url] {
      return SendbirdCreation(channel: known.channel, isNew: false)
    }
    guard rooms[channel.url] == nil else { throw .channelExists }
    guard rooms.count < limits.channels else { throw .tooManyChannels }
    guard users.count <= limits.membersOfChannel, membershipCount + users.count <= limits.memberships else {
      throw .tooManyMembers
    }
    lastNumber += 1
    var made = channel
    made.number = lastNumber
    made.members = []
    let room = Room(made)
    rooms[made.url] = room
    for member in channel.members where room.channel.member(member.user) == nil { add(member, to: room) }
    if made.isDistinct { distinct[users] = made.url }
    return SendbirdCreation(channel: room.channel, isNew: true)
  }

  package func channel(_ url: String) -> SendbirdChannel? {
    rooms[url]?.channel
  }

  package func channels(_ query: SendbirdChannelQuery) -> SendbirdChannelPage {
    let candidates = query.member.map { (memberships[$0] ?? []).compactMap { rooms[$0] } } ?? Array(rooms.values)
    let found = candidates.lazy.map(\.channel).filter { query.includes($0) }.sorted { first, second in
      if query.order == .latestLastMessage {
        let (one, other) = (first.lastMessage?.id ?? 0, second.lastMessage?.id ?? 0)
        if one != other { return one > other }
      }
      return first.number > second.number
    }
    let page = found.dropFirst(query.offset).prefix(query.limit)
    let end = query.offset + page.count
    return SendbirdChannelPage(channels: Array(page), next: end < found.count ? end : nil)
  }

  package func update(
    _ url: String, _ change: @Sendable (inout SendbirdChannel.Properties) -> Void
  ) throws(SendbirdChannelRefusal) -> SendbirdChannel {
    let room = try room(url)
    change(&room.channel.properties)
    return room.channel
  }

  package func delete(_ url: String) throws(SendbirdChannelRefusal) -> SendbirdMembership {
    let room = try room(url)
    let channel = room.channel
    let users = channel.kind == .group ? channel.members.map(\.user) : room.participants.keys.sorted(by: Self.inOrder)
    let connections = room.participants.values.flatMap { $0 }
    endDistinction(of: room)
    for member in channel.members { remove(member.user, from: room) }
    for connection in connections { forget(url, enteredBy: connection) }
    messageCount -= room.messages.count
    rooms[url] = nil
    return SendbirdMembership(channel: channel, changed: users, connections: connections)
  }

  // MARK: Who is in them

  static func inOrder(_ first: UserID, _ second: UserID) -> Bool {
    first.rawValue < second.rawValue
  }

  func add(_ member: SendbirdMember, to room: Room) {
    room.channel.members.append(member)
    if member.state == .joined { room.joined.insert(member.user) }
    memberships[member.user, default: []].insert(room.channel.url)
    membershipCount += 1
  }

  func remove(_ user: UserID, from room: Room) {
    guard let index = room.channel.members.firstIndex(where: { $0.user == user }) else { return }
    room.channel.members.remove(at: index)
    room.joined.remove(user)
    memberships[user]?.remove(room.channel.url)
    if memberships[user]?.isEmpty == true { memberships[user] = nil }
    membershipCount -= 1
  }

  func endDistinction(of room: Room) {
    guard room.channel.isDistinct else { return }
    distinct[Set(room.channel.members.map(\.user))] = nil
    room.channel.isDistinct = false
  }

  func forget(_ url: String, enteredBy connection: ConnectionID) {
    entered[connection]?.remove(url)
    if entered[connection]?.isEmpty == true { entered[connection] = nil }
  }
}
