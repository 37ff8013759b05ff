import GatewayCore
import GatewayStream
import TestSupport
import Testing

/// An implementation of the directory of Stream's calls that the contract is tried on, with room for `room` of
/// everything, and twice that of all calls together.
struct StreamCallDirectoryCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let makeWithin: @Sendable (_ room: Int, _ bytes: Int) -> any StreamCallDirectory

  func make(_ room: Int) -> any StreamCallDirectory { makeWithin(room, 1 << 20) }

  static let all = [
    StreamCallDirectoryCase(testDescription: "memory") { room, bytes in
      let limits = MemoryStreamCallLimits(
        calls: room, membersOfCall: room, members: 2 * room, participantsOfCall: room, participants: 2 * room,
        bytes: bytes)
      return MemoryStreamCallDirectory(on: SerialTestExecutor(), limits: limits)
    }
  ]
}

@Suite("Every directory of Stream's calls")
struct StreamCallDirectoryContract {
  private let ann = UserID("ann")
  private let standup = CallID(cid: "default:standup")!
  private let now = WallTime(seconds: 1_000)

  private func call(_ cid: String) -> StreamCall {
    StreamCall(id: CallID(cid: cid)!, createdBy: ann, createdAt: now)
  }

  private func participant(_ user: String, on connection: UInt64?) -> StreamCallParticipant {
    StreamCallParticipant(
      user: UserID(user), role: "user", connection: connection.map { ConnectionID(loop: 0, serial: $0) },
      sessionID: "\(user)-\(connection ?? 0)", joinedAt: now)
  }

  @Test("makes a call once, and keeps what it was made of", arguments: StreamCallDirectoryCase.all)
  func make(_ directory: StreamCallDirectoryCase) async throws {
    let directory = directory.make(4)
    #expect(await directory.call(standup) == nil)
    let made = try await directory.makeCall(call("default:standup"))
    #expect(made.isNew && made.call == call("default:standup"))
    var other = call("default:standup")
    other.team = "blue"
    let again = try await directory.makeCall(other)
    #expect(!again.isNew && again.call == made.call)
    #expect(await directory.call(standup) == made.call)
  }

