internal import GatewayCore
internal import GatewayKit

// The limits of logins, over all nodes.

/// The connections of the limits of logins to those of other nodes.
struct SendbirdLoginTallies: Sendable {
  let logins: NodeTally
  let newUsers: NodeTally
  let connections: NodeTally

  init(on ground: Ground) {
    logins = NodeTally("sendbird.logins", on: ground)
    newUsers = NodeTally("sendbird.new-users", on: ground)
    connections = NodeTally("sendbird.connections", on: ground)
  }
}

/// The users' connections to other nodes, as far as those told.
struct SendbirdElsewhere: Sendable {
  private static let usersMax = 1_000_000
  private static let ofUserMax = 1_000

  private var connections: [UserID: Set<ConnectionID>] = [:]

  subscript(user: UserID) -> Set<ConnectionID> { connections[user] ?? [] }

  mutating func insert(_ connection: ConnectionID, of user: UserID) {
    guard self[user].count < Self.ofUserMax, connections[user] != nil || connections.count < Self.usersMax else {
      return
    }
    connections[user, default: []].insert(connection)
  }

  mutating func remove(_ connection: ConnectionID, of user: UserID) {
    connections[user]?.remove(connection)
    if connections[user]?.isEmpty == true { connections[user] = nil }
  }

  mutating func remove(of dead: DeadBoots) {
    connections = connections.compactMapValues { known in
      let live = known.filter { !dead.contains($0.life) }
      return live.isEmpty ? nil : live
    }
  }

  mutating func removeAll() { connections = [:] }
}

extension SendbirdSessions {
  /// Counts a login, a new user, or the beginning or end of a connection at another node, if the note is about one.
  func hear(_ note: VendorNote, at now: WallTime) {
    if tallies.logins.key(of: note) != nil {
      _ = takesLogin(at: now)
    } else if let address = tallies.newUsers.key(of: note) {
      newUsers?.count(address, at: Instant(nanoseconds: now.nanoseconds))
    } else if let parts = tallies.connections.parts(3, of: note), let number = UInt64(parts[1]) {
      let (connection, user) = (ConnectionID(rawValue: number), UserID(parts[2]))
      if parts[0] == "in" { elsewhere.insert(connection, of: user) } else { elsewhere.remove(connection, of: user) }
    }
  }

  /// Tells the other nodes that a connection of the user has begun or ended.
  func tell(_ change: String, _ connection: ConnectionID, of user: UserID) {
    tallies.connections.tell("\(change) \(connection.rawValue) \(user.rawValue)")
  }

  /// Forgets the connections to other nodes: perhaps notes of their ends were lost. Until they end, they do not count.
  func forgetOthers() { elsewhere.removeAll() }

  /// Forgets the connections to nodes that are dead.
  func forgetOthers(of dead: DeadBoots) { elsewhere.remove(of: dead) }
}
