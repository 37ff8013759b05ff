import GatewayCore
import GatewayKit
import TestSupport
import Testing

@testable import GatewayPlain

extension StoreCase {
  /// Returns a directory with room for `room` of everything.
  fileprivate func make(_ room: Int) throws -> PlainDirectory {
    let limits = PlainDirectoryLimits(calls: room, membersOfCall: room, memberships: 2 * room, accessTokens: room)
    return PlainDirectory(try make(), limits: limits, generator: SeededGenerator(seed: 1))
  }
}

struct PlainDirectoryContract {
  private let ann = UserID("ann")
  private let bob = UserID("bob")
  private let standup = CallID(cid: "default:standup")!
  private let now = WallTime(seconds: 1_000)

  @Test(arguments: StoreCase.all)
  func `every guest gets a unique name, based on the requested one`(_ directory: StoreCase) async throws {
    let directory = try directory.make(4)
    var names: Set<UserID> = []
    for wish in [nil, "", "Zoë", "Zoë", "../!anon", String(repeating: "x", count: 1000)] {
      names.insert(try await directory.makeGuest(wish: wish, at: now))
    }
    #expect(names.count == 6)
    #expect(names.contains { $0.rawValue.hasSuffix("-Zo") })
    #expect(names.contains { $0.rawValue.hasSuffix("-anon") })
    #expect(names.allSatisfy { $0.rawValue.hasPrefix("guest-") && $0.rawValue.utf8.count <= 100 })
  }

  @Test(arguments: StoreCase.all)
  func `a call is created once, and its creator and time are stored`(_ directory: StoreCase) async throws {
    let directory = try directory.make(4)
    #expect(try await directory.call(standup, at: now) == nil)
    let made = try await directory.getOrCreateCall(standup, by: ann, at: now)
    #expect(made == CallRecord(id: standup, createdBy: ann, createdAt: now, members: [], isNew: true))
    var known = made
    known.isNew = false
    #expect(try await directory.getOrCreateCall(standup, by: bob, at: now + .seconds(5)) == known)
    #expect(try await directory.call(standup, at: now) == known)
  }

  @Test(arguments: StoreCase.all)
  func `users join in order, and joining twice is joining once`(_ directory: StoreCase) async throws {
    let directory = try directory.make(4)
    _ = try await directory.getOrCreateCall(standup, by: ann, at: now)
    #expect(try await directory.join(standup, user: bob, at: now).members == [bob])
    #expect(try await directory.join(standup, user: .anonymous, at: now).members == [bob, .anonymous])
    #expect(try await directory.join(standup, user: ann, at: now).members == [bob, .anonymous, ann])
    #expect(try await directory.join(standup, user: .anonymous, at: now).members == [bob, .anonymous, ann])
    #expect(try await directory.call(standup, at: now)?.members == [bob, .anonymous, ann])
  }

  @Test(arguments: StoreCase.all)
  func `a call's members are known, and an unknown call is reported`(_ directory: StoreCase) async throws {
    let directory = try directory.make(4)
    let error = await #expect(throws: GatewayError.self) { try await directory.isMember(ann, of: standup, at: now) }
    #expect(error?.isSame(as: .notFound) == true)
    _ = try await directory.getOrCreateCall(standup, by: ann, at: now)
    _ = try await directory.join(standup, user: bob, at: now)
    #expect(try await directory.isMember(bob, of: standup, at: now))
    #expect(try await !directory.isMember(ann, of: standup, at: now))
  }

  @Test(arguments: StoreCase.all)
  func `no guest's name is made again after a restart with the same seed`(_ directory: StoreCase) async throws {
    let store = try directory.make()
    var names: Set<UserID> = []
    for _ in 0..<3 {
      let directory = PlainDirectory(store, generator: SeededGenerator(seed: 1))
      for _ in 0..<2 { names.insert(try await directory.makeGuest(wish: nil, at: now)) }
    }
    #expect(names.count == 6)
  }

  @Test(arguments: StoreCase.all)
  func `the store remembers a bounded number of processes that created guests, and the next one can create guests too`(
    _ directory: StoreCase
  ) async throws {
    let store = try directory.make()
    let limits = PlainDirectoryLimits(guestSeries: 2)
    var names: Set<UserID> = []
    for seed in 1...5 as ClosedRange<UInt64> {
      let directory = PlainDirectory(store, limits: limits, generator: SeededGenerator(seed: seed))
      for _ in 0..<2 { names.insert(try await directory.makeGuest(wish: nil, at: now)) }
    }
    #expect(names.count == 10)
    #expect(try await store.tallies([StoreCount("plain.guests", atMost: 2, of: "")]) == [2])
    // The last two are known: a process with their seeds draws other names.
    for seed in [4, 5] as [UInt64] {
      let directory = PlainDirectory(store, limits: limits, generator: SeededGenerator(seed: seed))
      #expect(names.insert(try await directory.makeGuest(wish: nil, at: now)).inserted)
    }
  }

