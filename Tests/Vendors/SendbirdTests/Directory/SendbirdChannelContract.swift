import GatewayCore
import GatewaySendbird
import Testing

@Suite("Every directory of Sendbird channels")
struct SendbirdChannelContract {
  private typealias F = ChannelFixture

  @Test("keeps a channel under its URL, once", arguments: SendbirdChannelCase.all)
  func create(_ directory: SendbirdChannelCase) async throws {
    let directory = directory.make(4)
    #expect(await directory.channel("one") == nil)
    let made = try await directory.create(F.group("one", F.ann, F.bob) { $0.name = "One" })
    #expect(made.isNew && made.channel.properties.name == "One" && made.channel.members.map(\.user) == [F.ann, F.bob])
    #expect(await directory.channel("one") == made.channel)
    await #expect(throws: SendbirdChannelRefusal.channelExists) { try await directory.create(F.open("one")) }
    #expect(try await directory.create(F.open("two")).channel.number > made.channel.number)
  }

  @Test("finds a distinct channel by its members, until somebody comes or goes", arguments: SendbirdChannelCase.all)
  func distinct(_ directory: SendbirdChannelCase) async throws {
    let directory = directory.make(8)
    _ = try await directory.create(F.group("one", F.ann, F.bob, isDistinct: true))
    let again = try await directory.create(F.group("two", F.bob, F.ann, isDistinct: true))
    #expect(!again.isNew && again.channel.url == "one")
    #expect(try await directory.create(F.group("three", F.ann, F.bob)).isNew)
    let changed = try await directory.join("one", user: F.eve, at: F.now)
    #expect(!changed.channel.isDistinct)
    #expect(try await directory.create(F.group("four", F.ann, F.bob, isDistinct: true)).channel.url == "four")
    _ = try await directory.delete("four", at: F.now)
    #expect(try await directory.create(F.group("five", F.ann, F.bob, isDistinct: true)).channel.url == "five")
  }

