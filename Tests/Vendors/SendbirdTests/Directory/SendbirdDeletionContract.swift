import GatewayCore
import TestSupport
import TestTraits
import Testing

@testable import GatewaySendbird

struct SendbirdDeletionContract {
  private let ann = UserID("ann")
  private let now = WallTime(seconds: 1_000)

  @Test(arguments: StoreCase.all)
  func `a deleted user is remembered until the user is created again, and then no older token is accepted`(
    _ store: StoreCase
  )
    async throws
  {
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

  @Test(.long, arguments: StoreCase.all)
  func `the oldest deletions are forgotten first, and never the latest`(_ store: StoreCase) async throws {
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
