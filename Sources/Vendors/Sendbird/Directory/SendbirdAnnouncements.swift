internal import GatewayCore
internal import GatewayKit

/// A server's message to many channels, now or later.
struct SendbirdAnnouncement: Hashable, StoreValue {
  /// The status of an announcement.
  enum Status: String, Hashable, Codable, Sendable {
    case scheduled
    case running
    case done
    case paused
    case canceled
  }

  /// The channels that receive an announcement.
  enum Target: String, Hashable, Codable, Sendable, CaseIterable {
    /// The listed channels.
    case channels = "target_channels"
    /// All channels of the sender.
    case all = "sender_all_channels"
    /// The channels of the sender and one of the listed users only.
    case only = "target_users_only_channels"
    /// The channels of the sender in which one of the listed users is too.
    case included = "target_users_included_channels"
  }

  let id: Name
  let group: Name
  /// `MESG` with a sender, or `ADMM` without.
  let kind: SendbirdMessage.Kind
  let sender: UserID?
  let text: String
  let data: String
  let customType: Name
  let target: Target
  /// The channels or users, as the target says.
  let list: [Name]
  /// Whether a missing channel with a listed user is created.
  let makesChannels: Bool
  var at: WallTime
  let createdAt: WallTime
  var status = Status.scheduled
  /// The life of the process that sends it, or has sent it; nil before that, and from versions that did not note it.
  var sentBy: NodeBoot?
  var completedAt: WallTime?
  var sentChannels = 0
  var sentUsers = 0
  /// The channel in which it was sent last.
  var lastChannel: Name?

  init(
    _ id: Name, group: Name, kind: SendbirdMessage.Kind, sender: UserID?, text: String, data: String, customType: Name,
    target: Target, list: [Name], makesChannels: Bool, at time: WallTime, createdAt: WallTime
  ) {
    self.id = id
    self.group = group
    self.kind = kind
    self.sender = sender
    self.text = text
    self.data = data
    self.customType = customType
    self.target = target
    self.list = list
    self.makesChannels = makesChannels
    at = time
    self.createdAt = createdAt
  }
}

/// The announcements of an application, including finished ones of the last week.
///
/// Each operation is atomic; a full table throws `GatewayError.tooMany`, an unavailable store
/// `GatewayError.storeUnavailable`.
struct SendbirdAnnouncements: Sendable {
  private static let table = StoreTable<SendbirdAnnouncement>("sendbird.announcement")
  /// How long a finished one is stored.
  private static let memory = Duration.seconds(7 * 24 * 3_600)
  /// The maximum number of announcements.
  static let countMax = 1_000

  private let store: any Store
  let life: NodeBoot

  /// - Parameter life: The life of this process, which is noted with what it sends.
  init(_ store: any Store, life: NodeBoot = .first) {
    self.store = store
    self.life = life
  }

  /// Returns all announcements, sorted by name.
  func all(at now: WallTime) async throws(GatewayError) -> [SendbirdAnnouncement] {
    try await GatewayError.asking { () async throws(StoreError) in
      var all: [SendbirdAnnouncement] = []
      for entry in try await store.scan(Self.table.range(), limit: Self.countMax, at: now) {
        all.append(try entry.value(as: SendbirdAnnouncement.self))
      }
      return all
    }
  }

  func announcement(_ id: Name, at now: WallTime) async throws(GatewayError) -> SendbirdAnnouncement? {
    try await GatewayError.asking { () async throws(StoreError) in
      try await store.get(Self.table.key(id.text), as: SendbirdAnnouncement.self, at: now)
    }
  }

  /// Stores a new one; throws `GatewayError.alreadyExists` if there is one with that name.
  func add(_ announcement: SendbirdAnnouncement, at now: WallTime) async throws(GatewayError) {
    try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) in
      let key = Self.table.key(announcement.id.text)
      guard try await transaction.get(key, as: SendbirdAnnouncement.self) == nil else { throw .alreadyExists }
      put(announcement, in: &transaction, at: now)
    }
  }

  /// Changes one with one of those statuses; returns nil if it has another or does not exist. Concurrent changes run
  /// one after another.
  func change(
    _ id: Name, from statuses: Set<SendbirdAnnouncement.Status>, at now: WallTime,
    _ change: (inout SendbirdAnnouncement) -> Void
  ) async throws(GatewayError) -> SendbirdAnnouncement? {
    try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> SendbirdAnnouncement? in
      guard var known = try await transaction.get(Self.table.key(id.text), as: SendbirdAnnouncement.self),
        statuses.contains(known.status)
      else { return nil }
      change(&known)
      put(known, in: &transaction, at: now)
      return known
    }
  }

  /// Starts one that is due; returns nil if there is none. One that this process started although the answer was lost
  /// counts as started.
  func begin(_ id: Name, at now: WallTime) async throws(GatewayError) -> SendbirdAnnouncement? {
    try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> SendbirdAnnouncement? in
      guard var known = try await transaction.get(Self.table.key(id.text), as: SendbirdAnnouncement.self),
        known.at <= now
      else { return nil }
      if known.status == .running, known.lastChannel == nil, known.sentBy == life { return known }
      guard known.status == .scheduled else { return nil }
      known.status = .running
      known.sentBy = life
      put(known, in: &transaction, at: now)
      return known
    }
  }

  /// Notes in this transaction that it is sent in a channel: both are committed, or neither. Returns false if it was
  /// sent there just before or is not running.
  func noteSaid<Failure: StoreFailure>(
    _ id: Name, in channel: Name, to users: Int, in transaction: inout StoreTransaction<Failure>, at now: WallTime
  ) async throws(Failure) -> Bool {
    guard var known = try await transaction.get(Self.table.key(id.text), as: SendbirdAnnouncement.self),
      known.status == .running, known.lastChannel != channel
    else { return false }
    known.lastChannel = channel
    known.sentChannels += 1
    known.sentUsers += users
    put(known, in: &transaction, at: now)
    return true
  }

  private func put<Failure: StoreFailure>(
    _ announcement: SendbirdAnnouncement, in transaction: inout StoreTransaction<Failure>, at now: WallTime
  ) {
    let isOver = announcement.status == .done || announcement.status == .canceled
    let count = StoreCount("sendbird.announcements", atMost: Self.countMax, of: "announcements")
    transaction.put(
      Self.table.key(announcement.id.text), announcement, expires: isOver ? now + Self.memory : nil, in: [count])
  }
}
