import GatewayCore
import TestSupport
import Testing

@testable import GatewaySendbird

struct SendbirdChannelContract {
  private typealias F = ChannelFixture

  @Test(arguments: StoreCase.all)
  func `a channel is stored under its URL, once`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 4)
    #expect(try await directory.channel("one", at: F.now) == nil)
    let made = try await directory.create(F.group("one", F.ann, F.bob) { $0.name = "One" }, at: F.now)
    #expect(made.isNew && made.channel.properties.name == "One" && made.channel.members.map(\.user) == [F.ann, F.bob])
    #expect(try await directory.channel("one", at: F.now) == made.channel)
    await #expect(throws: SendbirdChannelRefusal.channelExists) { try await directory.create(F.open("one"), at: F.now) }
    #expect(try await directory.create(F.open("two"), at: F.now).channel.number > made.channel.number)
  }

  @Test(arguments: StoreCase.all)
  func `a distinct channel is found by its members, until a member joins or leaves`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 8)
    _ = try await directory.create(F.group("one", F.ann, F.bob, isDistinct: true), at: F.now)
    let again = try await directory.create(F.group("two", F.bob, F.ann, isDistinct: true), at: F.now)
    #expect(!again.isNew && again.channel.url == "one")
    #expect(try await !directory.create(F.group("one", F.ann, F.bob, isDistinct: true), at: F.now).isNew)
    #expect(try await directory.create(F.group("three", F.ann, F.bob), at: F.now).isNew)
    let changed = try await directory.join("one", user: F.eve, at: F.now)
    #expect(!changed.channel.isDistinct)
    #expect(
      try await directory.create(F.group("four", F.ann, F.bob, isDistinct: true), at: F.now).channel.url == "four")
    _ = try await directory.delete("four", at: F.now)
    #expect(
      try await directory.create(F.group("five", F.ann, F.bob, isDistinct: true), at: F.now).channel.url == "five")
  }

  @Test(arguments: StoreCase.all)
  func `members join and leave, and the changed ones are reported`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 8)
    _ = try await directory.create(F.group("one", F.ann), at: F.now)
    let invited = [F.ann, F.bob, F.bob].map { SendbirdMember($0, .invited, inviter: F.ann, at: F.now) }
    let invitation = try await directory.invite(invited, to: "one", at: F.now)
    #expect(invitation.changed == [F.bob] && invitation.channel.member(F.bob)?.state == .invited)
    #expect(invitation.channel.joined == [F.ann])
    #expect(try await directory.join("one", user: F.bob, at: F.now).changed == [F.bob])
    let twice = try await directory.join("one", user: F.bob, at: F.now)
    #expect(twice.changed.isEmpty && twice.channel.joined == [F.ann, F.bob])
    #expect(try await directory.leave("one", users: [F.ann, F.eve], at: F.now).changed == [F.ann])
    var left: [Name] = []
    try await directory.leaveAll(F.bob, at: F.now) { left.append($0.channel.url) }
    #expect(left == ["one"])
    #expect(try await directory.channel("one", at: F.now)?.members == [])
    _ = try await directory.create(F.open("open"), at: F.now)
    await #expect(throws: SendbirdChannelRefusal.wrongKind) {
      try await directory.join("open", user: F.ann, at: F.now)
    }
    await #expect(throws: SendbirdChannelRefusal.channelNotFound) {
      try await directory.leave("none", users: [F.ann], at: F.now)
    }
  }

  @Test(arguments: StoreCase.all, [false, true])
  func `a user is in an open channel while one of their connections is`(
    _ engine: StoreCase, hasNodes: Bool
  ) async throws {
    let directory = try F.channels(engine, 8, hasNodes: hasNodes)
    _ = try await directory.create(F.open("open"), at: F.now)
    _ = try await directory.create(F.open("other"), at: F.now)
    let first = try await directory.enter("open", user: F.ann, by: F.phone, at: F.now)
    #expect(first.isChange && first.channel.participantCount == 1)
    #expect(try await directory.enter("open", user: F.ann, by: F.laptop, at: F.now).isChange == false)
    #expect(try await directory.enter("open", user: F.bob, by: ConnectionID(loop: 0, serial: 9), at: F.now).isChange)
    #expect(try await directory.participants("open", at: F.now).map(\.user) == [F.ann, F.bob])
    #expect(try await directory.exit("open", user: F.ann, by: F.phone, at: F.now).isChange == false)
    _ = try await directory.enter("other", user: F.ann, by: F.laptop, at: F.now)
    var ends: [SendbirdParticipation] = []
    try await directory.exitAll(F.ann, by: F.laptop, at: F.now) { ends.append($0) }
    #expect(ends.map(\.channel.url) == ["open", "other"] && ends.allSatisfy(\.isChange))
    try await directory.exitAll(F.ann, by: F.laptop, at: F.now) { _ in Issue.record("nobody was in") }
    #expect(try await directory.exit("open", user: F.ann, by: F.laptop, at: F.now).isChange == false)
    #expect(try await directory.participants("open", at: F.now).map(\.user) == [F.bob])
    let end = try await directory.delete("open", at: F.now)
    #expect(end.changed == [F.bob] && end.connections == [ConnectionID(loop: 0, serial: 9)])
    try await directory.exitAll(F.bob, by: ConnectionID(loop: 0, serial: 9), at: F.now) { _ in
      Issue.record("nobody was in")
    }
    #expect(try await directory.create(F.open("open"), at: F.now).channel.participantCount == 0)
    #expect(try await directory.participants("open", at: F.now).isEmpty)
  }

  @Test(arguments: StoreCase.all, [false, true])
  func `a full channel directory refuses a new channel, and keeps what it has`(
    _ engine: StoreCase, hasNodes: Bool
  ) async throws {
    let directory = try F.channels(engine, 2, hasNodes: hasNodes)
    _ = try await directory.create(F.open("open"), at: F.now)
    _ = try await directory.create(F.group("group", F.ann, F.bob), at: F.now)
    await #expect(throws: SendbirdChannelRefusal.tooManyChannels) {
      try await directory.create(F.open("three"), at: F.now)
    }
    await #expect(throws: SendbirdChannelRefusal.tooManyMembers) {
      try await directory.join("group", user: F.eve, at: F.now)
    }
    for user in [F.ann, F.bob] { _ = try await directory.enter("open", user: user, by: F.phone, at: F.now) }
    await #expect(throws: SendbirdChannelRefusal.tooManyParticipants) {
      try await directory.enter("open", user: F.eve, by: F.laptop, at: F.now)
    }
    #expect(try await directory.channel("group", at: F.now)?.members.map(\.user) == [F.ann, F.bob])
    #expect(try await directory.participants("open", at: F.now).map(\.user) == [F.ann, F.bob])
  }

  @Test(arguments: StoreCase.all)
  func `channels are listed page by page, in either order`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 8)
    for url in ["a", "b", "c"] as [Name] { _ = try await directory.create(F.group(url, F.ann), at: F.now) }
    _ = try await directory.create(F.open("open"), at: F.now)
    _ = try await directory.send(F.text("hi", in: "b", by: F.ann), needsPresence: true, at: F.now)
    var query = SendbirdChannelQuery(.group)
    query.limit = 2
    #expect(try await directory.channels(query, at: F.now).channels.map(\.url) == ["c", "b"])
    query.after = try await directory.channels(query, at: F.now).next
    #expect(query.after != nil)
    #expect(try await directory.channels(query, at: F.now).channels.map(\.url) == ["a"])
    #expect(try await directory.channels(query, at: F.now).next == nil)
    query = SendbirdChannelQuery(.group)
    query.order = .latestLastMessage
    #expect(try await directory.channels(query, at: F.now).channels.map(\.url) == ["b", "c", "a"])
    query.showsEmpty = false
    #expect(try await directory.channels(query, at: F.now).channels.map(\.url) == ["b"])
  }

  @Test(arguments: StoreCase.all, [SendbirdChannelQuery.Order.chronological, .latestLastMessage, .alphabetical])
  func `no channel is listed twice or left out, though channels come and go between the pages`(
    _ engine: StoreCase, _ order: SendbirdChannelQuery.Order
  ) async throws {
    let directory = try F.channels(engine, 40)
    for number in 10..<20 {
      // Pairs of channels have the same name, and some have no messages.
      let url = Name("c\(number)")
      _ = try await directory.create(F.group(url, F.ann) { $0.name = "n\(number / 2)" }, at: F.now)
      guard number > 12 else { continue }
      _ = try await directory.send(F.text("hi", in: url, by: F.ann), needsPresence: true, at: F.now)
    }
    var query = SendbirdChannelQuery(.group)
    query.order = order
    let all = try await directory.channels(query, at: F.now).channels.map(\.url)
    (query.limit, query.member) = (3, F.ann)
    var seen: [Name] = []
    var pages = 0
    repeat {
      let page = try await directory.channels(query, at: F.now)
      seen += page.channels.map(\.url)
      query.after = page.next
      for gone in page.channels.suffix(2) { _ = try await directory.delete(gone.url, at: F.now) }
      pages += 1
      // It is the first in each of the orders.
      let new = Name("new\(pages)")
      _ = try await directory.create(F.group(new, F.ann) { $0.name = "a" }, at: F.now)
      _ = try await directory.send(F.text("hi", in: new, by: F.ann), needsPresence: true, at: F.now)
    } while query.after != nil && pages < 9
    #expect(seen == all && pages == 4)
  }

  @Test(arguments: StoreCase.all)
  func `channels are found by their properties`(_ engine: StoreCase) async throws {
    let directory = try F.channels(engine, 8)
    _ = try await directory.create(
      F.group("a", F.ann, F.bob) {
        $0.name = "Lunch"
        $0.customType = "food"
      }, at: F.now)
    _ = try await directory.create(F.group("b", F.bob, isDistinct: true) { $0.isFrozen = true }, at: F.now)
    _ = try await directory.invite([SendbirdMember(F.eve, .invited, inviter: F.ann, at: F.now)], to: "a", at: F.now)
    let cases: [(String, [Name], (inout SendbirdChannelQuery) -> Void)] = [
      ("all", ["b", "a"], { _ in }),
      ("member", ["a"], { $0.member = F.ann }),
      (
        "invited", ["a"],
        {
          $0.member = F.eve
          $0.memberState = .invited
        }
      ),
      (
        "joined", [],
        {
          $0.member = F.eve
          $0.memberState = .joined
        }
      ),
      ("urls", ["b"], { $0.urls = ["b", "x"] }),
      ("type", ["a"], { $0.customTypes = ["food"] }),
      ("name", ["a"], { $0.nameContains = "UNC" }),
      ("distinct", ["b"], { $0.isDistinct = true }),
      ("include", ["a"], { $0.membersInclude = [F.bob, F.eve] }),
      ("exactly", ["b"], { $0.membersExactly = [F.bob] }),
      ("frozen", ["a"], { $0.showsFrozen = false }),
      ("nobody's", [], { $0.member = UserID("x") }),
    ]
    for (name, expected, change) in cases {
      var query = SendbirdChannelQuery(.group)
      change(&query)
      #expect(try await directory.channels(query, at: F.now).channels.map(\.url) == expected, "\(name)")
    }
  }
}