  @Test("puts members in and out, and says who changed", arguments: SendbirdChannelCase.all)
  func members(_ directory: SendbirdChannelCase) async throws {
    let directory = directory.make(8)
    _ = try await directory.create(F.group("one", F.ann))
    let invited = [F.ann, F.bob, F.bob].map { SendbirdMember($0, .invited, inviter: F.ann, at: F.now) }
    let invitation = try await directory.invite(invited, to: "one")
    #expect(invitation.changed == [F.bob] && invitation.channel.member(F.bob)?.state == .invited)
    #expect(invitation.channel.joined == [F.ann])
    #expect(try await directory.join("one", user: F.bob, at: F.now).changed == [F.bob])
    let twice = try await directory.join("one", user: F.bob, at: F.now)
    #expect(twice.changed.isEmpty && twice.channel.joined == [F.ann, F.bob])
    #expect(try await directory.leave("one", users: [F.ann, F.eve], at: F.now).changed == [F.ann])
    #expect(await directory.leaveAll(F.bob, at: F.now).map(\.channel.url) == ["one"])
    #expect(await directory.channel("one")?.members == [])
    _ = try await directory.create(F.open("open"))
    await #expect(throws: SendbirdChannelRefusal.wrongKind) {
      try await directory.join("open", user: F.ann, at: F.now)
    }
    await #expect(throws: SendbirdChannelRefusal.channelNotFound) {
      try await directory.leave("none", users: [F.ann], at: F.now)
    }
  }

  @Test("lets a user in while one connection of theirs is", arguments: SendbirdChannelCase.all)
  func participants(_ directory: SendbirdChannelCase) async throws {
    let directory = directory.make(8)
    _ = try await directory.create(F.open("open"))
    _ = try await directory.create(F.open("other"))
    let first = try await directory.enter("open", user: F.ann, by: F.phone)
    #expect(first.isChange && first.channel.participantCount == 1)
    #expect(try await directory.enter("open", user: F.ann, by: F.laptop).isChange == false)
    #expect(try await directory.enter("open", user: F.bob, by: ConnectionID(loop: 0, serial: 9)).isChange)
    #expect(try await directory.participants("open").map(\.user) == [F.ann, F.bob])
    #expect(try await directory.exit("open", user: F.ann, by: F.phone).isChange == false)
    _ = try await directory.enter("other", user: F.ann, by: F.laptop)
    let ends = await directory.exitAll(F.ann, by: F.laptop)
    #expect(ends.map(\.channel.url) == ["open", "other"] && ends.allSatisfy(\.isChange))
    #expect(await directory.exitAll(F.ann, by: F.laptop).isEmpty)
    #expect(try await directory.exit("open", user: F.ann, by: F.laptop).isChange == false)
    #expect(try await directory.participants("open").map(\.user) == [F.bob])
    let end = try await directory.delete("open", at: F.now)
    #expect(end.changed == [F.bob] && end.connections == [ConnectionID(loop: 0, serial: 9)])
    #expect(await directory.exitAll(F.bob, by: ConnectionID(loop: 0, serial: 9)).isEmpty)
  }

  @Test("refuses what a full table cannot hold, and keeps what it holds", arguments: SendbirdChannelCase.all)
  func full(_ directory: SendbirdChannelCase) async throws {
    let directory = directory.make(2)
    _ = try await directory.create(F.open("open"))
    _ = try await directory.create(F.group("group", F.ann, F.bob))
    await #expect(throws: SendbirdChannelRefusal.tooManyChannels) { try await directory.create(F.open("three")) }
    await #expect(throws: SendbirdChannelRefusal.tooManyMembers) {
      try await directory.join("group", user: F.eve, at: F.now)
    }
    for user in [F.ann, F.bob] { _ = try await directory.enter("open", user: user, by: F.phone) }
    await #expect(throws: SendbirdChannelRefusal.tooManyParticipants) {
      try await directory.enter("open", user: F.eve, by: F.laptop)
    }
    #expect(await directory.channel("group")?.members.map(\.user) == [F.ann, F.bob])
    #expect(try await directory.participants("open").map(\.user) == [F.ann, F.bob])
  }

  @Test("lists page by page, in either order", arguments: SendbirdChannelCase.all)
  func pages(_ directory: SendbirdChannelCase) async throws {
    let directory = directory.make(8)
    for url in ["a", "b", "c"] as [Name] { _ = try await directory.create(F.group(url, F.ann)) }
    _ = try await directory.create(F.open("open"))
    _ = try await directory.send(F.text("hi", in: "b", by: F.ann), needsPresence: true)
    var query = SendbirdChannelQuery(.group)
    query.limit = 2
    #expect(await directory.channels(query).channels.map(\.url) == ["c", "b"])
    query.offset = try #require(await directory.channels(query).next)
    #expect(await directory.channels(query).channels.map(\.url) == ["a"])
    #expect(await directory.channels(query).next == nil)
    query = SendbirdChannelQuery(.group)
    query.order = .latestLastMessage
    #expect(await directory.channels(query).channels.map(\.url) == ["b", "c", "a"])
    query.showsEmpty = false
    #expect(await directory.channels(query).channels.map(\.url) == ["b"])
  }

  @Test("finds channels by what is asked of them", arguments: SendbirdChannelCase.all)
  func filters(_ directory: SendbirdChannelCase) async throws {
    let directory = directory.make(8)
    _ = try await directory.create(
      F.group("a", F.ann, F.bob) {
        $0.name = "Lunch"
        $0.customType = "food"
      })
    _ = try await directory.create(F.group("b", F.bob, isDistinct: true) { $0.isFrozen = true })
    _ = try await directory.invite([SendbirdMember(F.eve, .invited, inviter: F.ann, at: F.now)], to: "a")
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
      #expect(await directory.channels(query).channels.map(\.url) == expected, "\(name)")
    }
  }
}
