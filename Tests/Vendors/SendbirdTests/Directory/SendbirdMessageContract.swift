import GatewayCore
import TestSupport
import TestTraits
import Testing

@testable import GatewaySendbird

struct SendbirdMessageContract {
  private typealias F = ChannelFixture

  @Test(arguments: StoreCase.all)
  func `messages have rising numbers over all channels, and their receivers are known`(_ engine: StoreCase) async throws
  {
    let directory = try F.channels(engine, 8)
    let group = try await directory.create(F.group("group", F.ann, F.bob), at: F.now).channel
    _ = try await directory.invite([SendbirdMember(F.eve, .invited, at: F.now)], to: "group", at: F.now)
    _ = try await directory.create(F.open("open"), at: F.now)
    let first = try await directory.send(F.text("one", in: "group", by: F.ann), needsPresence: true, at: F.now)
    #expect(first.members == [F.ann, F.bob] && first.kind == .group && first.channelNumber == group.number)
    let second = try await directory.send(F.text("two", in: "open", by: F.ann), needsPresence: false, at: F.now)
    #expect(second.message.id > first.message.id && second.members.isEmpty && second.kind == .open)
    #expect(try await directory.channel("group", at: F.now)?.lastMessage == first.message)
  }

  @Test(.long, arguments: StoreCase.all)
  func `every message has a number of its own when many are sent at once`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 200)
    _ = try await directory.create(F.group("group", F.ann, F.bob), at: F.now)
    await withTaskGroup { group in
      for number in 0..<100 {
        group.addTask {
          _ = try? await directory.send(F.text("\(number)", in: "group", by: F.ann), needsPresence: true, at: F.now)
        }
      }
    }
    let query = SendbirdMessageQuery(around: .time(F.now + .seconds(1)), before: 200, after: 0, includesPoint: true)
    let ids = try await directory.messages(of: "group", query, at: F.now).map(\.id)
    #expect(ids.count == 100 && ids == Set(ids).sorted())
    #expect(try await directory.channel("group", at: F.now)?.member(F.bob)?.unreadCount == 100)
  }

  @Test(arguments: StoreCase.all)
  func `messages are accepted of permitted senders only`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 8)
    _ = try await directory.create(F.group("group", F.ann, F.bob) { $0.operators = [F.bob] }, at: F.now)
    _ = try await directory.create(F.open("open"), at: F.now)
    func expectRefusal(_ refusal: SendbirdChannelRefusal, _ user: UserID?, _ url: Name) async {
      await #expect(throws: refusal) {
        try await directory.send(F.text("hi", in: url, by: user), needsPresence: true, at: F.now)
      }
    }
    await expectRefusal(.channelNotFound, F.ann, "none")
    await expectRefusal(.notAMember, F.eve, "group")
    await expectRefusal(.notAMember, F.ann, "open")
    _ = try await directory.setMuted(true, F.ann, in: "group", at: F.now)
    await expectRefusal(.muted, F.ann, "group")
    _ = try await directory.setMuted(false, F.ann, in: "group", at: F.now)
    try await directory.setBlocked(true, F.ann, by: F.bob, at: F.now)
    await expectRefusal(.blocked, F.ann, "group")
    _ = try await directory.send(F.text("hi", in: "group", by: F.bob), needsPresence: true, at: F.now)
    try await directory.setBlocked(false, F.ann, by: F.bob, at: F.now)
    _ = try await directory.update("group", at: F.now) { $0.isFrozen = true }
    await expectRefusal(.frozen, F.ann, "group")
    _ = try await directory.send(F.text("operator", in: "group", by: F.bob), needsPresence: true, at: F.now)
    _ = try await directory.send(F.text("application", in: "group", by: nil), needsPresence: true, at: F.now)
    _ = try await directory.enter("open", user: F.ann, by: F.phone, at: F.now)
    let ban = try await directory.setBanned(true, F.ann, in: "open", at: F.now)
    #expect(ban.changed == [F.ann] && ban.connections == [F.phone] && ban.channel.participantCount == 0)
    await expectRefusal(.banned, F.ann, "open")
    await #expect(throws: SendbirdChannelRefusal.banned) {
      try await directory.enter("open", user: F.ann, by: F.phone, at: F.now)
    }
    _ = try await directory.setBanned(false, F.ann, in: "open", at: F.now)
    _ = try await directory.enter("open", user: F.ann, by: F.phone, at: F.now)
    #expect(try await directory.setBanned(true, F.ann, in: "group", at: F.now).changed == [F.ann])
    await #expect(throws: SendbirdChannelRefusal.banned) { try await directory.join("group", user: F.ann, at: F.now) }
  }

  @Test(arguments: StoreCase.all)
  func `messages of others count as unread until they are read`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 8)
    _ = try await directory.create(F.group("plain", F.ann, F.bob), at: F.now)
    _ = try await directory.create(F.group("typed", F.ann, F.bob) { $0.customType = "food" }, at: F.now)
    for url in ["plain", "plain", "typed"] as [Name] {
      _ = try await directory.send(F.text("hi", in: url, by: F.ann), needsPresence: true, at: F.now)
    }
    #expect(
      try await directory.unread(F.bob, at: F.now)
        == SendbirdUnread(messages: 3, channels: 2, messagesByType: ["food": 1]))
    #expect(try await directory.unread(F.ann, at: F.now) == SendbirdUnread())
    #expect(try await directory.markRead("plain", user: F.bob, at: F.now + .seconds(5)).joined == [F.ann, F.bob])
    #expect(try await directory.channel("plain", at: F.now)?.member(F.bob)?.readAt == F.now + .seconds(5))
    #expect(try await directory.unread(F.bob, at: F.now).messages == 1)
    await #expect(throws: SendbirdChannelRefusal.notAMember) {
      try await directory.markRead("plain", user: F.eve, at: F.now)
    }
  }

  @Test(arguments: StoreCase.all)
  func `a message is changed or deleted by its sender only`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 8)
    _ = try await directory.create(F.group("group", F.ann, F.bob), at: F.now)
    let first = try await directory.send(F.text("one", in: "group", by: F.ann), needsPresence: true, at: F.now).message
    let second = try await directory.send(F.text("two", in: "group", by: F.ann), needsPresence: true, at: F.now).message
    await #expect(throws: SendbirdChannelRefusal.notTheOwner) {
      try await directory.edit(second.id, in: "group", by: F.bob, at: F.now) { $0.text = "mine" }
    }
    await #expect(throws: SendbirdChannelRefusal.messageNotFound) {
      try await directory.edit(99, in: "group", by: F.ann, at: F.now) { $0.text = "mine" }
    }
    let edited = try await directory.edit(second.id, in: "group", by: F.ann, at: F.now) {
      $0.text = "too"
      $0.id = 1_000
    }
    #expect(edited.message.text == "too" && edited.message.id == second.id && edited.members == [F.ann, F.bob])
    #expect(try await directory.channel("group", at: F.now)?.lastMessage?.text == "too")
    _ = try await directory.deleteMessage(second.id, in: "group", by: F.ann, at: F.now)
    #expect(try await directory.channel("group", at: F.now)?.lastMessage == first)
    #expect(try await directory.message(first.id, in: "group", at: F.now) == first)
    await #expect(throws: SendbirdChannelRefusal.messageNotFound) {
      try await directory.message(second.id, in: "group", at: F.now)
    }
    _ = try await directory.deleteMessage(first.id, in: "group", by: nil, at: F.now)
    #expect(try await directory.channel("group", at: F.now)?.lastMessage == nil)
  }

  @Test(arguments: StoreCase.all)
  func `messages are found before, on and after a point`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 20)
    _ = try await directory.create(F.group("group", F.ann, F.bob), at: F.now)
    var ids: [Int64] = []
    for number in 0..<6 {
      let time = F.now + .seconds(number)
      let message = F.text("\(number)", in: "group", by: number == 3 ? F.bob : F.ann, at: time)
      ids.append(try await directory.send(message, needsPresence: true, at: F.now).message.id)
    }
    func texts(
      _ point: SendbirdMessageQuery.Point, _ before: Int, _ after: Int, _ includes: Bool, _ senders: Set<UserID>? = nil
    ) async throws -> String {
      var query = SendbirdMessageQuery(around: point, before: before, after: after, includesPoint: includes)
      query.senders = senders
      return try await directory.messages(of: "group", query, at: F.now).map(\.text).joined()
    }
    #expect(try await texts(.time(F.now + .seconds(3)), 2, 2, true) == "12345")
    #expect(try await texts(.time(F.now + .seconds(3)), 2, 2, false) == "1245")
    #expect(try await texts(.message(ids[3]), 1, 0, true) == "23")
    #expect(try await texts(.message(ids[0]), 5, 5, false) == "12345")
    #expect(try await texts(.time(F.now + .seconds(100)), 2, 2, true) == "45")
    #expect(try await texts(.time(WallTime(nanoseconds: 0)), 2, 2, true) == "01")
    #expect(try await texts(.time(F.now + .seconds(5)), 3, 0, false, [F.ann]) == "124")
  }

  @Test(arguments: StoreCase.all)
  func `every message of the millisecond that a client names is found`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 20)
    _ = try await directory.create(F.group("group", F.ann, F.bob), at: F.now)
    // Two messages in one millisecond, as in a busy channel, between two others.
    for (number, microseconds) in [4_999, 5_100, 5_900, 6_000].enumerated() {
      let message = F.text("\(number)", in: "group", by: F.ann, at: F.now + .microseconds(microseconds))
      _ = try await directory.send(message, needsPresence: true, at: F.now)
    }
    func texts(_ change: (inout SendbirdMessageQuery) -> Void) async throws -> String {
      var query = SendbirdMessageQuery(
        around: .time(F.now + .milliseconds(5)), before: 5, after: 5, includesPoint: true)
      change(&query)
      return try await directory.messages(of: "group", query, at: F.now).map(\.text).joined()
    }
    #expect(try await texts { $0.after = 0 } == "012")
    #expect(try await texts { $0.before = 0 } == "123")
    #expect(try await texts { $0.includesPoint = false } == "03")
    // A client continues from the time of the outermost message: all of its millisecond are included.
    let page = SendbirdMessageQuery(around: .time(F.now + .seconds(1)), before: 2, after: 0, includesPoint: true)
    #expect(try await texts { $0 = page } == "123")
    #expect(try await texts { ($0.point, $0.before, $0.after) = (.time(F.now), 0, 2) } == "012")
    #expect(try await texts { ($0.point, $0.before, $0.after) = (.time(F.now), 0, 0) } == "")
    #expect(try await texts { $0.until = F.now + .milliseconds(5) } == "012")
    var search = SendbirdSearch("2")
    search.until = F.now + .milliseconds(5)
    #expect(try await directory.search(search, by: F.ann, at: F.now).messages.map(\.text) == ["2"])
  }

  @Test(arguments: StoreCase.all)
  func `no message is dated before one with a smaller number, unless the clock was set back`(_ engine: StoreCase)
    async throws
  {
    let directory = try F.channels(engine, 20)
    _ = try await directory.create(F.group("group", F.ann, F.bob), at: F.now)
    // The second waited longer for its turn than the third; the last comes after the clock was set back by an hour.
    for (number, milliseconds) in [9_000, 8_000, 9_001, 9_000 - 3_600_000].enumerated() {
      let time = F.now + .milliseconds(milliseconds)
      let message = F.text("\(number)", in: "group", by: F.ann, at: time)
      let sent = try await directory.send(message, needsPresence: true, at: F.now).message
      #expect(sent.createdAt == (number == 1 ? F.now + .milliseconds(9_000) : time))
    }
  }

  @Test(arguments: StoreCase.all)
  func `the oldest messages are removed for new ones, in the channel and in all`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 10)
    for url in ["a", "b", "c"] as [Name] { _ = try await directory.create(F.group(url, F.ann), at: F.now) }
    let query = SendbirdMessageQuery(around: .time(F.now), before: 0, after: 0, includesPoint: true)
    for number in 0..<15 {
      _ = try await directory.send(F.text("\(number)", in: "a", by: F.ann), needsPresence: true, at: F.now)
    }
    #expect(try await directory.messages(of: "a", query, at: F.now).map(\.text) == (5..<15).map(String.init))
    for number in 0..<10 {
      _ = try await directory.send(F.text("\(number)", in: "b", by: F.ann), needsPresence: true, at: F.now)
    }
    for _ in 0..<5 { _ = try await directory.send(F.text("x", in: "c", by: F.ann), needsPresence: true, at: F.now) }
    var kept = 0
    for url in ["a", "b", "c"] as [Name] { kept += try await directory.messages(of: url, query, at: F.now).count }
    #expect((15...20).contains(kept))
    #expect(try await directory.messages(of: "c", query, at: F.now).count == 5)
    #expect(try await directory.messages(of: "a", query, at: F.now).last?.text == "14")
  }
}
