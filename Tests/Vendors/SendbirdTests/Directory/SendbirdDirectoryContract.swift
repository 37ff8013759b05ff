import GatewayCore
import TestSupport
import Testing

@testable import GatewaySendbird

struct SendbirdDirectoryContract {
  private let ann = UserID("ann")
  private let bob = UserID("bob")
  private let now = WallTime(seconds: 1_000)

  @Test(arguments: StoreCase.all)
  func `a new user is stored once, and an existing one is reported`(_ store: StoreCase) async throws {
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

  @Test(arguments: StoreCase.all)
  func `an unknown user is created on connecting, and a known one is left unchanged`(_ store: StoreCase) async throws {
    let directory = try SendbirdDirectory(store.make(), on: SerialTestExecutor(), usersMax: 4)
    let made = try await directory.getOrCreateUser(ann, at: now)
    #expect(made.createdAt == now && made.nickname.isEmpty && !made.hasBeenIssuedToken)
    #expect(try await directory.getOrCreateUser(ann, at: now + .seconds(9)) == made)
  }

  @Test(arguments: StoreCase.all)
  func `one user is created, however many clients connect at once`(_ store: StoreCase) async throws {
    let directory = try SendbirdDirectory(store.make(), on: SerialTestExecutor(), usersMax: 4)
    let numbers = await withTaskGroup { group in
      for _ in 0..<50 { group.addTask { try? await directory.getOrCreateUser(ann, at: now).number } }
      return await group.reduce(into: Set<Int64?>()) { $0.insert($1) }
    }
    #expect(numbers.count == 1 && !numbers.contains(nil))
  }

  @Test(arguments: StoreCase.all)
  func `a user is changed in one step, but neither the number nor the id`(_ store: StoreCase) async throws {
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

  @Test(arguments: StoreCase.all)
  func `no change is lost when many are made at once`(_ store: StoreCase) async throws {
    let directory = try SendbirdDirectory(store.make(), on: SerialTestExecutor(), usersMax: 4)
    _ = try await directory.getOrCreateUser(ann, at: now)
    await withTaskGroup { group in
      for key in 0..<100 {
        group.addTask { _ = try? await directory.updateUser(ann, at: now) { $0.metadata[Name("\(key)")] = "" } }
      }
    }
    #expect(try await directory.user(ann, at: now)?.metadata.count == 100)
  }

  @Test(arguments: StoreCase.all)
  func `a deleted user is forgotten, and the successor has another number`(_ store: StoreCase) async throws {
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

  @Test(arguments: StoreCase.all)
  func `a full user directory refuses a new user, and keeps what it has`(_ store: StoreCase) async throws {
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

  @Test(arguments: StoreCase.all)
  func `users are listed page by page, newest first, none twice and none left out`(_ store: StoreCase) async throws {
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

  @Test(arguments: StoreCase.all)
  func `users are found by their properties`(_ store: StoreCase) async throws {
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
