import GatewayCore
import GatewayRuntime
import GatewayServer
import TestSupport
import Testing

/// Pings that come together with messages, to a handler that answers them itself.
@Suite(.timeLimit(.minutes(5)))
struct PingOrderTests {
  /// What a client sends, and what the handler is told of it.
  private struct Sent {
    var bytes: [UInt8] = []
    var events: [String] = []
    /// The beginning of a message in fragments.
    private var begun: [UInt8]?

    mutating func ping(_ payload: [UInt8]) {
      bytes += RawClient.frame(9, payload)
      events.append("ping \(payload)")
    }

    mutating func message(_ payload: [UInt8], isFinal: Bool = true) {
      bytes += RawClient.frame(begun == nil ? 2 : 0, payload, isFinal: isFinal)
      let whole = (begun ?? []) + payload
      begun = isFinal ? nil : whole
      if isFinal { events.append(Events.word(whole)) }
    }

    /// Fragments with pings between them, and lengths of each form (RFC 6455 section 5.2).
    static var example: Sent {
      var sent = Sent()
      sent.message([1, 2], isFinal: false)
      sent.ping([1])
      sent.ping([2, 2])
      sent.message([], isFinal: false)
      sent.ping([])
      sent.message([3])
      sent.message([])
      sent.ping(Array(repeating: 9, count: 125))
      sent.message(Array(repeating: 0x89, count: 125))
      sent.message(Array(repeating: 0x89, count: 300))
      sent.ping([3])
      sent.message(Array(repeating: 0x89, count: 70_000))
      sent.ping([4])
      sent.ping([5])
      sent.message([6])
      return sent
    }
  }

  /// Runs `body` with a server whose handler reports to the events.
  private func with(
    overTLS: Bool, onOpen: @escaping @Sendable (any Socket) -> Void = { _ in },
    _ body: (TestServer, Events) async throws -> Void
  ) async throws {
    let certificate = overTLS ? try TestCertificate() : nil
    let events = Events()
    var site = TestSite()
    site.onAdmit = { _, _ in .accept(ReportingHandler(events, onOpen), subprotocol: nil) }
    try await TestServer.with(
      site,
      {
        $0.tls = certificate?.files
        $0.limits.messageBytesMax = 1 << 20
      }
    ) { server in try await body(server, events) }
  }

  @Test(arguments: [false, true])
  func `pings are told of in their places among messages that come in one segment`(overTLS: Bool) async throws {
    try await with(overTLS: overTLS) { server, events in
      let client = try server.open()
      #expect(await events.next() == "opened")
      for _ in 0..<3 {
        let sent = Sent.example
        try client.send(sent.bytes)
        try await events.expect(sent.events)
      }
    }
  }

