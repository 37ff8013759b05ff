import GatewayCore
import GatewayKit
import TestSupport
import TestTraits
import Testing

@testable import GatewayStream

struct StreamCallDirectoryContract {
  private let ann = UserID("ann")
  private let standup = CallID(cid: "default:standup")!
  private let now = WallTime(seconds: 1_000)

  /// Returns a directory with room for `room` of everything in a call, and twice that of all calls together.
  private func directory(on engine: StoreCase, room: Int, bytes: Int = 1 << 20) throws -> StreamCallDirectory {
    StreamCallDirectory(
      try engine.make(),
      limits: StreamCallLimits(
        calls: room, membersOfCall: room, members: 2 * room, participantsOfCall: room, participants: 2 * room,
        bytes: bytes, rings: 1))
  }

  private func call(_ cid: String) -> StreamCall {
    StreamCall(id: CallID(cid: cid)!, createdBy: ann, createdAt: now)
  }

  private func participant(_ user: String, on connection: UInt64?) -> StreamCallParticipant {
    StreamCallParticipant(
      user: UserID(user), role: "user", connection: connection.map { ConnectionID(loop: 0, serial: $0) },
      sessionID: "\(user)-\(connection ?? 0)", joinedAt: now)
  }

  @Test(arguments: StoreCase.all)
  func `a call is created once, and its data are stored`(_ engine: StoreCase) async throws {
    let directory = try directory(on: engine, room: 4)
    #expect(try await directory.call(standup, at: now) == nil)
    let made = try await directory.makeCall(call("default:standup"), at: now)
    #expect(made.isNew && made.call == call("default:standup"))
    var other = call("default:standup")
    other.team = "blue"
    let again = try await directory.makeCall(other, at: now)
    #expect(!again.isNew && again.call == made.call)
    #expect(try await directory.call(standup, at: now) == made.call)
  }

