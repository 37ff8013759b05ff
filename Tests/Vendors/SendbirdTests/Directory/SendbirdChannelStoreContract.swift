import GatewayCore
import GatewayKit
import TestSupport
import TestTraits
import Testing

@testable import GatewaySendbird

struct SendbirdChannelStoreContract {
  private typealias F = ChannelFixture

  /// The announcements in order.
  private actor Told {
    var deliveries: [Name: [SendbirdDelivery]] = [:]

    func add(_ delivery: SendbirdDelivery) {
      deliveries[delivery.message.channelURL, default: []].append(delivery)
    }
  }

  private func directory(_ store: any Store) -> SendbirdChannels {
    SendbirdChannels(store, on: SerialTestExecutor())
  }

  @Test(arguments: StoreCase.all)
  func `channels are stored for the next process, and no number is given twice`(_ engine: StoreCase)
    async throws
  {
    let store = try engine.make()
    let first = directory(store)
    let made = try await first.create(
      F.group("a", F.ann, F.bob, isDistinct: true) { $0.customType = "food" }, at: F.now)
    _ = try await first.create(F.open("open"), at: F.now)
    _ = try await first.enter("open", user: F.ann, by: F.phone, at: F.now)
    _ = try await first.setMuted(true, F.eve, in: "open", at: F.now)
    for text in ["one", "two"] {
      _ = try await first.send(F.text(text, in: "a", by: F.ann), needsPresence: true, at: F.now)
    }
    let last = try await first.send(F.text("three", in: "a", by: F.bob), needsPresence: true, at: F.now).message
    _ = try await first.deleteMessage(1, in: "a", by: F.ann, at: F.now)
    let before = try await first.channel("a", at: F.now)

    let second = directory(store)
    #expect(
      try await second.unread([F.ann, F.bob, F.eve], at: F.now) == first.unread([F.ann, F.bob, F.eve], at: F.now))
    #expect(try await second.channel("a", at: F.now) == before && before?.lastMessage == last)
    #expect(try await second.deletions(of: "a", since: F.now, at: F.now).map(\.message) == [1])
    #expect(try await second.participants("open", at: F.now).isEmpty)
    let again = try await second.create(F.group("b", F.bob, F.ann, isDistinct: true), at: F.now)
    #expect(!again.isNew && again.channel.url == "a")
    #expect(try await second.create(F.open("new"), at: F.now).channel.number > made.channel.number)
    let next = try await second.send(F.text("four", in: "a", by: F.ann), needsPresence: true, at: F.now)
    #expect(next.message.id > last.id && next.members == [F.ann, F.bob])
    // A deleted message counted as unread before.
    #expect(next.unread[F.bob] == SendbirdUnread(messages: 3, channels: 1, messagesByType: ["food": 3]))
    #expect(next.unread[F.ann]?.messages == 1)
  }

  @Test(arguments: StoreCase.all)
  func `messages are announced in the order of their numbers, however many send at once`(_ engine: StoreCase)
    async throws
  {
    let directory = directory(try engine.make())
    for url in ["a", "b"] as [Name] { _ = try await directory.create(F.group(url, F.ann, F.bob, F.eve), at: F.now) }
    let told = Told()
    await withTaskGroup { group in
      for number in 0..<60 {
        group.addTask {
          let url: Name = number % 3 == 0 ? "b" : "a"
          let message = F.text("\(number)", in: url, by: number % 2 == 0 ? F.ann : F.bob)
          _ = try? await directory.send(message, needsPresence: true, at: F.now) { delivery in
            await Task.yield()
            await told.add(delivery)
          }
        }
      }
    }
    for (url, count) in [("a", 40), ("b", 20)] as [(Name, Int)] {
      let deliveries = await told.deliveries[url] ?? []
      let ids = deliveries.map(\.message.id)
      #expect(ids.count == count && ids == ids.sorted())
      let unread = deliveries.map { $0.unread[F.eve]?.messages ?? 0 }
      #expect(zip(unread, unread.dropFirst()).allSatisfy { $0 < $1 })
    }
    #expect(try await directory.unread(F.eve, at: F.now) == SendbirdUnread(messages: 60, channels: 2))
  }

  @Test(.long, arguments: StoreCase.all)
  func `a message touches few rows, however many members receive it`(_ engine: StoreCase) async throws {
    let store = CountingStore(try engine.make())
    let directory = directory(store)
    let users = (0..<2_000).map { UserID("user\($0)") }
    let channel = SendbirdChannel(
      url: "a", kind: .group, createdBy: nil, createdAt: F.now,
      members: users.map { SendbirdMember($0, .joined, at: F.now) })
    _ = try await directory.create(channel, at: F.now)
    _ = try await directory.send(F.text("first", in: "a", by: users[0]), needsPresence: true, at: F.now)
    store.reset()
    let sent = try await directory.send(F.text("second", in: "a", by: users[1]), needsPresence: true, at: F.now)
    #expect(store.trips == 2, "one to read, one to commit")
    #expect(sent.members.count == 2_000 && sent.unread.count == 2_000 && sent.unread[users[2]]?.messages == 2)
    #expect(sent.unread[users[1]]?.messages == 1)
    _ = try await directory.markRead("a", user: users[3], at: F.now)
    _ = try await directory.edit(sent.message.id, in: "a", by: users[1], at: F.now) { $0.text = "changed" }
    #expect(store.touched <= 40, "\(store.touched) rows")
  }

  @Test
  func `without other nodes an open channel is entered with one trip to the store, and used and left without one more`()
    async throws
  {
    let store = CountingStore(FaultyStore())
    let directory = directory(store)
    _ = try await directory.create(F.open("open"), at: F.now)
    _ = try await directory.send(F.text("first", in: "open", by: nil), needsPresence: false, at: F.now)
    store.reset()
    _ = try await directory.enter("open", user: F.ann, by: F.phone, at: F.now)
    #expect(store.trips == 1)
    _ = try await directory.enter("open", user: F.bob, by: F.laptop, at: F.now)
    store.reset()
    #expect(try await directory.outline("open", at: F.now)?.participantCount == 2 && store.trips == 1)
    store.reset()
    _ = try await directory.send(F.text("second", in: "open", by: F.ann), needsPresence: true, at: F.now)
    #expect(store.trips == 2, "one to read, one to commit")
    store.reset()
    _ = try await directory.exit("open", user: F.ann, by: F.phone, at: F.now)
    try await directory.exitAll(F.bob, by: F.laptop, at: F.now)
    #expect(store.trips == 0)
  }

  @Test
  func `a commit with a lost answer is neither announced twice nor lost`() async throws {
    let store = FaultyStore()
    let directory = directory(store)
    _ = try await directory.create(F.group("a", F.ann, F.bob), at: F.now)
    _ = try await directory.send(F.text("one", in: "a", by: F.ann), needsPresence: true, at: F.now)
    store.fault = .lostAnswer
    await #expect(throws: SendbirdChannelRefusal.storeUnavailable) {
      try await directory.send(F.text("two", in: "a", by: F.ann), needsPresence: true, at: F.now) { _ in
        Issue.record("nobody knows whether it was sent")
      }
    }
    await #expect(throws: SendbirdChannelRefusal.storeUnavailable) {
      try await directory.join("a", user: F.eve, at: F.now)
    }
    await #expect(throws: SendbirdChannelRefusal.storeUnavailable) {
      try await directory.create(F.group("lost", F.eve), at: F.now)
    }
    store.fault = .away
    await #expect(throws: SendbirdChannelRefusal.storeUnavailable) {
      try await directory.send(F.text("never", in: "a", by: F.ann), needsPresence: true, at: F.now)
    }
    store.fault = nil
    var query = SendbirdChannelQuery(.group)
    query.member = F.eve
    #expect(try await directory.urls(query, at: F.now) == ["lost", "a"])
    let sent = try await directory.send(F.text("three", in: "a", by: F.ann), needsPresence: true, at: F.now)
    #expect(sent.members == [F.ann, F.bob, F.eve])
    #expect(sent.unread == [F.bob: .init(messages: 3, channels: 1), F.eve: .init(messages: 1, channels: 1)])
    let all = SendbirdMessageQuery(around: .time(F.now), before: 9, after: 9, includesPoint: true)
    #expect(try await directory.messages(of: "a", all, at: F.now).map(\.text) == ["one", "two", "three"])
  }

  @Test
  func `an unavailable store refuses, and later continues as if there had been no request`() async throws {
    let store = FaultyStore()
    let directory = directory(store)
    for fault in [.away, .conflict] as [FaultyStore.Fault] {
      store.fault = fault
      await #expect(throws: SendbirdChannelRefusal.storeUnavailable) {
        try await directory.create(F.group("a", F.ann), at: F.now)
      }
    }
    store.fault = .away
    await #expect(throws: SendbirdChannelRefusal.storeUnavailable) { try await directory.unread(F.ann, at: F.now) }
    store.fault = nil
    #expect(try await directory.create(F.group("a", F.ann), at: F.now).isNew)
    _ = try await directory.create(F.open("open"), at: F.now)
    _ = try await directory.enter("open", user: F.ann, by: F.phone, at: F.now)
    store.fault = .away
    // A fault never keeps a user in a channel.
    var ends: [Bool] = []
    try await directory.exitAll(F.ann, by: F.phone, at: F.now) { ends.append($0.isChange) }
    #expect(ends == [true])
  }
}
