internal import GatewayCore
internal import GatewayKit

// Storage and queries of messages.

extension SendbirdChannels {
  static func key(_ id: Int64, in url: Name) -> StoreKey {
    messages.key(url.text, SendbirdAges.text(id))
  }

  /// Returns the messages of a channel after `id`, oldest first.
  func kept(_ url: Name, after id: Int64 = 0, at now: WallTime) async throws(StoreError) -> [SendbirdMessage] {
    let range = Self.messages.range(url.text).after(Self.key(id, in: url).path)
    return try await store.scan(range, limit: .max, at: now).map {
      (entry) throws(StoreError) in try entry.value(as: SendbirdMessage.self)
    }
  }

  // MARK: Reading

  func message(_ id: Int64, in url: Name, at now: WallTime) async throws(SendbirdChannelRefusal)
    -> SendbirdMessage
  {
    let (hasChannel, message) = try await ask { () async throws(StoreError) in
      let found = try await store.read([Self.channels.key(url.text), Self.key(id, in: url)], at: now)
      return (found[0] != nil, try found[1]?.value(as: SendbirdMessage.self))
    }
    guard hasChannel else { throw .channelNotFound }
    guard id > 0, let message else { throw .messageNotFound }
    return message
  }

  /// Returns the messages of a query, oldest first. As documented by the vendor there may be more than requested:
  /// clients continue from the time of the outermost message, so all of that millisecond are included.
  func messages(
    of url: Name, _ query: SendbirdMessageQuery, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> [SendbirdMessage] {
    try await ask { () async throws(StoreError) in
      var (before, at, after): ([SendbirdMessage], [SendbirdMessage], [SendbirdMessage]) = ([], [], [])
      // From the newest back, since nearly all requests are for the newest.
      let range = Self.messages.range(url.text).backwards
      try await store.visit(range, pageSize: Self.pageSize, at: now) { (page) throws(StoreError) in
        for entry in page {
          let message = try entry.value(as: SendbirdMessage.self)
          switch query.point.side(of: message) {
          case .after: after.append(message)
          case .at: at.append(message)
          case .before where before.count >= query.before && before.last?.isOfSameMillisecond(as: message) != true:
            return false
          case .before: if query.includes(message) { before.append(message) }
          }
        }
        return true
      }
      let later = after.reversed().filter { query.includes($0) }
      var count = min(query.after, later.count)
      while 0 < count, count < later.count, later[count - 1].isOfSameMillisecond(as: later[count]) { count += 1 }
      let middle = query.includesPoint ? at.reversed().filter { query.includes($0) } : []
      return before.reversed() + middle + later.prefix(count)
    }
  }

  /// The number of messages read at once.
  private static let pageSize = 64

  // MARK: Space

  /// Runs a transaction that writes messages. If there are too many or they are too large, the oldest of the channel
  /// and the oldest of all are displaced. `sparing` is written too, and never displaced. Returns the number of
  /// displaced messages.
  func transactMessages<Answer>(
    of url: Name, sparing id: Int64?, at now: WallTime,
    _ body: (inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> Answer
  ) async throws(SendbirdChannelRefusal) -> (Answer, displaced: Int) {
    let ofChannel = counts(of: url, bytes: 1).map(\.path)
    let ofAll = counts(bytes: 1).map(\.path)
    var (own, others) = (0, 0)
    while true {
      do throws(StoreOr<SendbirdChannelRefusal>) {
        return try await store.transact(at: now) {
          (transaction: inout Transaction) async throws(StoreOr<SendbirdChannelRefusal>) -> (Answer, displaced: Int) in
          // Not checked for conflicts: otherwise concurrent senders would wait for each other.
          var oldest = try await Self.asking { () async throws(StoreError) in
            try await messageAges.oldest(others, at: now)
          }
          oldest += try await Self.asking { () async throws(StoreError) in
            try await store.scan(Self.messages.range(url.text), limit: own, at: now).map {
              (entry) throws(StoreError) in Self.age(try entry.value(as: SendbirdMessage.self))
            }
          }
          oldest.removeAll { $0.number == id }
          for row in oldest {
            transaction.delete(Self.messages.key(row.parts[0], SendbirdAges.text(row.number)))
            transaction.delete(messageAges.key(of: row))
          }
          return (try await body(&transaction), Set(oldest.map(\.number)).count)
        }
      } catch .store(.full(let full)) where ofChannel.contains(full.path) && own <= 2 * limits.messagesOfChannel {
        own = max(1, 2 * own)
      } catch .store(.full(let full)) where ofAll.contains(full.path) && others <= 2 * limits.messages {
        others = max(1, 2 * others)
      } catch {
        throw error.failure
      }
    }
  }

  static func age(_ message: SendbirdMessage) -> SendbirdAgeRow {
    SendbirdAgeRow(number: message.id, at: message.createdAt, parts: [message.channelURL.text])
  }

  func put(_ message: SendbirdMessage, in transaction: inout Transaction) {
    let bytes = message.bytes
    transaction.put(
      Self.key(message.id, in: message.channelURL), message,
      in: counts(of: message.channelURL, bytes: bytes) + counts(bytes: bytes))
  }

  func delete(_ message: SendbirdMessage, in transaction: inout Transaction) {
    transaction.delete(Self.key(message.id, in: message.channelURL))
    for key in messageAges.keys(message.id, at: message.createdAt) { transaction.delete(key) }
  }

  /// Returns the counts for a message. One that is larger than the limit for all is stored nevertheless, since it was
  /// sent.
  private func counts(of url: Name, bytes: Int) -> [StoreCount] {
    let most = limits.messageBytesOfChannel
    return [
      StoreCount("sendbird.messages-of", url.text, atMost: limits.messagesOfChannel, of: "messages"),
      StoreCount("sendbird.message-bytes-of", url.text, atMost: most, of: "messages", weight: min(bytes, most)),
    ]
  }

  private func counts(bytes: Int) -> [StoreCount] {
    let most = limits.messageBytes
    return [
      StoreCount("sendbird.messages", atMost: limits.messages, of: "messages"),
      StoreCount("sendbird.message-bytes", atMost: most, of: "messages", weight: min(bytes, most)),
    ]
  }

  // MARK: Figures

  /// The present sizes, for monitoring; nil if the store is unavailable.
  var usage: SendbirdChannelUsage? {
    get async {
      let counts =
        [
          StoreCount("sendbird.channels", atMost: 0, of: ""), StoreCount("sendbird.channel-bytes", atMost: 0, of: ""),
        ] + counts(bytes: 1)
      guard let held = try? await store.tallies(counts) else { return nil }
      return SendbirdChannelUsage(
        channels: held[0], channelBytes: held[1], messages: held[2], messageBytes: held[3],
        messagesDisplaced: await memberships.displaced)
    }
  }
}