  @Test(arguments: StoreCase.all)
  func `a call is changed whole or not at all, and its earlier state reported`(_ engine: StoreCase) async throws {
    let directory = try directory(on: engine, room: 4)
    let made = try await directory.makeCall(call("default:standup"), at: now).call
    let change = try await directory.updateCall(standup, at: now) { $0.team = "blue" }
    #expect(change.before == made && change.after.team == "blue")
    let error = await #expect(throws: GatewayError.self) {
      try await directory.updateCall(standup, at: now) { (call) throws(GatewayError) in
        call.team = "red"
        throw .notPermitted
      }
    }
    #expect(error?.isSame(as: .notPermitted) == true)
    #expect(try await directory.call(standup, at: now) == change.after)
  }

  @Test(arguments: StoreCase.all)
  func `an unknown call is not changed, and a known one is removed`(_ engine: StoreCase) async throws {
    let directory = try directory(on: engine, room: 4)
    let error = await #expect(throws: GatewayError.self) {
      try await directory.updateCall(standup, at: now) { $0.team = "blue" }
    }
    #expect(error?.isSame(as: .notFound) == true)
    #expect(try await directory.removeCall(standup, at: now) == nil)
    _ = try await directory.makeCall(call("default:standup"), at: now)
    #expect(try await directory.removeCall(standup, at: now) == call("default:standup"))
    #expect(try await directory.call(standup, at: now) == nil)
  }

  @Test(arguments: StoreCase.all)
  func `calls are found by a condition, in the order asked for`(_ engine: StoreCase) async throws {
    let directory = try directory(on: engine, room: 9)
    for cid in ["default:a", "livestream:b", "default:c", "default:d"] {
      _ = try await directory.makeCall(call(cid), at: now)
    }
    let found = try await directory.calls(
      where: { $0.id.type == "default" }, by: { $0.id.cid > $1.id.cid }, at: now)
    #expect(found.map(\.id.cid) == ["default:d", "default:c", "default:a"])
  }

  @Test(arguments: StoreCase.all)
  func `the calls that a user takes part in by a connection are known, until they leave`(_ engine: StoreCase)
    async throws
  {
    let directory = try directory(on: engine, room: 9)
    let one = ConnectionID(loop: 0, serial: 1)
    let two = ConnectionID(loop: 0, serial: 2)
    let people = [participant("ann", on: 1), participant("bob", on: 2), participant("eve", on: nil)]
    for cid in ["default:b", "default:a"] {
      var made = call(cid)
      made.session = StreamCallSession(id: "s")
      made.session?.participants = people
      _ = try await directory.makeCall(made, at: now)
    }
    #expect(try await directory.calls(joinedBy: ann, on: one, at: now).map(\.cid) == ["default:a", "default:b"])
    _ = try await directory.updateCall(CallID(cid: "default:a")!, at: now) { $0.session?.participants.removeFirst() }
    #expect(try await directory.calls(joinedBy: ann, on: one, at: now).map(\.cid) == ["default:b"])
    #expect(
      try await directory.calls(joinedBy: UserID("bob"), on: two, at: now).map(\.cid) == ["default:a", "default:b"])
    #expect(
      try await directory.calls(joinedBy: UserID("eve"), on: nil, at: now).map(\.cid) == ["default:a", "default:b"])
    #expect(try await directory.calls(joinedBy: UserID("eve"), on: one, at: now) == [])
    _ = try await directory.updateCall(CallID(cid: "default:a")!, at: now) { $0.session = nil }
    _ = try await directory.removeCall(CallID(cid: "default:b")!, at: now)
    #expect(try await directory.calls(joinedBy: UserID("bob"), on: two, at: now) == [])
  }

  @Test(arguments: StoreCase.all)
  func `a full table refuses a new entry, and can be emptied`(_ engine: StoreCase) async throws {
    let directory = try directory(on: engine, room: 2)
    let now = now
    let members = (0..<3).map {
      StreamCallMember(user: UserID("user\($0)"), role: nil, custom: [:], createdAt: now)
    }
    let people = (0..<3).map { participant("user\($0)", on: UInt64($0)) }
    let a = CallID(cid: "default:a")!
    for cid in ["default:a", "default:b"] { _ = try await directory.makeCall(call(cid), at: now) }
    await expectTooMany { try await directory.makeCall(call("default:c"), at: now) }
    await expectTooMany { try await directory.updateCall(a, at: now) { $0.add(members) } }
    await expectTooMany {
      try await directory.updateCall(a, at: now) { call in
        call.session = StreamCallSession(id: "s")
        call.session?.participants = people
      }
    }
    await expectTooMany { try await directory.updateCall(a, at: now) { $0.blocked = members.map(\.user) } }
    await expectTooMany {
      try await directory.updateCall(a, at: now) { call in
        call.session = StreamCallSession(id: "s")
        for member in members { call.session?.acceptedBy[member.user] = now }
      }
    }
    #expect(try await directory.call(a, at: now) == call("default:a"))
    _ = try await directory.updateCall(a, at: now) { $0.add(members.prefix(2)) }
    _ = try await directory.updateCall(a, at: now) { $0.remove(members.prefix(2)) }
    _ = try await directory.updateCall(a, at: now) { $0.add(members.suffix(2)) }
    #expect(try await directory.members(of: a, at: now) == members.suffix(2))
  }

  @Test(arguments: StoreCase.all)
  func `the bytes of all calls together are counted, and a change that makes room is accepted`(_ engine: StoreCase)
    async throws
  {
    let directory = try directory(on: engine, room: 9, bytes: 9500)
    let (a, b) = (CallID(cid: "default:a")!, CallID(cid: "default:b")!)
    let long = String(repeating: "x", count: 3000)
    let bulky = StreamCallMember(user: ann, role: nil, custom: ["a": long], createdAt: now)
    _ = try await directory.makeCall(call("default:a"), at: now)
    _ = try await directory.makeCall(call("default:b"), at: now)
    _ = try await directory.updateCall(a, at: now) { $0.add([bulky]) }
    _ = try await directory.updateCall(b, at: now) { $0.blocked = [UserID("bob")] }
    for _ in 0..<2 {
      await expectTooMany { try await directory.updateCall(b, at: now) { $0.custom = ["a": long, "b": long] } }
      await expectTooMany {
        try await directory.updateCall(a, at: now) { $0.members[ann]?.custom = ["a": long, "b": long] }
      }
      #expect(try await directory.members(of: a, at: now) == [bulky])
    }
    _ = try await directory.updateCall(a, at: now) { $0.remove([bulky]) }
    _ = try await directory.updateCall(b, at: now) { $0.custom = ["a": long] }
    _ = try await directory.removeCall(b, at: now)
    var again = call("default:b")
    again.custom = ["a": long, "b": long]
    _ = try await directory.makeCall(again, at: now)
  }

  @Test(arguments: StoreCase.all)
  func `the members of all calls together are counted`(_ engine: StoreCase) async throws {
    let directory = try directory(on: engine, room: 3)
    let now = now
    let members = (0..<3).map { StreamCallMember(user: UserID("user\($0)"), role: nil, custom: [:], createdAt: now) }
    for cid in ["default:a", "default:b"] {
      var made = call(cid)
      made.add(members)
      _ = try await directory.makeCall(made, at: now)
    }
    var third = call("default:c")
    third.add(members.prefix(1))
    await expectTooMany { [third] in try await directory.makeCall(third, at: now) }
    #expect(try await directory.call(third.id, at: now) == nil)
    _ = try await directory.removeCall(CallID(cid: "default:b")!, at: now)
    #expect(try await directory.makeCall(third, at: now).isNew)
  }

  private func expectTooMany(_ body: () async throws -> some Any) async {
    let error = await #expect(throws: GatewayError.self) { _ = try await body() }
    #expect(error?.isSame(as: .tooMany) == true)
  }

  @Test(arguments: StoreCase.all)
  func `a ring ends once, in the order of the ends, and none waits without room for it`(_ engine: StoreCase)
    async throws
  {
    let directory = try directory(on: engine, room: 4)
    _ = try await directory.makeCall(call("default:standup"), at: now)
    func ring(_ user: String, _ seconds: Double) -> StreamRing {
      StreamRing(call: standup, session: "s", users: [UserID(user)], endsAt: now + .seconds(seconds))
    }
    let change = try await directory.updateCall(standup, at: now, ring: { _ in ring("bob", 15) }) { $0.team = "a" }
    #expect(change.after.team == "a")
    // The same ring again needs no room; one more is not stored, and its change is made nevertheless.
    _ = try await directory.updateCall(standup, at: now, ring: { _ in ring("eve", 15) }) { _ in }
    let other = try await directory.updateCall(standup, at: now, ring: { _ in ring("dan", 5) }) { $0.team = "b" }
    #expect(other.after.team == "b")
    let waiting = try await directory.firstRings(9, at: now)
    #expect(waiting.map(\.users) == [[UserID("bob"), UserID("eve")]])
    let first = try #require(waiting.first)
    #expect(try await directory.endRing(first, at: now) { $0.team = "c" }?.after.team == "c")
    #expect(try await directory.endRing(first, at: now) { $0.team = "d" } == nil)
    #expect(try await directory.call(standup, at: now)?.team == "c")
    _ = try await directory.updateCall(standup, at: now, ring: { _ in ring("dan", 5) }) { _ in }
    _ = try await directory.removeCall(standup, at: now)
    #expect(try await directory.endRing(ring("dan", 5), at: now) { $0.team = "e" } == nil)
    #expect(try await directory.firstRings(9, at: now) == [])
  }

  @Test(arguments: StoreCase.all)
  func `all data of a call are stored`(_ engine: StoreCase) async throws {
    let store = try engine.make()
    var call = call("default:standup")
    call.team = "blue"
    call.custom = ["a\u{0}": #"{"b":[1]}"#, "\u{e9}": "1", "e\u{301}": "2"]
    call.startsAt = now
    call.settings = ["audio.mic_default_on": "false"]
    call.isVideo = true
    call.add([StreamCallMember(user: ann, role: "host", custom: ["x": "null"], createdAt: now)])
    call.blocked = [UserID("eve")]
    call.isBackstage = true
    call.endedAt = now
    call.sessionCount = 3
    call.grants = [ann: ["send-audio": false]]
    var session = StreamCallSession(id: "s")
    session.startedAt = now
    session.participants = [participant("ann", on: 7), participant("bob", on: nil)]
    session.joinCount = 2
    session.ringing = [UserID("dan")]
    session.acceptedBy = [ann: now]
    session.rejectedBy = [UserID("\u{e9}"): now, UserID("e\u{301}"): now]
    session.missedBy = [UserID("eve"): now]
    call.session = session
    _ = try await StreamCallDirectory(store).makeCall(call, at: now)
    let again = StreamCallDirectory(store)
    #expect(try await again.call(standup, with: [ann], at: now) == call)
    #expect(try await again.callsJoined(at: now) == [standup])
  }

  @Test(.long, arguments: StoreCase.all)
  func `a thousand changes of one call at once are all stored`(_ engine: StoreCase) async throws {
    let directory = try directory(on: engine, room: 2_000)
    _ = try await directory.makeCall(call("default:standup"), at: now)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<1_000 {
        group.addTask { _ = try await directory.updateCall(standup, at: now) { $0.sessionCount += 1 } }
      }
      try await group.waitForAll()
    }
    #expect(try await directory.call(standup, at: now)?.sessionCount == 1_000)
  }
}
