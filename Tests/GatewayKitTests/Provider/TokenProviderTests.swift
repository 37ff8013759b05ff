import GatewayCore
import GatewayKit
import TestSupport
import Testing

@Suite("The token provider")
struct TokenProviderTests {
  private let gateway = FakeGateway()

  private func provider(_ policy: TokenProviderPolicy) -> TokenProvider {
    TokenProvider(on: gateway.executor, policy: policy, services: gateway, issuer: FakeTokens())
  }

  private typealias Outcome = Result<MintedToken, GatewayError>

  /// Orders a token, whose outcome is in the box when it is there.
  private func order(
    from provider: TokenProvider, for user: String = "ann", life: TokenLife? = nil
  ) -> Box<Outcome> {
    gateway.start {
      do throws(GatewayError) {
        return .success(
          try await provider.mint(TokenOrder(user: UserID(user), kind: .regular, life: life, calls: nil)))
      } catch {
        return .failure(error)
      }
    }
  }

  private func figures(_ provider: TokenProvider) throws -> TokenProviderFigures {
    try #require(gateway.start { await provider.figures }.value)
  }

  private func isDone(_ box: Box<Outcome>) -> Bool { box.value != nil }

  @Test("mints at once unless it is told to be slow")
  func immediate() throws {
    let provider = provider(try TokenProviderPolicy())
    let outcomes = (0..<100).map { _ in order(from: provider) }
    #expect(outcomes.allSatisfy(isDone))
    let figures = try figures(provider)
    #expect(figures.minted == 100 && figures.inFlight == 0 && figures.inFlightPeak == 1)
  }

  @Test("takes its latency for every token, not a nanosecond less, and dates the token when it is made")
  func latency() throws {
    let provider = provider(try TokenProviderPolicy(latency: .milliseconds(50)))
    let start = gateway.wallTime
    let outcomes = (0..<1000).map { _ in order(from: provider) }
    gateway.advance(by: .milliseconds(50) - .nanoseconds(1))
    #expect(!outcomes.contains(where: isDone))
    gateway.advance(by: .nanoseconds(1))
    #expect(outcomes.allSatisfy(isDone))
    #expect(try figures(provider).inFlightPeak == 1000)
    let token = try #require(try outcomes[0].value?.get())
    #expect(token.issuedAt == start + .milliseconds(50))
    #expect(token.expiresAt == start + .milliseconds(50) + .seconds(3600))
  }

  @Test("makes no more at once than its concurrency; the others wait, first come, first served")
  func concurrency() throws {
    let provider = provider(try TokenProviderPolicy(latency: .milliseconds(10), concurrency: 3))
    let outcomes = (0..<10).map { _ in order(from: provider) }
    for step in 0..<4 {
      let waiting = try figures(provider)
      #expect(waiting.inFlight == min(3, 10 - 3 * step) && waiting.queued == max(0, 7 - 3 * step))
      #expect(outcomes.prefix { isDone($0) }.count == 3 * step)
      #expect(outcomes.count(where: isDone) == 3 * step)
      gateway.advance(by: .milliseconds(10))
    }
    #expect(outcomes.allSatisfy(isDone))
    let figures = try figures(provider)
    #expect(figures.inFlight == 0 && figures.queued == 0 && figures.minted == 10)
    #expect(figures.inFlightPeak == 3 && figures.queuedPeak == 7)
  }

  @Test("refuses at once when its queue is full, and serves again when there is room")
  func queueBound() throws {
    let provider = provider(try TokenProviderPolicy(latency: .milliseconds(10), concurrency: 1, queueMax: 2))
    let accepted = (0..<3).map { _ in order(from: provider) }
    let refused = order(from: provider)
    guard case .failure(let error)? = refused.value else { return #expect(Bool(false), "it was not refused") }
    #expect(error.isSame(as: .overloaded))
    #expect(try figures(provider).overloaded == 1)
    gateway.advance(by: .milliseconds(10))
    let late = order(from: provider)
    gateway.advance(by: .milliseconds(30))
    #expect((accepted + [late]).allSatisfy { (try? $0.value?.get()) != nil })
  }

  @Test("with no queue at all, refuses whoever finds it busy")
  func noQueue() throws {
    let provider = provider(try TokenProviderPolicy(latency: .milliseconds(10), concurrency: 1, queueMax: 0))
    _ = order(from: provider)
    #expect(isDone(order(from: provider)))
    gateway.advance(by: .milliseconds(10))
    #expect(!isDone(order(from: provider)))
  }

  @Test("fails by chance, as often as configured, and hands its turn on")
  func failures() throws {
    let provider = provider(try TokenProviderPolicy(latency: .milliseconds(1), concurrency: 1, failureRate: 0.3))
    gateway.setShares([0.29, 0.3, 0.0, 0.99])
    let outcomes = (0..<4).map { _ in order(from: provider) }
    gateway.advance(by: .milliseconds(4))
    let failed = outcomes.map { box in
      if case .failure(let error)? = box.value { error.isSame(as: .providerFailure) } else { false }
    }
    #expect(failed == [true, false, true, false])
    let figures = try figures(provider)
    #expect(figures.failed == 2 && figures.minted == 2 && figures.inFlight == 0)
  }

  @Test("lets a caller go away without losing a turn")
  func goneCaller() throws {
    let provider = provider(try TokenProviderPolicy(latency: .milliseconds(10), concurrency: 1))
    let order = TokenOrder(user: UserID("ann"), kind: .regular, life: nil, calls: nil)
    let impatient = (0..<2).map { _ in
      Task(executorPreference: gateway.executor) { _ = try? await provider.mint(order) }
    }
    gateway.executor.runAll()
    for task in impatient { task.cancel() }
    gateway.executor.runAll()
    let patient = self.order(from: provider)
    gateway.advance(by: .milliseconds(30))
    #expect(isDone(patient))
    #expect(try figures(provider).inFlight == 0)
  }

  @Test("gives the life that is asked for")
  func lives() throws {
    let provider = provider(try TokenProviderPolicy(defaultLife: nil))
    let now = gateway.wallTime
    #expect(try order(from: provider).value?.get().expiresAt == .none)
    #expect(try order(from: provider, life: .lasting(.seconds(5))).value?.get().expiresAt == now + .seconds(5))
    #expect(try order(from: provider, life: .until(now + .seconds(7))).value?.get().expiresAt == now + .seconds(7))
  }

  @Test("takes no policy that cannot be")
  func policies() {
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
