internal import GatewayCore
internal import GatewayKit

/// The channels of a Sendbird application, with their members and messages.
///
/// Each operation is atomic, and its answer reflects every operation that its caller knew to be complete. A full table
/// refuses and loses nothing, except for messages: their oldest are displaced. Numbers of channels and messages
/// increase and are never reused. An unavailable store throws ``SendbirdChannelRefusal/storeUnavailable``.
///
/// Operations that change a channel take a `telling`: it is called after the commit and before the next change of the
/// channel, so that events arrive in the order of the commits.
struct SendbirdChannels: Sendable {
  typealias Transaction = StoreTransaction<StoreOr<SendbirdChannelRefusal>>

  static let channels = StoreTable<SendbirdChannelRow>("sendbird.channel")
  static let distinct = StoreTable<SendbirdDistinctRow>("sendbird.distinct")
  static let members = StoreTable<SendbirdMemberRow>("sendbird.member")
  static let messages = StoreTable<SendbirdMessage>("sendbird.message")
  static let deletions = StoreTable<SendbirdDeletionRow>("sendbird.deletion")
  /// Bans, under the channel.
  static let bans = StoreTable<SendbirdBar>("sendbird.ban")
  /// Mutes in open channels; in a group channel they are part of the membership.
  static let mutes = StoreTable<SendbirdBar>("sendbird.mute")
  /// The users that a user blocks, under that user.
  static let blocks = StoreTable<SendbirdBar>("sendbird.block")
  static let polls = StoreTable<SendbirdPoll>("sendbird.poll")
  /// The polls sent in a channel, under the channel, newest first.
  static let pollPlaces = StoreTable<SendbirdPollPlace>("sendbird.poll-place")
  /// The users in open channels, under the channel; only where there are several nodes.
  static let participants = StoreTable<SendbirdParticipantRow>("sendbird.participant")
  static let departures = StoreTable<SendbirdDeparturesRow>("sendbird.departure")
  /// The number of rows that are read in one step of a scan.
  static let sliceMax = 1_000

  let store: any Store
  let limits: SendbirdChannelLimits
  let memberships: SendbirdMemberships
  let presence: SendbirdPresence
  /// Whether there are other nodes, so that the participants of open channels are kept in the store.
  let hasNodes: Bool
  let channelNumbers: SendbirdNumbers
  let messageNumbers: SendbirdNumbers
  let deletionNumbers: SendbirdNumbers
  let departureNumbers: SendbirdNumbers
  let pollNumbers: SendbirdNumbers
  let messageAges: SendbirdAges
  let deletionAges: SendbirdAges
  let departureAges: SendbirdAges
  /// Tells the other processes of the store how a channel has changed.
  let changed: @Sendable (SendbirdRoomNews) -> Void

  /// Creates a directory in `store`. State that exists once per process runs on `executor`.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - executor: The executor of its caches and turns.
  ///   - limits: The limits of its tables.
  ///   - turns: The turns of all nodes; nil without other nodes.
  ///   - life: The life of this process among the nodes.
  ///   - changed: A function that is called with each change of a channel, before anybody is told.
  init(
    _ store: any Store, on executor: any SerialExecutor, limits: SendbirdChannelLimits = SendbirdChannelLimits(),
    turns: (any Turns)? = nil, life: NodeBoot = .first,
    changed: @escaping @Sendable (SendbirdRoomNews) -> Void = { _ in }
  ) {
    self.changed = changed
    self.store = store
    self.limits = limits
    memberships = SendbirdMemberships(on: executor, turns: turns)
    presence = SendbirdPresence(on: executor, limits: limits)
    hasNodes = turns != nil
    channelNumbers = SendbirdNumbers("channel", in: store, on: executor)
    messageNumbers = SendbirdNumbers(
      "message", in: store, on: executor, sharedAs: turns == nil ? nil : life)
    deletionNumbers = SendbirdNumbers("deletion", in: store, on: executor)
    departureNumbers = SendbirdNumbers("departure", in: store, on: executor)
    pollNumbers = SendbirdNumbers("poll", in: store, on: executor)
    messageAges = SendbirdAges("sendbird.message-age", in: store)
    deletionAges = SendbirdAges("sendbird.deletion-age", in: store)
    departureAges = SendbirdAges("sendbird.departure-age", in: store)
  }

