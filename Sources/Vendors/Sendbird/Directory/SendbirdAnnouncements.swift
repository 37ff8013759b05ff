package import GatewayCore
package import GatewayKit

/// A server's word to many channels at once, now or later: that the shop is closed tomorrow, say.
package struct SendbirdAnnouncement: Hashable, StoreValue {
  /// A stage in the life of an announcement: it is put off, for instance.
  package enum Status: String, Hashable, Codable, Sendable {
    case scheduled
    case running
    case done
    case paused
    case canceled
  }

  /// The kind of channels that hear an announcement: all that its sender is in, for instance.
  package enum Target: String, Hashable, Codable, Sendable, CaseIterable {
    /// The channels of the list.
    case channels = "target_channels"
    /// All that the sender is in.
    case all = "sender_all_channels"
    /// Those of the sender and one of the listed users, and nobody else.
    case only = "target_users_only_channels"
    /// Those of the sender that one of the listed users is in too.
    case included = "target_users_included_channels"
  }

  package let id: Name
  package let group: Name
  /// `MESG` of a user or `ADMM` of nobody.
  package let kind: SendbirdMessage.Kind
  package let sender: UserID?
  package let text: String
  package let data: String
  package let customType: Name
  package let target: Target
  /// Channels or users, as the target says.
  package let list: [Name]
  /// Whether a channel with a listed user is made where there is none.
  package let makesChannels: Bool
  package var at: WallTime
  package let createdAt: WallTime
  package var status = Status.scheduled
  package var completedAt: WallTime?
  package var sentChannels = 0
  package var sentUsers = 0
  /// Where it was said last.
  package var lastChannel: Name?

  package init(
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

/// The announcements of an application, those of the last week among them.
///
/// Each operation is atomic; a full table throws `GatewayError.tooMany`, a store that is away
/// `GatewayError.storeUnavailable`.
package struct SendbirdAnnouncements: Sendable {
  private static let table = StoreTable<SendbirdAnnouncement>("sendbird.announcement")
  /// How long one is told of that is over.
  private static let memory = Duration.seconds(7 * 24 * 3_600)
  /// The most there are.
  package static let countMax = 1_000

  private let store: any Store

  package init(_ store: any Store) {
    self.store = store
  }

  /// All of them, in the order of their names.
  package func all(at now: WallTime) async throws(GatewayError) -> [SendbirdAnnouncement] {
    try await GatewayError.asking { () async throws(StoreError) in
      var all: [SendbirdAnnouncement] = []
      for entry in try await store.scan(Self.table.range(), limit: Self.countMax, at: now) {
        all.append(try entry.value(as: SendbirdAnnouncement.self))
      }
      return all
    }
  }

  package func announcement(_ id: Name, at now: WallTime) async throws(GatewayError) -> SendbirdAnnouncement? {
    try await GatewayError.asking { () async throws(StoreError) in
      try await store.get(Self.table.key(id.text), as: SendbirdAnnouncement.self, at: now)
    }
  }

  /// Keeps a new one; throws `GatewayError.alreadyExists` if there is one of that name.
  package func add(_ announcement: SendbirdAnnouncement, at now: WallTime) async throws(GatewayError) {
    try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) in
      let key = Self.table.key(announcement.id.text)
      guard try await transaction.get(key, as: SendbirdAnnouncement.self) == nil else { throw .alreadyExists }
      put(announcement, in: &transaction, at: now)
    }
  }

  /// Changes one whose status is one of those; nil if it has another, or is not there. Of several who do so one comes first.
  package func change(
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

  /// Has one begin that waits for its time, which has come; nil if there is none such. One that was to begin, and of which the
  /// answer was lost, has begun.
  package func begin(_ id: Name, at now: WallTime) async throws(GatewayError) -> SendbirdAnnouncement? {
    try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> SendbirdAnnouncement? in
      guard var known = try await transaction.get(Self.table.key(id.text), as: SendbirdAnnouncement.self),
        known.at <= now
      else { return nil }
      if known.status == .running, known.lastChannel == nil { return known }
      guard known.status == .scheduled else { return nil }
      known.status = .running
      put(known, in: &transaction, at: now)
      return known
    }
  }

  /// Notes that it is said in a channel by this very transaction: both are done, or neither is. False if it has been said
  /// there just before, or is not being said.
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
