import GatewayCore
import TestSupport
import TestTraits
import Testing

@testable import GatewaySendbird

struct SendbirdTraceContract {
  private typealias F = ChannelFixture

  @Test(arguments: StoreCase.all)
  func `a user's unread sum is right, whatever happens to the channels`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 8)
    for url in ["a", "b", "c"] as [Name] { _ = try await directory.create(F.group(url, F.ann, F.bob), at: F.now) }
    for url in ["a", "a", "b", "c"] as [Name] {
      _ = try await directory.send(F.text("hi", in: url, by: F.ann), needsPresence: true, at: F.now)
    }
    let sent = try await directory.send(F.text("hi", in: "c", by: F.ann), needsPresence: true, at: F.now)
    #expect(sent.unread[F.bob] == SendbirdUnread(messages: 5, channels: 3) && sent.unread[F.ann] == nil)
    _ = try await directory.update("a", at: F.now) { $0.customType = "food" }
    #expect(
      try await directory.unread(F.bob, at: F.now)
        == SendbirdUnread(messages: 5, channels: 3, messagesByType: ["food": 2]))
    _ = try await directory.update("a", at: F.now) { $0.customType = "" }
    _ = try await directory.markRead("b", user: F.bob, at: F.now)
    #expect(try await directory.unread(F.bob, at: F.now) == SendbirdUnread(messages: 4, channels: 2))
    _ = try await directory.leave("a", users: [F.bob], at: F.now)
    #expect(
      try await directory.unread([F.ann, F.bob, F.eve], at: F.now) == [F.bob: SendbirdUnread(messages: 2, channels: 1)])
    _ = try await directory.delete("c", at: F.now)
    #expect(try await directory.unread(F.bob, at: F.now) == SendbirdUnread())
  }

  @Test(arguments: StoreCase.all)
  func `deleted messages and left channels are remembered`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 8)
    for url in ["a", "b", "c", "d"] as [Name] { _ = try await directory.create(F.group(url, F.ann, F.bob), at: F.now) }
    let (first, second) = (F.now + .seconds(1), F.now + .seconds(2))
    let message = try await directory.send(F.text("hi", in: "a", by: F.ann), needsPresence: true, at: F.now).message
    _ = try await directory.deleteMessage(message.id, in: "a", by: F.ann, at: first)
    let deletion = SendbirdDeletion(message: message.id, at: first)
    #expect(try await directory.deletions(of: "a", since: first, at: F.now) == [deletion])
    #expect(try await directory.deletions(of: "a", since: second, at: F.now).isEmpty)
    _ = try await directory.leave("a", users: [F.bob], at: first)
    _ = try await directory.setBanned(true, F.bob, in: "b", at: second)
    _ = try await directory.delete("c", at: second)
    _ = try await directory.leave("d", users: [F.bob], at: second)
    _ = try await directory.join("d", user: F.bob, at: second)
    #expect(try await directory.departures(of: F.bob, since: F.now, at: F.now) == ["a", "b", "c"])
    #expect(try await directory.departures(of: F.bob, since: second, at: F.now) == ["b", "c"])
    #expect(try await directory.departures(of: F.ann, since: F.now, at: F.now) == ["c"])
  }

  @Test(arguments: StoreCase.all)
  func `a left channel is remembered once, however often it was left`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 4)
    for url in ["a", "b"] as [Name] { _ = try await directory.create(F.group(url, F.ann, F.bob), at: F.now) }
    _ = try await directory.leave("b", users: [F.bob], at: F.now)
    for second in 1...20 {
      _ = try await directory.leave("a", users: [F.bob], at: F.now + .seconds(second))
      _ = try await directory.join("a", user: F.bob, at: F.now + .seconds(second))
    }
    #expect(try await directory.departures(of: F.bob, since: F.now, at: F.now) == ["b"])
    _ = try await directory.leave("a", users: [F.bob], at: F.now + .seconds(21))
    #expect(try await directory.departures(of: F.bob, since: F.now, at: F.now) == ["b", "a"])
    #expect(try await directory.departures(of: F.bob, since: F.now + .seconds(21), at: F.now) == ["a"])
  }

  @Test(.long, arguments: StoreCase.all)
  func `deletions and departures are remembered within bounds`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 4)
    _ = try await directory.create(F.group("a", F.ann), at: F.now)
    for number in 0..<30 {
      let time = F.now + .seconds(number)
      let message = try await directory.send(F.text("x", in: "a", by: F.ann, at: time), needsPresence: true, at: F.now)
        .message
      _ = try await directory.deleteMessage(message.id, in: "a", by: nil, at: time)
      _ = try await directory.join("a", user: F.bob, at: time)
      _ = try await directory.leave("a", users: [F.bob], at: time)
      _ = try await directory.create(F.group("b", F.bob), at: F.now)
      _ = try await directory.delete("b", at: time)
    }
    let deletions = try await directory.deletions(of: "a", since: F.now, at: F.now)
    #expect(deletions.count == 4 && deletions.last?.at == F.now + .seconds(29))
    #expect(try await directory.departures(of: F.bob, since: F.now + .seconds(29), at: F.now) == ["a", "b"])
    #expect(try await directory.departures(of: F.bob, since: F.now, at: F.now).count <= 2)
  }

  @Test(.long, arguments: StoreCase.all)
  func `the memory for deletions of all channels is bounded, and excludes ended channels`(_ engine: StoreCase)
    async throws
  {
    let limits = SendbirdChannelLimits(deletionsOfChannel: 4, deletions: 6)
    let directory = try SendbirdChannels(engine.make(), on: SerialTestExecutor(), limits: limits)
    func delete(_ count: Int, in url: Name, at second: Int) async throws {
      for _ in 0..<count {
        let sent = try await directory.send(F.text("x", in: url, by: F.ann), needsPresence: true, at: F.now)
        _ = try await directory.deleteMessage(sent.message.id, in: url, by: nil, at: F.now + .seconds(second))
      }
    }
    func count(_ url: Name) async throws -> Int {
      try await directory.deletions(of: url, since: F.now, at: F.now).count
    }
    for url in ["a", "b"] as [Name] { _ = try await directory.create(F.group(url, F.ann), at: F.now) }
    try await delete(30, in: "a", at: 1)
    #expect(try await count("a") == 4)
    try await delete(3, in: "b", at: 2)
    #expect(try await (count("a"), count("b")) == (3, 3), "the oldest of all gives way")
    for round in 3..<20 {
      _ = try await directory.create(F.group("c", F.ann), at: F.now)
      try await delete(4, in: "c", at: round)
      #expect(try await count("c") == 4)
      _ = try await directory.delete("c", at: F.now + .seconds(round))
    }
    #expect(try await (count("a"), count("b")) == (0, 2), "a channel that has ended takes no room")
    try await delete(4, in: "a", at: 20)
    #expect(try await (count("a"), count("b")) == (4, 2))
  }

  @Test(arguments: StoreCase.all)
  func `a message knows its replies, and a reply its parent`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 8)
    _ = try await directory.create(F.group("a", F.ann, F.bob), at: F.now)
    let root = try await directory.send(F.text("root", in: "a", by: F.ann), needsPresence: true, at: F.now).message
    func reply(_ user: UserID, _ second: Int, toChannel: Bool = false) async throws -> SendbirdDelivery {
      var message = F.text("re", in: "a", by: user, at: F.now + .seconds(second))
      message.parentID = root.id
      message.isReplyToChannel = toChannel
      return try await directory.send(message, needsPresence: true, at: F.now)
    }
    let first = try await reply(F.ann, 1)
    #expect(first.message.parent?.text == "root" && first.parent?.thread?.replyCount == 1)
    _ = try await reply(F.bob, 2, toChannel: true)
    let thread = try #require(try await reply(F.bob, 3).parent?.thread)
    #expect(thread.replyCount == 3 && thread.mostReplies.map(\.id) == [F.bob, F.ann])
    #expect(thread.lastRepliedAt == F.now + .seconds(3))
    let gone = try await directory.deleteMessage(first.message.id, in: "a", by: F.ann, at: F.now + .seconds(9))
    #expect(gone.parent?.thread?.replyCount == 2 && gone.parent?.thread?.updatedAt == F.now + .seconds(9))
    var query = SendbirdMessageQuery(around: .time(F.now), before: 0, after: 9, includesPoint: true)
    for (replies, count) in [(.none, 1), (.toChannel, 2), (.all, 3), (.to(root.id), 2), (.to(99), 0)]
      as [(SendbirdMessageQuery.Replies, Int)]
    {
      query.replies = replies
      #expect(try await directory.messages(of: "a", query, at: F.now).count == count, "\(replies)")
    }
    query.until = F.now + .seconds(1)
    query.replies = .all
    #expect(try await directory.messages(of: "a", query, at: F.now).map(\.text) == ["root"])
    var reply = F.text("re", in: "a", by: F.ann)
    reply.parentID = 99
    let stray = reply
    await #expect(throws: SendbirdChannelRefusal.messageNotFound) {
      try await directory.send(stray, needsPresence: true, at: F.now)
    }
  }

  @Test(arguments: StoreCase.all)
  func `users are muted in open channels`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 4)
    _ = try await directory.create(F.open("open"), at: F.now)
    _ = try await directory.enter("open", user: F.ann, by: F.phone, at: F.now)
    _ = try await directory.setMuted(true, F.ann, in: "open", at: F.now)
    _ = try await directory.setMuted(true, F.ann, in: "open", at: F.now)
    #expect(try await directory.participants("open", at: F.now) == [SendbirdParticipant(user: F.ann, isMuted: true)])
    await #expect(throws: SendbirdChannelRefusal.muted) {
      try await directory.send(F.text("hi", in: "open", by: F.ann), needsPresence: true, at: F.now)
    }
    _ = try await directory.setMuted(false, F.ann, in: "open", at: F.now)
    _ = try await directory.send(F.text("hi", in: "open", by: F.ann), needsPresence: true, at: F.now)
  }

  @Test(arguments: StoreCase.all)
  func `canonically equivalent names are distinguished`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 8)
    let (one, two) = (UserID("\u{e9}"), UserID("e\u{301}"))
    _ = try await directory.create(F.group("K", one), at: F.now)
    #expect(try await directory.channel("\u{212A}", at: F.now) == nil)
    _ = try await directory.create(F.group("\u{212A}", one, two) { $0.customType = "\u{e9}" }, at: F.now)
    var query = SendbirdChannelQuery(.group)
    query.member = two
    #expect(try await directory.channels(query, at: F.now).channels.map(\.url.text.utf8.count) == [3])
    query.customTypes = ["e\u{301}"]
    #expect(try await directory.channels(query, at: F.now).channels.isEmpty)
    #expect(try await directory.channel("\u{212A}", at: F.now)?.members.count == 2)
  }
}