  @Test(arguments: [false, true])
  func `pings are told of in their places however the bytes are cut`(overTLS: Bool) async throws {
    var random = SeededGenerator(seed: overTLS ? 12 : 11)
    var plans: [(Sent, [Int])] = []
    for _ in 0..<20 {
      var sent = Sent()
      for _ in 0..<20 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: sent.message(Array(repeating: 0x89, count: .random(in: 0..<200, using: &random)))
        case 1: sent.message([0x89, 0x80], isFinal: false)
        default: sent.ping(Array(repeating: 0x89, count: .random(in: 0...125, using: &random)))
        }
      }
      sent.message([7])
      var cuts: [Int] = []
      while cuts.reduce(0, +) < sent.bytes.count { cuts.append(.random(in: 1...40, using: &random)) }
      plans.append((sent, cuts))
    }
    try await with(overTLS: overTLS) { server, events in
      let client = try server.open()
      #expect(await events.next() == "opened")
      for (sent, cuts) in plans {
        var place = 0
        for cut in cuts where place < sent.bytes.count {
          try client.send(Array(sent.bytes[place..<min(place + cut, sent.bytes.count)]))
          place += cut
        }
        try await events.expect(sent.events)
      }
    }
  }

  @Test
  func `pings and messages that come with the request for the WebSocket are all told of`() async throws {
    try await with(overTLS: false) { server, events in
      var sent = Sent()
      sent.message([1], isFinal: false)
      sent.ping([1, 2])
      sent.message([2])
      let client = try server.client()
      try client.send(Array(RawClient.upgrade().utf8) + sent.bytes)
      #expect(await events.next() == "opened")
      #expect(Set([await events.next(), await events.next()]) == ["ping [1, 2]", Events.word([1, 2])])
      let more = Sent.example
      try client.send(more.bytes)
      try await events.expect(more.events)
    }
  }

  @Test
  func `a socket that pauses is told of pings and messages in their order when it goes on`() async throws {
    try await with(overTLS: false, onOpen: { $0.pauseReading() }) { server, events in
      let client = try server.open()
      #expect(await events.next() == "opened")
      let sent = Sent.example
      try client.send(sent.bytes)
      await LoopSleeper(loop: server.loops[0]).sleep(milliseconds: 50)
      await server.loops[0].perform { events.socket?.goOnReading() }
      try await events.expect(sent.events)
    }
  }

  @Test(arguments: [
    // A ping of 126 bytes, one in fragments, an unmasked one, one with a reserved bit, and a length above 63 bits.
    [0x89, 0xfe, 0, 126, 1, 2, 3, 4], [0x09, 0x80, 1, 2, 3, 4], [0x89, 0x01, 1], [0xc9, 0x80, 1, 2, 3, 4],
    [0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4],
  ])
  func `frames that break the protocol end the connection, and the next one is not affected`(bytes: [UInt8])
    async throws
  {
    try await with(overTLS: false) { server, events in
      for _ in 0..<2 {
        let client = try server.open()
        #expect(await events.next() == "opened")
        try client.send(bytes + Array(repeating: 0, count: 200))
        var event = await events.next()
        while event?.hasPrefix("closed") == false { event = await events.next() }
        #expect(event != nil)
        client.reset()
      }
      let client = try server.open()
      #expect(await events.next() == "opened")
      let sent = Sent.example
      try client.send(sent.bytes)
      try await events.expect(sent.events)
    }
  }

  @Test
  func `a connection on a reused descriptor, whose transport answers pings, is not watched`() async throws {
    let count = Count()
    var site = TestSite()
    let events = Events()
    site.onAdmit = { _, _ in .accept(ReportingHandler(events, { $0.answersPings = count.next() > 1 }), subprotocol: nil)
    }
    try await TestServer.with(site) { server in
      let first = try server.open()
      #expect(await events.next() == "opened")
      try first.send(RawClient.frame(9, [1]))
      #expect(await events.next() == "ping [1]")
      first.reset()
      #expect(await events.next() == "closed nil")
      let second = try RawClient.open(port: server.port)
      #expect(await events.next() == "opened")
      try second.sendFrame(.ping, [2])
      #expect(try second.readFrame() == .init(opcode: .pong, payload: [2]))
    }
  }
}

/// `@unchecked Sendable`: used on one loop.
private final class Count: @unchecked Sendable {
  private var value = 0

  func next() -> Int {
    value += 1
    return value
  }
}

/// The events of a socket as words, in their order.
///
/// `@unchecked Sendable`: the socket is touched only on its loop.
private final class Events: @unchecked Sendable {
  private let stream: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  var socket: (any Socket)?

  init() { (stream, continuation) = AsyncStream.makeStream() }

  static func word(_ message: some Collection<UInt8>) -> String {
    "message of \(message.count): \(Array(message.prefix(8)))"
  }

  func add(_ word: String) { continuation.yield(word) }

  /// Fails at the first event that is another one.
  func expect(_ expected: [String]) async throws {
    for event in expected {
      let told = await next()
      try #require(told == event)
    }
  }

  func next() async -> String? {
    var iterator = stream.makeAsyncIterator()
    return await iterator.next()
  }
}

/// A handler that reports everything, and answers no ping.
///
/// `@unchecked Sendable`: used on one loop.
private final class ReportingHandler: SocketHandler, @unchecked Sendable {
  private let events: Events
  private let onOpen: @Sendable (any Socket) -> Void

  init(_ events: Events, _ onOpen: @escaping @Sendable (any Socket) -> Void) {
    self.events = events
    self.onOpen = onOpen
  }

  func socketOpened(_ socket: any Socket) {
    events.socket = socket
    socket.answersPings = false
    onOpen(socket)
    events.add("opened")
  }

  func socketRefused(_ failure: DialFailure) { events.add("refused") }
  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) { events.add(Events.word(payload)) }
  func socketReceivedPing() {}
  func socketReceivedPong() {}
  func socketReceivedPing(_ payload: UnsafeRawBufferPointer) { events.add("ping \(Array(payload))") }
  func socketReceivedPong(_ payload: UnsafeRawBufferPointer) { events.add("pong \(Array(payload))") }
  func socketDrained() {}
  func socketViolated(_ reason: CloseReason) { events.add("violated") }
  func socketClosed(_ peerCode: UInt16?) {
    events.socket = nil
    events.add("closed \(peerCode.map { "\($0)" } ?? "nil")")
  }
}
