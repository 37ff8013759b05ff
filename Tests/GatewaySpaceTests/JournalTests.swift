import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

struct JournalTests {
  private func lines(_ plain: PlainHouse, _ space: Int = 0, _ query: Journal.Query = Journal.Query()) -> [JournalLine] {
    let gateway = plain.house.gateway(space)
    return plain.world.ask { await gateway.journal(query)?.lines ?? [] } ?? []
  }

  /// Starts to wait for a refresh of ann's.
  private func wait(_ plain: PlainHouse) -> Started<Journal.Outcome?> {
    let gateway = plain.house.gateway(0)
    let started = Started<Journal.Outcome?>()
    plain.house.host.stage.start {
      started.end(
        with: try? await gateway.wait(
          for: Journal.Query(user: UserID("ann"), kinds: [.refreshed]), count: 1, within: .seconds(5)))
    }
    plain.world.settle()
    return started
  }

  @Test
  func `a hosted space's journal shows a refresh at its time, and no other space's`() throws {
    let plain = try PlainHouse(spaces: 2)
    let space = plain.house.spaces[0]
    let ann = plain.connectRefreshing(life: .seconds(3_600)) { space.loop.wallTime }
    #expect(try plain.advance(by: .seconds(3_600))?.get().isAnswered == true && ann.refreshes == 1)
    let told = lines(plain).filter { $0.user != nil && $0.event.kind != .messageIn && $0.event.kind != .messageOut }
    #expect(told.map(\.event.kind) == [.loggedIn, .tokenExpired, .refreshRequested, .refreshed])
    #expect(told.map(\.at.components.seconds) == [0, 3_600, 3_600, 3_600])
    #expect(
      told.allSatisfy { $0.user == UserID("ann") && $0.dialect == "plain" && $0.connection == told[0].connection })
    #expect(told[3].expiresIn == .seconds(3_600))
    #expect(lines(plain, 1).isEmpty)
  }

  @Test
  func `a wait for a hosted space's journal is met in network time while session time is moved`() throws {
    let plain = try PlainHouse()
    let space = plain.house.spaces[0]
    _ = plain.connectRefreshing { space.loop.wallTime }
    let waiting = wait(plain)
    #expect(waiting.value == nil)
    #expect(try plain.advance(by: .seconds(3_600))?.get().isAnswered == true)
    plain.world.settle()
    #expect(waiting.value??.isMet == true)
    plain.world.advance(by: .seconds(1))
  }

  @Test
  func `a wait for a hosted space's journal ends with the space`() throws {
    let plain = try PlainHouse()
    let waiting = wait(plain)
    plain.house.end(plain.house.spaces[0])
    #expect(waiting.value??.isMet == false)
    #expect(plain.world.now < .zero + .seconds(1))
  }

  @Test
  func `a hosted space's journal shows the token provider's calls by user`() throws {
    for (policy, kinds) in [
      (try TokenProviderPolicy(), [.providerAsked, .providerMinted]),
      (try TokenProviderPolicy(failureRate: 1), [.providerAsked, .providerFailed]),
      (try TokenProviderPolicy(concurrency: 1, queueMax: 0), [.providerAsked, .providerMinted]),
    ] as [(TokenProviderPolicy, [JournalKind])] {
      let plain = try PlainHouse(provider: policy)
      _ = plain.fetch(0, "POST", "/v1/tokens", body: #"{"user_id":"ann"}"#)
      let told = lines(plain)
      #expect(told.dropLast().map(\.event.kind) == kinds && told.dropLast().allSatisfy { $0.user == UserID("ann") })
      #expect(told.last?.route == "POST /v1/tokens")
    }
    let plain = try PlainHouse(provider: try TokenProviderPolicy(latency: .seconds(1), concurrency: 1, queueMax: 0))
    for _ in 0..<2 { _ = plain.fetch(0, "POST", "/v1/tokens", body: #"{"user_id":"ann"}"#) }
    let told = lines(plain, 0, Journal.Query(user: UserID("ann")))
    #expect(told.map(\.event.kind) == [.providerAsked, .providerAsked, .providerRefused])
  }
}
