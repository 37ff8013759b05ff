import GatewayCore
import GatewayRuntime
import GatewaySimulator
import Testing

/// A site that echoes every message, refuses `/refused`, and answers `/slow` late.
private final class EchoSite: Site {
  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission {
    upgrade.path == "/refused" ? .refuse(HTTPResponse(status: 403)) : .accept(Echo(), subprotocol: nil)
  }

  nonisolated(nonsending) func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    loop.preconditionOnLoop()
    if request.path == "/slow" { await loop.sleep(until: loop.now + .seconds(5)) }
    return HTTPResponse(status: 200, contentType: "text/plain", text: "\(request.peer) on \(loop.index)")
  }
}

/// `@unchecked Sendable`: used only by the thread that runs the world.
private final class Echo: SocketHandler, @unchecked Sendable {
  private var socket: (any Socket)?
  private var outcome = SendOutcome.sent

  func socketOpened(_ socket: any Socket) {
    self.socket = socket
    _ = socket.send(Frame(text: "hello \(socket.peer)"))
  }

  func socketRefused(_ failure: DialFailure) {}

  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    let frame = Frame(kind, Array(payload))
    switch frame.text {
    case "ping": socket?.ping()
    case "close": socket?.close(.tokenRevoked)
    case "abort": socket?.abort()
    case "flood":
      repeat {
        outcome = socket?.send(Frame(.binary, Array(repeating: 0, count: 1_000))) ?? .closed
      } while outcome == .sent || outcome == .queued
      if outcome == .overflow { socket?.close(.slowConsumer) }
    default: _ = socket?.send(frame)
    }
  }

  func socketReceivedPing() { _ = socket?.send(Frame(text: "ping")) }
  func socketReceivedPong() { _ = socket?.send(Frame(text: "pong")) }
  func socketViolated(_ reason: CloseReason) {}
  func socketClosed(_ peerCode: UInt16?) { socket = nil }
}

/// A site whose answers never end.
///
/// `@unchecked Sendable`: used only by the thread that runs the world.
private final class FeedSite: Site, @unchecked Sendable {
  private(set) var asked = 0
  private(set) var cancelledAt: Instant?

  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission { .refuse(HTTPResponse(status: 403)) }

  func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    if request.path == "/late" { await loop.sleep(until: loop.now + .seconds(5)) }
    let (never, _) = AsyncStream<Void>.makeStream()
    return HTTPResponse(
      stream: HTTPStream { [self] in
        loop.preconditionOnLoop()
        asked += 1
        switch request.path {
        case "/flood": return Array(repeating: 0, count: 60_000)
        case "/export":
          await loop.sleep(until: loop.now + .milliseconds(100))
          return asked < 4 ? Array(String(asked).utf8) : nil
        default:
          await withTaskCancellationHandler {
            for await _ in never {}
          } onCancel: {
            cancelledAt = loop.now
          }
          return nil
        }
      })
  }
}

struct SimulatedNetworkTests {
  let world = SimulatedWorld(loops: 3)
  let network: SimulatedNetwork
  let target = DialTarget(host: "gateway", port: 80, source: "127.0.0.7")

  init() {
    network = SimulatedNetwork(world)
    network.listen(on: target, loops: [world.loops[0], world.loops[1]], site: EchoSite())
  }

  func connect(_ path: String = "/") -> SimulatedPeer {
    let peer = SimulatedPeer(
      network, on: world.loops[2], to: target, upgrade: HTTPRequest(method: "GET", path: path))
    world.advance(by: .seconds(1))
    return peer
  }

  @Test
  func `messages arrive in order, each after the latency, and never overtake each other`() {
    network.conditions.latency = .milliseconds(10) ... .milliseconds(50)
    let peer = connect()
    #expect(peer.texts == ["hello 127.0.0.7"])
    let texts = (1...50).map { "message \($0)" }
    let asked = world.now
    for text in texts { peer.say(text) }
    world.advance(by: .seconds(1))
    #expect(Array(peer.texts.dropFirst()) == texts)
    #expect(peer.events.dropFirst(2).allSatisfy { $0.at >= asked + .milliseconds(20) })
  }

  @Test
  func `a refused upgrade has its status, and a port without a listener says so`() {
    #expect(connect("/refused").refusal == .refused(status: 403))
    network.stopListening(on: target)
    #expect(connect().refusal == .unreachable("connection refused"))
  }

  @Test
  func `the closing handshake gives either end the other's code`() throws {
    let closed = connect()
    closed.say("close")
    world.settle()
    let ending = try #require(closed.ending)
    #expect(ending.code == 4004 && ending.name == "token_revoked")
    let closing = connect()
    closing.close(.normal)
    world.settle()
    #expect(closing.ending?.code == 1000)
    #expect(!closing.isOpen)
  }

  @Test
  func `an aborted transport ends without a code, also for a peer that does not read`() throws {
    let peer = connect()
    peer.faults.isReading = false
    peer.say("abort")
    world.settle()
    let ending = try #require(peer.ending)
    #expect(ending.code == nil)
  }

  @Test
  func `a peer that never answers a close frame does not notice it`() {
    let peer = connect()
    peer.faults.answersClose = false
    peer.say("close")
    world.advance(by: .seconds(10))
    #expect(peer.ending == nil)
  }

