internal import GatewayCore
internal import GatewayKit

// Polls. A poll is created on its own, and sent in one channel with a message, whose copy of the poll changes with
// every vote.

extension SendbirdChannels {
  /// Stores a new poll and returns it with its number.
  func create(_ poll: SendbirdPoll, at now: WallTime) async throws(SendbirdChannelRefusal) -> SendbirdPoll {
    var poll = poll
    poll.id = try await ask { () async throws(StoreError) in try await pollNumbers.take(at: now) }
    return try await transact(at: now) { [poll] (transaction: inout Transaction) in
      put(poll, in: &transaction)
      return poll
    }
  }

  func poll(_ id: Int64, at now: WallTime) async throws(SendbirdChannelRefusal) -> SendbirdPoll {
    let found = try await ask { () async throws(StoreError) in
      try await store.get(Self.key(poll: id), as: SendbirdPoll.self, at: now)
    }
    guard let found else { throw .pollNotFound }
    return found
  }

  /// Changes a poll and its message in one step; calls `telling` if it was sent.
  func changePoll(
    _ id: Int64, at now: WallTime, telling: (SendbirdPoll, SendbirdDelivery) async -> Void = { _, _ in },
    _ change: (inout SendbirdPoll) throws(SendbirdChannelRefusal) -> Void
  ) async throws(SendbirdChannelRefusal) -> SendbirdPoll {
    let known = try await poll(id, at: now)
    guard let url = known.channel else {
      return try await transact(at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdPoll in
        try await changed(id, in: &transaction, change)
      }
    }
    let (poll, _) = try await inTurn(
      of: url, at: now, telling: { (poll, delivery) in if let delivery { await telling(poll, delivery) } }
    ) {
      () async throws(SendbirdChannelRefusal) -> (SendbirdPoll, SendbirdDelivery?) in
      var (answer, _) = try await transactMessages(of: url, sparing: known.message, at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>)
          -> (poll: SendbirdPoll, delivery: SendbirdDelivery?) in
        let row = try await row(url, in: &transaction)
        let poll = try await changed(id, in: &transaction, change)
        // Its message may have been displaced.
        guard let number = poll.message,
          var message = try await transaction.get(Self.key(number, in: url), as: SendbirdMessage.self)
        else { return (poll, nil) }
        message.poll = poll
        message.touchedAt = now
        put(message, in: &transaction)
        return (
          poll, SendbirdDelivery(message: message, kind: row.kind, channelNumber: row.number, members: [])
        )
      }
      answer.delivery?.members = await memberships.roster(of: url)?.joined ?? []
      return answer
    }
    return poll
  }

  private func changed(
    _ id: Int64, in transaction: inout Transaction,
    _ change: (inout SendbirdPoll) throws(SendbirdChannelRefusal) -> Void
  ) async throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdPoll {
    guard var poll = try await transaction.get(Self.key(poll: id), as: SendbirdPoll.self) else {
      throw .failure(.pollNotFound)
    }
    do throws(SendbirdChannelRefusal) { try change(&poll) } catch { throw .failure(error) }
    put(poll, in: &transaction)
    return poll
  }

  /// Deletes a poll; its message stays as it was.
  func deletePoll(_ id: Int64, at now: WallTime) async throws(SendbirdChannelRefusal) {
    try await transact(at: now) { (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) in
      guard let poll = try await transaction.get(Self.key(poll: id), as: SendbirdPoll.self) else {
        throw .failure(.pollNotFound)
      }
      transaction.delete(Self.key(poll: id))
      if let url = poll.channel { put(SendbirdPollPlace(poll: id, deletedAt: now), of: url, in: &transaction) }
    }
  }

  /// Attaches the poll to a message that is being sent; returns the poll.
  func attach(
    _ id: Int64, to message: SendbirdMessage, in transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdPoll {
    let poll = try await changed(id, in: &transaction) { (poll) throws(SendbirdChannelRefusal) in
      // A poll can be sent only once.
      guard poll.channel == nil, poll.createdBy == message.sender?.id else { throw .pollNotFound }
      poll.channel = message.channelURL
      poll.message = message.id
    }
    put(SendbirdPollPlace(poll: id), of: message.channelURL, in: &transaction)
    return poll
  }

  /// Returns the polls of the channel, newest first, and the numbers of those deleted since that time.
  func polls(
    in url: Name, since: WallTime, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> (polls: [SendbirdPoll], deleted: [Int64]) {
    try await ask { () async throws(StoreError) in
      let found = try await store.scan(Self.pollPlaces.range(url.text), limit: limits.polls, at: now)
      let places = try found.map { (entry) throws(StoreError) in try entry.value(as: SendbirdPollPlace.self) }
      let deleted = places.filter { $0.deletedAt.map { $0 >= since } ?? false }.map(\.poll)
      let living = places.filter { $0.deletedAt == nil }.map { Self.key(poll: $0.poll) }
      var polls: [SendbirdPoll] = []
      for entry in try await store.read(living, at: now) {
        if let entry { polls.append(try entry.value(as: SendbirdPoll.self)) }
      }
      return (polls.filter { $0.updatedAt >= since }, deleted)
    }
  }

  /// Deletes the polls of a deleted channel.
  func deletePolls(
    of url: Name, at now: WallTime, _ transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) {
    let found = try await Self.asking { () async throws(StoreError) in
      try await store.scan(Self.pollPlaces.range(url.text), limit: .max, at: now).map {
        (entry) throws(StoreError) in try entry.value(as: SendbirdPollPlace.self)
      }
    }
    for place in found {
      transaction.delete(Self.key(poll: place.poll))
      transaction.delete(Self.key(place, of: url))
    }
  }

  // MARK: Rows

  private static func key(poll id: Int64) -> StoreKey {
    polls.key(SendbirdAges.text(id))
  }

  private static func key(_ place: SendbirdPollPlace, of url: Name) -> StoreKey {
    pollPlaces.key(url.text, SendbirdAges.textFromLast(place.poll))
  }

  private func put(_ poll: SendbirdPoll, in transaction: inout Transaction) {
    let count = StoreCount("sendbird.polls", atMost: limits.polls, of: "polls")
    transaction.put(Self.key(poll: poll.id), poll, in: [count])
  }

  private func put(_ place: SendbirdPollPlace, of url: Name, in transaction: inout Transaction) {
    let count = StoreCount("sendbird.poll-places", atMost: limits.polls, of: "polls")
    transaction.put(Self.key(place, of: url), place, in: [count])
  }
}
