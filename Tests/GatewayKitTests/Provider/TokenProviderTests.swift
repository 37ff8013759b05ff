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
          try await provider.spend(user: Name(user), address: nil)
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

  /// Returns the answer's `Retry-After`, or why there is none, for a request beyond a budget.
  private func advice(_ advice: RequestBudget.Advice, left: Duration) throws -> (RetryAdvice, WallTime) {
    var budget = RequestBudget(.user, limit: 1, window: .seconds(60))
    budget.advice = advice
    let counter = try Counter(try TokenProviderPolicy(budgets: [budget]))
    _ = counter.order()
    counter.advance(by: .seconds(60) - left)
    let provider = counter.provider
    let refusal = counter.space.start { () -> TokenRefusal? in
      do throws(TokenRefusal) {
        try await provider.spend(user: "ann", address: nil)
        return nil
      } catch {
        return error
      }
    }
    let answered: TokenRefusal? = try #require(refusal.value)
    let refused = try #require(answered)
    #expect(refused.status == 429 && refused.error.name == "too_many")
    return (refused.retryAfter, counter.now)
  }

  @Test
  func `a refusal by a budget carries each kind of Retry-After`() throws {
    #expect(try advice(.left, left: .milliseconds(1_500)).0 == .after(.seconds(2)))
    #expect(try advice(.seconds(0), left: .seconds(30)).0 == .after(.zero))
    #expect(try advice(.none, left: .seconds(30)).0 == RetryAdvice.none)
    let (date, now) = try advice(.date, left: .milliseconds(1_500))
    #expect(date == .at(now + .milliseconds(1_500)))
    guard case .after(let drawn) = try advice(.spread(10...60), left: .seconds(30)).0 else {
      Issue.record("a spread is a number of seconds")
      return
    }
    #expect((Duration.seconds(10)...Duration.seconds(60)).contains(drawn))
  }

  @Test
  func `a date in Retry-After is in whole seconds, and no earlier than the time it means`() throws {
    let time = try #require(WallTime(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT"))
    for (later, seconds) in [(Duration.zero, 37), (.nanoseconds(1), 38), (.milliseconds(999), 38)] {
      let refusal = TokenRefusal(.tooMany, status: 429, retryAfter: .at(time + later))
      let headers = refusal.response { _ in HTTPResponse(status: 429, headers: [HTTPField("retry-after", "9")]) }
        .headers
      #expect(headers == [HTTPField("retry-after", "Sun, 06 Nov 1994 08:49:\(seconds) GMT")])
    }
  }

  @Test
  func `a request beyond a budget takes no place in the queue, and is counted separately`() throws {
    let policy = try TokenProviderPolicy(
      latency: .seconds(1), concurrency: 1, queueMax: 1,
      budgets: [RequestBudget(.user, limit: 1, window: .seconds(60))])
    let counter = try Counter(policy)
    let first = counter.order(for: "ann")
    let beyond = (0..<50).map { _ in counter.order(for: "ann") }
    let second = counter.order(for: "bob")
    #expect(beyond.allSatisfy { $0.value == .failure(.tooMany.detailed("this user asked for tokens too often")) })
    counter.advance(by: .seconds(2))
    #expect(isDone(first) && (try? second.value?.get()) != nil)
    let figures = try counter.figures
    #expect(figures.limited == 50 && figures.banned == 0 && figures.minted == 2 && figures.overloaded == 0)
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
