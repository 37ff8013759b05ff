import PosternTesting
import Testing

@Suite("The client under test", .timeLimit(.minutes(1)))
struct RefreshTests {
  @Test("stays connected when its token expires, and refreshes it once")
  func refreshesOnce() async throws {
    let gateway = try await PosternGateway.start()
    let client = MyClient(url: gateway.url, token: await gateway.token(for: "ann"))
    try client.connect()
    #expect(try client.nextMessage().contains(#""type":"connected""#))

    await gateway.expire(user: "ann")
    #expect(try client.nextMessage().contains(#""type":"refresh_required""#))
    try client.refresh(with: await gateway.token(for: "ann"))
    #expect(try client.nextMessage().contains(#""type":"refreshed""#))

    try await gateway.journal.wait(for: .refreshed, user: "ann", within: .seconds(5))
    let counts = await gateway.journal.counts(user: "ann")
    #expect(counts[.refreshRequested] == 1 && counts[.refreshed] == 1 && counts[.refreshRefused] == nil)
    #expect(await gateway.sessionCount(user: "ann") == 1)
    await gateway.stop()
  }

  @Test("is disconnected with 4000 when it does not answer in time")
  func missesTheTimeout() async throws {
    var options = PosternGateway.Options()
    options.refreshTimeout = .milliseconds(200)
    let gateway = try await PosternGateway.start(options)
    let client = MyClient(url: gateway.url, token: await gateway.token(for: "ann"))
    try client.connect()
    #expect(try client.nextMessage().contains(#""type":"connected""#))

    await gateway.expire(user: "ann")
    #expect(try client.nextMessage().contains(#""type":"refresh_required""#))
    #expect(throws: MyClient.Closed(code: 4000)) { _ = try client.nextMessage() }

    #expect(await gateway.sessionCount(user: "ann") == 0)
    await gateway.stop()
  }
}
