internal import GatewayCore

/// The sessions of an application, bounded in all and for each user, and which of them each connection has.
struct SendbirdSessionTable {
  /// Twice as many as a user may have connections by default. The oldest is forgotten first.
  static let sessionsPerUserMax = 60

  private let countMax: Int
  private(set) var sessions: [UInt64: SendbirdSession] = [:]
  private var users: [UserID: Entry] = [:]

  private struct Entry {
    /// In the order in which they were opened.
    var sessions: [UInt64] = []
    var connections: [ConnectionID: UInt64] = [:]
  }

  init(countMax: Int) {
    self.countMax = max(1, countMax)
  }

  subscript(_ id: UInt64) -> SendbirdSession? { sessions[id] }

  /// The sessions of the user, oldest first.
  func ids(of user: UserID) -> [UInt64] {
    users[user]?.sessions ?? []
  }

  /// The user's connections with the sessions they are part of.
  func connections(of user: UserID) -> [ConnectionID: UInt64] {
    users[user]?.connections ?? [:]
  }

  /// Remembers a session; its number is nobody's yet.
  mutating func open(_ session: SendbirdSession, as id: UInt64, at now: WallTime) {
    if sessions.count >= countMax { makeRoom(at: now) }
    if let own = users[session.user]?.sessions, own.count >= Self.sessionsPerUserMax, let oldest = own.first {
      sessions[oldest] = nil
      users[session.user]?.sessions.removeFirst()
    }
    sessions[id] = session
    users[session.user, default: Entry()].sessions.append(id)
  }

  mutating func update(_ id: UInt64, _ change: (inout SendbirdSession) -> Void) {
    guard var session = sessions[id] else { return }
    change(&session)
    sessions[id] = session
  }

  mutating func connect(_ connection: ConnectionID, of user: UserID, to id: UInt64) {
    users[user, default: Entry()].connections[connection] = id
  }

  mutating func disconnect(_ connection: ConnectionID, of user: UserID) {
    guard users[user]?.connections.removeValue(forKey: connection) != nil else { return }
    dropIfEmpty(user)
  }

  private mutating func dropIfEmpty(_ user: UserID) {
    if let entry = users[user], entry.sessions.isEmpty, entry.connections.isEmpty { users[user] = nil }
  }

  /// Forgets the sessions that have ended, or, if those are few, the oldest quarter: so often a login that forgetting
  /// costs each of them little.
  private mutating func makeRoom(at now: WallTime) {
    var forgotten = sessions.filter { $0.value.hasEnded(at: now) }.map(\.key)
    if forgotten.count < countMax / 4 {
      let byAge = sessions.sorted { ($0.value.begunAt, $0.key) < ($1.value.begunAt, $1.key) }
      forgotten = byAge.prefix(max(1, countMax / 4)).map(\.key)
    }
    for id in forgotten {
      guard let user = sessions.removeValue(forKey: id)?.user else { continue }
      users[user]?.sessions.removeAll { $0 == id }
      dropIfEmpty(user)
    }
  }
}
