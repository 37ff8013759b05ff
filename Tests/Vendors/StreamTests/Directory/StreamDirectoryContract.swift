import GatewayCore
import GatewayStream
import TestSupport
import Testing

/// An implementation of Stream's directory that the contract is tried on, with room for `room` users.
struct StreamDirectoryCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let makeWithin: @Sendable (_ room: Int, _ bytes: Int) -> any StreamDirectory

  func make(_ room: Int) -> any StreamDirectory { makeWithin(room, 1 << 20) }

  static let all = [
    StreamDirectoryCase(testDescription: "memory") { room, bytes in
      MemoryStreamDirectory(on: SerialTestExecutor(), usersMax: room, bytesMax: bytes)
    }
  ]
}

@Suite("Every directory of Stream's users")
struct StreamDirectoryContract {
  private let ann = UserID("ann")
  private let bob = UserID("bob")
  private let now = WallTime(seconds: 1_000)
  private let later = WallTime(seconds: 2_000)

  @Test("makes a user once, and dates what changes", arguments: StreamDirectoryCase.all)
  func update(_ directory: StreamDirectoryCase) async throws {
    let directory = directory.make(4)
    #expect(await directory.lookUp(ann).user == nil)
    let made = try await directory.updateUser(ann, creates: true, at: now) { user, _ in user.name = "Ann" }
    #expect(made.name == "Ann" && made.role == "user" && made.createdAt == now && made.updatedAt == now)
    let seen = try await directory.updateUser(ann, creates: true, at: later) { user, _ in
      user.lastActive = WallTime(seconds: 2_000)
    }
    #expect(seen.updatedAt == now && seen.lastActive == later && seen.name == "Ann")
    let renamed = try await directory.updateUser(ann, creates: false, at: later) { user, _ in user.name = "Anna" }
    #expect(renamed.createdAt == now && renamed.updatedAt == later)
    #expect(await directory.lookUp(ann).user == renamed)
  }

  @Test("changes nobody who does not exist unless it may make them", arguments: StreamDirectoryCase.all)
  func missing(_ directory: StreamDirectoryCase) async {
    let directory = directory.make(4)
    let error = await #expect(throws: GatewayError.self) {
      try await directory.updateUser(ann, creates: false, at: now) { user, _ in user.name = "Ann" }
    }
    #expect(error?.isSame(as: .userUnknown) == true)
    #expect(await directory.lookUp(ann).user == nil)
  }

  @Test("leaves a user as they were when the change is refused", arguments: StreamDirectoryCase.all)
  func refused(_ directory: StreamDirectoryCase) async throws {
    let directory = directory.make(4)
    let before = try await directory.updateUser(ann, creates: true, at: now) { user, _ in user.name = "Ann" }
    for id in [ann, bob] {
      await #expect(throws: GatewayError.self) {
        try await directory.updateUser(id, creates: true, at: later) { (user, _) throws(GatewayError) in
          user.name = "Eve"
          throw .tokenRevoked
        }
      }
    }
    #expect(await directory.lookUp(ann).user == before)
    #expect(await directory.lookUp(bob).user == nil)
  }

  @Test(
    "finds users by name in the order asked for, or by a condition in the order of their names",
    arguments: StreamDirectoryCase.all)
  func query(_ directory: StreamDirectoryCase) async throws {
    let directory = directory.make(9)
    for name in ["d", "a", "c", "b"] {
      _ = try await directory.updateUser(UserID(name), creates: true, at: now) { user, _ in
        user.role = name == "b" ? "admin" : "user"
      }
    }
    #expect(await directory.users([UserID("c"), ann, UserID("a")]).map(\.id.rawValue) == ["c", "a"])
    let users = await directory.users(where: { $0.role == "user" }, offset: 1, limit: 2)
    #expect(users.map(\.id.rawValue) == ["c", "d"])
    await directory.removeUser(UserID("c"))
    #expect(await directory.users(where: { _ in true }, offset: 0, limit: 9).map(\.id.rawValue) == ["a", "b", "d"])
  }

  @Test("refuses a user too many, and keeps those it has", arguments: StreamDirectoryCase.all)
  func full(_ directory: StreamDirectoryCase) async throws {
    let directory = directory.make(1)
    _ = try await directory.updateUser(ann, creates: true, at: now) { _, _ in }
    let error = await #expect(throws: GatewayError.self) {
      try await directory.updateUser(bob, creates: true, at: now) { _, _ in }
    }
    #expect(error?.isSame(as: .tooMany) == true)
    _ = try await directory.updateUser(ann, creates: true, at: later) { user, _ in user.name = "Ann" }
    #expect(await directory.lookUp(ann).user?.name == "Ann")
  }

  @Test(
    "refuses what is more than its bytes, whoever says it, and takes what makes room",
    arguments: StreamDirectoryCase.all)
  func bytes(_ directory: StreamDirectoryCase) async throws {
    let directory = directory.makeWithin(100, 6000)
    let long = String(repeating: "x", count: 3000)
    _ = try await directory.updateUser(ann, creates: true, at: now) { user, _ in user.custom = ["a": long] }
    _ = try await directory.updateUser(bob, creates: true, at: now) { _, _ in }
    for id in [bob, UserID("eve")] {
      let error = await #expect(throws: GatewayError.self) {
        try await directory.updateUser(id, creates: true, at: later) { user, _ in
          user.devices = [StreamDevice(id: Name(long), pushProvider: "apn", createdAt: WallTime(seconds: 1))]
        }
      }
      #expect(error?.isSame(as: .tooMany) == true)
    }
    #expect(await directory.lookUp(bob).user?.devices == [])
    _ = try await directory.updateUser(ann, creates: false, at: later) { user, _ in user.custom = [:] }
    _ = try await directory.updateUser(bob, creates: false, at: later) { user, _ in user.image = long }
    await directory.removeUser(bob)
    _ = try await directory.updateUser(UserID("eve"), creates: true, at: later) { user, _ in user.name = long }
  }

  @Test("keeps a quarter of its bytes for those who are no guests", arguments: StreamDirectoryCase.all)
  func guests(_ directory: StreamDirectoryCase) async throws {
    let directory = directory.makeWithin(100, 8000)
    let text = String(repeating: "x", count: 2000)
    for id in [ann, bob] {
      _ = try await directory.updateUser(id, creates: true, at: now) { user, _ in
        user.role = "guest"
        user.name = text
      }
    }
    let eve = UserID("eve")
    let error = await #expect(throws: GatewayError.self) {
      try await directory.updateUser(eve, creates: true, at: now) { user, _ in user.role = "guest" }
    }
    #expect(error?.isSame(as: .tooMany) == true)
    _ = try await directory.updateUser(eve, creates: true, at: now) { user, _ in user.name = "Eve" }
  }

  @Test("shows a change of the settings to the next change of a user", arguments: StreamDirectoryCase.all)
  func settings(_ directory: StreamDirectoryCase) async throws {
    let directory = directory.make(4)
    let limit = now
    let settings = await directory.updateSettings { $0.revokesTokensIssuedBefore = limit }
    #expect(settings.revokesTokensIssuedBefore == now)
    #expect(await directory.settings() == settings)
    #expect(await directory.lookUp(ann).settings == settings)
    let user = try await directory.updateUser(ann, creates: true, at: now) { user, settings in
      user.revokesTokensIssuedBefore = settings.revokesTokensIssuedBefore
    }
    #expect(user.revokesTokensIssuedBefore == now)
  }
}
