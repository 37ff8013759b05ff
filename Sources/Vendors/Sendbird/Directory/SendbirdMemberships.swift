internal import GatewayCore
internal import GatewayKit

/// A cache of channels' members and unread counts.
///
/// With it a message to 2,000 members does not read 2,000 rows: it knows the receivers and each one's unread total,
/// which every message contains. Everything in it is derived from the store: it is read from there at the start, and
/// again after a commit with an unknown outcome, or one of another process.
///
/// It also gives out the turns of each channel: the holder of a turn changes the channel and notifies its members
/// before the next one does. The members therefore receive changes in the order of the commits, on whatever loop or node
/// each was made.
actor SendbirdMemberships {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The data that must be loaded before a turn is used.
  enum Readiness: Sendable {
    case ready
    /// The channel's roster.
    case rosterMissing
    /// The rosters of all channels.
    case nothingRead
  }

  private static let doubtfulMax = 1_000

  private let executor: any SerialExecutor
  private var rosters: [Name: SendbirdRoster] = [:]
  private var isRead = false
  /// The channels whose last commit has an unknown outcome, or that another process has changed.
  private var doubtful: Set<Name> = []
  /// How many readings of rosters are in progress, and the channels that another process has changed since their start.
  private var readings = 0
  private var disturbed: Set<Name> = []
  private var sums: [UserID: SendbirdUnread] = [:]
  private var channelsOfUser: [UserID: Set<Name>] = [:]
  private let turns: NodeTurns<Name>
  /// The number of displaced messages.
  private(set) var displaced: UInt64 = 0

  init(on executor: any SerialExecutor, turns: (any Turns)?) {
    self.executor = executor
    self.turns = NodeTurns(of: "sendbird.channel", among: turns) { $0.text }
  }

  // MARK: Turns

  /// Waits for the channel's turn, which must be given back, and is nil without other nodes.
  func take(_ url: Name) async throws(StoreError) -> (turn: HeldTurn?, readiness: Readiness) {
    let turn = try await turns.take(url)
    return (turn, readiness(of: url))
  }

  /// Waits for the channel's turn within this process, for what only its cache depends on.
  func takeHere(_ url: Name) async -> Readiness {
    await turns.takeHere(url)
    return readiness(of: url)
  }

  private func readiness(of url: Name) -> Readiness {
    guard isRead else { return .nothingRead }
    return rosters[url] == nil || doubtful.contains(url) ? .rosterMissing : .ready
  }

  /// Gives the turn back. After a commit with an unknown outcome the roster is read again.
  func give(_ url: Name, _ turn: HeldTurn? = nil, inDoubt: Bool) {
    // Only this many channels are remembered that may never have been created; others are found when they are named.
    if inDoubt, rosters[url] != nil || doubtful.count < Self.doubtfulMax { doubtful.insert(url) }
    turns.give(url, turn)
  }

  // MARK: Seats

  /// Sets the rosters of all channels that have none. Present rosters may be newer; doubtful ones are read in turn.
  func begin(_ all: [Name: SendbirdRoster]) {
    for (url, new) in all where rosters[url] == nil { put(new, at: url) }
    isRead = true
  }

  /// Seats are being read from the store until ``endReading()``.
  func beginReading() { readings += 1 }

  /// Sets the rosters that were read. Rosters that another process has changed since are read again.
  func endReading() {
    doubtful.formUnion(disturbed)
    readings -= 1
    if readings == 0 { disturbed = [] }
  }

  /// Notes that another process has changed the channel.
  func forget(_ url: Name) {
    if readings > 0 { disturbed.insert(url) }
    if rosters[url] != nil || (isRead && doubtful.count < Self.doubtfulMax) {
      doubtful.insert(url)
    } else {
      // It is found when all channels are read.
      isRead = false
    }
  }

  /// Applies a change that another process has made.
  func hear(_ news: SendbirdRoomNews) {
    switch news {
    case .message(let url, let sender, let count):
      guard let known = messages(of: url), count <= known + 1 else { return forget(url) }
      // What was read from the store outside of a turn may be newer than the news.
      if count == known + 1 { _ = sent(url, by: sender, as: count, displacing: 0) }
    case .unread(let url, let unread, let user, let count):
      guard messages(of: url) == count else { return forget(url) }
      self.unread(url, count: unread, by: user)
    case .changed(let url): forget(url)
    }
  }

  /// Returns the number of messages that the channel's roster counts; nil if the roster must be read.
  private func messages(of url: Name) -> Int64? {
    readings == 0 && readiness(of: url) == .ready ? rosters[url]?.messages : nil
  }

  /// Notes that other processes may have changed any channel.
  func forgetAll() {
    if readings > 0 { disturbed.formUnion(rosters.keys) }
    doubtful.formUnion(rosters.keys)
    isRead = false
  }

  /// The channels whose rosters must be read before an answer about all channels.
  var doubts: [Name] { doubtful.sorted() }

  /// The other channels in doubt that a member of this one is in: every member's total counts them too.
  func doubts(beside url: Name) -> [Name] {
    guard !doubtful.isEmpty, let members = rosters[url]?.unread.keys else { return [] }
    return doubtful.filter { other in
      guard other != url, let unread = rosters[other]?.unread else { return false }
      return unread.count < members.count
        ? unread.keys.contains { rosters[url]?.unread[$0] != nil } : members.contains { unread[$0] != nil }
    }.sorted()
  }

  /// Sets a channel's roster; nil if there is no channel or they are unknown.
  func put(_ new: SendbirdRoster?, at url: Name) {
    doubtful.remove(url)
    if let old = rosters[url] {
      for (user, count) in old.unread {
        change(user, from: count, to: 0, old.customType)
        if new?.unread[user] == nil {
          channelsOfUser[user]?.remove(url)
          if channelsOfUser[user]?.isEmpty == true { channelsOfUser[user] = nil }
        }
      }
    }
    rosters[url] = new
    guard let new else { return }
    for (user, count) in new.unread {
      change(user, from: 0, to: count, new.customType)
      channelsOfUser[user, default: []].insert(url)
    }
  }

  func roster(of url: Name) -> SendbirdRoster? {
    rosters[url]
  }

  func rosters(of urls: [Name]) -> [Name: SendbirdRoster] {
    urls.reduce(into: [:]) { $0[$1] = rosters[$1] }
  }

  /// Returns the user's group channels, sorted by name.
  func channels(of user: UserID) -> [Name] {
    (channelsOfUser[user] ?? []).sorted()
  }

  // MARK: Messages

  /// Counts a message, which has that number among those of the channel; returns its receivers and their unread totals.
  func sent(
    _ url: Name, by sender: UserID?, as number: Int64, displacing count: Int
  ) -> (hearers: Set<UserID>, unread: [UserID: SendbirdUnread]) {
    displaced += UInt64(count)
    rosters[url]?.messages = number
    guard let joined = rosters[url]?.joined, let type = rosters[url]?.customType else { return ([], [:]) }
    let uncounted = rosters[url]?.uncounted ?? []
    for user in joined where user != sender && !uncounted.contains(user) {
      let count = rosters[url]?.unread[user] ?? 0
      rosters[url]?.unread[user] = count + 1
      change(user, from: count, to: count + 1, type)
    }
    return (joined, unread(joined))
  }

  /// Notes that the member has read everything.
  func read(_ url: Name, by user: UserID) { unread(url, count: 0, by: user) }

  /// Sets the member's unread count; it stays 0 for a member who excludes the channel from the totals.
  func unread(_ url: Name, count: Int, by user: UserID) {
    guard let before = rosters[url]?.unread[user], let type = rosters[url]?.customType else { return }
    let count = rosters[url]?.uncounted.contains(user) == true ? 0 : count
    rosters[url]?.unread[user] = count
    change(user, from: before, to: count, type)
  }

  /// Returns these users' unread totals; a user who is missing has read everything.
  func unread(_ users: Set<UserID>) -> [UserID: SendbirdUnread] {
    users.reduce(into: [:]) { $0[$1] = sums[$1] }
  }

  /// Returns these users' unread totals; nil if rosters must be read first.
  func unreadBeyondDoubt(_ users: Set<UserID>) -> [UserID: SendbirdUnread]? {
    isRead && doubtful.isEmpty ? unread(users) : nil
  }

  /// Replaces one channel's part of a user's total.
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
