import PosternTesting
import Testing

/// Tests that start and stop their gateway themselves, as in a test library other than Swift Testing and XCTest.
@Suite(.timeLimit(.minutes(10)))
struct WithoutTraitTests {
  @Test("a client refreshes with a provider of the test's own")
  func refreshes() async throws {
    let gateway = try await PosternGateway.start()
    let client = MyClient(url: gateway.url, token: await gateway.token(for: "ann"))
    try await client.connect()
    #expect(try await client.nextMessage().contains(#""type":"connected""#))
    await gateway.expire(user: "ann")
    #expect(try await client.nextMessage().contains(#""type":"refresh_required""#))
    try client.refresh(with: await gateway.token(for: "ann"))
    try await gateway.journal.wait(for: .refreshed, user: "ann", within: .seconds(60))
    try await gateway.journal.expect(.keepsConnection, user: "ann")
    await gateway.stop()
  }

  @Test("tokens are minted by the date that the test sets")
  func setsTheDate() async throws {
    var options = PosternGateway.Options()
    options.isFrozen = true
    let gateway = try await PosternGateway.start(options)
    let old = await gateway.token(for: "ann", life: .seconds(60))
    try await gateway.setWall(to: "2000-01-01T00:00:00Z")
    #expect(await gateway.token(for: "ann", life: .seconds(60)) != old)
    await gateway.stop()
  }
}
