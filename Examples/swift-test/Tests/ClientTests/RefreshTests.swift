import PosternSwiftTesting
import PosternTesting
import Testing

@Suite("The client under test", .postern, .timeLimit(.minutes(10)))
struct RefreshTests {
  @Test("stays connected when its token expires, and refreshes it once")
  func refreshesOnce() async throws {
    let gateway = try PosternGateway.current
    let client = MyClient(url: gateway.url, token: await gateway.token(for: "ann"))
    try await client.connect()
    #expect(try await client.nextMessage().contains(#""type":"connected""#))

    await gateway.expire(user: "ann")
    #expect(try await client.nextMessage().contains(#""type":"refresh_required""#))
    try client.refresh(with: await gateway.token(for: "ann"))
    #expect(try await client.nextMessage().contains(#""type":"refreshed""#))

    try await gateway.journal.wait(for: .refreshed, user: "ann", within: .seconds(60))
    try await gateway.journal.expect(.keepsConnection, user: "ann")
    let counts = await gateway.journal.counts(user: "ann")
    #expect(counts[.refreshRequested] == 1 && counts[.refreshed] == 1 && counts[.refreshRefused] == nil)
    #expect(await gateway.sessionCount(user: "ann") == 1)
  }

  @Test("lives through a day that passes at once, with tokens of eight hours", .postern(isFrozen: true))
  func livesThroughADay() async throws {
    let gateway = try PosternGateway.current
    let life = Duration.seconds(8 * 3_600)
    let client = MyClient(url: gateway.url, token: await gateway.token(for: "ann", life: life))
    try await client.connect()
    #expect(try await client.nextMessage().contains(#""type":"connected""#))

    async let advance = gateway.advance(by: .seconds(86_400), patience: .seconds(20))
    for _ in 1...3 {
      #expect(try await client.nextMessage().contains(#""type":"refresh_required""#))
      try client.refresh(with: await gateway.token(for: "ann", life: life))
      #expect(try await client.nextMessage().contains(#""type":"refreshed""#))
    }
    #expect(try await advance.isAnswered)
    let opened = await gateway.journal.lines(kinds: [.connectionOpened, .closed])
    #expect(opened.map(\.kind) == [.connectionOpened])
  }

  @Test("stays when the answer to its token is lost, and refreshes the next time")
  func losesTheReply() async throws {
    let gateway = try PosternGateway.current
    let client = MyClient(url: gateway.url, token: await gateway.token(for: "ann"))
    try await client.connect()
    #expect(try await client.nextMessage().contains(#""type":"connected""#))

    try await gateway.fail(#"{"fault": "drop", "what": "reply:refresh", "times": 1}"#)
    for count in 1...2 {
      await gateway.expire(user: "ann")
      #expect(try await client.nextMessage().contains(#""type":"refresh_required""#))
      try client.refresh(with: await gateway.token(for: "ann"))
      try await gateway.journal.wait(for: .refreshed, user: "ann", count: count, within: .seconds(60))
    }
    #expect(try await client.nextMessage().contains(#""type":"refreshed""#))
    #expect(await gateway.journal.counts(user: "ann")[.faulted] == 1)
    try await gateway.journal.expect(.keepsConnection, user: "ann")
  }

  @Test("is disconnected with 4000 when it does not answer in time", .postern(refreshTimeout: .seconds(90)))
  func missesTheTimeout() async throws {
    let gateway = try PosternGateway.current
    let client = MyClient(url: gateway.url, token: await gateway.token(for: "ann"))
    try await client.connect()
    #expect(try await client.nextMessage().contains(#""type":"connected""#))

    await gateway.expire(user: "ann")
    #expect(try await client.nextMessage().contains(#""type":"refresh_required""#))
    let advance = try await gateway.advance(by: .seconds(85), patience: .zero)
    #expect(advance.owing.map(\.user) == ["ann"])
    try await gateway.advance(by: .seconds(10), patience: .zero)
    await #expect(throws: MyClient.Closed(code: 4000)) { _ = try await client.nextMessage() }
    #expect(await gateway.sessionCount(user: "ann") == 0)
  }
}
