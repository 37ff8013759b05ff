import GatewayCore
import GatewayKit
import TestSupport
import TestTraits
import Testing

@testable import GatewaySendbird

struct SendbirdSessionContract {
  private let ann = UserID("ann")
  private let bob = UserID("bob")
  private let now = WallTime(seconds: 1_000)

  private func session(_ user: UserID, generation: UInt32 = 0) -> SendbirdSession {
    let token = SendbirdAcceptedToken(
      form: .jwt, fingerprint: TokenFingerprint(high: 1, low: 2), issuedAt: now, expiresAt: now + .seconds(60))
    return SendbirdSession(
      user: user, kind: .regular, isForHTTP: false, begunAt: now, isExpiring: true, token: token, keyEnd: nil,
      generation: generation)
  }

  private func table(_ store: any Store, room: Int = 100) -> SendbirdSessionTable {
    SendbirdSessionTable(store, on: SerialTestExecutor(), countMax: room)
  }

  @Test(arguments: StoreCase.all)
  func `sessions are stored for the next process, as they were refreshed last`(_ engine: StoreCase)
    async throws
  {
    let store = try engine.make()
    let first = table(store)
    #expect(try await first.open(session(ann), as: .max, at: now))
    #expect(try await first.open(session(ann), as: 1, at: now))
    #expect(try await !first.open(session(ann), as: 1, at: now))
    let refreshed = try await first.update([1, 2], of: ann, at: now) { $0.generation += 1 }
    #expect(refreshed.map(\.id) == [1])
    let second = table(store)
    #expect(try await second.session(1, of: ann, at: now) == session(ann, generation: 1))
    #expect(try await second.sessions(of: ann, at: now).map(\.id) == [.max, 1])
    #expect(try await second.sessions(of: bob, at: now) == [])
  }

  @Test(arguments: StoreCase.all)
  func `sessions are restored from a key, each user's by themselves`(_ engine: StoreCase) async throws {
    let table = table(try engine.make())
    let key = SendbirdSessionKey(7, session(ann, generation: 3))
    #expect(try await table.restore(key, at: now) == key.session)
    #expect(try await table.restore(SendbirdSessionKey(7, session(ann)), at: now).generation == 3)
    #expect(try await table.restore(SendbirdSessionKey(7, session(ann, generation: 4)), at: now).generation == 4)
    #expect(try await table.restore(SendbirdSessionKey(7, session(bob)), at: now) == session(bob))
    #expect(try await table.sessions(of: ann, at: now).map(\.id) == [7])
  }

  @Test(.long, arguments: StoreCase.all)
  func `sessions are bounded in total and for one user, and the oldest are removed`(_ engine: StoreCase) async throws {
    let most = SendbirdSessionTable.sessionsPerUserMax
    let table = table(try engine.make(), room: most + 2)
    _ = try await table.open(session(bob), as: 1_000, at: now)
    for id in 0..<UInt64(most) + 5 { _ = try await table.open(session(ann), as: id, at: now) }
    #expect(try await table.sessions(of: ann, at: now).map(\.id) == Array(5..<UInt64(most) + 5))
    #expect(try await table.session(4, of: ann, at: now) == nil)
    for id in 2_000..<2_003 as Range<UInt64> { _ = try await table.open(session(UserID("eve")), as: id, at: now) }
    #expect(try await table.sessions(of: bob, at: now) == [])
    #expect(try await table.sessions(of: ann, at: now).first?.id == 6)
    #expect(try await table.sessions(of: UserID("eve"), at: now).count == 3)
  }

  @Test(arguments: StoreCase.all)
  func `all sessions are opened when many log in at once`(_ engine: StoreCase) async throws {
    let table = table(try engine.make())
    await withTaskGroup { group in
      for id in 0..<50 as Range<UInt64> { group.addTask { _ = try? await table.open(session(ann), as: id, at: now) } }
    }
    #expect(Set(try await table.sessions(of: ann, at: now).map(\.id)) == Set(0..<50))
  }
}
