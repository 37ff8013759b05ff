import GatewayCore
import GatewaySendbird
import TestSupport
import Testing

@Suite("The directory of Sendbird users")
struct SendbirdDirectoryContract {
  private let ann = UserID("ann")
  private let bob = UserID("bob")
  private let now = WallTime(seconds: 1_000)

  @Test("keeps a new user once, and says who exists already", arguments: StoreCase.all)
  func create(_ store: StoreCase) async throws {
    let directory = try SendbirdDirectory(store.make(), on: SerialTestExecutor(), usersMax: 4)
    #expect(try await directory.user(ann, at: now) == nil)
    var user = SendbirdUser(ann, nickname: "Ann", profileURL: "https://example.com/a.png", createdAt: now)
    user.metadata = ["font": "large"]
    user.accessToken = Credentials(token: "token")
    let made = try await directory.createUser(user, at: now)
    user.number = made.number
    #expect(made == user)
    #expect(try await directory.user(ann, at: now) == user)
    let error = await #expect(throws: GatewayError.self) {
      try await directory.createUser(SendbirdUser(ann, nickname: "Another", createdAt: now), at: now)
    }
    #expect(error?.isSame(as: .alreadyExists) == true)
    #expect(try await directory.user(ann, at: now)?.nickname == "Ann")
  }

  @Test("makes an unknown user on connecting, and leaves a known one alone", arguments: StoreCase.all)
  func getOrCreate(_ store: StoreCase) async throws {
    let directory = try SendbirdDirectory(store.make(), on: SerialTestExecutor(), usersMax: 4)
    let made = try await directory.getOrCreateUser(ann, at: now)
    #expect(made.createdAt == now && made.nickname.isEmpty && !made.hasBeenIssuedToken)
    #expect(try await directory.getOrCreateUser(ann, at: now + .seconds(9)) == made)
  }

  @Test("makes one user, however many connect at once", arguments: StoreCase.all)
  func concurrentConnects(_ store: StoreCase) async throws {
    let directory = try SendbirdDirectory(store.make(), on: SerialTestExecutor(), usersMax: 4)
    let numbers = await withTaskGroup { group in
      for _ in 0..<50 { group.addTask { try? await directory.getOrCreateUser(ann, at: now).number } }
      return await group.reduce(into: Set<Int64?>()) { $0.insert($1) }
    }
    #expect(numbers.count == 1 && !numbers.contains(nil))
  }

  @Test("changes a user in one step, but neither the number nor the id", arguments: StoreCase.all)
  func update(_ store: StoreCase) async throws {
    let directory = try SendbirdDirectory(store.make(), on: SerialTestExecutor(), usersMax: 4)
    let made = try await directory.getOrCreateUser(ann, at: now)
    _ = try await directory.getOrCreateUser(bob, at: now)
    let changed = try await directory.updateUser(ann, at: now) { user in
      user.nickname = "Ann"
      user.number = 1_000
      user.sessionTokensValidFrom = WallTime(seconds: 1_001)
    }
    var expected = made
    expected.nickname = "Ann"
    expected.sessionTokensValidFrom = WallTime(seconds: 1_001)
    #expect(changed == expected)
    #expect(try await directory.user(ann, at: now) == expected)
    _ = try await directory.updateUser(ann, at: now) {
      $0 = SendbirdUser(UserID("bob"), createdAt: WallTime(seconds: 0))
    }
    #expect(try await directory.user(ann, at: now) == expected)
    #expect(try await directory.user(bob, at: now)?.createdAt == now)
    let error = await #expect(throws: GatewayError.self) {
      try await directory.updateUser(UserID("eve"), at: now) { _ in }
    }
    #expect(error?.isSame(as: .notFound) == true)
  }

  @Test("loses no change when many are made at once", arguments: StoreCase.all)
  func concurrentUpdates(_ store: StoreCase) async throws {
    let directory = try SendbirdDirectory(store.make(), on: SerialTestExecutor(), usersMax: 4)
    _ = try await directory.getOrCreateUser(ann, at: now)
    await withTaskGroup { group in
      for key in 0..<100 {
        group.addTask { _ = try? await directory.updateUser(ann, at: now) { $0.metadata[Name("\(key)")] = "" } }
      }
    }
    #expect(try await directory.user(ann, at: now)?.metadata.count == 100)
  }

  @Test("forgets a deleted user, whose successor has another number", arguments: StoreCase.all)
  func delete(_ store: StoreCase) async throws {
    let directory = try SendbirdDirectory(store.make(), on: SerialTestExecutor(), usersMax: 2)
    let first = try await directory.getOrCreateUser(ann, at: now)
    _ = try await directory.getOrCreateUser(bob, at: now)
    try await directory.deleteUser(ann, at: now)
    #expect(try await directory.user(ann, at: now) == nil)
    #expect(try await directory.users(SendbirdUserQuery(), at: now).users.map(\.id) == [bob])
    let error = await #expect(throws: GatewayError.self) { try await directory.deleteUser(ann, at: now) }
    #expect(error?.isSame(as: .notFound) == true)
    let second = try await directory.getOrCreateUser(ann, at: now)
    #expect(second.number > first.number)
  }

  @Test("refuses what a full table cannot hold, and keeps what it holds", arguments: StoreCase.all)
  func full(_ store: StoreCase) async throws {
    let directory = try SendbirdDirectory(store.make(), on: SerialTestExecutor(), usersMax: 2)
    _ = try await directory.getOrCreateUser(ann, at: now)
    _ = try await directory.getOrCreateUser(bob, at: now)
    let error = await #expect(throws: GatewayError.self) {
      try await directory.getOrCreateUser(UserID("eve"), at: now)
    }
    #expect(error?.isSame(as: .tooMany) == true)
    _ = try await directory.getOrCreateUser(ann, at: now)
    #expect(
      try await directory.users([ann, bob, UserID("eve")], at: now).keys.sorted { $0.rawValue < $1.rawValue } == [
        ann, bob,
      ])
  }

  @Test("lists page by page, newest first, none twice and none left out", arguments: StoreCase.all)
  func pages(_ store: StoreCase) async throws {
    let directory = try SendbirdDirectory(store.make(), on: SerialTestExecutor(), usersMax: 20)
    for number in 1...7 { _ = try await directory.getOrCreateUser(UserID("u\(number)"), at: now) }
    try await directory.deleteUser(UserID("u6"), at: now)
    var seen: [[String]] = []
    var next: Int64?
    repeat {
      let page = try await directory.users(SendbirdUserQuery(before: next, limit: 2), at: now)
      seen.append(page.users.map(\.id.rawValue))
      next = page.next
      // A user who is created meanwhile belongs to an earlier page.
      if seen.count == 1 { _ = try await directory.getOrCreateUser(UserID("late"), at: now) }
    } while next != nil
    #expect(seen == [["u7", "u5"], ["u4", "u3"], ["u2", "u1"]])
  }

  @Test("finds users by what is asked of them", arguments: StoreCase.all)
  func filters(_ store: StoreCase) async throws {
    let directory = try SendbirdDirectory(store.make(), on: SerialTestExecutor(), usersMax: 20)
    for (id, nickname, isActive) in [("a", "Ann", true), ("b", "annette", true), ("c", "Bob", false)] {
      var user = SendbirdUser(UserID(id), nickname: nickname, createdAt: now)
      user.isActive = isActive
      _ = try await directory.createUser(user, at: now)
    }
    let cases: [(SendbirdUserQuery, [String])] = [
      (SendbirdUserQuery(), ["b", "a"]),
      (SendbirdUserQuery(activity: .all), ["c", "b", "a"]),
      (SendbirdUserQuery(activity: .deactivated), ["c"]),
      (SendbirdUserQuery(ids: [UserID("a"), UserID("c"), UserID("x")], activity: .all), ["c", "a"]),
      (SendbirdUserQuery(nickname: "Ann"), ["a"]),
      (SendbirdUserQuery(nicknamePrefix: "aNN"), ["b", "a"]),
      (SendbirdUserQuery(ids: []), []),
    ]
    for (query, expected) in cases {
      let page = try await directory.users(query, at: now)
      #expect(page.users.map(\.id.rawValue) == expected, "\(query)")
      #expect(page.next == nil)
    }
  }
}
