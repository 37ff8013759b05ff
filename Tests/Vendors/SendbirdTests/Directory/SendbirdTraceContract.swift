import GatewayCore
import GatewaySendbird
import TestSupport
import Testing

@Suite("Every directory of Sendbird channels: what is left of what was")
struct SendbirdTraceContract {
  private typealias F = ChannelFixture

  @Test(
    "keeps the sum of what a user has not read, whatever becomes of the channels", arguments: SendbirdChannelCase.all)
  func sums(_ directory: SendbirdChannelCase) async throws {
    let directory = directory.make(8)
    for url in ["a", "b", "c"] as [Name] { _ = try await directory.create(F.group(url, F.ann, F.bob)) }
    for url in ["a", "a", "b", "c"] as [Name] {
      _ = try await directory.send(F.text("hi", in: url, by: F.ann), needsPresence: true)
    }
    let sent = try await directory.send(F.text("hi", in: "c", by: F.ann), needsPresence: true)
    #expect(sent.unread[F.bob] == SendbirdUnread(messages: 5, channels: 3) && sent.unread[F.ann] == nil)
    _ = try await directory.update("a") { $0.customType = "food" }
    #expect(await directory.unread(F.bob) == SendbirdUnread(messages: 5, channels: 3, messagesByType: ["food": 2]))
    _ = try await directory.update("a") { $0.customType = "" }
    _ = try await directory.markRead("b", user: F.bob, at: F.now)
    #expect(await directory.unread(F.bob) == SendbirdUnread(messages: 4, channels: 2))
    _ = try await directory.leave("a", users: [F.bob], at: F.now)
    #expect(await directory.unread([F.ann, F.bob, F.eve]) == [F.bob: SendbirdUnread(messages: 2, channels: 1)])
    _ = try await directory.delete("c", at: F.now)
    #expect(await directory.unread(F.bob) == SendbirdUnread())
  }

  @Test("remembers the messages that were deleted and the channels that were left", arguments: SendbirdChannelCase.all)
  func traces(_ directory: SendbirdChannelCase) async throws {
    let directory = directory.make(8)
    for url in ["a", "b", "c", "d"] as [Name] { _ = try await directory.create(F.group(url, F.ann, F.bob)) }
    let (first, second) = (F.now + .seconds(1), F.now + .seconds(2))
    let message = try await directory.send(F.text("hi", in: "a", by: F.ann), needsPresence: true).message
    _ = try await directory.deleteMessage(message.id, in: "a", by: F.ann, at: first)
    let deletion = SendbirdDeletion(message: message.id, at: first)
    #expect(try await directory.deletions(of: "a", since: first) == [deletion])
    #expect(try await directory.deletions(of: "a", since: second).isEmpty)
    _ = try await directory.leave("a", users: [F.bob], at: first)
    _ = try await directory.setBanned(true, F.bob, in: "b", at: second)
    _ = try await directory.delete("c", at: second)
    _ = try await directory.leave("d", users: [F.bob], at: second)
    _ = try await directory.join("d", user: F.bob, at: second)
    #expect(await directory.departures(of: F.bob, since: F.now) == ["a", "b", "c"])
    #expect(await directory.departures(of: F.bob, since: second) == ["b", "c"])
    #expect(await directory.departures(of: F.ann, since: F.now) == ["c"])
  }

  @Test("remembers no more of either than there is room for", arguments: SendbirdChannelCase.all)
  func bounded(_ directory: SendbirdChannelCase) async throws {
    let directory = directory.make(4)
    _ = try await directory.create(F.group("a", F.ann))
    for number in 0..<30 {
      let time = F.now + .seconds(number)
      let message = try await directory.send(F.text("x", in: "a", by: F.ann, at: time), needsPresence: true).message
      _ = try await directory.deleteMessage(message.id, in: "a", by: nil, at: time)
      _ = try await directory.join("a", user: F.bob, at: time)
      _ = try await directory.leave("a", users: [F.bob], at: time)
      _ = try await directory.create(F.group("b", F.bob))
      _ = try await directory.delete("b", at: time)
    }
    let deletions = try await directory.deletions(of: "a", since: F.now)
    #expect(deletions.count == 4 && deletions.last?.at == F.now + .seconds(29))
    #expect(await directory.departures(of: F.bob, since: F.now + .seconds(29)) == ["a", "b"])
    #expect(await directory.departures(of: F.bob, since: F.now).count <= 2)
  }

