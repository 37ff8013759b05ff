import GatewayCore
import GatewayKit
import TestSupport
import Testing

@testable import GatewaySendbird

struct SendbirdFriendContract {
  private let ann = UserID("ann")
  private let now = WallTime(seconds: 1_000)

  private func users(_ count: Int) -> [UserID] { (0..<count).map { UserID("u\($0)") } }

  @Test(arguments: StoreCase.all)
  func `friends are stored in order, with the changes since a time`(_ engine: StoreCase) async throws {
    let store = try engine.make()
    let friends = SendbirdFriends(store)
    try await friends.add(users(3), to: ann, at: now)
    try await friends.add([UserID("u1")], to: ann, at: now)
    let first = try await friends.changes(of: ann, after: 0, at: now)
    #expect(first.added == users(3) && first.removed.isEmpty)
    try await friends.remove([UserID("u1"), UserID("nobody")], from: ann, at: now)
    try await friends.add([UserID("u9")], to: ann, at: now)
    let again = SendbirdFriends(store)
    let second = try await again.changes(of: ann, after: first.last, at: now)
    #expect(second.added == [UserID("u9")] && second.removed == [UserID("u1")] && second.last > first.last)
    #expect(try await again.friends(of: ann, at: now) == [UserID("u0"), UserID("u2"), UserID("u9")])
    let third = try await again.changes(of: ann, after: second.last, at: now)
    #expect(third.added.isEmpty && third.removed.isEmpty && third.last == second.last)
    try await again.forget(ann, at: now)
    #expect(try await again.friends(of: ann, at: now).isEmpty)
    #expect(try await again.friends(of: UserID("bob"), at: now).isEmpty)
  }

  @Test(arguments: StoreCase.all)
  func `no friend is lost when many are picked at once`(_ engine: StoreCase) async throws {
    let friends = SendbirdFriends(try engine.make())
    let all = users(60)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for user in all { group.addTask { try await friends.add([user], to: ann, at: now) } }
      for user in all.prefix(20) { group.addTask { try await friends.add([user], to: ann, at: now) } }
      try await group.waitForAll()
    }
    #expect(try await Set(friends.friends(of: ann, at: now)) == Set(all))
  }

  @Test
  func `one friend too many is refused, for a user and in total, and the oldest former ones are forgotten`()
    async throws
  {
    let all = users(SendbirdFriends.perUserMax + 1)
    let small = SendbirdFriends(try StoreCase.all[0].make(), max: SendbirdFriends.perUserMax)
    let friends = SendbirdFriends(try StoreCase.all[0].make())
    for (directory, last) in [(small, UserID("bob")), (friends, ann)] {
      try await directory.add(Array(all.dropLast()), to: ann, at: now)
      let error = await #expect(throws: GatewayError.self) {
        try await directory.add([all[all.count - 1]], to: last, at: now)
      }
      #expect(error?.isSame(as: .tooMany) == true)
    }
    try await friends.remove([all[0]], from: ann, at: now)
    try await friends.add([all[all.count - 1]], to: ann, at: now)
    try await friends.remove(Set(all), from: ann, at: now)
    let gone = try await friends.changes(of: ann, after: 0, at: now)
    #expect(gone.added.isEmpty && gone.removed.count == SendbirdFriends.perUserMax && !gone.removed.contains(all[0]))
  }
}
