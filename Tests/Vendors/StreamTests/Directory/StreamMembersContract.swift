import GatewayCore
import GatewayKit
import TestSupport
import TestTraits
import Testing

@testable import GatewayStream

struct StreamMembersContract {
  private let ann = UserID("ann")
  private let bob = UserID("bob")
  private let standup = CallID(cid: "default:standup")!
  private let now = WallTime(seconds: 1_000)

  private func member(_ user: String, role: Name? = nil) -> StreamCallMember {
    StreamCallMember(user: UserID(user), role: role, custom: [:], createdAt: now)
  }

  private func call(_ id: CallID, _ members: [StreamCallMember] = []) -> StreamCall {
    var call = StreamCall(id: id, createdBy: ann, createdAt: now)
    call.add(members)
    return call
  }

  @Test(.long, arguments: StoreCase.all)
  func `members are looked up by name, and listed in the order in which they came`(_ engine: StoreCase) async throws {
    let directory = StreamCallDirectory(try engine.make())
    // More than fit into one read, and not in the order of names.
    let names = (0..<2_300).map { "\($0 * 7 % 2_300)" }
    _ = try await directory.makeCall(call(standup, names.map { member($0) }), at: now)
    let known = try #require(try await directory.call(standup, with: [UserID("7"), ann], at: now))
    #expect(known.members.count == 2_300 && known.members.all == nil)
    #expect(known.members[UserID("7")]?.user == UserID("7") && known.members[ann] == nil)
    #expect(try await directory.members(of: known, first: 3, at: now).map(\.user.rawValue) == ["0", "7", "14"])
    #expect(try await directory.members(of: standup, at: now).map(\.user.rawValue) == names)
    let some = try await directory.members(of: known, at: now) { $0.user.rawValue.hasPrefix("229") }
    #expect(some.count == 11)
  }

  @Test(arguments: StoreCase.all)
  func `members are found by a change that asks for them, also if it is refused at first`(_ engine: StoreCase)
    async throws
  {
    let directory = StreamCallDirectory(try engine.make())
    _ = try await directory.makeCall(
      call(standup, [member("ann", role: "host"), member("bob"), member("eve")]), at: now)
    let change = try await directory.updateCall(standup, at: now) { (call) throws(GatewayError) in
      guard call.members[ann]?.role == "host" else { throw .notPermitted }
      guard let bob = call.members[bob] else { throw .notFound }
      call.members[bob.user]?.role = "guest"
      call.members[UserID("zoe")] = member("zoe")
      call.members[UserID("nobody")] = nil
    }
    #expect(change.before.members.inOrder.map(\.user) == [ann, bob])
    #expect(change.after.members.inOrder.map(\.role) == ["host", "guest", nil])
    #expect(change.after.members.count == 4)
    #expect(try await directory.members(of: standup, at: now).map(\.user.rawValue) == ["ann", "bob", "eve", "zoe"])
  }

  @Test(arguments: StoreCase.all)
  func `members who return come last, and are removed with their call`(_ engine: StoreCase) async throws {
    let directory = StreamCallDirectory(try engine.make(), limits: StreamCallLimits(members: 3))
    _ = try await directory.makeCall(call(standup, [member("ann"), member("bob"), member("eve")]), at: now)
    _ = try await directory.updateCall(standup, at: now) { $0.remove([member("ann")]) }
    _ = try await directory.updateCall(standup, at: now) { $0.add([member("ann")]) }
    _ = try await directory.updateCall(standup, at: now) { call in
      call.remove([member("bob")])
      call.add([member("bob")])
    }
    #expect(try await directory.members(of: standup, at: now).map(\.user.rawValue) == ["eve", "ann", "bob"])
    let removed = try #require(try await directory.removeCall(standup, at: now))
    #expect(removed.members.all?.map(\.user.rawValue) == ["eve", "ann", "bob"])
    #expect(try await directory.makeCall(call(standup), with: [ann], at: now).call.members.all == [])
    #expect(try await directory.members(of: standup, at: now) == [])
    // There is room for as many again.
    _ = try await directory.updateCall(standup, at: now) { $0.add((0..<3).map { member("new\($0)") }) }
  }

