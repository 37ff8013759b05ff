internal import GatewayCore
internal import Synchronization

/// A member of a call, whether present or not.
struct StreamCallMember: Hashable, Codable, Sendable {
  var user: UserID
  /// The role in this call; nil for the user's own.
  var role: Name?
  var custom: StreamCustom
  var createdAt: WallTime
  var updatedAt: WallTime

  init(user: UserID, role: Name?, custom: StreamCustom, createdAt: WallTime) {
    self.user = user
    self.role = role
    self.custom = custom
    self.createdAt = createdAt
    updatedAt = createdAt
  }
}

/// The members of a call, perhaps thousands: their number, and the members that have been looked up. A call that was
/// read contains the members that the read named; within a change members are looked up when they are needed.
struct StreamCallMembers: Hashable, Sendable {
  /// A member with the place in the order in which they were added.
  struct Placed: Hashable, Sendable {
    var place: Int
    var member: StreamCallMember
  }

  /// The number of members.
  private(set) var count = 0
  /// The number of members so far, which is the position of the next.
  private var everCount = 0
  /// The members that were looked up; nil for a user who is not a member.
  private var known: [UserID: Placed?] = [:]
  private var knownCount = 0
  private var wanted: StreamMembersWanted?
  /// Whether the members are stored in the call's own row, as in earlier versions.
  private(set) var areInCall = false

  init() {}

  /// The user's membership; nil if there is none. A new member gets the last place.
  subscript(user: UserID) -> StreamCallMember? {
    get {
      if let placed = known[user] { return placed?.member }
      if knownCount < count {
        assert(wanted != nil, "\(user) was not looked up")
        wanted?.insert(user)
      }
      return nil
    }
    set {
      let isMember = self[user] != nil
      if let newValue {
        let place = (known[user] ?? nil)?.place ?? everCount
        known[user] = Placed(place: place, member: newValue)
        if !isMember { (count, knownCount, everCount) = (count + 1, knownCount + 1, everCount + 1) }
      } else {
        known[user] = .some(nil)
        if isMember { (count, knownCount) = (count - 1, knownCount - 1) }
      }
    }
  }

  /// The members who were looked up, in the order in which they were added.
  var inOrder: [StreamCallMember] { placed.map(\.member) }

  /// All members, in the order in which they were added; nil if not all were looked up.
  var all: [StreamCallMember]? { allPlaced?.map(\.member) }

  /// All members with their places; nil if not all were looked up.
  var allPlaced: [Placed]? { knownCount == count ? placed : nil }

  private var placed: [Placed] { known.values.compactMap { $0 }.sorted { $0.place < $1.place } }

  /// Returns those `users` who have not been looked up.
  func unknown(of users: some Sequence<UserID>) -> [UserID] {
    knownCount < count ? users.filter { known[$0] == nil } : []
  }

  /// Notes the result of looking up the user: nil if not a member.
  mutating func learn(_ user: UserID, _ found: Placed?) {
    guard known[user] == nil, knownCount < count else { return }
    known[user] = .some(found)
    if found != nil { knownCount += 1 }
  }

  /// Returns a copy that reports to `wanted` each user who is asked for and was not looked up.
  func telling(_ wanted: StreamMembersWanted?) -> StreamCallMembers {
    var members = self
    members.wanted = wanted
    return members
  }

  /// A copy without any looked-up members: what the call's row contains.
  var alone: StreamCallMembers {
    var members = StreamCallMembers()
    (members.count, members.everCount) = (count, everCount)
    return members
  }

  /// Returns the memberships that differ, before and after, in the order in which they were added.
  func changes(since before: StreamCallMembers) -> [(user: UserID, before: Placed?, after: Placed?)] {
    known.map { (user: $0.key, before: before.known[$0.key] ?? nil, after: $0.value) }
      .filter { $0.before != $0.after || before.areInCall }
      .sorted { ($0.after ?? $0.before)?.place ?? 0 < ($1.after ?? $1.before)?.place ?? 0 }
  }

  static func == (lhs: StreamCallMembers, rhs: StreamCallMembers) -> Bool {
    lhs.count == rhs.count && lhs.everCount == rhs.everCount && lhs.known == rhs.known
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    hasher.combine(everCount)
  }
}

extension StreamCallMembers: Codable {
  private enum CodingKeys: String, CodingKey {
    case count, everCount
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(count, forKey: .count)
    try container.encode(everCount, forKey: .everCount)
  }

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: CodingKeys.self) {
      count = try container.decode(Int.self, forKey: .count)
      everCount = try container.decode(Int.self, forKey: .everCount)
    } else {
      // The format from before each member had a row.
      for member in try decoder.singleValueContainer().decode([StreamCallMember].self) { self[member.user] = member }
      areInCall = true
    }
  }
}

/// The users who must be looked up before a change can be made.
final class StreamMembersWanted: Sendable {
  private let users = Mutex<Set<UserID>>([])

  func insert(_ user: UserID) { users.withLock { _ = $0.insert(user) } }

  /// Returns the users in order, and removes them.
  func takeAll() -> [UserID] {
    users.withLock { users in
      defer { users = [] }
      return users.sorted()
    }
  }
}
