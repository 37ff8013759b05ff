import GatewayCore
import GatewaySendbird
import TestSupport
import Testing

@Suite("The directory of Sendbird users, once one was deleted")
struct SendbirdDeletionContract {
  private let ann = UserID("ann")
  private let now = WallTime(seconds: 1_000)

  @Test("remembers it until the user is made anew, and then takes no older token", arguments: StoreCase.all)
  func successor(_ store: StoreCase) async throws {
    let directory = try SendbirdDirectory(store.make(), on: SerialTestExecutor(), usersMax: 4)
    #expect(try await !directory.wasDeleted(ann, at: now))
    #expect(try await directory.getOrCreateUser(ann, at: now).sessionTokensValidFrom == nil)
    #expect(try await !directory.wasDeleted(ann, at: now))
    try await directory.deleteUser(ann, at: now)
    #expect(try await directory.wasDeleted(ann, at: now))
    let later = now + .seconds(5)
    #expect(try await directory.getOrCreateUser(ann, at: later).sessionTokensValidFrom == later)
    #expect(try await !directory.wasDeleted(ann, at: now))
  }

  @Test("forgets the oldest deletions first, and never the latest", arguments: StoreCase.all)
  func bounded(_ store: StoreCase) async throws {
    let directory = try SendbirdDirectory(store.make(), on: SerialTestExecutor(), usersMax: 4)
    for round in 0..<50 {
      let user = UserID("user\(round)")
      _ = try await directory.getOrCreateUser(user, at: now)
      try await directory.deleteUser(user, at: now)
    }
    #expect(try await directory.wasDeleted(UserID("user49"), at: now))
    #expect(try await directory.wasDeleted(UserID("user46"), at: now))
    #expect(try await !directory.wasDeleted(UserID("user0"), at: now))
  }
}