  @Test(.long, arguments: StoreCase.all)
  func `members put in and out at once are counted right`(_ engine: StoreCase) async throws {
    let directory = StreamCallDirectory(try engine.make())
    _ = try await directory.makeCall(call(standup), at: now)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          let one = member("user\(number % 20)")
          _ = try await directory.updateCall(standup, at: now) { call in
            if call.members[one.user] == nil { call.add([one]) } else { call.remove([one]) }
          }
        }
      }
      try await group.waitForAll()
    }
    // Each of the twenty joined and left ten times.
    #expect(try await directory.call(standup, at: now)?.members.count == 0)
    #expect(try await directory.members(of: standup, at: now) == [])
  }

  @Test(arguments: StoreCase.all)
  func `members are found by a search for the calls of some of them`(_ engine: StoreCase) async throws {
    let directory = StreamCallDirectory(try engine.make())
    for (cid, names) in [("default:a", ["ann", "bob"]), ("default:b", ["bob"]), ("default:c", [])] {
      _ = try await directory.makeCall(call(CallID(cid: cid)!, names.map { member($0) }), at: now)
    }
    func calls(of user: UserID) async throws -> [String] {
      try await directory.calls(
        with: [user], where: { $0.members[user] != nil }, by: { $0.id.cid < $1.id.cid }, at: now
      ).map(\.id.cid)
    }
    #expect(try await calls(of: bob) == ["default:a", "default:b"])
    #expect(try await calls(of: ann) == ["default:a"])
    #expect(try await calls(of: UserID("eve")) == [])
  }

  /// The format of a row that contained its members.
  private struct FormerRow: StoreValue {
    struct Call: Codable {
      var call: StreamCall
      var members: [StreamCallMember]

      private enum CodingKeys: String, CodingKey { case members }

      init(_ call: StreamCall, _ members: [StreamCallMember]) { (self.call, self.members) = (call, members) }

      init(from decoder: any Decoder) throws {
        call = try StreamCall(from: decoder)
        members = []
      }

      func encode(to encoder: any Encoder) throws {
        try call.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(members, forKey: .members)
      }
    }

    var call: Call
  }

  @Test
  func
    `members are read from a file that has them in the call's own row, and get rows of their own with the next change`()
    async throws
  {
    let store: any Store = try TemporaryStore().open()
    let key = StoreTable<FormerRow>("stream.call").key(standup.cid)
    let row = FormerRow(call: FormerRow.Call(call(standup), [member("bob", role: "host"), member("ann")]))
    #expect(try await store.commit(StoreCommit(writes: [StoreCommit.Write(key, row)]), at: now))
    let directory = StreamCallDirectory(store)
    let known = try #require(try await directory.call(standup, with: [bob], at: now))
    #expect(known.members[bob]?.role == "host" && known.members.all?.count == 2)
    _ = try await directory.updateCall(standup, at: now) { $0.add([member("eve")]) }
    let later = try #require(try await directory.call(standup, with: [bob], at: now))
    #expect(later.members.all == nil && later.members[bob]?.role == "host")
    #expect(try await directory.members(of: standup, at: now).map(\.user.rawValue) == ["bob", "ann", "eve"])
  }
}

extension StreamCall {
  mutating func add(_ added: some Sequence<StreamCallMember>) {
    for member in added { members[member.user] = member }
  }

  mutating func remove(_ removed: some Sequence<StreamCallMember>) {
    for member in removed { members[member.user] = nil }
  }
}

extension StreamCallDirectory {
  func members(of id: CallID, at now: WallTime) async throws -> [StreamCallMember] {
    guard let call = try await call(id, at: now) else { return [] }
    return try await members(of: call, at: now) { _ in true }
  }
}