  // MARK: Channels

  /// Stores a new channel and returns it with its number, or returns the one with the same members if both are
  /// distinct.
  func create(
    _ channel: SendbirdChannel, at now: WallTime, telling: (SendbirdCreation) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdCreation {
    try await inTurn(of: channel.url, at: now, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdCreation in
      let distinctKey = channel.isDistinct ? Self.distinctKey(channel.members.map(\.user)) : nil
      let (url, isNew) = try await transact(at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> (url: Name, isNew: Bool) in
        if let distinctKey {
          let known = try await transaction.get(Self.distinct.key(distinctKey), as: SendbirdDistinctRow.self)
          if let known { return (known.url, false) }
          transaction.put(Self.distinct.key(distinctKey), SendbirdDistinctRow(url: channel.url))
        }
        guard try await transaction.get(Self.channels.key(channel.url.text), as: SendbirdChannelRow.self) == nil else {
          throw .failure(.channelExists)
        }
        let number = try await Self.asking { () async throws(StoreError) in try await channelNumbers.take(at: now) }
        var row = SendbirdChannelRow(channel, number: number, distinctKey: distinctKey)
        var seen: Set<UserID> = []
        for member in channel.members where seen.insert(member.user).inserted {
          add(member, to: &row, in: &transaction)
        }
        put(row, in: &transaction)
        return (channel.url, true)
      }
      guard !isNew else {
        return SendbirdCreation(channel: try await seated(url, at: now), isNew: true)
      }
      // It has its own turn, in which alone its roster is updated.
      guard let known = try await self.channel(url, at: now) else { throw .channelNotFound }
      return SendbirdCreation(channel: known, isNew: false)
    }
  }

  /// Changes a channel in one step and returns it. `change` may run more than once, each time on a fresh copy.
  func update(
    _ url: Name, at now: WallTime, telling: (SendbirdChannel) async -> Void = { _ in },
    _ change: (inout SendbirdChannel.Properties) -> Void
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel {
    try await inTurn(of: url, at: now, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdChannel in
      try await transact(at: now) { (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) in
        var row = try await row(url, in: &transaction)
        change(&row.properties)
        put(row, in: &transaction)
      }
      return try await seated(url, at: now)
    }
  }

  /// Deletes a channel and its messages; returns the channel with all users who were in it.
  func delete(
    _ url: Name, at now: WallTime, telling: (SendbirdMembership) async -> Void = { _ in }
  ) async throws(SendbirdChannelRefusal) -> SendbirdMembership {
    try await inTurn(of: url, at: now, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdMembership in
      guard let channel = try await channel(url, at: now) else { throw .channelNotFound }
      let users = channel.members.map(\.user)
      try await transactDeparting(from: url, at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> ((), [UserID]) in
        endDistinction(of: try await row(url, in: &transaction), in: &transaction)
        transaction.delete(Self.channels.key(url.text))
        for range in [Self.members.range(url.text), Self.bans.range(url.text), Self.mutes.range(url.text)] {
          try await deleteAll(in: range, at: now, &transaction)
        }
        try await forgetDeletions(of: url, at: now, in: &transaction)
        try await deletePolls(of: url, at: now, &transaction)
        for message in try await Self.asking({ () async throws(StoreError) in try await kept(url, at: now) }) {
          delete(message, in: &transaction)
        }
        return ((), users)
      }
      await memberships.put(nil, at: url)
      let gone = try await clear(url, at: now)
      return SendbirdMembership(
        channel: channel, changed: channel.kind == .group ? users : gone.map(\.user),
        connections: gone.flatMap(\.connections))
    }
  }
}
