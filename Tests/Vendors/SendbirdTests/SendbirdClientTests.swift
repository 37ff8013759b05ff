import GatewayCore
import GatewayFleet
import GatewayRuntime
import TestSupport
import TestTraits
import Testing

@testable import GatewaySendbird

struct SendbirdClientTests {
  private static let key = Credentials(token: "key")
  private static let nextKey = Credentials(token: "next key")
  private static let expired = ClientEvent.heard(.error(number: 400_302, name: "400302 token_invalid"))

  private static var welcome: Welcome {
    var welcome = Welcome()
    welcome.key = key
    welcome.pingInterval = .seconds(15)
    welcome.pongTimeout = .seconds(5)
    welcome.schedule = .growing(first: .seconds(2), factor: 2, cap: .seconds(20), tries: nil)
    return welcome
  }

  private static func live(_ sdk: SendbirdSDK, _ behaviour: Behaviour = .wellBehaved) -> Client {
    Client.live(behaviour, habits: sdk.habits, welcome: welcome)
  }

  private static func asked(_ means: ServerNotice.RefreshMeans) -> ClientEvent {
    .heard(.refreshRequired(timeout: nil, with: means))
  }

  @Test(
    arguments: SendbirdSDK.allCases
  )
  func `the client tries its present token first, and asks the application when it is refused`(sdk: SendbirdSDK) {
    var client = Self.live(sdk)
    #expect(client.on(Self.asked(.anyToken)) == [.record(.asked), .record(.answered), .send(.refresh(Client.old))])
    #expect(
      client.on(Self.expired) == [
        .record(.refreshRefused("400302 token_invalid")), .fetch(number: 2, .refresh(call: 1)),
      ])
    #expect(client.answer(.token(Client.new)) == [.record(.answered), .send(.refresh(Client.new))])
    client.now = client.now + .milliseconds(5)
    let effects = client.on(.heard(.keyRenewed(Self.nextKey)))
    #expect(effects == [.record(.refreshed(after: .milliseconds(5), number: 1)), .send(.ping)])
    #expect(client.session.key == (sdk == .javascript3 ? Self.key : Self.nextKey))
    #expect(client.session.token == Client.new)
  }

  @Test
  func `the session's own end is refreshed with the token in hand, and no provider is asked`() {
    var client = Self.live(.javascript)
    _ = client.on(Self.asked(.anyToken))
    #expect(client.on(.heard(.keyRenewed(Self.nextKey))).first == .record(.refreshed(after: .zero, number: 1)))
  }

  @Test
  func `400302 in the event asks the application first`() {
    var client = Self.live(.unity)
    #expect(client.on(Self.asked(.newToken)) == [.record(.asked), .fetch(number: 2, .refresh(call: 1))])
  }

  @Test
  func `a closed session has ended, whatever the client has`() {
    var client = Self.live(.javascript)
    let lost = ClientRecord.lost("400310 session_revoked", isExpected: false, timedOut: false)
    #expect(client.on(.heard(.sessionClosed(name: "400310 session_revoked"))) == [.record(lost), .close])
    #expect(client.on(.closed(1005)).isEmpty)
    #expect(client.session.phase == .ended)
  }

  @Test
  func `an answer missing for 10 s is requested over HTTP by JavaScript, and not by Unity`() throws {
    var client = Self.live(.javascript)
    _ = client.on(Self.asked(.anyToken))
    let asked = client.now
    var effects: [ClientEffect] = []
    while client.now - asked < .seconds(10) { effects = try client.wake() }
    #expect(effects == [.fetch(number: 2, .sessionKey)])
    #expect(client.answer(.token(Self.nextKey)).first == .record(.refreshed(after: .seconds(10), number: 1)))
    #expect(client.session.key == Self.nextKey)

    var unity = Self.live(.unity)
    _ = unity.on(Self.asked(.anyToken))
    for _ in 0..<10 { #expect(try !unity.wake().contains(.fetch(number: 2, .sessionKey))) }
  }

  @Test
  func `a failure other than 400302 is tried over HTTP, three times at most`() {
    var client = Self.live(.javascript)
    _ = client.on(Self.asked(.anyToken))
    let failure = ClientEvent.heard(.error(number: 500_901, name: "500901"))
    #expect(client.on(failure).last == .fetch(number: 2, .sessionKey))
    #expect(client.answer(.failed("http_500")) == [.fetch(number: 3, .sessionKey)])
    #expect(client.answer(.failed("http_500")) == [.fetch(number: 4, .sessionKey)])
    #expect(client.answer(.failed("http_500")) == [.record(.gaveUp("no_key"))])
  }

  @Test
  func `a lost socket is followed by attempts at once, after 2, 4, 8, 16, 20 and again 20 s, by the session key`()
    throws
  {
    var client = Self.live(.javascript)
    _ = client.on(.closed(nil))
    for seconds in [0, 2, 4, 8, 16, 20, 20] {
      #expect(try #require(client.session.nextDeadline) - client.now == .seconds(seconds))
      _ = try client.wake()
      #expect(client.session.phase == .dialling(Self.key, since: client.now))
      _ = client.on(.dialFailed(.timedOut))
    }
    _ = try client.wake()
    _ = client.on(.opened)
    let effects = client.on(.heard(.connected(nil, Self.welcome)))
    #expect(effects.contains(.record(.returned(after: .seconds(90), attempts: 8))))
    #expect(client.session.refreshes == 0 && client.session.loss == nil)
  }

  @Test
  func `an expired key is renewed over HTTP with the token, and the client is back without a wait`() throws {
    var client = Self.live(.javascript)
    _ = client.on(.closed(nil))
    _ = try client.wake()
    _ = client.on(.opened)
    let refusal = ClientEvent.heard(.error(number: 400_309, name: "400309 session_expired"))
    #expect(client.on(refusal).last == .fetch(number: 3, .sessionKey))
    _ = client.on(.closed(1005))
    #expect(client.answer(.token(Self.nextKey)) == [.record(.reconnecting), .dial])
    #expect(client.session.phase == .dialling(Self.nextKey, since: client.now))
  }

  @Test
  func `a token that expired before the reconnect is renewed first: application, key over HTTP, socket`() throws {
    var client = Self.live(.javascript)
    _ = client.on(.closed(nil))
    _ = try client.wake()
    _ = client.on(.opened)
    _ = client.on(.heard(.error(number: 400_309, name: "400309 session_expired")))
    _ = client.on(.closed(1005))
    #expect(client.answer(.denied(number: 400_302)).last == .fetch(number: 4, .refresh(call: 1)))
    #expect(client.answer(.token(Client.new)) == [.fetch(number: 5, .sessionKey)])
    #expect(client.answer(.token(Self.nextKey)) == [.record(.reconnecting), .dial])
    _ = client.on(.opened)
    _ = client.on(.heard(.connected(nil, Self.welcome)))
    #expect(client.session.refreshes == 1 && client.session.outcome(waves: 1) == .kept)
  }

  @Test
  func `a token that came too late for the socket counts when the client has reconnected with it`() throws {
    for sdk in [SendbirdSDK.unity, .javascript] {
      var client = Self.live(sdk)
      _ = client.on(Self.asked(.newToken))
      client.now = client.now + .seconds(60)
      _ = client.answer(.token(Client.new))
      _ = client.on(.closed(4000))
      _ = try client.wake()
      #expect(client.session.phase == .dialling(Self.key, since: client.now))
      _ = client.on(.opened)
      _ = client.on(.heard(.connected(nil, Self.welcome)))
      // Unity presents both; with JavaScript's key alone the gateway has seen no token.
      #expect(client.session.refreshes == (sdk == .unity ? 1 : 0))
    }
  }

  @Test
  func `a client that was told to reconnect later does so then, by user and token`() throws {
    var client = Client(.wellBehaved, habits: SendbirdSDK.javascript.habits)
    _ = client.on(.start)
    _ = client.answer(.token(Client.old))
    _ = client.on(.opened)
    #expect(client.on(.heard(.busy(retryAfter: .seconds(3)))) == [.record(.returnFailed("busy")), .close])
    _ = client.on(.closed(1005))
    #expect(try #require(client.session.nextDeadline) - client.now == .seconds(3))
    #expect(try client.wake() == [.record(.reconnecting), .dial])
    _ = client.on(.opened)
    #expect(client.on(.heard(.connected(nil, Self.welcome))).first == .record(.connected(after: .zero, again: false)))
  }

  @Test
  func `each SDK has its own reaction to a missing pong, and pings begin with the login`() throws {
    for sdk in SendbirdSDK.allCases {
      var client = Client(.wellBehaved, habits: sdk.habits)
      _ = client.on(.start)
      _ = client.answer(.token(Client.old))
      _ = client.on(.opened)
      #expect(client.on(.heard(.connected(nil, Self.welcome))).last == .send(.ping))
      _ = client.on(.heard(.alive))
      #expect(try #require(client.session.nextDeadline) - client.now == .seconds(15))
      #expect(try client.wake() == [.send(.ping)])
      let effects = try client.wake()
      switch sdk {
      case .javascript:
        #expect(effects.isEmpty && client.session.nextDeadline == nil && client.session.phase == .live)
      case .javascript3:
        #expect(effects == [.close, .record(.interrupted("silence"))])
      case .unity:
        #expect(effects.isEmpty)
        #expect(try client.wake() == [.send(.ping)])
      }
    }
  }

  @Test(arguments: [Behaviour.forgetful, .stale, .garbage, .refused])
  func `each behaviour keeps its meaning, and clients without a good token in time are cut off`(behaviour: Behaviour)
    throws
  {
    var client = Self.live(.javascript, behaviour)
    _ = client.on(Self.asked(.anyToken))
    for _ in 0..<20 {
      if client.session.isWaiting(forFetch: client.session.fetchNumber) {
        _ = client.answer(.refused(status: 403))
      } else {
        _ = client.on(Self.expired)
      }
    }
    client.now = client.now + .seconds(60)
    _ = client.on(.closed(4000))
    #expect(client.session.outcome(waves: 1) == .lostExpectedly)
    #expect(client.session.phase == .ended)
  }

  @Test(
    .long,
    arguments: SendbirdSDK.allCases,
    Behaviour.allCases)
  func `a client has one socket at a time, sends nothing without one, and its records add up`(
    sdk: SendbirdSDK, behaviour: Behaviour
  ) {
    Client.checkChaos(behaviour, sdk.habits)
  }
}