  @Test("changes a call whole or not at all, and says what it was before", arguments: StreamCallDirectoryCase.all)
  func update(_ directory: StreamCallDirectoryCase) async throws {
    let directory = directory.make(4)
    let made = try await directory.makeCall(call("default:standup")).call
    let change = try await directory.updateCall(standup) { $0.team = "blue" }
    #expect(change.before == made && change.after.team == "blue")
    let error = await #expect(throws: GatewayError.self) {
      try await directory.updateCall(standup) { (call) throws(GatewayError) in
        call.team = "red"
        throw .notPermitted
      }
    }
    #expect(error?.isSame(as: .notPermitted) == true)
    #expect(await directory.call(standup) == change.after)
  }

  @Test("changes no call that does not exist, and forgets one that does", arguments: StreamCallDirectoryCase.all)
  func remove(_ directory: StreamCallDirectoryCase) async throws {
    let directory = directory.make(4)
    let error = await #expect(throws: GatewayError.self) {
      try await directory.updateCall(standup) { $0.team = "blue" }
    }
    #expect(error?.isSame(as: .notFound) == true)
    #expect(await directory.removeCall(standup) == nil)
    _ = try await directory.makeCall(call("default:standup"))
    #expect(await directory.removeCall(standup) == call("default:standup"))
    #expect(await directory.call(standup) == nil)
  }

  @Test("finds calls by a condition, in the order asked for", arguments: StreamCallDirectoryCase.all)
  func query(_ directory: StreamCallDirectoryCase) async throws {
    let directory = directory.make(9)
    for cid in ["default:a", "livestream:b", "default:c", "default:d"] {
      _ = try await directory.makeCall(call(cid))
    }
    let found = await directory.calls(
      where: { $0.id.type == "default" }, by: { $0.id.cid > $1.id.cid }, offset: 1, limit: 5)
    #expect(found.map(\.id.cid) == ["default:c", "default:a"])
    let first = await directory.calls(where: { _ in true }, by: { $0.id.cid < $1.id.cid }, offset: 0, limit: 2)
    #expect(first.map(\.id.cid) == ["default:a", "default:c"])
  }

  @Test(
    "knows which calls a user takes part in by a connection, until they leave", arguments: StreamCallDirectoryCase.all)
  func connections(_ directory: StreamCallDirectoryCase) async throws {
    let directory = directory.make(9)
    let one = ConnectionID(loop: 0, serial: 1)
    let two = ConnectionID(loop: 0, serial: 2)
    let people = [participant("ann", on: 1), participant("bob", on: 2), participant("eve", on: nil)]
    for cid in ["default:b", "default:a"] {
      var made = call(cid)
      made.session = StreamCallSession(id: "s")
      made.session?.participants = people
      _ = try await directory.makeCall(made)
    }
    #expect(await directory.calls(joinedBy: ann, on: one).map(\.cid) == ["default:a", "default:b"])
    _ = try await directory.updateCall(CallID(cid: "default:a")!) { $0.session?.participants.removeFirst() }
    #expect(await directory.calls(joinedBy: ann, on: one).map(\.cid) == ["default:b"])
    #expect(await directory.calls(joinedBy: UserID("bob"), on: two).map(\.cid) == ["default:a", "default:b"])
    #expect(await directory.calls(joinedBy: UserID("eve"), on: nil).map(\.cid) == ["default:a", "default:b"])
    #expect(await directory.calls(joinedBy: UserID("eve"), on: one) == [])
    _ = try await directory.updateCall(CallID(cid: "default:a")!) { $0.session = nil }
    _ = await directory.removeCall(CallID(cid: "default:b")!)
    #expect(await directory.calls(joinedBy: UserID("bob"), on: two) == [])
  }

  @Test("refuses what a full table cannot hold, and lets it be emptied", arguments: StreamCallDirectoryCase.all)
  func full(_ directory: StreamCallDirectoryCase) async throws {
    let directory = directory.make(2)
    let now = now
    let members = (0..<3).map {
      StreamCallMember(user: UserID("user\($0)"), role: nil, custom: [:], createdAt: now)
    }
    let people = (0..<3).map { participant("user\($0)", on: UInt64($0)) }
    let a = CallID(cid: "default:a")!
    for cid in ["default:a", "default:b"] { _ = try await directory.makeCall(call(cid)) }
    await expectTooMany { try await directory.makeCall(call("default:c")) }
    await expectTooMany { try await directory.updateCall(a) { $0.members = members } }
    await expectTooMany {
      try await directory.updateCall(a) { call in
        call.session = StreamCallSession(id: "s")
        call.session?.participants = people
      }
    }
    await expectTooMany { try await directory.updateCall(a) { $0.blocked = members.map(\.user) } }
    await expectTooMany {
      try await directory.updateCall(a) { call in
        call.session = StreamCallSession(id: "s")
        for member in members { call.session?.acceptedBy[member.user] = now }
      }
    }
    #expect(await directory.call(a) == call("default:a"))
    _ = try await directory.updateCall(a) { $0.members = Array(members.prefix(2)) }
    _ = try await directory.updateCall(a) { $0.members = [] }
    _ = try await directory.updateCall(a) { $0.members = Array(members.suffix(2)) }
    #expect(await directory.call(a)?.members == Array(members.suffix(2)))
  }

  @Test("counts the bytes of all calls together, and takes what makes room", arguments: StreamCallDirectoryCase.all)
  func bytes(_ directory: StreamCallDirectoryCase) async throws {
    let directory = directory.makeWithin(9, 9500)
    let (a, b) = (CallID(cid: "default:a")!, CallID(cid: "default:b")!)
    let long = String(repeating: "x", count: 3000)
    let bulky = StreamCallMember(user: ann, role: nil, custom: ["a": long], createdAt: now)
    _ = try await directory.makeCall(call("default:a"))
    _ = try await directory.makeCall(call("default:b"))
    _ = try await directory.updateCall(a) { $0.members = [bulky] }
    _ = try await directory.updateCall(b) { $0.blocked = [UserID("bob")] }
    for _ in 0..<2 {
      await expectTooMany { try await directory.updateCall(b) { $0.custom = ["a": long, "b": long] } }
      await expectTooMany { try await directory.updateCall(a) { $0.members[0].custom = ["a": long, "b": long] } }
      #expect(await directory.call(a)?.members == [bulky])
    }
    _ = try await directory.updateCall(a) { $0.members = [] }
    _ = try await directory.updateCall(b) { $0.custom = ["a": long] }
    _ = await directory.removeCall(b)
    var again = call("default:b")
    again.custom = ["a": long, "b": long]
    _ = try await directory.makeCall(again)
  }

  @Test("counts the members of all calls together", arguments: StreamCallDirectoryCase.all)
  func fullTogether(_ directory: StreamCallDirectoryCase) async throws {
    let directory = directory.make(3)
    let now = now
    let members = (0..<3).map { StreamCallMember(user: UserID("user\($0)"), role: nil, custom: [:], createdAt: now) }
    for cid in ["default:a", "default:b"] {
      var made = call(cid)
      made.members = members
      _ = try await directory.makeCall(made)
    }
    var third = call("default:c")
    third.members = Array(members.prefix(1))
    await expectTooMany { [third] in try await directory.makeCall(third) }
    #expect(await directory.call(third.id) == nil)
    _ = await directory.removeCall(CallID(cid: "default:b")!)
    #expect(try await directory.makeCall(third).isNew)
  }

  private func expectTooMany(_ body: () async throws -> some Any) async {
    let error = await #expect(throws: GatewayError.self) { _ = try await body() }
    #expect(error?.isSame(as: .tooMany) == true)
  }
}
