import GatewayCore
import GatewaySpace
import GatewayTokens
import TestSupport
import Testing

@Suite("The secret that a store keeps")
struct KeptSecretTests {
  @Test("is made once, and is another's nowhere else", arguments: StoreCase.all)
  func once(_ engine: StoreCase) async throws {
    let (store, now) = (try engine.make(), WallTime(seconds: 1_000))
    let first = try await KeptSecret.secret(in: store, at: now, from: Secrets(seed: 1))
    #expect(first.utf8.count == 64)
    #expect(try await KeptSecret.secret(in: store, at: now + .seconds(1e9), from: Secrets(seed: 2)) == first)
    #expect(try await KeptSecret.secret(in: try engine.make(), at: now, from: Secrets(seed: 2)) != first)
  }

  @Test("is nobody's while the store is away")
  func away() async {
    await #expect(throws: GatewayError.self) {
      try await KeptSecret.secret(in: FaultyStore(.away), at: WallTime(seconds: 1), from: Secrets(seed: 1))
    }
  }
}
