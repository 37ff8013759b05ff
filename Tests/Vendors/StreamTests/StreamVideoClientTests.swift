import GatewayCore
import GatewayFleet
import GatewayRuntime
import TestSupport
import TestTraits
import Testing

@testable import GatewayStream

struct StreamVideoClientTests {
  private static let over = ClientEvent.heard(.error(number: 40, name: "40 token_expired"))
  private static let welcome = ClientEvent.heard(.connected(nil))

  private static func live(_ sdk: StreamVideoSDK, _ behaviour: Behaviour = .wellBehaved, seed: UInt64 = 1) -> Client {
    var client = Client.live(behaviour, habits: sdk.habits)
    client.generator = SeededGenerator(seed: seed)
    return client
  }

  /// Returns a seed whose first number lets JavaScript notice a silence.
  private static func noticingSeed() throws -> UInt64 {
    try #require(
      (0..<50 as Range<UInt64>).first { seed in
        var generator = SeededGenerator(seed: seed)
        return generator.nextShare() < 0.32
      })
  }

  /// Returns how long from now the client wants to sleep.
  private static func sleep(_ client: Client) throws -> Duration {
    try #require(client.session.nextDeadline) - client.now
  }

  @Test
  func
    `JavaScript takes a close with 1000 for the gateway's will, and a third looks in time, 35 s later, the rest never`()
    throws
  {
    var back = 0
    for seed in 0..<300 {
      var client = Self.live(.javascript, seed: UInt64(seed))
      _ = client.on(Self.over)
      #expect(client.on(.closed(1000)) == [.record(.interrupted("1000 normal"))])
      #expect(try Self.sleep(client) == .seconds(35))
      let effects = try client.wake()
      if client.session.phase == .ended {
        #expect(effects == [.record(.gaveUp("close_unnoticed"))])
        #expect(client.session.outcome(waves: 1) == .lostUnexpectedly)
      } else {
        back += 1
      }
    }
    #expect((75...117).contains(back), "96 of 300 were measured; \(back)")
  }

  @Test
  func `JavaScript that notices the silence after a close with 1000 returns with its old token first`() throws {
    var client = Self.live(.javascript, seed: try Self.noticingSeed())
    _ = client.on(Self.over)
    _ = client.on(.closed(1000))
    #expect(try client.wake().isEmpty)
    let silence = try Self.sleep(client) + .seconds(35)
    #expect(silence >= .milliseconds(35_250) && silence <= .milliseconds(35_500))
    // First with the old token, which is refused; after a wait it asks the provider, and then uses the new one.
    #expect(try client.wake() == [.record(.reconnecting), .dial])
    #expect(client.on(.opened) == [.send(.connect(Client.old))])
    let refused = ClientRecord.returnRefused("40 token_expired", isOldToken: true)
    #expect(client.on(Self.over) == [.close, .record(refused)])
    _ = client.on(.closed(1000))
    let wait = try Self.sleep(client)
    #expect(wait >= .milliseconds(250) && wait <= .milliseconds(2500))
    #expect(try client.wake() == [.fetch(number: 3, .refresh(call: 1))])
    #expect(client.answer(.token(Client.new)) == [.record(.reconnecting), .dial])
    #expect(client.on(.opened) == [.record(.answered), .send(.connect(Client.new))])
    client.now = client.now + .milliseconds(7)
    let effects = client.on(Self.welcome)
    #expect(
      effects == [
        .record(.connected(after: .milliseconds(7), again: true)),
        .record(.returned(after: silence + wait + .milliseconds(7), attempts: 2)),
        .record(.refreshed(after: silence + wait + .milliseconds(7), number: 1)),
      ])
    #expect(client.session.outcome(waves: 1) == .kept && client.session.isSettled(waves: 1))
  }

  @Test(arguments: 0..<50)
  func `JavaScript returns from any other close after 0.25 to 2.5 s, and then after 2 to 4.5 s`(seed: UInt64) throws {
    var client = Self.live(.javascript, seed: seed)
    _ = client.on(.closed(4000))
    let first = try Self.sleep(client)
    #expect(first >= .milliseconds(250) && first <= .milliseconds(2500))
    _ = try client.wake()
    _ = client.on(.opened)
    #expect(client.on(Self.over).contains(.record(.asked)), "only now it is known that the token is over")
    _ = client.on(.closed(1000))
    let second = try Self.sleep(client)
    #expect(second >= .seconds(2) && second <= .milliseconds(4500))
  }

  @Test
  func `JavaScript whose provider gives no token for an open session gives up permanently`() throws {
    for answer in [ProviderAnswer.failed("timed_out"), .busy(status: 503, retryAfter: .seconds(1))] {
      var client = Self.live(.javascript)
      _ = client.on(Self.over)
      _ = client.on(.closed(4001))
      _ = try client.wake()
      _ = client.on(.opened)
      _ = client.on(Self.over)
      _ = client.on(.closed(1000))
      _ = try client.wake()
      #expect(client.answer(answer).count == 1 && client.session.phase == .ended)
      #expect(client.session.outcome(waves: 1) == .lostUnexpectedly)
    }
  }

  private static let limited = ClientEvent.heard(.error(number: 9, name: "9 rate_limit"))

  @Test
  func `JavaScript whose login is refused with 9 and closed with 1000 gives up`() throws {
    var client = Self.live(.javascript)
    _ = client.on(.closed(1012))
    _ = try client.wake()
    _ = client.on(.opened)
    #expect(client.on(Self.limited).isEmpty)
    #expect(
      client.on(.closed(1000)) == [
        .record(.returnRefused("9 rate_limit", isOldToken: true)), .record(.gaveUp("gateway_9 rate_limit")),
      ])
    #expect(client.session.phase == .ended)
  }

  @Test
  func `JavaScript whose login is refused with 9 and closed with 1013 returns after 4 to 5 s with the same token`()
    throws
  {
    var client = Self.live(.javascript)
    _ = client.on(.closed(1012))
    _ = try client.wake()
    _ = client.on(.opened)
    _ = client.on(Self.limited)
    #expect(client.on(.closed(1013)) == [.record(.returnRefused("9 rate_limit", isOldToken: true))])
    let wait = try Self.sleep(client)
    #expect(wait >= .seconds(4) && wait <= .seconds(5), "the error and the close are a failure each")
    _ = try client.wake()
    #expect(client.on(.opened) == [.send(.connect(Client.old))])
    #expect(client.on(Self.welcome).contains(.record(.connected(after: .zero, again: true))))
  }

  @Test
  func `JavaScript that no close follows after a refused login gives up`() throws {
    var client = Self.live(.javascript)
    _ = client.on(.closed(1012))
    _ = try client.wake()
    _ = client.on(.opened)
    _ = client.on(Self.limited)
    #expect(try client.wake().last == .record(.gaveUp("gateway_9 rate_limit")))
  }

  @Test
  func `JavaScript whose first login is refused for now returns by itself`() throws {
    var client = Client(.wellBehaved, habits: StreamVideoSDK.javascript.habits)
    _ = client.on(.start)
    _ = client.answer(.token(Client.old))
    _ = client.on(.opened)
    _ = client.on(Self.limited)
    _ = client.on(.closed(1013))
    _ = try client.wake()
    _ = client.on(.opened)
    #expect(client.on(Self.welcome).contains(.record(.connected(after: .zero, again: false))))
  }

  @Test
  func `Swift waits for the close, asks the provider at once and returns at once`() {
    var client = Self.live(.swift)
    #expect(client.on(Self.over) == [.record(.asked)])
    #expect(
      client.on(.closed(1000)) == [.record(.interrupted("1000 normal")), .fetch(number: 3, .refresh(call: 1))])
    #expect(client.answer(.token(Client.new)) == [.record(.reconnecting), .dial])
  }

  @Test
  func `Swift returns with the old token after a close without an error, and renews it when it is refused`() throws {
    var client = Self.live(.swift)
    _ = client.on(.closed(4000))
    #expect(try Self.sleep(client) == .zero)
    #expect(try client.wake() == [.record(.reconnecting), .dial])
    _ = client.on(.opened)
    #expect(client.on(Self.over).last == .fetch(number: 3, .refresh(call: 1)))
    // The answer is there before the old socket has ended: one socket at a time.
    #expect(client.answer(.token(Client.new)).isEmpty)
    #expect(client.on(.closed(1000)) == [.record(.reconnecting), .dial])
  }

  @Test
  func `Swift without a listener waits 0.25 to 2.5 s, then up to 25 s`() throws {
    var client = Self.live(.swift)
    _ = client.on(.closed(nil))
    for (least, most) in [(0.0, 0.0), (2.0, 4.5), (4.0, 6.5), (6.0, 8.5)] {
      let wait = try Self.sleep(client).inSeconds
      #expect(wait >= least && wait <= most, "\(wait)")
      _ = try client.wake()
      #expect(client.on(.dialFailed(.timedOut)) == [.record(.returnFailed("timed_out"))])
    }
    for _ in 0..<30 {
      _ = try client.wake()
      _ = client.on(.dialFailed(.timedOut))
    }
    #expect(try Self.sleep(client) == .seconds(25))
  }

  @Test
  func `Android loads a new token when the gateway asks, and returns after 0.25 to 0.5 s`() throws {
    var client = Self.live(.android)
    #expect(
      client.on(Self.over) == [
        .record(.asked), .close, .record(.interrupted("client_returns")), .fetch(number: 3, .refresh(call: 1)),
      ])
    _ = client.on(.closed(1000))
    #expect(client.answer(.token(Client.new)).isEmpty)
    let wait = try Self.sleep(client)
    #expect(wait >= .milliseconds(250) && wait <= .milliseconds(500))
    #expect(try client.wake() == [.record(.reconnecting), .dial])
  }

  @Test
  func `Flutter returns after the close, with a token that it requests after the wait`() throws {
    var client = Self.live(.flutter)
    _ = client.on(Self.over)
    _ = client.on(.closed(1000))
    let wait = try Self.sleep(client)
    #expect(wait >= .milliseconds(200) && wait <= .milliseconds(700))
    #expect(try client.wake() == [.fetch(number: 3, .refresh(call: 1))])
    #expect(client.answer(.token(Client.new)) == [.record(.reconnecting), .dial])
  }

  @Test
  func `Flutter waits 200 ms more before each attempt, with up to 499 ms by chance, and never more than 3 s`() throws {
    for seed in 0..<40 as Range<UInt64> {
      var client = Self.live(.flutter, seed: seed)
      _ = client.on(.closed(4005))
      for attempt in 1...25 {
        let least = min(Duration.milliseconds(200) * attempt, .seconds(3))
        let wait = try Self.sleep(client)
        #expect(wait >= least && wait <= min(least + .milliseconds(500), .seconds(3)), "attempt \(attempt): \(wait)")
        _ = try client.wake()
        _ = client.on(.dialFailed(.timedOut))
      }
    }
  }

  @Test
  func `a provider without a token ends JavaScript, Swift and Flutter, and Android retries`() throws {
    for (sdk, isEnd) in [(.javascript, true), (.swift, true), (.flutter, true), (.android, false)]
      as [(StreamVideoSDK, Bool)]
    {
      var client = Self.live(sdk)
      var effects = client.on(Self.over)
      if !effects.asksForToken { effects = client.on(.closed(4001)) }
      for _ in 0..<8 where !effects.asksForToken {
        switch client.session.phase {
        case .dialling: effects = client.on(.opened)
        case .loggingIn: effects = client.on(Self.over)
        default: effects = try client.wake()
        }
      }
      try #require(effects.asksForToken, "\(sdk)")
      let answered = client.answer(.failed("http_500"))
      let hasGivenUp = answered.contains { if case .record(.gaveUp) = $0 { true } else { false } }
      #expect(hasGivenUp == isEnd, "\(sdk): \(answered)")
    }
  }

  @Test
  func `Python returns after 1 s with the same token and stops when it is refused, a loss that its SDK demands`() throws
  {
    var client = Self.live(.python)
    _ = client.on(Self.over)
    _ = client.on(.closed(1000))
    #expect(try Self.sleep(client) == .seconds(1))
    _ = try client.wake()
    #expect(client.on(.opened) == [.send(.connect(Client.old))])
    #expect(client.on(Self.over).last == .record(.gaveUp("no_provider")))
    #expect(client.session.outcome(waves: 1) == .lostExpectedly)
    _ = client.on(.closed(1000))
    #expect(client.session.phase == .ended)
  }

  @Test
  func `Python without a listener tries after 1, 2, 4, 8 and 16 s and never again`() throws {
    var client = Self.live(.python)
    _ = client.on(.closed(nil))
    for seconds in [1, 2, 4, 8, 16] {
      #expect(try Self.sleep(client) == .seconds(seconds))
      _ = try client.wake()
      _ = client.on(.dialFailed(.timedOut))
    }
    #expect(client.session.phase == .ended)
    #expect(client.session.outcome(waves: 1) == .lostUnexpectedly, "nobody said that the token was over")
  }

  @Test
  func `pings have the SDK's own shape and interval`() throws {
    for (sdk, seconds, effect) in [
      (.javascript, 25, .send(.ping)), (.swift, 5, .ping), (.android, 11, .send(.ping)), (.flutter, 7, .send(.ping)),
      (.python, 15, .send(.ping)),
    ] as [(StreamVideoSDK, Int, ClientEffect)] {
      var client = Self.live(sdk)
      for _ in 0..<3 {
        #expect(try Self.sleep(client) == .seconds(seconds), "\(sdk)")
        #expect(try client.wake() == [effect], "\(sdk)")
        _ = client.on(.heard(.alive))
      }
    }
  }

  @Test
  func `JavaScript notices each half-open socket after 35 s, even if it would not notice a close with 1000`() throws {
    for seed in 0..<100 as Range<UInt64> {
      var client = Self.live(.javascript, seed: seed)
      let start = client.now
      var effects: [ClientEffect] = []
      for _ in 0..<5 where !effects.contains(.close) { effects = try client.wake() }
      #expect(effects.contains(.record(.interrupted("silence"))) && client.now - start == .seconds(35), "seed \(seed)")
    }
  }

  @Test
  func `a client gives up a silent gateway after the SDK's own limit`() throws {
    for (sdk, seconds) in [
      (.javascript, 35), (.swift, 8), (.android, 30), (.flutter, 35), (.python, 30),
    ] as [(StreamVideoSDK, Int)] {
      var client = Self.live(sdk)
      let start = client.now
      var effects: [ClientEffect] = []
      while !effects.contains(.close) { effects = try client.wake() }
      #expect(client.now - start == .seconds(seconds), "\(sdk)")
      #expect(effects.contains(.record(.interrupted("silence"))))
    }
  }

  @Test(arguments: StreamVideoSDK.allCases, [Behaviour.forgetful, .stale, .garbage, .refused])
  func `each behaviour keeps its meaning, and clients without a good token to return with are lost`(
    sdk: StreamVideoSDK, behaviour: Behaviour
  ) throws {
    var client = Self.live(sdk, behaviour)
    _ = client.on(Self.over)
    _ = client.on(.closed(1000))
    for _ in 0..<200 where client.session.phase != .ended {
      switch client.session.phase {
      case .dialling:
        _ = client.on(.opened)
        if client.session.phase != .ended { _ = client.on(Self.over) }
        _ = client.on(.closed(1000))
      case .returning(.asking): _ = client.answer(behaviour == .refused ? .refused(status: 403) : .token(Client.new))
      default: _ = try client.wake()
      }
    }
    #expect(client.session.phase == .ended)
    #expect(client.session.outcome(waves: 1) == .lostExpectedly)
  }

  @Test
  func `a client on its way back when the storm ends has not returned`() throws {
    var client = Self.live(.javascript)
    _ = client.on(.closed(4000))
    #expect(client.session.outcome(waves: 1) == .lostUnexpectedly && !client.session.isSettled(waves: 1))
    #expect(client.on(.stop).isEmpty && client.session.phase == .ended)
  }

  @Test(
    .long,
    arguments: StreamVideoSDK.allCases,
    Behaviour.allCases)
  func `a client has one socket at a time, sends nothing without one, and its records add up`(
    sdk: StreamVideoSDK, behaviour: Behaviour
  ) {
    Client.checkChaos(behaviour, sdk.habits)
  }
}

extension [ClientEffect] {
  /// Whether the provider is asked for a token.
  fileprivate var asksForToken: Bool { contains { if case .fetch = $0 { true } else { false } } }
}