  @Test(arguments: StoreCase.all)
  func `no user can join a call that does not exist`(_ directory: StoreCase) async throws {
    let directory = try directory.make(4)
    let error = await #expect(throws: GatewayError.self) { try await directory.join(standup, user: ann, at: now) }
    #expect(error?.isSame(as: .notFound) == true)
    #expect(try await directory.call(standup, at: now) == nil)
  }

  @Test(arguments: StoreCase.all)
  func `a full table refuses a new entry, and keeps what it has`(_ directory: StoreCase) async throws {
    let directory = try directory.make(3)
    let calls = (0..<4).map { CallID(cid: "default:\($0)")! }
    let users = (0..<4).map { UserID("user\($0)") }
    for call in calls.prefix(3) { _ = try await directory.getOrCreateCall(call, by: ann, at: now) }
    await expectTooMany { try await directory.getOrCreateCall(calls[3], by: ann, at: now) }
    #expect(try await directory.getOrCreateCall(calls[2], by: ann, at: now).isNew == false)

    for user in users.prefix(3) { _ = try await directory.join(calls[0], user: user, at: now) }
    await expectTooMany { try await directory.join(calls[0], user: users[3], at: now) }
    #expect(try await directory.join(calls[0], user: users[0], at: now).members == Array(users.prefix(3)))

    for user in users.prefix(3) { _ = try await directory.join(calls[1], user: user, at: now) }
    await expectTooMany { try await directory.join(calls[2], user: ann, at: now) }
    #expect(try await directory.call(calls[2], at: now)?.members == [])
  }

  @Test(arguments: StoreCase.all)
  func `an access token is forgotten at its expiry, not before`(_ directory: StoreCase) async throws {
    let directory = try directory.make(4)
    let record = AccessTokenRecord(user: ann, kind: .regular, issuedAt: now, expiresAt: now + .seconds(10))
    let eternal = AccessTokenRecord(user: bob, kind: .guest, issuedAt: now, expiresAt: nil)
    try await directory.storeAccessToken(hash: [1], record)
    try await directory.storeAccessToken(hash: [2], eternal)
    #expect(try await directory.accessToken(hash: [1], at: now + .nanoseconds(9_999_999_999)) == record)
    #expect(try await directory.accessToken(hash: [1], at: now + .seconds(10)) == nil)
    #expect(try await directory.accessToken(hash: [2], at: now + .seconds(1_000_000_000)) == eternal)
    #expect(try await directory.accessToken(hash: [3], at: now) == nil)
  }

  @Test(arguments: StoreCase.all)
  func `expired access tokens make room for new ones`(_ directory: StoreCase) async throws {
    let directory = try directory.make(2)
    func record(from start: Int, for seconds: Int?) -> AccessTokenRecord {
      let issued = now + .seconds(start)
      return AccessTokenRecord(
        user: ann, kind: .regular, issuedAt: issued, expiresAt: seconds.map { issued + .seconds($0) })
    }
    try await directory.storeAccessToken(hash: [1], record(from: 0, for: 10))
    try await directory.storeAccessToken(hash: [2], record(from: 0, for: nil))
    await expectTooMany { try await directory.storeAccessToken(hash: [3], record(from: 9, for: 10)) }
    #expect(try await directory.accessToken(hash: [3], at: now) == nil)
    try await directory.storeAccessToken(hash: [3], record(from: 10, for: 10))
    #expect(try await directory.accessToken(hash: [3], at: now + .seconds(11)) != nil)
    #expect(try await directory.accessToken(hash: [2], at: now + .seconds(11)) != nil)
    await expectTooMany { try await directory.storeAccessToken(hash: [4], record(from: 19, for: 10)) }
    try await directory.storeAccessToken(hash: [4], record(from: 20, for: 10))
  }

  @Test(arguments: StoreCase.all)
  func `no join is lost when many join at once`(_ directory: StoreCase) async throws {
    let directory = try directory.make(200)
    await withTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          _ = try? await directory.getOrCreateCall(standup, by: UserID("user\(number)"), at: now)
          _ = try? await directory.join(standup, user: UserID("user\(number % 100)"), at: now)
        }
      }
    }
    let members = try #require(try await directory.call(standup, at: now)?.members)
    #expect(members.count == 100)
    #expect(Set(members).count == 100)
  }

  private func expectTooMany(_ body: () async throws -> some Any) async {
    let error = await #expect(throws: GatewayError.self) { _ = try await body() }
    #expect(error?.isSame(as: .tooMany) == true)
  }
}
