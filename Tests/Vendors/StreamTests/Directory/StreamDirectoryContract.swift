import GatewayCore
import GatewayKit
import TestSupport
import TestTraits
import Testing

@testable import GatewayStream

struct StreamDirectoryContract {
  private let ann = UserID("ann")
  private let bob = UserID("bob")
  private let now = WallTime(seconds: 1_000)
  private let later = WallTime(seconds: 2_000)

  @Test(arguments: StoreCase.all)
  func `a user is made once, and changes are dated`(_ engine: StoreCase) async throws {
    let directory = StreamDirectory(try engine.make(), usersMax: 4)
    #expect(try await directory.lookUp(ann, at: now).user == nil)
    let made = try await directory.updateUser(ann, creates: true, at: now) { user, _ in user.name = "Ann" }
    #expect(made.name == "Ann" && made.role == "user" && made.createdAt == now && made.updatedAt == now)
    let seen = try await directory.updateUser(ann, creates: true, at: later) { user, _ in
      user.lastActive = WallTime(seconds: 2_000)
    }
    #expect(seen.updatedAt == now && seen.lastActive == later && seen.name == "Ann")
    let renamed = try await directory.updateUser(ann, creates: false, at: later) { user, _ in user.name = "Anna" }
    #expect(renamed.createdAt == now && renamed.updatedAt == later)
    #expect(try await directory.lookUp(ann, at: now).user == renamed)
  }

