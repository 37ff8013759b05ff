import GatewayCore
import GatewayProxy
import GatewayRuntime
import GatewaySimulator
import Testing

struct AdmissionTests {
  private static let upgrade = HTTPRequest(
    method: "GET", path: "/room",
    headers: [
      HTTPField("host", "proxy"), HTTPField("authorization", "Bearer a"), HTTPField("origin", "https://app.example"),
      HTTPField("connection", "Upgrade, X-Hop"), HTTPField("x-hop", "1"), HTTPField("via", "1.0 other"),
      HTTPField("sec-websocket-extensions", "permessage-deflate"), HTTPField("x-key", "old"),
    ])

  @Test
  func `the target gets the client's header fields except fields of the connection`() throws {
    let proxied = ProxyWorld()
    _ = proxied.connect(Self.upgrade)
    let asked = try #require(proxied.site.upgrades.first)
    #expect(asked.path == "/room")
    #expect(
      asked.headers == [
        HTTPField("authorization", "Bearer a"), HTTPField("origin", "https://app.example"), HTTPField("x-key", "new"),
        HTTPField("via", "1.0 other, 1.1 postern-1"), HTTPField("host", "target:80"),
      ])
  }

  @Test
  func `a refused upgrade arrives with the target's own answer`() {
    let site = TargetSite()
    var answer = HTTPResponse(status: 429, contentType: "text/plain", text: "slow down")
    answer.headers.append(HTTPField("retry-after", "7"))
    site.admission = { [answer] _ in .refuse(answer) }
    let proxied = ProxyWorld(site)
    let listener = AnswerListener()
    proxied.dial(listener)
    #expect(listener.answer?.status == 429 && listener.answer?.header("retry-after") == "7")
    #expect(listener.answer.map { String(decoding: $0.body, as: UTF8.self) } == "slow down")
    #expect(proxied.route.connectionCount == 0)
  }

  @Test
  func `the subprotocol and the fields of the 101 arrive`() {
    let site = TargetSite()
    site.admission = { _ in
      let upgrade = PendingUpgrade {}
      let fields = [HTTPField("set-cookie", "a=1"), HTTPField("sec-websocket-accept", "x")]
      upgrade.give(.accept(TargetSocket(on: EventLoop.current!), subprotocol: "two", fields: fields))
      return .later(upgrade)
    }
    let listener = AnswerListener()
    ProxyWorld(site).dial(listener, offering: ["one", "two"])
    #expect(listener.answer?.header("sec-websocket-protocol") == "two")
    #expect(listener.answer?.header("set-cookie") == "a=1")
    #expect(listener.answer?.header("sec-websocket-accept") == nil)
  }

  @Test
  func `an unreachable target is distinguished from one that refuses`() {
    let proxied = ProxyWorld()
    proxied.network.stopListening(on: ProxyWorld.targetAddress)
    let listener = AnswerListener()
    proxied.dial(listener)
    #expect(listener.answer?.status == 502)
    #expect(listener.answer?.header("postern-proxy") == "upstream_unreachable")
  }

  @Test
  func `a client that leaves before the answer takes its dial along`() {
    let site = TargetSite()
    var left = 0
    site.admission = { _ in .later(PendingUpgrade { left += 1 }) }
    let proxied = ProxyWorld(site)
    let listener = AnswerListener()
    let dialer = proxied.dial(listener)
    #expect(left == 0 && proxied.route.connectionCount == 1)
    proxied.world.loops[2].eventLoop.asCurrent { dialer.cancelDial(of: listener) }
    proxied.world.advance(by: .seconds(1))
    #expect(left == 1 && proxied.route.connectionCount == 0)
    #expect(listener.failure == .unreachable("the dial was cancelled"))
  }

  @Test
  func `connections and dials above the limits get 429 and reach no target`() {
    let limits = ProxyLimits(connections: 2, dialsPerSecond: 1)
    let proxied = ProxyWorld(limits: limits, isLocal: false)
    let one = proxied.connect()
    #expect(one.isOpen)
    let others = [proxied.connect(settling: false), proxied.connect(settling: false)]
    proxied.world.advance(by: .milliseconds(500))
    #expect(others.map(\.refusal) == [nil, .refused(status: 429)])
    #expect(proxied.connect().refusal == .refused(status: 429))
    one.close()
    proxied.world.advance(by: .seconds(2))
    #expect(proxied.connect().isOpen)
    #expect(proxied.site.upgrades.count == 3)
  }

  @Test
  func `a request that has already passed this proxy is refused, and so is a storm's to another machine`() {
    let proxied = ProxyWorld(isLocal: false)
    let again = HTTPRequest(method: "GET", path: "/", headers: [HTTPField("via", "1.1 a, 1.1 postern-1")])
    #expect(proxied.connect(again).refusal == .refused(status: 508))
    let storm = HTTPRequest(method: "GET", path: "/", headers: [HTTPField("postern-storm", "5f3a")])
    #expect(proxied.connect(storm).refusal == .refused(status: 403))
    #expect(proxied.site.upgrades.isEmpty)
    #expect(ProxyWorld().connect(storm).isOpen)
  }

  @Test
  func `a request and its answer pass without the fields of the connection`() async throws {
    let proxied = ProxyWorld()
    let asked = HTTPRequest(
      method: "POST", path: "/token", headers: [HTTPField("te", "trailers"), HTTPField("cookie", "a=1")],
      body: Array("user=ann".utf8))
    let loop = proxied.world.loops[2]
    let dialer = SimulatedDialer(proxied.network, on: loop)
    let task = loop.eventLoop.asCurrent {
      LoopStage(loop: loop.eventLoop).begin {
        await dialer.fetch(asked, from: ProxyWorld.address, timeout: .seconds(10))
      }
    }
    proxied.world.advance(by: .seconds(1))
    let answer = try await task.value.get()
    let received = try #require(proxied.site.requests.first)
    #expect(received.body == asked.body && received.header("te") == nil && received.header("cookie") == "a=1")
    #expect(answer.status == 201 && String(decoding: answer.body, as: UTF8.self) == "made")
    #expect(answer.header("set-cookie") == "a=1" && answer.header("x-own") == nil)
  }
}

extension ProxyWorld {
  /// Dials the proxy and lets a second pass.
  @discardableResult
  func dial(_ handler: AnswerListener, offering subprotocols: [String] = []) -> SimulatedDialer {
    let loop = world.loops[2]
    let dialer = SimulatedDialer(network, on: loop)
    loop.eventLoop.asCurrent {
      dialer.dial(
        Self.address, upgrade: HTTPRequest(method: "GET", path: "/"), subprotocols: subprotocols, handler: handler)
    }
    world.advance(by: .seconds(1))
    return dialer
  }
}

/// A dialling client that wants the whole answer.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
final class AnswerListener: SocketHandler, @unchecked Sendable {
  private(set) var answer: HTTPResponse?
  private(set) var failure: DialFailure?

  var wantsAnswer: Bool { true }
  func socketHeardAnswer(_ answer: HTTPResponse) { self.answer = answer }
  func socketOpened(_ socket: any Socket) {}
  func socketRefused(_ failure: DialFailure) { self.failure = failure }
  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {}
  func socketReceivedPing() {}
  func socketReceivedPong() {}
  func socketViolated(_ reason: CloseReason) {}
  func socketClosed(_ peerCode: UInt16?) {}
}
