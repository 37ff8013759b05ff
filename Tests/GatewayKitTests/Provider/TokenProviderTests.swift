import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

struct TokenProviderTests {
  private typealias Outcome = Result<MintedToken, GatewayError>

  /// The provider of a gateway in virtual time, with a caller.
  private struct Counter {
    let space: TestSpace<ParrotVendor>

    init(_ policy: TokenProviderPolicy) throws {
      space = try TestSpace(
        SpaceSettings(
          configuration: GatewayConfiguration(session: try SessionPolicy()), vendors: [try ParrotWorld.settings],
          issuer: FakeTokens(), provider: policy))
    }

    var provider: TokenProvider { space.space.provider }
    var now: WallTime { space.world.wallTime }

    func advance(by duration: Duration) { space.world.advance(by: duration) }

    /// Requests a token; the result is set when it is known.
    func order(for user: String = "ann", life: TokenLife? = nil) -> Started<Outcome> {
      let provider = provider
      return space.start {
        do throws(TokenRefusal) {
          return .success(
            try await provider.mint(TokenOrder(user: UserID(user), kind: .regular, life: life, calls: nil)))
        } catch {
          return .failure(error.error)
        }
      }
    }

    var figures: TokenProviderFigures {
      get throws {
        let provider = provider
        return try #require(space.world.ask { await provider.figures })
      }
    }
  }

  private func isDone(_ order: Started<Outcome>) -> Bool { order.value != nil }

  @Test
  func `the token provider mints at once unless it has a latency`() throws {
    let counter = try Counter(try TokenProviderPolicy())
    let outcomes = (0..<100).map { _ in counter.order() }
    #expect(outcomes.allSatisfy(isDone))
    let figures = try counter.figures
    #expect(figures.minted == 100 && figures.inFlight == 0 && figures.inFlightPeak == 1)
  }

  @Test
  func `the token provider takes its whole latency for each token, and dates the token when it is made`() throws {
    let counter = try Counter(try TokenProviderPolicy(latency: .milliseconds(50)))
    let start = counter.now
    let outcomes = (0..<1000).map { _ in counter.order() }
    counter.advance(by: .milliseconds(50) - .nanoseconds(1))
    #expect(!outcomes.contains(where: isDone))
    counter.advance(by: .nanoseconds(1))
    #expect(outcomes.allSatisfy(isDone))
    #expect(try counter.figures.inFlightPeak == 1000)
    let token = try #require(try outcomes[0].value?.get())
    #expect(token.issuedAt == start + .milliseconds(50))
    #expect(token.expiresAt == start + .milliseconds(50) + .seconds(3600))
  }

  @Test
  func `the token provider makes as many tokens at once as its concurrency, and the others wait in order`() throws {
    let counter = try Counter(try TokenProviderPolicy(latency: .milliseconds(10), concurrency: 3))
    let outcomes = (0..<10).map { _ in counter.order() }
    for step in 0..<4 {
      let waiting = try counter.figures
      #expect(waiting.inFlight == min(3, 10 - 3 * step) && waiting.queued == max(0, 7 - 3 * step))
      #expect(outcomes.prefix { isDone($0) }.count == 3 * step)
      #expect(outcomes.count(where: isDone) == 3 * step)
      counter.advance(by: .milliseconds(10))
    }
    #expect(outcomes.allSatisfy(isDone))
    let figures = try counter.figures
    #expect(figures.inFlight == 0 && figures.queued == 0 && figures.minted == 10)
    #expect(figures.inFlightPeak == 3 && figures.queuedPeak == 7)
  }

  @Test
  func `the token provider refuses at once when its queue is full, and serves again when there is room`() throws {
    let counter = try Counter(try TokenProviderPolicy(latency: .milliseconds(10), concurrency: 1, queueMax: 2))
    let accepted = (0..<3).map { _ in counter.order() }
    let refused = counter.order()
    guard case .failure(let error)? = refused.value else { return #expect(Bool(false), "it was not refused") }
    #expect(error.isSame(as: .overloaded))
    #expect(try counter.figures.overloaded == 1)
    counter.advance(by: .milliseconds(10))
    let late = counter.order()
    counter.advance(by: .milliseconds(30))
    #expect((accepted + [late]).allSatisfy { (try? $0.value?.get()) != nil })
  }

  @Test
  func `a token provider without a queue refuses a caller while it is busy`() throws {
    let counter = try Counter(try TokenProviderPolicy(latency: .milliseconds(10), concurrency: 1, queueMax: 0))
    _ = counter.order()
    #expect(isDone(counter.order()))
    counter.advance(by: .milliseconds(10))
    #expect(!isDone(counter.order()))
  }

  @Test
  func `the token provider fails by chance as often as configured, and frees its place`() throws {
    let counter = try Counter(try TokenProviderPolicy(latency: .milliseconds(1), concurrency: 1, failureRate: 0.3))
    let outcomes = (0..<1_000).map { _ in counter.order() }
    counter.advance(by: .milliseconds(1_000))
    let failed = outcomes.count { order in
      if case .failure(let error)? = order.value { error.isSame(as: .providerFailure) } else { false }
    }
    #expect((250...350).contains(failed))
    let figures = try counter.figures
    #expect(figures.failed == failed && figures.minted == 1_000 - failed && figures.inFlight == 0)
  }

  @Test
  func `a caller of the token provider that goes away frees its place`() throws {
    let counter = try Counter(try TokenProviderPolicy(latency: .milliseconds(10), concurrency: 1))
    let provider = counter.provider
    let order = TokenOrder(user: UserID("ann"), kind: .regular, life: nil, calls: nil)
    let impatient = (0..<2).map { _ in
      Task(executorPreference: counter.space.clients.eventLoop) { _ = try? await provider.mint(order) }
    }
    counter.space.world.settle()
    for task in impatient { task.cancel() }
    counter.space.world.settle()
    let patient = counter.order()
    counter.advance(by: .milliseconds(30))
    #expect(isDone(patient))
    #expect(try counter.figures.inFlight == 0)
  }

  @Test
  func `the token provider gives the requested life`() throws {
    let counter = try Counter(try TokenProviderPolicy(defaultLife: nil))
    let now = counter.now
    #expect(try counter.order().value?.get().expiresAt == .none)
    #expect(try counter.order(life: .lasting(.seconds(5))).value?.get().expiresAt == now + .seconds(5))
    #expect(try counter.order(life: .until(now + .seconds(7))).value?.get().expiresAt == now + .seconds(7))
  }

  @Test
  func `the token provider refuses an impossible policy`() {
    let wrong: [() throws -> TokenProviderPolicy] = [
      { try TokenProviderPolicy(latency: .seconds(-1)) }, { try TokenProviderPolicy(concurrency: 0) },
      { try TokenProviderPolicy(queueMax: -1) }, { try TokenProviderPolicy(failureRate: 1.01) },
      { try TokenProviderPolicy(failureRate: .nan) }, { try TokenProviderPolicy(lives: .zero...(.seconds(1))) },
      { try TokenProviderPolicy(defaultLife: .seconds(2), lives: .seconds(3)...(.seconds(4))) },
      { try TokenProviderPolicy(guestLife: .zero) }, { try TokenProviderPolicy(secret: Credentials(token: "")) },
    ]
    for make in wrong { #expect(throws: TokenProviderPolicyError.self) { try make() } }
  }
}
