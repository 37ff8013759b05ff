internal import GatewayCore
internal import GatewayKit

// How a channel is changed: one after the other, each telling what it has done before the next.

extension SendbirdChannels {
  func inTurn<Answer>(
    of url: Name, at now: WallTime, telling: (Answer) async -> Void,
    _ body: () async throws(SendbirdChannelRefusal) -> Answer
  ) async throws(SendbirdChannelRefusal) -> Answer {
    try await takeTurn(of: url, at: now)
    do throws(SendbirdChannelRefusal) {
      let answer = try await body()
      await telling(answer)
      await rooms.give(url, inDoubt: false)
      return answer
    } catch {
      await rooms.give(url, inDoubt: error == .storeUnavailable)
      throw error
    }
  }

  /// Waits for the channel's turn; who is in it is at hand then.
  private func takeTurn(of url: Name, at now: WallTime) async throws(SendbirdChannelRefusal) {
    try await ask { () async throws(StoreError) in
      switch await rooms.take(url) {
      case .ready: return
      case .nothingRead:
        await rooms.give(url, inDoubt: false)
        try await readAll(at: now)
        if case .seatsMissing = await rooms.take(url) { try await readSeats(of: url, at: now) }
      case .seatsMissing: try await readSeats(of: url, at: now)
      }
    }
  }

  private func readSeats(of url: Name, at now: WallTime) async throws(StoreError) {
    do throws(StoreError) {
      let channel = try await read(url, at: now)
      await rooms.put(channel.map { SendbirdSeats($0) }, at: url)
    } catch {
      await rooms.give(url, inDoubt: false)
      throw error
    }
  }

  /// Has all seats at hand, for what is asked of all channels. Not in a turn: it waits for those of others.
  func settle(at now: WallTime) async throws(SendbirdChannelRefusal) {
    try await ask { () async throws(StoreError) in try await readAll(at: now) }
    for url in await rooms.doubts {
      try await takeTurn(of: url, at: now)
      await rooms.give(url, inDoubt: false)
    }
  }

  /// Reads who is in all channels, once in the life of a process: the sum of what a user has not read is of all of them.
  private func readAll(at now: WallTime) async throws(StoreError) {
    // No channel has this name.
    let everything: Name = ""
    guard case .nothingRead = await rooms.take(everything) else {
      return await rooms.give(everything, inDoubt: false)
    }
    do throws(StoreError) {
      var all: [Name: SendbirdSeats] = [:]
      for row in try await rows(at: now) {
        let members = row.kind == .group ? try await members(of: row, at: now) : []
        all[row.url] = SendbirdSeats(row.channel(members: members, lastMessage: nil))
      }
      await rooms.begin(all)
    } catch {
      await rooms.give(everything, inDoubt: false)
      throw error
    }
    await rooms.give(everything, inDoubt: false)
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

  /// The same, where `body` says who has left the channel by it: that is noted.
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

  /// What the store answers, its failure as a refusal.
  func ask<Answer>(
    _ question: () async throws(StoreError) -> Answer
  ) async throws(SendbirdChannelRefusal) -> Answer {
    do throws(StoreError) { return try await question() } catch { throw SendbirdChannelRefusal(error) }
  }

  /// The same, as a transaction's failure.
  static func asking<Answer>(
    _ question: () async throws(StoreError) -> Answer
  ) async throws(StoreOr<SendbirdChannelRefusal>) -> Answer {
    do throws(StoreError) { return try await question() } catch { throw .store(error) }
  }

  /// The channel's row, which nobody changes until the commit.
  func row(
    _ url: Name, _ kind: SendbirdChannel.Kind? = nil, in transaction: inout Transaction
  ) async throws(StoreOr<SendbirdChannelRefusal>) -> SendbirdChannelRow {
    try Self.row(try await transaction.get(Self.channels.key(url.text), as: SendbirdChannelRow.self), kind)
  }

  /// The row, if it is there and of that kind.
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
  /// About how many bytes of memory they take.
  fileprivate var bytes: Int {
    let texts = name.utf8.count + coverURL.utf8.count + customType.text.utf8.count + data.utf8.count
    let numbers = counters.reduce(0) { $0 + 72 + $1.key.text.utf8.count } + 8 * pins.count
    return 1_000 + numbers + texts + metadata.bytes + operators.reduce(0) { $0 + 32 + $1.rawValue.utf8.count }
  }
}
