import GatewayCore
import GatewayJSON
import GatewayKit
import Synchronization
import Testing

@testable import GatewayStream

@Suite("The order of what is heard of Stream's calls")
struct OrderTests {
  @Test("is that of the changes, however long one takes to be put into words")
  func changes() throws {
    let id = try #require(CallID(cid: "default:a"))
    var kept: SlowStore?
    let http = try StreamCallHTTP { _, store in
      let slow = SlowStore(inner: store)
      kept = slow
      return slow
    }
    let store = try #require(kept)
    _ = try http.ask("POST", "call/default/a")
    let (calls, now) = (http.calls, http.gateway.wallTime)
    func change(_ second: Double) {
      _ = http.gateway.start {
        _ = try? await calls.make(id, by: UserID("ann"), at: now, also: { _ in [.updated] }) {
          $0.startsAt = WallTime(seconds: second)
        }
      }
    }
    store.holdNext()
    change(1)
    change(2)
    #expect(!http.told().contains("call.updated"), "the first waits for its users, the second for the first")
    store.release()
    http.gateway.executor.runAll()
    let times = http.events().filter { $0["type"]?.string == "call.updated" }.map { $0["call"]?["starts_at"]?.string }
    #expect(times == ["1970-01-01T00:00:01.000000000Z", "1970-01-01T00:00:02.000000000Z"])
  }
}

/// A store that lets one who looks for users wait.
private final class SlowStore: Store {
  private let inner: any Store
  private let state = Mutex<(isHolding: Bool, held: CheckedContinuation<Void, Never>?)>((false, nil))

  init(inner: any Store) {
    self.inner = inner
  }

  /// Whoever looks for users next waits until it is let go.
  func holdNext() { state.withLock { $0.isHolding = true } }

  func release() { state.withLock { $0.held.take() }?.resume() }

  func read(_ keys: [StoreKey], at now: WallTime) async throws(StoreError) -> [StoreEntry?] {
    if keys.contains(where: { $0.path.bytes.starts(with: "stream.user".utf8) }),
      state.withLock({ ($0.isHolding, $0.isHolding = false).0 })
    {
      await withCheckedContinuation { continuation in state.withLock { $0.held = continuation } }
    }
    return try await inner.read(keys, at: now)
  }

  func scan(_ range: StoreRange, limit: Int, at now: WallTime) async throws(StoreError) -> [StoreEntry] {
    try await inner.scan(range, limit: limit, at: now)
  }

  func commit(_ commit: StoreCommit, at now: WallTime) async throws(StoreError) -> Bool {
    try await inner.commit(commit, at: now)
  }

  func tallies(_ counts: [StoreCount]) async throws(StoreError) -> [Int] {
    try await inner.tallies(counts)
  }
}
