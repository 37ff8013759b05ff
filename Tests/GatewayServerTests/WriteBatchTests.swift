import GatewayCore
import GatewayRuntime
import GatewayServer
import Testing

struct WriteBatchTests {
  /// The end of the connection after a message, in the same segment.
  struct Ending: CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let code: UInt16
  }

  static let endings = [
    Ending(testDescription: "a close frame", bytes: RawClient.frame(8, [0x03, 0xe8]), code: 1000),
    Ending(testDescription: "a reserved opcode", bytes: RawClient.frame(3, [1]), code: 1002),
    Ending(testDescription: "a fragmented ping", bytes: RawClient.frame(9, [1], isFinal: false), code: 1002),
    Ending(testDescription: "a text that is none", bytes: RawClient.frame(1, [0xff]), code: 1007),
    Ending(
      testDescription: "a frame above the limit",
      bytes: [0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4] + Array(repeating: 0, count: 200), code: 1009),
  ]

  @Test(arguments: endings)
  func `answers are sent before the close frame, whatever followed the message`(_ ending: Ending) async throws {
    try await TestServer.with { server in
      let client = try RawClient.open(port: server.port)
      try client.send(RawClient.frame(1, Array("one".utf8)) + RawClient.frame(1, Array("two".utf8)) + ending.bytes)
      #expect(try client.readFrame() == .init(opcode: .text, payload: Array("one".utf8)))
      #expect(try client.readFrame() == .init(opcode: .text, payload: Array("two".utf8)))
      let frame = try client.readFrame()
      #expect(frame.opcode == .close)
      #expect(frame.closeCode == ending.code)
    }
  }

  @Test
  func `messages of all sizes arrive in the order of sending, many of them from one segment`() async throws {
    try await TestServer.with { server in
      let client = try RawClient.open(port: server.port)
      let sizes = [3, 200, 4096, 4097, 9000, 1] + Array(repeating: 2, count: 150) + [5000, 10, 4095]
      try client.send(
        sizes.indices.flatMap { RawClient.frame(2, [UInt8($0)] + Array(repeating: 7, count: sizes[$0])) })
      for (number, size) in sizes.enumerated() {
        let frame = try client.readFrame()
        #expect(frame.payload.first == UInt8(number))
        #expect(frame.payload.count == size + 1, "message \(number)")
      }
    }
  }

  @Test
  func `answers keep their order, whether they wait for the writeable callback or for the end of the turn`()
    async throws
  {
    try await TestServer.with { server in
      let client = try RawClient.open(port: server.port)
      for round in 0..<20 {
        // The library's pong is sent before the answer to a fragmented message, so it is held back.
        try client.send(
          RawClient.frame(1, Array("one \(round)".utf8)) + RawClient.frame(1, Array("two ".utf8), isFinal: false)
            + RawClient.frame(0, Array("\(round)".utf8)) + RawClient.frame(1, Array("three \(round)".utf8)))
        for word in ["one", "two", "three"] {
          #expect(try client.readFrame() == .init(opcode: .text, payload: Array("\(word) \(round)".utf8)))
        }
      }
    }
  }

  @Test
  func `a peer that reads late gets small and large messages in their order, and none is lost`() async throws {
    let pairs = 200
    let site = TestSite.recording(
      SocketEvents(),
      onMessage: { socket, _ in
        for number in 0..<pairs {
          for size in [10, 60_000] {
            let outcome = socket.send(Frame(.binary, [UInt8(number)] + Array(repeating: 7, count: size)))
            precondition(outcome == .sent || outcome == .queued)
          }
        }
      })
    try await TestServer.with(site, { $0.limits.outboundBytesMax = 64 << 20 }) { server in
      let client = try RawClient.open(port: server.port)
      try client.sendText("go")
      client.pause()
      for number in 0..<pairs {
        for size in [10, 60_000] {
          let frame = try client.readFrame()
          try #require(frame.payload.first == UInt8(number) && frame.payload.count == size + 1, "pair \(number)")
        }
      }
    }
  }

  @Test
  func `what was sent before an abort can be read before the end`() async throws {
    let site = TestSite.recording(
      SocketEvents(),
      onOpen: { socket in
        _ = socket.send(Frame(text: "last words"))
        socket.abort()
      })
    try await TestServer.with(site) { server in
      let client = try RawClient.open(port: server.port)
      #expect(try client.readFrame() == .init(opcode: .text, payload: Array("last words".utf8)))
      #expect(throws: (any Error).self) { try client.readFrame() }
    }
  }

  @Test
  func `an announcement because of another connection's message is sent before anything else happens`() async throws {
    let box = Box<(any Socket)?>(nil)
    let events = SocketEvents()
    let site = TestSite.recording(
      events, onOpen: { socket in box.update { $0 = $0 ?? socket } },
      onMessage: { _, frame in _ = box.get()?.send(frame) })
    try await TestServer.with(site) { server in
      let first = try RawClient.open(port: server.port)
      #expect(await events.next() == .opened)
      let second = try RawClient.open(port: server.port)
      try second.sendText("to the first")
      #expect(try first.readFrame() == .init(opcode: .text, payload: Array("to the first".utf8)))
    }
  }
}
