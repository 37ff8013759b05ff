import GatewayCore
import GatewaySendbird
import TestSupport
import Testing

@Suite("Every directory of Sendbird users, once one was deleted")
struct SendbirdDeletionContract {
  private let ann = UserID("ann")
  private let now = WallTime(seconds: 1_000)

  @Test("remembers it until the user is made anew, and then takes no older token", arguments: SendbirdDirectoryCase.all)
  func successor(_ directory: SendbirdDirectoryCase) async throws {
    let directory = directory.make(4)
    #expect(await !directory.wasDeleted(ann))
    #expect(try await directory.getOrCreateUser(ann, at: now).sessionTokensValidFrom == nil)
    #expect(await !directory.wasDeleted(ann))
    try await directory.deleteUser(ann)
    #expect(await directory.wasDeleted(ann))
    let later = now + .seconds(5)
    #expect(try await directory.getOrCreateUser(ann, at: later).sessionTokensValidFrom == later)
    #expect(await !directory.wasDeleted(ann))
  }

  @Test("forgets the oldest deletions first, and never the latest", arguments: SendbirdDirectoryCase.all)
  func bounded(_ directory: SendbirdDirectoryCase) async throws {
    let directory = directory.make(4)
    for round in 0..<50 {
      let user = UserID("user\(round)")
      _ = try await directory.getOrCreateUser(user, at: now)
      try await directory.deleteUser(user)
    }
    #expect(await directory.wasDeleted(UserID("user49")))
    #expect(await directory.wasDeleted(UserID("user46")))
    #expect(await !directory.wasDeleted(UserID("user0")))
  }
}
