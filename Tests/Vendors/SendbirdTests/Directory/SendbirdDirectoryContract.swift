import GatewayCore
import GatewaySendbird
import TestSupport
import Testing

/// An implementation of the directory that the contract is tried on, with room for `room` users.
struct SendbirdDirectoryCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let make: @Sendable (_ room: Int) -> any SendbirdDirectory

  static let all = [
    SendbirdDirectoryCase(testDescription: "memory") { room in
      MemorySendbirdDirectory(on: SerialTestExecutor(), usersMax: room)
    }
  ]
}

@Suite("Every directory of Sendbird users")
struct SendbirdDirectoryContract {
  private let ann = UserID("ann")
  private let bob = UserID("bob")
  private let now = WallTime(seconds: 1_000)

  @Test("keeps a new user once, and says who exists already", arguments: SendbirdDirectoryCase.all)
  func create(_ directory: SendbirdDirectoryCase) async throws {
    let directory = directory.make(4)
    #expect(await directory.user(ann) == nil)
    var user = SendbirdUser(ann, nickname: "Ann", profileURL: "https://example.com/a.png", createdAt: now)
    user.metadata = ["font": "large"]
    user.accessToken = Credentials(token: "token")
    let made = try await directory.createUser(user)
    user.number = made.number
    #expect(made == user)
    #expect(await directory.user(ann) == user)
    let error = await #expect(throws: GatewayError.self) {
      try await directory.createUser(SendbirdUser(ann, nickname: "Another", createdAt: now))
    }
    #expect(error?.isSame(as: .alreadyExists) == true)
    #expect(await directory.user(ann)?.nickname == "Ann")
  }

  @Test("makes an unknown user on connecting, and leaves a known one alone", arguments: SendbirdDirectoryCase.all)
  func getOrCreate(_ directory: SendbirdDirectoryCase) async throws {
    let directory = directory.make(4)
    let made = try await directory.getOrCreateUser(ann, at: now)
    #expect(made.createdAt == now && made.nickname.isEmpty && !made.hasBeenIssuedToken)
    #expect(try await directory.getOrCreateUser(ann, at: now + .seconds(9)) == made)
  }

  @Test("makes one user, however many connect at once", arguments: SendbirdDirectoryCase.all)
  func concurrentConnects(_ directory: SendbirdDirectoryCase) async throws {
    let directory = directory.make(4)
    let numbers = await withTaskGroup { group in
      for _ in 0..<50 { group.addTask { try? await directory.getOrCreateUser(ann, at: now).number } }
      return await group.reduce(into: Set<Int64?>()) { $0.insert($1) }
    }
    #expect(numbers.count == 1 && !numbers.contains(nil))
  }

  @Test("changes a user in one step, but neither the number nor the id", arguments: SendbirdDirectoryCase.all)
  func update(_ directory: SendbirdDirectoryCase) async throws {
    let directory = directory.make(4)
    let made = try await directory.getOrCreateUser(ann, at: now)
    _ = try await directory.getOrCreateUser(bob, at: now)
    let changed = try await directory.updateUser(ann) { user in
      user.nickname = "Ann"
      user.number = 1_000
      user.sessionTokensValidFrom = WallTime(seconds: 1_001)
    }
    var expected = made
    expected.nickname = "Ann"
    expected.sessionTokensValidFrom = WallTime(seconds: 1_001)
    #expect(changed == expected)
    #expect(await directory.user(ann) == expected)
    _ = try await directory.updateUser(ann) { $0 = SendbirdUser(UserID("bob"), createdAt: WallTime(seconds: 0)) }
    #expect(await directory.user(ann) == expected)
    #expect(await directory.user(bob)?.createdAt == now)
    let error = await #expect(throws: GatewayError.self) { try await directory.updateUser(UserID("eve")) { _ in } }
    #expect(error?.isSame(as: .notFound) == true)
  }

  @Test("loses no change when many are made at once", arguments: SendbirdDirectoryCase.all)
  func concurrentUpdates(_ directory: SendbirdDirectoryCase) async throws {
    let directory = directory.make(4)
    _ = try await directory.getOrCreateUser(ann, at: now)
    await withTaskGroup { group in
      for key in 0..<100 {
        group.addTask { _ = try? await directory.updateUser(ann) { $0.metadata[Name("\(key)")] = "" } }
      }
    }
    #expect(await directory.user(ann)?.metadata.count == 100)
  }

  @Test("forgets a deleted user, whose successor has another number", arguments: SendbirdDirectoryCase.all)
  func delete(_ directory: SendbirdDirectoryCase) async throws {
    let directory = directory.make(2)
    let first = try await directory.getOrCreateUser(ann, at: now)
    _ = try await directory.getOrCreateUser(bob, at: now)
    try await directory.deleteUser(ann)
    #expect(await directory.user(ann) == nil)
    #expect(await directory.users(SendbirdUserQuery()).users.map(\.id) == [bob])
    let error = await #expect(throws: GatewayError.self) { try await directory.deleteUser(ann) }
    #expect(error?.isSame(as: .notFound) == true)
    let second = try await directory.getOrCreateUser(ann, at: now)
    #expect(second.number > first.number)
  }

  @Test("refuses what a full table cannot hold, and keeps what it holds", arguments: SendbirdDirectoryCase.all)
  func full(_ directory: SendbirdDirectoryCase) async throws {
    let directory = directory.make(2)
    _ = try await directory.getOrCreateUser(ann, at: now)
    _ = try await directory.getOrCreateUser(bob, at: now)
    let error = await #expect(throws: GatewayError.self) {
      try await directory.getOrCreateUser(UserID("eve"), at: now)
    }
    #expect(error?.isSame(as: .tooMany) == true)
    _ = try await directory.getOrCreateUser(ann, at: now)
    #expect(await directory.users([ann, bob, UserID("eve")]).keys.sorted { $0.rawValue < $1.rawValue } == [ann, bob])
  }

  @Test("lists page by page, newest first, none twice and none left out", arguments: SendbirdDirectoryCase.all)
  func pages(_ directory: SendbirdDirectoryCase) async throws {
    let directory = directory.make(20)
    for number in 1...7 { _ = try await directory.getOrCreateUser(UserID("u\(number)"), at: now) }
    try await directory.deleteUser(UserID("u6"))
    var seen: [[String]] = []
    var next: Int64?
    repeat {
      let page = await directory.users(SendbirdUserQuery(before: next, limit: 2))
      seen.append(page.users.map(\.id.rawValue))
      next = page.next
      // Who comes in meanwhile is on a page that has passed.
      if seen.count == 1 { _ = try await directory.getOrCreateUser(UserID("late"), at: now) }
    } while next != nil
    #expect(seen == [["u7", "u5"], ["u4", "u3"], ["u2", "u1"]])
  }

  @Test("finds users by what is asked of them", arguments: SendbirdDirectoryCase.all)
  func filters(_ directory: SendbirdDirectoryCase) async throws {
    let directory = directory.make(20)
    for (id, nickname, isActive) in [("a", "Ann", true), ("b", "annette", true), ("c", "Bob", false)] {
      var user = SendbirdUser(UserID(id), nickname: nickname, createdAt: now)
      user.isActive = isActive
      _ = try await directory.createUser(user)
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
      let page = await directory.users(query)
      #expect(page.users.map(\.id.rawValue) == expected, "\(query)")
      #expect(page.next == nil)
    }
  }
}
