import GatewayCore
import GatewayPlain
import TestSupport
import Testing

/// An implementation of the directory that the contract is tried on, with room for `room` of everything.
struct DirectoryCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let make: @Sendable (_ room: Int) -> any Directory

  static let all = [
    DirectoryCase(testDescription: "memory") { room in
      let limits = MemoryDirectoryLimits(calls: room, membersOfCall: room, memberships: 2 * room, accessTokens: room)
      return MemoryDirectory(on: SerialTestExecutor(), limits: limits, generator: SeededGenerator(seed: 1))
    }
  ]
}

@Suite("Every directory")
struct DirectoryContract {
  private let ann = UserID("ann")
  private let bob = UserID("bob")
  private let standup = CallID(cid: "default:standup")!
  private let now = WallTime(seconds: 1_000)

  @Test("gives every guest a name of its own, after the wish", arguments: DirectoryCase.all)
  func guests(_ directory: DirectoryCase) async throws {
    let directory = directory.make(4)
    var names: Set<UserID> = []
    for wish in [nil, "", "Zoë", "Zoë", "../!anon", String(repeating: "x", count: 1000)] {
      names.insert(try await directory.makeGuest(wish: wish))
    }
    #expect(names.count == 6)
    #expect(names.contains { $0.rawValue.hasSuffix("-Zo") })
    #expect(names.contains { $0.rawValue.hasSuffix("-anon") })
    #expect(names.allSatisfy { $0.rawValue.hasPrefix("guest-") && $0.rawValue.utf8.count <= 100 })
  }

  @Test("makes a call once, and remembers who made it and when", arguments: DirectoryCase.all)
  func getOrCreate(_ directory: DirectoryCase) async throws {
    let directory = directory.make(4)
    #expect(await directory.call(standup) == nil)
    let made = try await directory.getOrCreateCall(standup, by: ann, at: now)
    #expect(made == CallRecord(id: standup, createdBy: ann, createdAt: now, members: [], isNew: true))
    var known = made
    known.isNew = false
    #expect(try await directory.getOrCreateCall(standup, by: bob, at: now + .seconds(5)) == known)
    #expect(await directory.call(standup) == known)
  }

  @Test("joins in order, and joining twice is joining once", arguments: DirectoryCase.all)
  func join(_ directory: DirectoryCase) async throws {
    let directory = directory.make(4)
    _ = try await directory.getOrCreateCall(standup, by: ann, at: now)
    #expect(try await directory.join(standup, user: bob).members == [bob])
    #expect(try await directory.join(standup, user: .anonymous).members == [bob, .anonymous])
    #expect(try await directory.join(standup, user: ann).members == [bob, .anonymous, ann])
    #expect(try await directory.join(standup, user: .anonymous).members == [bob, .anonymous, ann])
    #expect(await directory.call(standup)?.members == [bob, .anonymous, ann])
  }

  @Test("lets nobody join a call that does not exist", arguments: DirectoryCase.all)
  func joinMissing(_ directory: DirectoryCase) async {
    let directory = directory.make(4)
    let error = await #expect(throws: GatewayError.self) { try await directory.join(standup, user: ann) }
    #expect(error?.isSame(as: .notFound) == true)
    #expect(await directory.call(standup) == nil)
  }

  @Test("refuses what a full table cannot hold, and keeps what it holds", arguments: DirectoryCase.all)
  func full(_ directory: DirectoryCase) async throws {
    let directory = directory.make(3)
    let calls = (0..<4).map { CallID(cid: "default:\($0)")! }
    let users = (0..<4).map { UserID("user\($0)") }
    for call in calls.prefix(3) { _ = try await directory.getOrCreateCall(call, by: ann, at: now) }
    await expectTooMany { try await directory.getOrCreateCall(calls[3], by: ann, at: now) }
    #expect(try await directory.getOrCreateCall(calls[2], by: ann, at: now).isNew == false)

    for user in users.prefix(3) { _ = try await directory.join(calls[0], user: user) }
    await expectTooMany { try await directory.join(calls[0], user: users[3]) }
    #expect(try await directory.join(calls[0], user: users[0]).members == Array(users.prefix(3)))

    for user in users.prefix(3) { _ = try await directory.join(calls[1], user: user) }
    await expectTooMany { try await directory.join(calls[2], user: ann) }
    #expect(await directory.call(calls[2])?.members == [])
  }

  @Test("forgets an access token at its expiry, not before", arguments: DirectoryCase.all)
  func accessTokens(_ directory: DirectoryCase) async throws {
    let directory = directory.make(4)
    let record = AccessTokenRecord(user: ann, kind: .regular, issuedAt: now, expiresAt: now + .seconds(10))
    let eternal = AccessTokenRecord(user: bob, kind: .guest, issuedAt: now, expiresAt: nil)
    try await directory.storeAccessToken(hash: [1], record)
    try await directory.storeAccessToken(hash: [2], eternal)
    #expect(await directory.accessToken(hash: [1], at: now + .nanoseconds(9_999_999_999)) == record)
    #expect(await directory.accessToken(hash: [1], at: now + .seconds(10)) == nil)
    #expect(await directory.accessToken(hash: [2], at: now + .seconds(1_000_000_000)) == eternal)
    #expect(await directory.accessToken(hash: [3], at: now) == nil)
  }

  @Test("makes room for access tokens out of those that have expired", arguments: DirectoryCase.all)
  func accessTokenRoom(_ directory: DirectoryCase) async throws {
    let directory = directory.make(2)
    func record(from start: Int, for seconds: Int?) -> AccessTokenRecord {
      let issued = now + .seconds(start)
      return AccessTokenRecord(
        user: ann, kind: .regular, issuedAt: issued, expiresAt: seconds.map { issued + .seconds($0) })
    }
    try await directory.storeAccessToken(hash: [1], record(from: 0, for: 10))
    try await directory.storeAccessToken(hash: [2], record(from: 0, for: nil))
    await expectTooMany { try await directory.storeAccessToken(hash: [3], record(from: 9, for: 10)) }
    #expect(await directory.accessToken(hash: [3], at: now) == nil)
    try await directory.storeAccessToken(hash: [3], record(from: 10, for: 10))
    #expect(await directory.accessToken(hash: [3], at: now + .seconds(11)) != nil)
    #expect(await directory.accessToken(hash: [2], at: now + .seconds(11)) != nil)
    await expectTooMany { try await directory.storeAccessToken(hash: [4], record(from: 19, for: 10)) }
    try await directory.storeAccessToken(hash: [4], record(from: 20, for: 10))
  }

  @Test("loses nothing when many join at once", arguments: DirectoryCase.all)
  func concurrentJoins(_ directory: DirectoryCase) async throws {
    let directory = directory.make(200)
    await withTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          _ = try? await directory.getOrCreateCall(standup, by: UserID("user\(number)"), at: now)
          _ = try? await directory.join(standup, user: UserID("user\(number % 100)"))
        }
      }
    }
    let members = try #require(await directory.call(standup)?.members)
    #expect(members.count == 100)
    #expect(Set(members).count == 100)
  }

  private func expectTooMany(_ body: () async throws -> some Any) async {
    let error = await #expect(throws: GatewayError.self) { _ = try await body() }
    #expect(error?.isSame(as: .tooMany) == true)
  }
}
