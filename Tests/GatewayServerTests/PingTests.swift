import GatewayCore
import GatewayRuntime
import GatewayServer
import Testing

struct PingTests {
  @Test(arguments: [false, true])
  func `a handler is told of a ping, which the transport answers, on either side`(overTLS: Bool) async throws {
    let certificate = overTLS ? try TestCertificate() : nil
    let served = SocketEvents()
    let site = TestSite.recording(
      served, onMessage: { socket, _ in socket.ping() })
    try await TestServer.with(site, { $0.tls = certificate?.files }) { server in
      let dialled = SocketEvents()
      let loop = server.loops[0]
      await loop.perform {
        SocketDialer(on: loop).dial(
          DialTarget(host: "127.0.0.1", port: server.port, isTLS: overTLS, allowsUntrustedCertificate: true),
          upgrade: HTTPRequest(method: "GET", path: "/"), subprotocols: [],
          handler: RecordingHandler(
            dialled,
            onOpen: { socket in
              socket.ping()
              _ = socket.send(Frame(text: "ping me"))
            }))
      }
      #expect(await dialled.next() == .opened)
      #expect(await served.next() == .opened)
      // Both pings are answered, in an order that the network decides.
      #expect(Set([await dialled.next(), await dialled.next()].map { "\($0!)" }) == ["ping", "pong"])
      let heard = [await served.next(), await served.next(), await served.next()]
      #expect(heard.count { $0 == .ping } == 1)
      #expect(heard.count { $0 == .pong } == 1)
      #expect(heard.contains(.received(Frame(text: "ping me"))))
    }
  }

  @Test
  func `pings and messages are reported in the order of their arrival`() async throws {
    let events = SocketEvents()
    try await TestServer.with(.recording(events)) { server in
      let client = try RawClient.open(port: server.port)
      #expect(await events.next() == .opened)
      for number in 0..<20 {
        try client.sendFrame(.ping, [UInt8(number)])
        #expect(try client.readFrame() == .init(opcode: .pong, payload: [UInt8(number)]))
        try client.sendText("\(number)")
        #expect(await events.next() == .ping)
        #expect(await events.next() == .received(Frame(text: "\(number)")))
      }
      try client.sendClose(1000)
      #expect(await events.next() == .closed(1000))
    }
  }

  @Test
  func `a ping is reported although nothing else happens, and only once`() async throws {
    let events = SocketEvents()
    try await TestServer.with(.recording(events, onMessage: { socket, frame in _ = socket.send(frame) })) { server in
      let client = try RawClient.open(port: server.port)
      #expect(await events.next() == .opened)
      try client.sendFrame(.ping)
      #expect(await events.next() == .ping)
      #expect(try client.readFrame() == .init(opcode: .pong, payload: []))
      try client.sendFrame(.pong, [1])
      #expect(await events.next() == .pong)
      try client.sendText("x")
      #expect(await events.next() == .received(Frame(text: "x")))
      try client.sendClose(1000)
      #expect(await events.next() == .closed(1000))
    }
  }

  @Test(arguments: ["send", "close", "abort"])
  func `a handler may do anything in its ping callback`(deed: String) async throws {
    let events = SocketEvents()
    var site = TestSite()
    site.onAdmit = { _, _ in .accept(PingedHandler(deed, events), subprotocol: nil) }
    try await TestServer.with(site) { server in
      let client = try RawClient.open(port: server.port)
      try client.sendFrame(.ping, [1])
      #expect(try client.readFrame().opcode == .pong)
      #expect(await events.next() == .ping)
      switch deed {
      case "send": #expect(try client.readFrame().text == "pinged")
      case "close": #expect(try client.readFrame().closeCode == 1000)
      default:
        #expect(try client.readToEnd().isEmpty)
        #expect(await events.next() == .closed(nil))
      }
    }
  }
}

/// A handler that runs an action as soon as a ping arrives.
///
/// `@unchecked Sendable`: used on one loop.
private final class PingedHandler: SocketHandler, @unchecked Sendable {
  private let deed: String
  private let events: SocketEvents
  private var socket: (any Socket)?

  init(_ deed: String, _ events: SocketEvents) {
    self.deed = deed
    self.events = events
  }

  func socketOpened(_ socket: any Socket) { self.socket = socket }

  func socketReceivedPing() {
    events.add(.ping)
    switch deed {
    case "send": _ = socket?.send(Frame(text: "pinged"))
    case "close": socket?.close(.normal)
    default: socket?.abort()
    }
  }

  func socketRefused(_ failure: DialFailure) {}
  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {}
  func socketReceivedPong() {}
  func socketViolated(_ reason: CloseReason) {}
  func socketClosed(_ peerCode: UInt16?) { events.add(.closed(peerCode)) }
}
