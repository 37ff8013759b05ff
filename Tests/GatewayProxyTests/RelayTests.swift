import GatewayCore
import GatewayProxy
import GatewayRuntime
import GatewaySimulator
import Testing

struct RelayTests {
  @Test
  func `messages pass in both directions in their order`() throws {
    let proxied = ProxyWorld()
    let client = proxied.connect()
    let target = try #require(proxied.site.sockets.first)
    for number in 0..<200 {
      client.say("up \(number)")
      target.act { _ = $0.send(Frame(text: "down \(number)")) }
    }
    proxied.world.settle()
    #expect(target.texts == (0..<200).map { "up \($0)" })
    #expect(client.texts == (0..<200).map { "down \($0)" })
  }

  @Test
  func `messages that the target sends together with its 101 follow the client's 101`() throws {
    let site = TargetSite()
    site.admission = { _ in .accept(Greeter(), subprotocol: nil) }
    let client = ProxyWorld(site).connect()
    #expect(client.texts == ["one", "two"])
  }

  @Test(
    arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 4000, 4999] as [UInt16])
  func `a close code and its text reach the other end from either side`(code: UInt16) throws {
    let proxied = ProxyWorld()
    let reason = try #require(CloseReason(code: code, name: "why \(code)"))
    let one = proxied.connect()
    try #require(proxied.site.sockets.first).act { $0.close(reason) }
    proxied.world.settle()
    #expect(one.ending?.code == code && one.ending?.name == "why \(code)")
    let other = proxied.connect()
    other.close(reason)
    proxied.world.settle()
    let target = try #require(proxied.site.sockets.last)
    #expect(target.ending == .some(code) && target.goodbye == "why \(code)")
    #expect(proxied.route.connectionCount == 0)
  }

  @Test
  func `a close frame without a code stays one, and so does an end without a frame`() throws {
    let proxied = ProxyWorld()
    let clients = (0..<4).map { _ in proxied.connect() }
    let targets = proxied.site.sockets
    try #require(targets.count == 4)
    targets[0].act { $0.close(.withoutCode) }
    clients[1].close(.withoutCode)
    targets[2].act { $0.abort() }
    clients[3].abort()
    proxied.world.settle()
    #expect(try #require(clients[0].ending).code == 1005)
    #expect(targets[1].ending == .some(1005))
    #expect(try #require(clients[2].ending).code == nil)
    #expect(targets[3].ending == .some(nil))
    #expect(proxied.route.connectionCount == 0)
  }

  @Test
  func `pings and pongs pass with their payloads, and the proxy answers none`() throws {
    let proxied = ProxyWorld()
    let client = proxied.connect()
    let target = try #require(proxied.site.sockets.first)
    target.act { $0.answersPings = false }
    client.ping()
    proxied.world.settle()
    #expect(target.pings == [[]])
    #expect(!client.events.contains { $0.event == .pong })
    target.act { $0.ping([1, 2, 3]) }
    proxied.world.settle()
    #expect(target.pongs == [[1, 2, 3]])
    target.act { $0.pong([]) }
    proxied.world.settle()
    #expect(client.events.contains { $0.event == .pong })
  }

  @Test(arguments: [false, true])
  func `an end that reads nothing stops the other one from sending, and everything arrives later`(isClientSlow: Bool)
    throws
  {
    var conditions = LinkConditions(latency: .milliseconds(1) ... .milliseconds(5))
    conditions.queueBytesMax = 1 << 20
    let proxied = ProxyWorld(conditions: conditions)
    let client = proxied.connect()
    let target = try #require(proxied.site.sockets.first)
    if isClientSlow { client.faults.isReading = false } else { target.act { $0.pauseReading() } }
    let payload = String(repeating: "x", count: 1000)
    var sent = 0
    // Sends until the sender's own queue is long.
    func isQueueLong() -> Bool {
      var outcome = SendOutcome.sent
      if isClientSlow {
        target.act { outcome = $0.send(Frame(text: "\(sent) \(payload)")) }
        sent += 1
        return outcome != .sent
      }
      client.say("\(sent) \(payload)")
      sent += 1
      return sent == 400
    }
    while sent < 2000 {
      let isLong = isQueueLong()
      proxied.world.advance(by: .milliseconds(10))
      if isLong { break }
    }
    proxied.world.advance(by: .seconds(600))
    let received = { isClientSlow ? client.texts : target.texts }
    #expect(sent < 2000 && received().isEmpty)
    if isClientSlow { client.faults.isReading = true } else { target.act { $0.goOnReading() } }
    proxied.world.advance(by: .seconds(60))
    #expect(received().map { $0.prefix { $0 != " " } } == (0..<sent).map { "\($0)" })
    #expect(client.ending == nil)
  }

  @Test
  func `messages before an end without a close frame arrive first, also at a slow client`() throws {
    var conditions = LinkConditions()
    conditions.windowBytes = 1000
    let proxied = ProxyWorld(conditions: conditions)
    let client = proxied.connect()
    client.faults.isReading = false
    let target = try #require(proxied.site.sockets.first)
    for number in 0..<20 { target.act { _ = $0.send(Frame(text: "\(number)" + String(repeating: " ", count: 100))) } }
    target.act { $0.abort() }
    proxied.world.advance(by: .seconds(5))
    #expect(client.ending == nil)
    client.faults.isReading = true
    proxied.world.advance(by: .seconds(5))
    #expect(client.texts.count == 20)
    #expect(try #require(client.ending).code == nil)
  }

  @Test
  func `the proxy's end closes both sides with 1001 and admits nobody`() throws {
    let proxied = ProxyWorld()
    let client = proxied.connect()
    proxied.world.loops[0].eventLoop.asCurrent { proxied.route.end() }
    proxied.world.settle()
    #expect(client.ending?.code == 1001)
    #expect(proxied.site.sockets.first?.ending == .some(1001))
    #expect(proxied.connect().refusal == .refused(status: 503))
  }
}

/// A target that speaks first.
private final class Greeter: SocketHandler {
  func socketOpened(_ socket: any Socket) {
    _ = socket.send(Frame(text: "one"))
    _ = socket.send(Frame(text: "two"))
  }
  func socketRefused(_ failure: DialFailure) {}
  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {}
  func socketReceivedPing() {}
  func socketReceivedPong() {}
  func socketViolated(_ reason: CloseReason) {}
  func socketClosed(_ peerCode: UInt16?) {}
}
