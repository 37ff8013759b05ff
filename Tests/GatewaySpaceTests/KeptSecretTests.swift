import GatewayCore
import GatewaySpace
import GatewayTokens
import TestSupport
import Testing

struct KeptSecretTests {
  @Test(arguments: StoreCase.all)
  func `the store's secret is made once for each store`(_ engine: StoreCase) async throws {
    let (store, now) = (try engine.make(), WallTime(seconds: 1_000))
    let first = try await KeptSecret.secret(in: store, at: now, from: Secrets(seed: 1))
    #expect(first.utf8.count == 64)
    #expect(try await KeptSecret.secret(in: store, at: now + .seconds(1e9), from: Secrets(seed: 2)) == first)
    #expect(try await KeptSecret.secret(in: try engine.make(), at: now, from: Secrets(seed: 2)) != first)
  }

  @Test
  func `the store's secret is unknown to all while the store is unavailable`() async {
    await #expect(throws: GatewayError.self) {
      try await KeptSecret.secret(in: FaultyStore(.away), at: WallTime(seconds: 1), from: Secrets(seed: 1))
    }
  }
}