  @Test(arguments: StoreCase.all)
  func `an unknown user is changed only if the request may create users`(_ engine: StoreCase) async throws {
    let directory = StreamDirectory(try engine.make(), usersMax: 4)
    let error = await #expect(throws: GatewayError.self) {
      try await directory.updateUser(ann, creates: false, at: now) { user, _ in user.name = "Ann" }
    }
    #expect(error?.isSame(as: .userUnknown) == true)
    #expect(try await directory.lookUp(ann, at: now).user == nil)
  }

  @Test(arguments: StoreCase.all)
  func `a refused change leaves the user unchanged`(_ engine: StoreCase) async throws {
    let directory = StreamDirectory(try engine.make(), usersMax: 4)
    let before = try await directory.updateUser(ann, creates: true, at: now) { user, _ in user.name = "Ann" }
    for id in [ann, bob] {
      await #expect(throws: GatewayError.self) {
        try await directory.updateUser(id, creates: true, at: later) { (user, _) throws(GatewayError) in
          user.name = "Eve"
          throw .tokenRevoked
        }
      }
    }
    #expect(try await directory.lookUp(ann, at: now).user == before)
    #expect(try await directory.lookUp(bob, at: now).user == nil)
  }

  @Test(arguments: StoreCase.all)
  func `users are found by name in the order asked for, or by a condition in the order of their names`(
    _ engine: StoreCase
  ) async throws {
    let directory = StreamDirectory(try engine.make(), usersMax: 9)
    for name in ["d", "a", "c", "b"] {
      _ = try await directory.updateUser(UserID(name), creates: true, at: now) { user, _ in
        user.role = name == "b" ? "admin" : "user"
      }
    }
    #expect(try await directory.users([UserID("c"), ann, UserID("a")], at: now).map(\.id.rawValue) == ["c", "a"])
    let users = try await directory.users(where: { $0.role == "user" }, offset: 1, limit: 2, at: now)
    #expect(users.map(\.id.rawValue) == ["c", "d"])
    try await directory.removeUser(UserID("c"), at: now)
    #expect(
      try await directory.users(where: { _ in true }, offset: 0, limit: 9, at: now).map(\.id.rawValue) == [
        "a", "b", "d",
      ])
  }

  @Test(arguments: StoreCase.all)
  func `a user too many is refused, and the others stay`(_ engine: StoreCase) async throws {
    let directory = StreamDirectory(try engine.make(), usersMax: 1)
    _ = try await directory.updateUser(ann, creates: true, at: now) { _, _ in }
    let error = await #expect(throws: GatewayError.self) {
      try await directory.updateUser(bob, creates: true, at: now) { _, _ in }
    }
    #expect(error?.isSame(as: .tooMany) == true)
    _ = try await directory.updateUser(ann, creates: true, at: later) { user, _ in user.name = "Ann" }
    #expect(try await directory.lookUp(ann, at: now).user?.name == "Ann")
  }

  @Test(arguments: StoreCase.all)
  func `more than the bound of bytes is refused of every caller, and a change that makes room is accepted`(
    _ engine: StoreCase
  ) async throws {
    let directory = StreamDirectory(try engine.make(), usersMax: 100, bytesMax: 6000)
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
    #expect(try await directory.lookUp(bob, at: now).user?.devices == [])
    _ = try await directory.updateUser(ann, creates: false, at: later) { user, _ in user.custom = [:] }
    _ = try await directory.updateUser(bob, creates: false, at: later) { user, _ in user.image = long }
    try await directory.removeUser(bob, at: later)
    _ = try await directory.updateUser(UserID("eve"), creates: true, at: later) { user, _ in user.name = long }
  }

  @Test(arguments: StoreCase.all)
  func `a quarter of the bytes is reserved for users who are not guests`(_ engine: StoreCase) async throws {
    let directory = StreamDirectory(try engine.make(), usersMax: 100, bytesMax: 8000)
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

  @Test(arguments: StoreCase.all)
  func `a change of the settings is seen by the next change of a user`(_ engine: StoreCase) async throws {
    let directory = StreamDirectory(try engine.make(), usersMax: 4)
    var change = StreamAppChange()
    change.namesRevocation = true
    change.revokesTokensIssuedBefore = now
    let settings = try await directory.updateSettings(change, at: now)
    #expect(settings.revokesTokensIssuedBefore == now)
    #expect(try await directory.settings(at: now) == settings)
    #expect(try await directory.lookUp(ann, at: now).settings == settings)
    let user = try await directory.updateUser(ann, creates: true, at: now) { user, settings in
      user.revokesTokensIssuedBefore = settings.revokesTokensIssuedBefore
    }
    #expect(user.revokesTokensIssuedBefore == now)
  }

  @Test(arguments: StoreCase.all)
  func `settings that a server has not given are the defaults`(_ engine: StoreCase) async throws {
    let store = try engine.make()
    var preset = StreamAppSettings()
    preset.disablesGuestCreation = true
    var change = StreamAppChange()
    change.disablesAuthChecks = true
    _ = try await StreamDirectory(store, settings: preset).updateSettings(change, at: now)
    let settings = try await StreamDirectory(store).settings(at: now)
    #expect(settings.disablesAuthChecks && !settings.disablesGuestCreation)
    #expect(try await StreamDirectory(store, settings: preset).settings(at: now).disablesGuestCreation)
    var undone = StreamAppChange()
    undone.namesRevocation = true
    undone.disablesAuthChecks = false
    #expect(try await StreamDirectory(store).updateSettings(undone, at: now) == StreamAppSettings())
  }

  @Test(.long, arguments: StoreCase.all)
  func `all users are found, even if there are more than one read returns`(_ engine: StoreCase) async throws {
    let directory = StreamDirectory(try engine.make())
    for number in 0..<2_001 {
      _ = try await directory.updateUser(UserID("user\(number)"), creates: true, at: now) { _, _ in }
    }
    let all = try await directory.users(where: { _ in true }, offset: 0, limit: 5_000, at: now)
    #expect(all.count == 2_001 && all.map(\.id) == all.map(\.id).sorted())
    let last = try await directory.users(where: { $0.id == UserID("user999") }, offset: 0, limit: 1, at: now)
    #expect(last.count == 1)
  }

  @Test
  func `a change that changes nothing writes nothing`() async throws {
    let store = FaultyStore()
    let directory = StreamDirectory(store)
    let made = try await directory.updateUser(ann, creates: true, at: now) { _, _ in }
    store.fault = .conflict
    #expect(try await directory.updateUser(ann, creates: true, at: later) { _, _ in } == made)
  }

  @Test(arguments: StoreCase.all)
  func `the store remembers a bounded number of guests that were removed and created again, until they have rested`(
    _ engine: StoreCase
  ) async throws {
    let store = try engine.make()
    let directory = StreamDirectory(store, usersMax: 2)
    func make(at time: WallTime) async throws {
      _ = try await directory.updateUser(ann, creates: true, at: time) { user, _ in user.role = "guest" }
    }
    func noted() async throws -> [Int] {
      try await store.tallies([StoreCount("stream.guests", atMost: 4, of: "")])
    }
    for second in 0..<4 {
      try await make(at: now + .seconds(second))
      try await directory.removeUser(ann, at: now + .seconds(second))
    }
    let error = await #expect(throws: GatewayError.self) { try await make(at: now + .seconds(5)) }
    #expect(error?.isSame(as: .tooMany) == true)
    #expect(try await noted() == [4])
    let end = now + .seconds(3600)
    let forgotten = try await directory.forgetGuests(restingSince: end, limit: 9, at: end) { _ in false }
    #expect(forgotten == (0, true))
    #expect(try await noted() == [0])
    try await make(at: end)
    #expect(try await noted() == [1])
  }

  @Test(arguments: StoreCase.all)
  func `guests who have rested are forgotten, and no present or former user is`(_ engine: StoreCase) async throws {
    let directory = StreamDirectory(try engine.make())
    for name in ["idle", "back", "here", "host"] {
      _ = try await directory.updateUser(UserID(name), creates: true, at: now) { user, _ in
        user.role = name == "host" ? "user" : "guest"
      }
    }
    _ = try await directory.updateUser(UserID("back"), creates: false, at: later) { user, _ in user.lastActive = later }
    let rest = later - .seconds(1)
    func forget(_ rest: WallTime, at now: WallTime) async throws -> (forgotten: Int, isDone: Bool) {
      try await directory.forgetGuests(restingSince: rest, limit: 2, at: now) { $0 == UserID("here") }
    }
    let first = try await forget(rest, at: later)
    #expect(first == (0, false), "back and here come first, and stay")
    #expect(try await forget(rest, at: later) == (1, true))
    let left = try await directory.users(where: { _ in true }, offset: 0, limit: 9, at: later)
    #expect(left.map(\.id.rawValue) == ["back", "here", "host"])
    #expect(try await forget(rest, at: later) == (0, true))
    let end = later + .seconds(3600)
    #expect(try await forget(end, at: end).forgotten == 1)
    #expect(try await directory.lookUp(UserID("back"), at: end).user == nil)
  }
}
