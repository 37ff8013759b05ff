internal import GatewayCore
internal import GatewayKit

// Serialised changes of a channel, each announcing its result before the next one starts.

extension SendbirdChannels {
  /// Runs `body` in the channel's turn, and tells its answer before the next turn.
  ///
  /// - Parameter news: What other nodes must know of the change; that anything may have changed, if nil.
  func inTurn<Answer>(
    of url: Name, at now: WallTime, news: ((Answer) -> [SendbirdRoomNews])? = nil,
    telling: (Answer) async -> Void,
    _ body: () async throws(SendbirdChannelRefusal) -> Answer
  ) async throws(SendbirdChannelRefusal) -> Answer {
    let turn = try await takeTurn(of: url, at: now)
    do throws(SendbirdChannelRefusal) {
      let answer = try await HeldTurn.with(turn, body)
      for news in news?(answer) ?? [.changed(url)] { changed(news) }
      await telling(answer)
      await memberships.give(url, turn, inDoubt: false)
      return answer
    } catch {
      if error == .storeUnavailable { changed(.changed(url)) }
      await memberships.give(url, turn, inDoubt: error == .storeUnavailable)
      throw error
    }
  }

  /// Runs `body` in the channel's turn like ``inTurn(of:at:telling:_:)``, for changes on which no roster depends.
  func inParticipantTurn<Answer>(
    of url: Name, telling: (Answer) async -> Void, _ body: () async throws(SendbirdChannelRefusal) -> Answer
  ) async throws(SendbirdChannelRefusal) -> Answer {
    let turn = try await ask { () async throws(StoreError) in try await memberships.take(url).turn }
    do throws(SendbirdChannelRefusal) {
      let answer = try await HeldTurn.with(turn, body)
      await telling(answer)
      await memberships.give(url, turn, inDoubt: false)
      return answer
    } catch {
      await memberships.give(url, turn, inDoubt: false)
      throw error
    }
  }

  /// Waits for the channel's turn, in which its roster is loaded.
  private func takeTurn(of url: Name, at now: WallTime) async throws(SendbirdChannelRefusal) -> HeldTurn? {
    try await ask { () async throws(StoreError) in
      // Its announcements have the members' totals, which count their other channels.
      try await readRosters(of: await memberships.doubts(beside: url), at: now)
      var (turn, readiness) = try await memberships.take(url)
      if readiness == .nothingRead {
        await memberships.give(url, turn, inDoubt: false)
        try await readAll(at: now)
        (turn, readiness) = try await memberships.take(url)
      }
      if readiness == .rosterMissing { try await readRoster(of: url, at: now, in: turn) }
      return turn
    }
  }

  /// Loads the channel's roster in its turn, and gives the turn back if that fails.
  private func readRoster(of url: Name, at now: WallTime, in turn: HeldTurn? = nil) async throws(StoreError) {
    await memberships.beginReading()
    do throws(StoreError) {
      let channel = try await read(url, at: now)
      await memberships.put(channel.map { SendbirdRoster($0) }, at: url)
      await memberships.endReading()
    } catch {
      await memberships.endReading()
      await memberships.give(url, turn, inDoubt: false)
      throw error
    }
  }

  /// Loads all rosters, for queries over all channels. Not in a turn, since it waits for other channels' turns.
  func settle(at now: WallTime) async throws(SendbirdChannelRefusal) {
    try await ask { () async throws(StoreError) in
      try await readAll(at: now)
      try await readRosters(of: await memberships.doubts, at: now)
    }
  }

  /// Loads the rosters of channels in doubt. Not in a turn, since it waits for other channels' turns.
  private func readRosters(of urls: [Name], at now: WallTime) async throws(StoreError) {
    for url in urls {
      // A change that another node makes meanwhile puts the channel in doubt again.
      if await memberships.takeHere(url) != .ready { try await readRoster(of: url, at: now) }
      await memberships.give(url, inDoubt: false)
    }
  }

  /// Reads the members of all channels, once per process and after a gap in what other processes tell: a user's unread sum
  /// covers all of them.
  private func readAll(at now: WallTime) async throws(StoreError) {
    // No channel has this URL.
    let everything: Name = ""
    guard await memberships.takeHere(everything) == .nothingRead else {
      return await memberships.give(everything, inDoubt: false)
    }
    await memberships.beginReading()
    do throws(StoreError) {
      var all: [Name: SendbirdRoster] = [:]
      for row in try await rows(at: now) {
        let members = row.kind == .group ? try await members(of: row, at: now) : []
        all[row.url] = SendbirdRoster(row.channel(members: members, lastMessage: nil))
      }
      await memberships.begin(all)
      await memberships.endReading()
    } catch {
      await memberships.endReading()
      await memberships.give(everything, inDoubt: false)
      throw error
    }
    await memberships.give(everything, inDoubt: false)
  }

