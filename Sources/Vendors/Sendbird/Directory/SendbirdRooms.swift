internal import GatewayCore
internal import GatewayKit

/// The figures of channels that a process has at hand, so that a message to one of 2,000 members reads no 2,000 rows:
/// who hears, and how much each of them has not read in all, four messages for instance, which every client is told
/// with every message. All of it follows from the store, and is read from there when the process begins, and again when
/// nobody knows what a commit has come to.
///
/// It gives the turns as well: who has a channel's changes it and tells its members, before the next does. So the
/// members hear of changes in the order of their commits, on whatever loop each was made.
actor SendbirdRooms {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The work that is to do before a turn is used: a channel's seats must be read, for instance.
  enum Readiness: Sendable {
    case ready
    /// The channel's seats must be read.
    case seatsMissing
    /// Those of all channels must be.
    case nothingRead
  }

  private static let doubtfulMax = 1_000

  private let executor: any SerialExecutor
  private var seats: [Name: SendbirdSeats] = [:]
  private var isRead = false
  /// The channels of which nobody knows what the last commit has come to.
  private var doubtful: Set<Name> = []
  private var sums: [UserID: SendbirdUnread] = [:]
  private var memberships: [UserID: Set<Name>] = [:]
  private let turns = Turns<Name>()
  /// How many messages have given way to others.
  private(set) var displaced: UInt64 = 0

  init(on executor: any SerialExecutor) {
    self.executor = executor
  }

  // MARK: Turns

  /// Waits for the channel's turn, which must be given back.
  func take(_ url: Name) async -> Readiness {
    await turns.take(url)
    guard isRead else { return .nothingRead }
    return seats[url] == nil || doubtful.contains(url) ? .seatsMissing : .ready
  }

  /// Gives the turn back. After a commit of which nobody knows what it has come to, the seats are read anew.
  func give(_ url: Name, inDoubt: Bool) {
    // Of channels that may never have been made so many are remembered; the others are found when they are named.
    if inDoubt, seats[url] != nil || doubtful.count < Self.doubtfulMax { doubtful.insert(url) }
    turns.give(url)
  }

  // MARK: Seats

  /// These are all.
  func begin(_ all: [Name: SendbirdSeats]) {
    for (url, seats) in all { put(seats, at: url) }
    isRead = true
  }

  /// The channels whose seats must be read before anything is said of all.
  var doubts: [Name] { doubtful.sorted() }

  /// Notes who is in a channel now; nil if there is none, or nobody knows.
  func put(_ new: SendbirdSeats?, at url: Name) {
    doubtful.remove(url)
    if let old = seats[url] {
      for (user, count) in old.unread {
        change(user, from: count, to: 0, old.customType)
        if new?.unread[user] == nil {
          memberships[user]?.remove(url)
          if memberships[user]?.isEmpty == true { memberships[user] = nil }
        }
      }
    }
    seats[url] = new
    guard let new else { return }
    for (user, count) in new.unread {
      change(user, from: 0, to: count, new.customType)
      memberships[user, default: []].insert(url)
    }
  }

  func seats(of url: Name) -> SendbirdSeats? {
    seats[url]
  }

  func seats(of urls: [Name]) -> [Name: SendbirdSeats] {
    urls.reduce(into: [:]) { $0[$1] = seats[$1] }
  }

  /// The group channels of the user, in the order of their names.
  func channels(of user: UserID) -> [Name] {
    (memberships[user] ?? []).sorted()
  }

  // MARK: Messages

  /// Notes a message: who hears of it, and what they have not read now.
  func sent(
    _ url: Name, by sender: UserID?, displacing count: Int
  ) -> (hearers: Set<UserID>, unread: [UserID: SendbirdUnread]) {
    displaced += UInt64(count)
    guard let joined = seats[url]?.joined, let type = seats[url]?.customType else { return ([], [:]) }
    let uncounted = seats[url]?.uncounted ?? []
    for user in joined where user != sender && !uncounted.contains(user) {
      let count = seats[url]?.unread[user] ?? 0
      seats[url]?.unread[user] = count + 1
      change(user, from: count, to: count + 1, type)
    }
    return (joined, unread(joined))
  }

  /// Notes that the member has read everything.
  func read(_ url: Name, by user: UserID) { unread(url, count: 0, by: user) }

  /// Notes that the member has not read so many messages; none count for a member who wants none counted.
  func unread(_ url: Name, count: Int, by user: UserID) {
    guard let before = seats[url]?.unread[user], let type = seats[url]?.customType else { return }
    let count = seats[url]?.uncounted.contains(user) == true ? 0 : count
    seats[url]?.unread[user] = count
    change(user, from: before, to: count, type)
  }

  /// What these users have not read; who is not in the answer has read everything.
  func unread(_ users: Set<UserID>) -> [UserID: SendbirdUnread] {
    users.reduce(into: [:]) { $0[$1] = sums[$1] }
  }

  /// The same, nil where seats must be read first.
  func unreadBeyondDoubt(_ users: Set<UserID>) -> [UserID: SendbirdUnread]? {
    isRead && doubtful.isEmpty ? unread(users) : nil
  }

  /// Notes in a user's sum that so much of one channel is not read, in place of so much.
  private func change(_ user: UserID, from before: Int, to after: Int, _ type: Name) {
    guard before != after else { return }
    var sum = sums[user] ?? SendbirdUnread()
    sum.messages += after - before
    sum.channels += (after > 0 ? 1 : 0) - (before > 0 ? 1 : 0)
    if !type.text.isEmpty {
      let ofType = (sum.messagesByType[type] ?? 0) + after - before
      sum.messagesByType[type] = ofType == 0 ? nil : ofType
    }
    sums[user] = sum.messages == 0 ? nil : sum
  }
}
