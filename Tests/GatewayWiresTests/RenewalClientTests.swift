import GatewayCore
import GatewayRuntime
import GatewayWires
import Testing

@testable import GatewayFleet

/// The storm's client at renewals without a message of its own, without a gateway.
struct RenewalClientTests {
  /// A client with its time and its effects.
  private struct Client {
    var session: ClientSession
    var now = Instant(nanoseconds: 0)
    var chance = SeededGenerator(seed: 1)

    init(_ text: String, _ behaviour: Behaviour = .wellBehaved) throws {
      let habits = try RenewalWires.wire(text).habits
      session = ClientSession(behaviour, policy: ClientPolicy(StormPlan(), habits: habits, closeNames: [:]))
    }

    @discardableResult
    mutating func handle(_ event: ClientEvent) -> [ClientEffect] {
      var effects: [ClientEffect] = []
      session.handle(event, at: now, chance: &chance, into: &effects)
      return effects
    }

    /// Logs in with a token of that life.
    mutating func logIn(life: Duration = .seconds(10)) {
      handle(.start)
      session.note(endOfToken: now + life)
      handle(.fetched(number: session.fetchNumber, .token(Credentials(token: "one"))))
      handle(.opened)
      handle(.heard(.connected(nil)))
    }

    /// Lets time pass until the renewal is due, and gives it a new token.
    mutating func ask() -> [ClientEffect] {
      now = session.nextDeadline ?? now
      handle(.wakeUp)
      session.note(endOfToken: now + .seconds(100))
      return handle(.fetched(number: session.fetchNumber, .token(Credentials(token: "two"))))
    }

    mutating func answer(_ answer: ProviderAnswer) -> [ClientEffect] {
      handle(.fetched(number: session.fetchNumber, answer))
    }

    /// Lets time pass until the next deadline.
    mutating func wait() -> [ClientEffect] {
      now = session.nextDeadline ?? now
      return handle(.wakeUp)
    }
  }

  private func request(_ effects: [ClientEffect]) -> Bool {
    effects.contains { if case .fetch(_, .sessionKey) = $0 { true } else { false } }
  }

  @Test
  func `an accepting answer renews the connection, even after the old token has expired`() throws {
    var client = try Client(RenewalWires.http)
    client.logIn()
    #expect(request(client.ask()))
    client.now = client.now + .seconds(5)
    let effects = client.answer(.token(Credentials(token: "two")))
    #expect(effects.contains(.record(.refreshed(after: .seconds(5), number: 1))))
    #expect(effects.contains(.record(.margin(.seconds(-3)))), "\(effects)")
    #expect(client.session.phase == .live && client.session.token == Credentials(token: "two"))
  }

  @Test
  func `a request that is busy, fails or times out is repeated with the same token until the time is up`() throws {
    var client = try Client(RenewalWires.http)
    client.logIn(life: .seconds(1_000))
    _ = client.ask()
    for answer: ProviderAnswer in [.busy(status: 503, retryAfter: nil), .failed("timed_out"), .refused(status: 500)] {
      let effects = client.answer(answer)
      #expect(!request(effects) && client.session.nextDeadline != nil, "\(answer) \(effects)")
      // The provider is not asked again.
      let again = client.wait()
      #expect(request(again) && again.count == 1, "\(again)")
    }
    client.now = client.now + .seconds(1_000)
    #expect(client.answer(.failed("timed_out")) == [.record(.gaveUp("request_timed_out"))])
  }

  @Test
  func `a refused request asks the provider for another token, or ends the client, as its status says`() throws {
    var client = try Client(RenewalWires.http)
    client.logIn()
    _ = client.ask()
    let renewing = client.answer(.refused(status: 401))
    #expect(renewing.first == .record(.refreshRefused("http_401")) && renewing.count == 2)
    #expect(renewing.contains { if case .fetch(_, .refresh(2)) = $0 { true } else { false } })
    _ = client.answer(.token(Credentials(token: "three")))
    let ending = client.answer(.refused(status: 403))
    #expect(ending.first == .record(.refreshRefused("http_403")) && ending.contains(.close), "\(ending)")
    #expect(client.session.loss == .unexpected)
    var other = try Client(RenewalWires.http)
    other.logIn()
    _ = other.ask()
    #expect(other.answer(.refused(status: 302)).contains(.close))
  }

  @Test
  func `an answer to a request of a connection that is lost changes nothing`() throws {
    var client = try Client(RenewalWires.http)
    client.logIn()
    _ = client.ask()
    let number = client.session.fetchNumber
    client.handle(.closed(4401))
    let before = client.session
    #expect(client.handle(.fetched(number: number, .token(Credentials(token: "late")))).isEmpty)
    #expect(client.session.phase == before.phase && client.session.token == before.token)
  }

  @Test
  func `a request that brings the token asks no provider, and gives up when its token is refused`() throws {
    var client = try Client(RenewalWires.exchange)
    client.logIn()
    client.now = try #require(client.session.nextDeadline)
    #expect(request(client.handle(.wakeUp)))
    client.session.note(endOfToken: client.now + .seconds(10))
    _ = client.answer(.token(Credentials(token: "two")))
    #expect(client.session.token == Credentials(token: "two") && client.session.refreshes == 1)
    client.now = try #require(client.session.nextDeadline)
    #expect(request(client.handle(.wakeUp)))
    let effects = client.answer(.refused(status: 401))
    #expect(effects == [.record(.refreshRefused("http_401")), .record(.gaveUp("gateway_http_401"))])
  }

  @Test
  func `a pushed token is kept for the next connection, and asks the provider for nothing`() throws {
    var client = try Client(RenewalWires.pushed)
    client.logIn()
    client.now = client.now + .seconds(8)
    client.session.note(endOfToken: client.now + .seconds(50))
    let effects = client.handle(.heard(.pushed(Credentials(token: "two"))))
    #expect(
      effects.contains(.record(.refreshed(after: .zero, number: 1))) && effects.contains(.record(.margin(.seconds(2)))))
    #expect(client.session.token == Credentials(token: "two") && client.session.phase == .live)
    let lost = client.handle(.closed(1006))
    #expect(!lost.contains { if case .fetch = $0 { true } else { false } }, "\(lost)")
    let back = client.wait()
    #expect(back.contains(.dial), "\(back)")
    #expect(client.session.token == Credentials(token: "two"))
  }

  @Test(arguments: [Behaviour.stale, .forgetful])
  func `a client that keeps its old token does not keep a pushed one`(behaviour: Behaviour) throws {
    var client = try Client(RenewalWires.pushed, behaviour)
    client.logIn()
    client.handle(.heard(.pushed(Credentials(token: "two"))))
    #expect(client.session.token == Credentials(token: "one") && client.session.refreshes == 1)
  }

  @Test
  func `a token that is pushed while no connection is live is passed over`() throws {
    var client = try Client(RenewalWires.pushed)
    #expect(client.handle(.heard(.pushed(Credentials(token: "two")))).isEmpty)
    #expect(client.session.token == nil && client.session.refreshes == 0)
  }
}