  // MARK: Transactions

  func transact<Answer>(
    at now: WallTime, _ body: (inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> Answer
  ) async throws(SendbirdChannelRefusal) -> Answer {
    do throws(StoreOr<SendbirdChannelRefusal>) {
      return try await store.transact(at: now, body)
    } catch {
      throw error.failure
    }
  }

  /// Runs a transaction in which `body` returns the users who leave the channel, and records their departures.
  func transactDeparting<Answer>(
    from url: Name, at now: WallTime,
    _ body: (inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> (Answer, gone: [UserID])
  ) async throws(SendbirdChannelRefusal) -> Answer {
    try await SendbirdAges.makingRoom(in: departureCount(1)) {
      (givingWay) async throws(StoreOr<SendbirdChannelRefusal>) in
      try await store.transact(at: now) {
        (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> Answer in
        let (answer, gone) = try await body(&transaction)
        try await note(gone, from: url, givingWay: givingWay, at: now, in: &transaction)
        return answer
      }
    }
  }

  /// Returns the store's answer, its failure as a refusal.
  func ask<Answer>(
    _ question: () async throws(StoreError) -> Answer
  ) async throws(SendbirdChannelRefusal) -> Answer {
    do throws(StoreError) { return try await question() } catch { throw SendbirdChannelRefusal(error) }
  }

  /// Returns the store's answer, its failure as a transaction's failure.
  static func asking<Answer>(
    _ question: () async throws(StoreError) -> Answer
  ) async throws(StoreOr<SendbirdChannelRefusal>) -> Answer {
    do throws(StoreError) { return try await question() } catch { throw .store(error) }
  }

  /// Returns the channel's row, which must not change until the commit.
  func row(
    _ url: Name, _ kind: SendbirdChannel.Kind? = nil, in transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdChannelRow {
    try Self.row(try await transaction.get(Self.channels.key(url.text), as: SendbirdChannelRow.self), kind)
  }

  /// Returns the row if it exists and has that kind.
  static func row(
    _ row: SendbirdChannelRow?, _ kind: SendbirdChannel.Kind?
  ) throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdChannelRow {
    guard let row else { throw .failure(.channelNotFound) }
    if let kind, row.kind != kind { throw .failure(.wrongKind) }
    return row
  }

  func put(_ row: SendbirdChannelRow, in transaction: inout Transaction) {
    let counts = [
      StoreCount("sendbird.channels", atMost: limits.channels, of: SendbirdChannelRefusal.channels),
      StoreCount(
        "sendbird.channel-bytes", atMost: limits.channelBytes, of: SendbirdChannelRefusal.channels,
        weight: row.properties.bytes),
    ]
    transaction.put(Self.channels.key(row.url.text), row, in: counts)
  }

  func put(_ row: SendbirdMemberRow, of url: Name, in transaction: inout Transaction) {
    let counts = [
      StoreCount("sendbird.members", url.text, atMost: limits.membersOfChannel, of: "members"),
      StoreCount("sendbird.memberships", atMost: limits.memberships, of: "members"),
    ]
    transaction.put(Self.members.key(url.text, row.member.user.rawValue), row, in: counts)
  }

  func deleteAll(
    in range: StoreRange, at now: WallTime, _ transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) {
    let found = try await Self.asking { () async throws(StoreError) in
      try await store.scan(range, limit: .max, at: now)
    }
    for entry in found { transaction.delete(StoreKey(path: entry.path, type: range.type)) }
  }
}

extension SendbirdChannel.Properties {
  /// The approximate number of bytes in memory.
  fileprivate var bytes: Int {
    let texts = name.utf8.count + coverURL.utf8.count + customType.text.utf8.count + data.utf8.count
    let numbers = counters.reduce(0) { $0 + 72 + $1.key.text.utf8.count } + 8 * pins.count
    return 1_000 + numbers + texts + metadata.bytes + operators.reduce(0) { $0 + 32 + $1.rawValue.utf8.count }
  }
}
