import GatewayCore
import GatewayRuntime
import GatewayServer
import Testing

/// A socket whose handler relays all events.
@Suite(.timeLimit(.minutes(5)))
struct RelayingTests {
  /// Runs `body` with a client whose socket on the server reports its events as text.
  private static func with(
    outboundBytesMax: Int = 1 << 20, _ onOpen: @escaping @Sendable (any Socket) -> Void,
    _ body: (SocketLoop, RawClient, Told) async throws -> Void
  ) async throws {
    let told = Told()
    var site = TestSite()
    site.onAdmit = { _, _ in .accept(RelayingHandler(told, onOpen), subprotocol: nil) }
    try await TestServer.with(site, { $0.limits.outboundBytesMax = outboundBytesMax }) { server in
      let client = try RawClient.open(port: server.port)
      #expect(await told.next() == "opened")
      try await body(server.loops[0], client, told)
    }
  }

  @Test
  func `a handler that answers pings itself receives their payloads`() async throws {
    try await Self.with {
      $0.answersPings = false
    } _: { _, client, told in
      for payload: [UInt8] in [[1, 2, 3], [], Array(repeating: 7, count: 125)] {
        try client.sendFrame(.ping, payload)
        #expect(await told.next() == "ping \(payload)")
        #expect(try client.readFrame() == .init(opcode: .pong, payload: payload))
      }
    }
  }

  @Test
  func `a pong has the payload of its ping, and one of a ping without payload has none`() async throws {
    try await Self.with { socket in
      socket.ping([9, 8])
      socket.ping([])
    } _: { _, client, told in
      for expected in ["pong [9, 8]", "pong []"] {
        let ping = try client.readFrame()
        #expect(ping.opcode == .ping)
        try client.sendFrame(.pong, ping.payload)
        #expect(await told.next() == expected)
      }
    }
  }

  @Test
  func `the reason of a client's close frame is reported before the end`() async throws {
    try await Self.with { _ in
    } _: { _, client, told in
      try client.sendFrame(.close, [0x0f, 0xa1] + Array("bye é".utf8))
      #expect(await told.next() == "goodbye bye é")
      #expect(await told.next() == "closed 4001")
    }
  }

  @Test
  func `a socket that pauses loses nothing of a peer that sends and leaves`() async throws {
    try await Self.with {
      $0.pauseReading()
    } _: { loop, client, told in
      for number in 0..<200 { try client.sendText("\(number)") }
      client.endSending()
      // Longer than the half second in which a fault's stop would notice the end.
      await LoopSleeper(loop: loop).sleep(milliseconds: 1200)
      await loop.perform { told.socket?.goOnReading() }
      for number in 0..<200 { #expect(await told.next() == "message \(number)") }
      #expect(await told.next() == "closed nil")
    }
  }

  @Test
  func `a socket reports when a slow peer has read the waiting data`() async throws {
    let payload = [UInt8](repeating: 1, count: 1 << 20)
    try await Self.with(outboundBytesMax: 16 << 20) { socket in
      for _ in 0..<8 { _ = socket.send(Frame(.binary, payload)) }
      #expect(socket.waitingBytes > 1 << 20)
    } _: { loop, client, told in
      for _ in 0..<8 { _ = try client.readFrame() }
      #expect(await told.next() == "drained")
      #expect(await loop.perform { told.socket?.waitingBytes } == 0)
    }
  }
}

/// The words in which a handler reports.
///
/// `@unchecked Sendable`: the socket is touched only on its loop.
private final class Told: @unchecked Sendable {
  private let stream: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  var socket: (any Socket)?

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func add(_ word: String) { continuation.yield(word) }

  func next() async -> String? {
    var iterator = stream.makeAsyncIterator()
    return await iterator.next()
  }
}

/// A handler that reports, and answers pings with their payload.
///
/// `@unchecked Sendable`: used on one loop.
private final class RelayingHandler: SocketHandler, @unchecked Sendable {
  private let told: Told
  private let onOpen: @Sendable (any Socket) -> Void

  init(_ told: Told, _ onOpen: @escaping @Sendable (any Socket) -> Void) {
    self.told = told
    self.onOpen = onOpen
  }

  func socketOpened(_ socket: any Socket) {
    told.socket = socket
    // Before the client is told to go on, or it would read what is to wait.
    onOpen(socket)
    told.add("opened")
  }

  func socketRefused(_ failure: DialFailure) { told.add("refused") }
  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    told.add("message \(String(decoding: payload, as: UTF8.self))")
  }
  func socketReceivedPing() {}
  func socketReceivedPong() {}
  func socketReceivedPing(_ payload: UnsafeRawBufferPointer) {
    told.add("ping \(Array(payload))")
    told.socket?.pong(Array(payload))
  }
  func socketReceivedPong(_ payload: UnsafeRawBufferPointer) { told.add("pong \(Array(payload))") }
  func socketDrained() { told.add("drained") }
  func socketViolated(_ reason: CloseReason) { told.add("violated") }
  func socketHeardGoodbye(_ text: String) { told.add("goodbye \(text)") }
  func socketClosed(_ peerCode: UInt16?) {
    told.socket = nil
    told.add("closed \(peerCode.map { "\($0)" } ?? "nil")")
  }
}
