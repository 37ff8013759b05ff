import GatewayCore
import GatewayRuntime
import GatewayServer
import Testing

struct ClosingTests {
  private static let reason = CloseReason.refreshTimeout

  @Test
  func `a close from inside a message's callback arrives with its code and reason`() async throws {
    let events = SocketEvents()
    try await TestServer.with(.recording(events, onMessage: { socket, _ in socket.close(Self.reason) })) { server in
      let client = try RawClient.open(port: server.port)
      #expect(await events.next() == .opened)
      try client.sendText("x")
      let frame = try client.readFrame()
      #expect(frame.opcode == .close)
      #expect(frame.closeCode == 4000)
      #expect(frame.closeText == "refresh_timeout")
      try client.sendClose(4000)
      #expect(await events.next() == .received(Frame(text: "x")))
      #expect(await events.next() == .closed(4000))
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test
  func `a close as soon as the socket is open arrives`() async throws {
    let events = SocketEvents()
    try await TestServer.with(.recording(events, onOpen: { $0.close(.invalidToken) })) { server in
      let client = try RawClient.open(port: server.port)
      let frame = try client.readFrame()
      #expect(frame.closeCode == 4500)
      #expect(frame.closeText == "invalid_token")
    }
  }

  @Test(arguments: [true, false])
  func `a close from a deadline and from another thread arrives`(fromDeadline: Bool) async throws {
    let events = SocketEvents()
    let socket = Box<(any Socket)?>(nil)
    try await TestServer.with(.recording(events, onOpen: { socket.set($0) })) { server in
      let client = try RawClient.open(port: server.port)
      #expect(await events.next() == .opened)
      let loop = server.loops[0]
      loop.events.execute {
        guard fromDeadline else {
          socket.get()?.close(Self.reason)
          return
        }
        let closer = DeadlineCloser(socket.get()!, reason: Self.reason)
        loop.events.deadlines.set(closer.wakeup, at: loop.events.now + .milliseconds(1))
      }
      #expect(try client.readFrame().closeCode == 4000)
    }
  }

  @Test
  func `a close behind waiting data arrives after all of it`() async throws {
    let events = SocketEvents()
    let (socket, isSaid) = (Box<(any Socket)?>(nil), Box(false))
    let messages = 40
    let size = 200_000
    try await TestServer.with(
      .recording(events, onOpen: { socket.set($0) }), { $0.limits.outboundBytesMax = 100 << 20 }
    ) { server in
      let client = try RawClient.open(port: server.port)
      #expect(await events.next() == .opened)
      server.loops[0].events.execute {
        guard let socket = socket.get() else { return }
        for index in 0..<messages {
          events.add(.outcome(socket.send(Frame(.binary, Array(repeating: UInt8(index), count: size)))))
        }
        socket.close(.serviceRestart)
        events.add(.outcome(socket.send(Frame(text: "too late"))))
        isSaid.set(true)
      }
      // The first byte is read when everything was sent, since otherwise some would never have to wait.
      isSaid.wait(until: { $0 })
      // Only bytes are awaited between here and the close frame: on a busy machine other waits would exceed the closing
      // handshake's timeout. For the same reason the 8 MB are not compared byte by byte.
      for index in 0..<messages {
        let frame = try client.readFrame()
        #expect(
          frame.payload.count == size && [frame.payload.first, frame.payload.last] == [UInt8(index), UInt8(index)])
      }
      let frame = try client.readFrame()
      #expect(frame.closeCode == 1012)
      #expect(frame.closeText == "service_restart")
      try client.sendClose(1000)
      var outcomes: [SendOutcome] = []
      while outcomes.count <= messages, case .outcome(let outcome) = await events.next() { outcomes.append(outcome) }
      #expect(outcomes.first == .sent)
      #expect(outcomes.contains(.queued))
      #expect(outcomes.last == .closed)
      #expect(await events.next() == .closed(1000))
    }
  }

  @Test(arguments: [
    (1000, 1000), (1001, 1001), (3000, 3000), (4999, 4999), (5000, 1002), (65535, 1002), (999, 1002), (1005, 1002),
    (1006, 1002),
  ])
  func `the peer's close is answered with its code, or with 1002 if no endpoint may send that code`(
    code: UInt16, answer: UInt16
  ) async throws {
    let events = SocketEvents()
    try await TestServer.with(.recording(events)) { server in
      let client = try RawClient.open(port: server.port)
      #expect(await events.next() == .opened)
      try client.sendClose(code)
      let frame = try client.readFrame()
      #expect(frame.opcode == .close)
      #expect(frame.closeCode == answer)
      guard case .closed(.some) = await events.next() else {
        Issue.record("the handler did not hear of the end")
        return
      }
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test
  func `a close frame without a code is answered with one, and reported as 1005`() async throws {
    let events = SocketEvents()
    try await TestServer.with(.recording(events)) { server in
      let client = try RawClient.open(port: server.port)
      try client.sendFrame(.close)
      #expect(try client.readFrame() == .init(opcode: .close, payload: []))
      #expect(await events.next() == .opened)
      #expect(await events.next() == .closed(1005))
    }
  }

  @Test(arguments: [true, false])
  func `a transport that ends without a close frame is reported as nil`(byReset: Bool) async throws {
    let events = SocketEvents()
    try await TestServer.with(.recording(events)) { server in
      let client = try RawClient.open(port: server.port)
      #expect(await events.next() == .opened)
      if byReset { client.reset() } else { client.endSending() }
      #expect(await events.next() == .closed(nil))
    }
  }

  @Test
  func `an abort ends the transport without a close frame, and the handler is told after the call`() async throws {
    let events = SocketEvents()
    try await TestServer.with(
      .recording(
        events,
        onMessage: { socket, _ in
          socket.abort()
          events.add(.outcome(socket.send(Frame(text: "too late"))))
        })
    ) { server in
      let client = try RawClient.open(port: server.port)
      try client.sendText("x")
      #expect(try client.readToEnd().isEmpty)
      #expect(await events.next() == .opened)
      #expect(await events.next() == .received(Frame(text: "x")))
      #expect(await events.next() == .outcome(.closed))
      #expect(await events.next() == .closed(nil))
    }
  }

  @Test
  func `a peer that reads nothing fills the bounded queue, which is reported`() async throws {
    let events = SocketEvents()
    try await TestServer.with(
      .recording(
        events,
        onOpen: { socket in
          var outcome = SendOutcome.sent
          while outcome != .overflow { outcome = socket.send(Frame(.binary, Array(repeating: 0, count: 60_000))) }
          events.add(.outcome(outcome))
          socket.close(.slowConsumer)
        }), { $0.limits.outboundBytesMax = 256 << 10 }
    ) { server in
      let client = try RawClient.open(port: server.port)
      // Everything was sent by then, in one step; reading for too long afterwards is cut off.
      var frame = try client.readFrame()
      while frame.opcode == .binary { frame = try client.readFrame() }
      #expect(frame.closeCode == 4003)
      #expect(await events.next() == .opened)
      #expect(await events.next() == .outcome(.overflow))
    }
  }

  @Test
  func `pings are answered, and an empty ping of ours comes back as a pong`() async throws {
    let events = SocketEvents()
    try await TestServer.with(.recording(events, onOpen: { $0.ping() })) { server in
      let client = try RawClient.open(port: server.port)
      let ping = try client.readFrame()
      #expect(ping.opcode == .ping)
      try client.sendFrame(.pong, ping.payload)
      #expect(await events.next() == .opened)
      #expect(await events.next() == .pong)
      try client.sendFrame(.ping, [1, 2, 3])
      #expect(try client.readFrame() == .init(opcode: .pong, payload: [1, 2, 3]))
    }
  }
}

/// A waiter that closes a socket when a deadline passes.
///
/// `@unchecked Sendable`: used on one loop.
private final class DeadlineCloser: WakeupTarget, @unchecked Sendable {
  private let socket: any Socket
  private let reason: CloseReason
  private(set) var wakeup: Wakeup!
  private var keepAlive: DeadlineCloser?

  init(_ socket: any Socket, reason: CloseReason) {
    self.socket = socket
    self.reason = reason
    wakeup = Wakeup(target: self)
    keepAlive = self
  }

  func wakeUp() {
    keepAlive = nil
    socket.close(reason)
  }
}
