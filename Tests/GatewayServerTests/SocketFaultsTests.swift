import GatewayCore
import GatewayRuntime
import GatewayServer
import Testing

struct SocketFaultsTests {
  /// Runs a server whose sockets do what a message says, and echo everything else.
  private static func with(
    tls: Bool = false, closeTimeout: Duration = .seconds(600), _ deed: @escaping @Sendable (any Socket, String) -> Void,
    _ body: (TestServer, SocketEvents) async throws -> Void
  ) async throws {
    let events = SocketEvents()
    let certificate = tls ? try TestCertificate() : nil
    let site = TestSite.recording(
      events,
      onMessage: { socket, frame in
        deed(socket, frame.text)
        _ = socket.send(frame)
      })
    let settings = { (settings: inout Listener.Settings) in
      settings.tls = certificate?.files
      settings.limits.closeTimeout = closeTimeout
    }
    try await TestServer.with(site, settings) { try await body($0, events) }
  }

  private static func text(_ text: String) -> [UInt8] { RawClient.frame(1, Array(text.utf8)) }
  private static let ping = RawClient.frame(9, [])
  private static let close = RawClient.frame(8, [0x03, 0xe8])

  /// Returns the processor time of a loop's thread in seconds.
  private static func processorTime(of server: TestServer) async -> Double {
    await server.loops[0].perform { processorTimeOfThread() }
  }

  /// Waits until the last connection is released, which is a little after its handler was told of the end.
  private static func allGone(_ server: TestServer) async {
    while server.listener.connections > 0 { await server.loops[0].perform {} }
  }

  @Test(arguments: [false, true])
  func `a reset reaches the peer as a reset, without a message before it`(tls: Bool) async throws {
    try await Self.with(tls: tls, { socket, _ in socket.reset() }) { server, events in
      let client = try server.open()
      #expect(await events.next() == .opened)
      try client.send(Self.text("reset"))
      #expect(try client.rest().isEmpty)
      #expect(client.wasReset)
      #expect(await events.next() == .received(Frame(text: "reset")))
      #expect(await events.next() == .closed(nil))
      await Self.allGone(server)
    }
  }

  @Test
  func `a reset waits for nothing that the peer has not read`() async throws {
    let deed: @Sendable (any Socket, String) -> Void = { socket, _ in
      while socket.send(Frame(.binary, Array(repeating: 0, count: 60_000))) == .sent {}
      socket.reset()
    }
    try await Self.with(deed) { server, events in
      let client = try server.open()
      try client.send(Self.text("fill"))
      for _ in 0..<2 { _ = await events.next() }
      #expect(await events.next() == .closed(nil))
      _ = try client.rest()
      #expect(client.wasReset)
    }
  }

  @Test(arguments: [false, true])
  func `unread messages and pings wait, and are reported in order afterwards`(tls: Bool) async throws {
    let socket = Box<(any Socket)?>(nil)
    let deed: @Sendable (any Socket, String) -> Void = { stopped, text in
      guard text == "stop" else { return }
      stopped.stopReading()
      socket.set(stopped)
    }
    try await Self.with(tls: tls, deed) { server, events in
      let client = try server.open()
      #expect(await events.next() == .opened)
      // Some of it comes in one piece with the message that stops reading, some later, and more than one read of the
      // library.
      try client.send(Self.text("stop") + Self.text("0") + Self.ping + Self.text("1"))
      #expect(await events.next() == .received(Frame(text: "stop")))
      _ = try client.read(through: "stop")
      let texts = (2..<400).map { "\($0) " + String(repeating: "x", count: $0) }
      for text in texts { try client.send(Self.text(text)) }
      #expect(client.isSilent(for: 300))
      server.loops[0].events.execute { _ = socket.get()?.send(Frame(text: "it may still speak")) }
      _ = try client.read(through: "it may still speak")
      let before = await Self.processorTime(of: server)
      #expect(client.isSilent(for: 300))
      #expect(await Self.processorTime(of: server) - before < 0.1, "nobody asks again and again")
      server.loops[0].events.execute { socket.get()?.goOnReading() }
      var heard: [String] = []
      var pings = 0
      while heard.count < 2 + texts.count {
        switch await events.next() {
        case .received(let frame): heard.append(frame.text)
        case .ping: pings += 1
        default: break
        }
      }
      #expect(heard == ["0", "1"] + texts && pings == 1)
      try client.send(Self.close)
      #expect(await events.next() == .closed(1000))
    }
  }

