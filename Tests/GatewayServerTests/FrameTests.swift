import GatewayCore
import GatewayRuntime
import GatewayServer
import Testing

struct FrameTests {
  @Test(arguments: [0, 1, 125, 126, 1023, 1024, 1025, 2048, 65535, 65536])
  func `messages of every size arrive unchanged`(size: Int) async throws {
    try await TestServer.with { server in
      let client = try RawClient.open(port: server.port)
      let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      try client.sendFrame(.binary, payload)
      #expect(try client.readFrame() == .init(opcode: .binary, payload: payload))
    }
  }

  @Test
  func `fragments are one message, with a ping between them`() async throws {
    let events = SocketEvents()
    try await TestServer.with(.recording(events)) { server in
      let client = try RawClient.open(port: server.port)
      try client.sendFrame(.text, Array("one ".utf8), isFinal: false)
      try client.sendFrame(.continuation, [], isFinal: false)
      try client.sendFrame(.ping, [7])
      try client.sendFrame(.continuation, Array("two".utf8))
      #expect(try client.readFrame() == .init(opcode: .pong, payload: [7]))
      try client.sendText("three")
      #expect(await events.next() == .opened)
      let heard = [await events.next(), await events.next()]
      #expect(heard.contains(.received(Frame(text: "one two"))))
      #expect(heard.contains(.ping))
      #expect(await events.next() == .received(Frame(text: "three")))
    }
  }

  @Test
  func `a character cut by fragments and by the receive buffer arrives whole`() async throws {
    let events = SocketEvents()
    try await TestServer.with(.recording(events)) { server in
      let client = try RawClient.open(port: server.port)
      let text = String(repeating: "aé漢🎉", count: 700)
      // The first frame ends inside the second character.
      try client.sendFrame(.text, Array(text.utf8.prefix(2)), isFinal: false)
      try client.sendFrame(.continuation, Array(text.utf8.dropFirst(2)))
      #expect(await events.next() == .opened)
      #expect(await events.next() == .received(Frame(text: text)))
    }
  }

  struct BadFrames: CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let code: UInt16?
  }

  @Test(arguments: [
    BadFrames(
      testDescription: "one frame above the message limit",
      bytes: RawClient.frame(2, Array(repeating: 0, count: 70_000)), code: 1009),
    BadFrames(
      testDescription: "fragments above the message limit",
      bytes: RawClient.frame(2, Array(repeating: 0, count: 40_000), isFinal: false)
        + RawClient.frame(0, Array(repeating: 0, count: 40_000)), code: 1009),
    BadFrames(
      testDescription: "a frame that only announces too much",
      bytes: [0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4] + Array(repeating: 0, count: 2000), code: 1009),
    BadFrames(
      testDescription: "a text that is no UTF-8", bytes: RawClient.frame(1, [0x61, 0xff, 0xfe]), code: 1007),
    BadFrames(testDescription: "a text that ends inside a character", bytes: RawClient.frame(1, [0xc3]), code: 1007),
    BadFrames(
      testDescription: "a fragment that cannot become UTF-8 any more",
      bytes: RawClient.frame(1, [0x61, 0xe2, 0x82], isFinal: false) + RawClient.frame(0, [0x41], isFinal: false),
      code: 1007),
    BadFrames(
      testDescription: "a text whose last fragment ends inside a character",
      bytes: RawClient.frame(1, [0x61], isFinal: false) + RawClient.frame(0, [0xf0, 0x9f, 0x8e]), code: 1007),
    BadFrames(
      testDescription: "a long text with half of a surrogate pair in it",
      bytes: RawClient.frame(1, Array(repeating: 0x61, count: 20_000) + [0xed, 0xa0, 0x80]), code: 1007),
    BadFrames(
      testDescription: "a text of a longer form than is needed", bytes: RawClient.frame(1, [0xc0, 0xaf]), code: 1007),
    BadFrames(
      testDescription: "a text beyond U+10FFFF", bytes: RawClient.frame(1, [0xf4, 0x90, 0x80, 0x80]), code: 1007),
    BadFrames(testDescription: "a reserved opcode", bytes: RawClient.frame(3, [1]), code: 1002),
    BadFrames(testDescription: "a reserved bit", bytes: [0xc1, 0x81, 0, 0, 0, 0, 0x61], code: 1002),
    BadFrames(
      testDescription: "a fragmented ping", bytes: RawClient.frame(9, [1], isFinal: false), code: 1002),
    BadFrames(testDescription: "a continuation of nothing", bytes: RawClient.frame(0, [1]), code: 1002),
    BadFrames(
      testDescription: "a new message inside another",
      bytes: RawClient.frame(1, [0x61], isFinal: false) + RawClient.frame(1, [0x62]), code: 1002),
  ])
  func `a breach of RFC 6455 or of a limit closes the socket with its code, and tells the handler`(_ bad: BadFrames)
    async throws
  {
    let events = SocketEvents()
    try await TestServer.with(.recording(events)) { server in
      let client = try RawClient.open(port: server.port)
      #expect(await events.next() == .opened)
      try client.send(bad.bytes)
      let frame = try client.readFrame()
      #expect(frame.opcode == .close)
      #expect(frame.closeCode == bad.code)
      guard case .violated(let reason) = await events.next() else {
        Issue.record("the handler did not hear of it")
        return
      }
      #expect(reason.code == bad.code)
      try client.sendClose(frame.closeCode!)
      guard case .closed = await events.next() else {
        Issue.record("the handler did not hear of the end")
        return
      }
      #expect(try client.readToEnd().isEmpty)
      let other = try RawClient.open(port: server.port)
      try other.sendFrame(.ping, [1])
      #expect(try other.readFrame().opcode == .pong)
    }
  }
}