  @Test
  func `a half-open peer receives nothing, sends nothing and answers no ping`() {
    let peer = connect()
    peer.say("ping")
    world.settle()
    #expect(peer.texts.last == "pong")
    peer.say("abort")
    peer.faults.isHalfOpen = true
    peer.say("lost")
    world.advance(by: .seconds(10))
    #expect(peer.texts.count == 2)
    #expect(peer.ending == nil)
  }

  @Test
  func `a peer without pongs still reads`() {
    let peer = connect()
    peer.faults.answersPings = false
    peer.say("ping")
    peer.say("still here")
    world.settle()
    #expect(peer.texts.last == "still here")
  }

  @Test
  func `unread messages queue, then overflow, and arrive when the peer reads again`() throws {
    network.conditions.windowBytes = 10_000
    network.conditions.queueBytesMax = 20_000
    let peer = connect()
    peer.faults.isReading = false
    peer.say("flood")
    world.settle()
    #expect(peer.texts.count == 1)
    peer.faults.isReading = true
    world.settle()
    // 29 messages of 1,004 bytes on the wire fit into 30,000.
    #expect(peer.texts.count == 1 + 29)
    #expect(peer.ending?.code == 4003)
  }

  @Test
  func `lost messages vanish, by number and by share`() {
    let peer = connect()
    peer.faults.messagesToLose = 2
    for text in ["one", "two", "three"] { peer.say(text) }
    world.settle()
    #expect(peer.texts.dropFirst() == ["three"])
    peer.faults.lossShare = 0.5
    for number in 1...1_000 { peer.say("\(number)") }
    world.settle()
    #expect((400...600).contains(peer.texts.count - 2))
  }

  @Test
  func `a message beyond the limit and a broken rule end the connection with the transport's own code`() {
    network.conditions.messageBytesMax = 10
    let tooBig = connect()
    tooBig.say(String(repeating: "x", count: 11))
    let broken = connect()
    broken.violate(.protocolError)
    world.settle()
    #expect(tooBig.ending?.code == 1009)
    #expect(broken.ending?.code == 1002)
  }

  @Test
  func `HTTP requests go to the loops in turn, are answered after the latency, and time out`() {
    network.conditions.latency = .milliseconds(5) ... .milliseconds(5)
    let dialer = SimulatedDialer(network, on: world.loops[2])
    let target = target
    func fetch(_ path: String) -> Result<HTTPResponse, DialFailure>? {
      world.ask(on: 2) {
        await dialer.fetch(HTTPRequest(method: "GET", path: path), from: target, timeout: .seconds(2))
      }
    }
    #expect(fetch("/") == .success(HTTPResponse(status: 200, contentType: "text/plain", text: "127.0.0.7 on 0")))
    #expect(world.now == .zero + .milliseconds(10))
    #expect(fetch("/") == .success(HTTPResponse(status: 200, contentType: "text/plain", text: "127.0.0.7 on 1")))
    #expect(fetch("/slow") == .failure(.timedOut))
    network.stopListening(on: target)
    #expect(fetch("/") == .failure(.unreachable("connection refused")))
  }

  @Test
  func `a streamed answer is read to its end, or until the reader's timeout`() {
    network.conditions.latency = .milliseconds(5) ... .milliseconds(5)
    let site = FeedSite()
    network.listen(on: target, loops: [world.loops[0]], site: site)
    let dialer = SimulatedDialer(network, on: world.loops[2])
    func fetch(_ path: String, _ method: String = "GET") -> Result<HTTPResponse, DialFailure>? {
      world.ask(on: 2) { [target] in
        await dialer.fetch(HTTPRequest(method: method, path: path), from: target, timeout: .seconds(2))
      }
    }
    var whole = HTTPResponse(status: 200, headers: ServerSentEvent.fields, body: Array("123".utf8))
    #expect(fetch("/export") == .success(whole))
    #expect(world.now == .zero + .milliseconds(410))
    whole.body = []
    #expect(fetch("/feed", "HEAD") == .success(whole) && site.asked == 4, "nobody asks for a HEAD's body")
    #expect(fetch("/flood") == .failure(.unreachable("the response is above 8388608 bytes")))
    let before = world.now
    #expect(fetch("/feed") == .failure(.timedOut) && site.cancelledAt == nil)
    world.advance(by: .seconds(1))
    #expect(site.cancelledAt == before + .milliseconds(2_005), "its server hears that the reader has gone")
    let asked = site.asked
    #expect(fetch("/late") == .failure(.timedOut))
    world.advance(by: .seconds(60))
    #expect(site.asked == asked && world.nextDeadline == nil)
  }

  @Test
  func `the trace has what the accepting end did and never what a client sent`() {
    let peer = connect()
    peer.say("a secret token")
    world.settle()
    peer.say("close")
    world.settle()
    #expect(
      world.trace.lines.map { $0.drop { $0 != " " }.dropFirst() } == [
        "socket 1 -> hello 127.0.0.7", "socket 1 <- 14 bytes", "socket 1 -> a secret token", "socket 1 <- 5 bytes",
        "socket 1 -> close 4004 token_revoked", "socket 1 <- close 4004", "socket 1 ends 4004",
      ])
  }
}
