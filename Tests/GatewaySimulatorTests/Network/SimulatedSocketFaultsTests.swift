import GatewayCore
import GatewayRuntime
import GatewaySimulator
import Testing

/// A site whose sockets do what a message says.
private final class ObedientSite: Site {
  let handler = Obedient()

  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission { .accept(handler, subprotocol: nil) }

  func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse { HTTPResponse(status: 404) }
}

/// `@unchecked Sendable`: used only by the thread that runs the world.
private final class Obedient: SocketHandler, @unchecked Sendable {
  var socket: (any Socket)?
  var heard: [String] = []

  func socketOpened(_ socket: any Socket) { self.socket = socket }
  func socketRefused(_ failure: DialFailure) {}

  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    let text = String(decoding: payload, as: UTF8.self)
    heard.append(text)
    switch text {
    case "reset": socket?.reset()
    case "stop": socket?.stopReading()
    case "no pongs": socket?.answersPings = false
    case "no answer": socket?.answersClose = false
    default: _ = socket?.send(Frame(text: text))
    }
  }

  func socketReceivedPing() { heard.append("ping") }
  func socketReceivedPong() {}
  func socketViolated(_ reason: CloseReason) {}
  func socketClosed(_ peerCode: UInt16?) { heard.append("closed \(peerCode.map { "\($0)" } ?? "without a code")") }
}

struct SimulatedSocketFaultsTests {
  let world = SimulatedWorld(loops: 2)
  private let site = ObedientSite()
  let peer: SimulatedPeer

  init() {
    let network = SimulatedNetwork(world)
    let target = DialTarget(host: "gateway", port: 80)
    network.listen(on: target, loops: [world.loops[0]], site: site)
    peer = SimulatedPeer(
      network, on: world.loops[1], to: target, upgrade: HTTPRequest(method: "GET", path: "/"))
    world.settle()
  }

  /// Runs an action on the gateway's end.
  private func order(_ deed: (any Socket) -> Void) {
    world.loops[0].eventLoop.asCurrent { if let socket = site.handler.socket { deed(socket) } }
    world.settle()
  }

  @Test
  func `a reset is distinguished from an end`() {
    peer.say("reset")
    world.settle()
    #expect(peer.ending?.code == nil && peer.ending != nil && peer.wasReset)
    #expect(site.handler.heard == ["reset", "closed without a code"])
  }

  @Test
  func `an end is no reset`() {
    order { $0.abort() }
    #expect(peer.ending != nil && !peer.wasReset)
  }

  @Test
  func `unread messages and pings wait, and arrive in order afterwards`() {
    peer.say("stop")
    peer.ping()
    peer.say("one")
    world.advance(by: .seconds(3600))
    #expect(site.handler.heard == ["stop"] && peer.texts.isEmpty && !peer.events.contains { $0.event == .pong })
    order { $0.goOnReading() }
    #expect(site.handler.heard == ["stop", "ping", "one"] && peer.texts == ["one"])
    #expect(peer.events.contains { $0.event == .pong })
  }

  @Test(arguments: [true, false])
  func `a peer that reads nothing waits 15 seconds for the answer to its close frame`(stoppedFirst: Bool) throws {
    peer.faults.answersClose = stoppedFirst
    if stoppedFirst { order { $0.stopReading() } }
    order { $0.close(.normal) }
    let began = world.now
    if !stoppedFirst { order { $0.stopReading() } }
    world.advance(by: .seconds(60))
    #expect(site.handler.heard == ["closed without a code"])
    #expect(world.nextDeadline == nil)
    if !stoppedFirst { #expect(try #require(peer.ending).at == began + .seconds(15)) }
  }

  @Test
  func `a side that does not read notices the peer's end`() {
    peer.say("stop")
    peer.say("lost")
    peer.abort()
    world.settle()
    #expect(site.handler.heard == ["stop", "closed without a code"])
  }

  @Test
  func `a ping without an answer is reported all the same, and messages are answered`() {
    peer.say("no pongs")
    peer.ping()
    peer.say("still here")
    world.settle()
    #expect(site.handler.heard == ["no pongs", "ping", "still here"] && peer.texts == ["still here"])
    #expect(!peer.events.contains { $0.event == .pong })
  }

  @Test
  func `a close frame without an answer is reported, and the peer is told of the end after 15 seconds`() throws {
    peer.say("no answer")
    peer.close(.normal)
    world.settle()
    #expect(site.handler.heard == ["no answer", "closed 1000"])
    let began = world.now
    world.advance(by: .seconds(60))
    let ending = try #require(peer.ending)
    #expect(ending.code == nil && ending.at == began + .seconds(15) && world.nextDeadline == nil)
  }

  @Test
  func `a peer that does not wait for the answer is left alone afterwards`() {
    peer.say("no answer")
    peer.close(.normal)
    world.settle()
    peer.abort()
    world.advance(by: .seconds(60))
    #expect(peer.events.count { if case .closed = $0.event { true } else { false } } == 1)
    #expect(world.nextDeadline == nil)
  }
}