  @Test(arguments: [false, true])
  func `a side that does not read notices the peer's end, and uses no processor time until then`(byReset: Bool)
    async throws
  {
    try await Self.with({ socket, text in text == "close" ? socket.close(.normal) : socket.stopReading() }) {
      server, events in
      for last in ["stop", "close"] {
        let client = try server.open()
        #expect(await events.next() == .opened)
        try client.send(Self.text("stop"))
        #expect(await events.next() == .received(Frame(text: "stop")))
        _ = try client.read(through: "stop")
        if last == "close" { try client.send(Self.close) }
        let before = await Self.processorTime(of: server)
        if byReset { client.reset() } else { client.endSending() }
        #expect(await events.next() == .closed(nil))
        #expect(await Self.processorTime(of: server) - before < 0.1)
        await Self.allGone(server)
      }
    }
  }

  @Test
  func `a close of a peer that does not read, and one without an answer, end after their timeouts`() async throws {
    let deed: @Sendable (any Socket, String) -> Void = { socket, text in
      if text == "stop" { socket.stopReading() } else { socket.answersClose = false }
      socket.close(.normal)
    }
    try await Self.with(closeTimeout: .milliseconds(200), deed) { server, events in
      for text in ["stop", "never"] {
        let client = try RawClient.open(port: server.port)
        try client.sendText(text)
        #expect(try client.readFrame().closeCode == 1000)
        try client.sendClose(1000)
        _ = try client.readToEnd()
        for _ in 0..<2 { _ = await events.next() }
        #expect(await events.next() == .closed(text == "stop" ? nil : 1000))
        await Self.allGone(server)
      }
    }
  }

  @Test
  func `a ping without an answer is reported all the same, and messages are answered`() async throws {
    try await Self.with({ socket, text in socket.answersPings = text == "pongs" }) { server, events in
      let client = try RawClient.open(port: server.port)
      #expect(await events.next() == .opened)
      for (text, isAnswered) in [("none", false), ("pongs", true), ("none", false)] {
        try client.sendText(text)
        #expect(await events.next() == .received(Frame(text: text)))
        #expect(try client.readFrame().text == text)
        try client.sendFrame(.ping, [7])
        #expect(await events.next() == .ping)
        if isAnswered { #expect(try client.readFrame() == .init(opcode: .pong, payload: [7])) }
        #expect(client.isSilent(for: 20))
      }
    }
  }

  @Test(arguments: [false, true])
  func `a close frame left without an answer is reported, and keeps the connection`(tls: Bool) async throws {
    let deed: @Sendable (any Socket, String) -> Void = { socket, _ in socket.answersClose = false }
    try await Self.with(tls: tls, deed) { server, events in
      let client = try server.open()
      #expect(await events.next() == .opened)
      try client.send(Self.text("never"))
      #expect(await events.next() == .received(Frame(text: "never")))
      _ = try client.read(through: "never")
      try client.send(Self.close)
      #expect(await events.next() == .closed(1000))
      try client.send(Self.text("anybody?"))
      #expect(client.isSilent(for: 300))
      #expect(server.listener.connections == 1)
      // Other clients are served meanwhile, with other descriptors.
      try await Self.isServed(server, events)
      client.endSending()
      client.reset()
      await Self.allGone(server)
      try await Self.isServed(server, events)
    }
  }

  private static func isServed(_ server: TestServer, _ events: SocketEvents) async throws {
    let other = try server.open()
    #expect(await events.next() == .opened)
    try other.send(close)
    #expect(await events.next() == .closed(1000))
    _ = try other.rest()
  }

  @Test
  func `an unfinished end that the gateway began goes with its listener`() async throws {
    let deed: @Sendable (any Socket, String) -> Void = { socket, _ in
      socket.answersClose = false
      socket.close(.serviceRestart)
    }
    try await Self.with(deed) { server, events in
      let client = try RawClient.open(port: server.port)
      try client.sendText("end")
      #expect(try client.readFrame().closeCode == 1012)
      try client.sendClose(1000)
      for _ in 0..<2 { _ = await events.next() }
      #expect(await events.next() == .closed(1000))
      #expect(client.isSilent(for: 300) && server.listener.connections == 1)
      await server.listener.end()
      #expect(try client.readToEnd().isEmpty && server.listener.connections == 0)
    }
  }
}