  @Test("tells a message what was replied to it, and a reply what it replies to", arguments: SendbirdChannelCase.all)
  func threads(_ directory: SendbirdChannelCase) async throws {
    let directory = directory.make(8)
    _ = try await directory.create(F.group("a", F.ann, F.bob))
    let root = try await directory.send(F.text("root", in: "a", by: F.ann), needsPresence: true).message
    func reply(_ user: UserID, _ second: Int, toChannel: Bool = false) async throws -> SendbirdDelivery {
      var message = F.text("re", in: "a", by: user, at: F.now + .seconds(second))
      message.parentID = root.id
      message.isReplyToChannel = toChannel
      return try await directory.send(message, needsPresence: true)
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
      #expect(try await directory.messages(of: "a", query).count == count, "\(replies)")
    }
    query.until = F.now + .seconds(1)
    query.replies = .all
    #expect(try await directory.messages(of: "a", query).map(\.text) == ["root"])
    var reply = F.text("re", in: "a", by: F.ann)
    reply.parentID = 99
    let stray = reply
    await #expect(throws: SendbirdChannelRefusal.messageNotFound) {
      try await directory.send(stray, needsPresence: true)
    }
  }

  @Test("keeps users silent in open channels", arguments: SendbirdChannelCase.all)
  func muted(_ directory: SendbirdChannelCase) async throws {
    let directory = directory.make(4)
    _ = try await directory.create(F.open("open"))
    _ = try await directory.enter("open", user: F.ann, by: F.phone)
    _ = try await directory.setMuted(true, F.ann, in: "open")
    _ = try await directory.setMuted(true, F.ann, in: "open")
    #expect(try await directory.participants("open") == [SendbirdParticipant(user: F.ann, isMuted: true)])
    await #expect(throws: SendbirdChannelRefusal.muted) {
      try await directory.send(F.text("hi", in: "open", by: F.ann), needsPresence: true)
    }
    _ = try await directory.setMuted(false, F.ann, in: "open")
    _ = try await directory.send(F.text("hi", in: "open", by: F.ann), needsPresence: true)
  }

  @Test("tells canonically equivalent names apart", arguments: SendbirdChannelCase.all)
  func names(_ directory: SendbirdChannelCase) async throws {
    let directory = directory.make(8)
    let (one, two) = (UserID("\u{e9}"), UserID("e\u{301}"))
    _ = try await directory.create(F.group("K", one))
    #expect(await directory.channel("\u{212A}") == nil)
    _ = try await directory.create(F.group("\u{212A}", one, two) { $0.customType = "\u{e9}" })
    var query = SendbirdChannelQuery(.group)
    query.member = two
    #expect(await directory.channels(query).channels.map(\.url.text.utf8.count) == [3])
    query.customTypes = ["e\u{301}"]
    #expect(await directory.channels(query).channels.isEmpty)
    #expect(await directory.channel("\u{212A}")?.members.count == 2)
  }
}

@Suite("Sendbird channels in memory")
struct MemorySendbirdChannelTests {
  private typealias F = ChannelFixture

  @Test("hold no more bytes of messages than they may: the oldest of all channels give way")
  func messageBytes() async throws {
    let limits = MemorySendbirdChannelLimits(messageBytesOfChannel: 300_000, messageBytes: 300_000)
    let directory = MemorySendbirdChannels(on: SerialTestExecutor(), limits: limits)
    for url in ["a", "b", "c"] as [Name] { _ = try await directory.create(F.group(url, F.ann)) }
    let long = String(repeating: "x", count: 20_000)
    for number in 0..<60 {
      let url: Name = number % 3 == 0 ? "a" : number % 3 == 1 ? "b" : "c"
      _ = try await directory.send(F.text("\(number) \(long)", in: url, by: F.ann), needsPresence: true)
      #expect(await directory.usage.messageBytes <= 300_000)
    }
    let query = SendbirdMessageQuery(around: .time(F.now), before: 0, after: 0, includesPoint: true)
    var kept: Set<Int64> = []
    for url in ["a", "b", "c"] as [Name] {
      kept.formUnion(try await directory.messages(of: url, query).map(\.id))
    }
    #expect(kept.count == 14 && kept == Set(47...60))
    for _ in 0..<30 { _ = try await directory.send(F.text(long, in: "a", by: F.ann), needsPresence: true) }
    #expect(await directory.channel("b")?.lastMessage == nil)
    #expect(try await directory.messages(of: "a", query).map(\.id) == Array(77...90))
    for id in 77...80 as ClosedRange<Int64> { _ = try await directory.deleteMessage(id, in: "a", by: nil, at: F.now) }
    _ = try await directory.delete("a", at: F.now)
    #expect(await directory.usage.messageBytes == 0)
    #expect(await directory.usage.messages == 0)
  }

  @Test("hold no more bytes of one channel's messages than they may")
  func messageBytesOfChannel() async throws {
    let limits = MemorySendbirdChannelLimits(messageBytesOfChannel: 100_000)
    let directory = MemorySendbirdChannels(on: SerialTestExecutor(), limits: limits)
    _ = try await directory.create(F.group("a", F.ann))
    _ = try await directory.create(F.group("b", F.ann))
    _ = try await directory.send(F.text("first", in: "b", by: F.ann), needsPresence: true)
    let long = String(repeating: "x", count: 20_000)
    for _ in 0..<9 { _ = try await directory.send(F.text(long, in: "a", by: F.ann), needsPresence: true) }
    let query = SendbirdMessageQuery(around: .time(F.now), before: 0, after: 0, includesPoint: true)
    #expect(try await directory.messages(of: "a", query).count == 4)
    #expect(try await directory.messages(of: "b", query).count == 1)
    // One that is longer than all may be is kept all the same: it was sent.
    let longest = String(repeating: "x", count: 200_000)
    _ = try await directory.send(F.text(longest, in: "a", by: F.ann), needsPresence: true)
    #expect(try await directory.messages(of: "a", query).map(\.text) == [longest])
  }

  @Test("hold no more bytes of channels than they may, and shrink again")
  func channelBytes() async throws {
    let limits = MemorySendbirdChannelLimits(channelBytes: 10_000)
    let directory = MemorySendbirdChannels(on: SerialTestExecutor(), limits: limits)
    let long = String(repeating: "x", count: 5_000)
    _ = try await directory.create(F.group("a", F.ann) { $0.data = long })
    await #expect(throws: SendbirdChannelRefusal.tooManyChannels) {
      try await directory.create(F.group("b", F.ann) { $0.data = long })
    }
    await #expect(throws: SendbirdChannelRefusal.tooManyChannels) {
      try await directory.update("a") { $0.data = long + long }
    }
    #expect(await directory.channel("a")?.properties.data == long)
    _ = try await directory.update("a") { $0.data = "" }
    _ = try await directory.create(F.group("b", F.ann) { $0.data = long })
    _ = try await directory.delete("b", at: F.now)
    _ = try await directory.create(F.group("c", F.ann) { $0.data = long })
  }
}
