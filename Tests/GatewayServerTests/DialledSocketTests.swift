import GatewayCore
import GatewayRuntime
import GatewayServer
import TestTraits
import Testing

@Suite(.serialized) struct DialledSocketTests {
  /// Connects, on `loop`, to a server that sends `frames` with its 101. Returns the server's side.
  private func dial(
    saying frames: [UInt8] = [], on loop: SocketLoop, _ handler: RecordingHandler
  ) async throws -> RawServer.Peer {
    let raw = try RawServer()
    var opening = raw.opening(with: frames).makeAsyncIterator()
    let target = DialTarget(host: "127.0.0.1", port: raw.port)
    await loop.perform {
      SocketDialer(on: loop).dial(
        target, upgrade: HTTPRequest(method: "GET", path: "/"), subprotocols: [], handler: handler)
    }
    return try #require(await opening.next()).get()
  }

  /// Connects to a server that sends `frames` with its 101; returns up to `count` events of the handler.
  private func heard(
    _ frames: [UInt8], count: Int, byByte: Bool = false, _ act: @escaping @Sendable (any Socket) -> Void = { _ in }
  ) async throws -> [SocketEvents.Event?] {
    let events = SocketEvents()
    let loop = SocketLoop(index: 0, seed: 1)
    try loop.start()
    defer { loop.stop() }
    let peer = try await dial(saying: byByte ? [] : frames, on: loop, RecordingHandler(events, onOpen: act))
    var all: [SocketEvents.Event?] = [await events.next()]
    if byByte { try peer.send(frames, byByte: true) }
    while all.count < count { all.append(await events.next()) }
    // Everything at its opening is done, and the server was there.
    await loop.perform {}
    withExtendedLifetime(peer) {}
    return all
  }

  @Test(arguments: [false, true])
  func `messages come whole, in however many frames and pieces`(byByte: Bool) async throws {
    let frames: [UInt8] = [0x01, 2, 0x61, 0x62, 0x89, 1, 0x21, 0x80, 1, 0x63, 0x82, 1, 9, 0x8a, 0, 0x81, 0]
    #expect(
      try await heard(frames, count: 6, byByte: byByte) == [
        .opened, .ping, .received(Frame(text: "abc")), .received(Frame(.binary, [9])), .pong,
        .received(Frame(text: "")),
      ])
  }

  @Test
  func `a message of the greatest length arrives, and a longer one ends the socket before it is complete`() async throws
  {
    let most = ServerLimits().messageBytesMax
    let head: [UInt8] =
      [0x82, 127, 0, 0, 0, 0] + [UInt8(most >> 24), UInt8(most >> 16 & 255), UInt8(most >> 8 & 255), UInt8(most & 255)]
    let payload = [UInt8](repeating: 7, count: most)
    #expect(try await heard(head + payload, count: 2) == [.opened, .received(Frame(.binary, payload))])
    #expect(
      try await heard([0x82, 127, 0, 0, 0, 0, 0, 2, 0, 0], count: 3) == [
        .opened, .violated(.messageTooBig), .closed(nil),
      ])
    let halves = [0x02, 126, 0xff, 0xff] + [UInt8](repeating: 7, count: 65_535) + [0x80, 2, 1, 1]
    #expect(try await heard(halves, count: 3) == [.opened, .violated(.messageTooBig), .closed(nil)])
  }

  @Test(
    .long,
    arguments: [
      [0x81, 0x81, 0, 0, 0, 0, 0x61], [0xc1, 1, 0x61], [0x83, 0], [0x09, 0], [0x80, 0], [0x01, 1, 0x61, 0x81, 1, 0x62],
      [0x88, 1, 3], [0x8b, 0],
    ] as [[UInt8]])
  func `a peer that breaks a rule gets a close frame, and the handler is told once before the end`(frames: [UInt8])
    async throws
  {
    // Later bytes are ignored.
    #expect(
      try await heard(frames + [0x81, 1, 0x61, 0x80, 0], count: 3) == [
        .opened, .violated(.protocolError), .closed(nil),
      ])
  }

  @Test
  func `invalid text ends the socket, in one frame or in two`() async throws {
    for frames: [UInt8] in [[0x81, 2, 0xc3, 0x28], [0x01, 1, 0xc3, 0x80, 1, 0x28], [0x81, 1, 0xe2]] {
      #expect(try await heard(frames, count: 3) == [.opened, .violated(.invalidPayload), .closed(nil)])
    }
  }

  @Test
  func `a close with a code that may not be sent is a breach of the protocol, one without a code is 1005`() async throws
  {
    for code: UInt16 in [0, 999, 1004, 1005, 1006, 1015, 2999, 5000] {
      let frame: [UInt8] = [0x88, 2, UInt8(code >> 8), UInt8(code & 255)]
      #expect(try await heard(frame, count: 2) == [.opened, .closed(1002)])
    }
    #expect(try await heard([0x88, 0], count: 2) == [.opened, .closed(1005)])
    #expect(try await heard([0x88, 3, 0x0f, 0xa1, 0xff], count: 2) == [.opened, .closed(4001)])
  }

  @Test(arguments: ["close", "abort", "reset"])
  func `a handler that closes, aborts or resets at once is told of the end once`(deed: String) async throws {
    let events = try await heard([0x81, 1, 0x61, 0x88, 2, 3, 0xe8], count: 2) { socket in
      switch deed {
      case "close": socket.close(.normal)
      case "abort": socket.abort()
      default: socket.reset()
      }
      #expect(socket.send(Frame(text: "late")) == .closed)
    }
    #expect(events == [.opened, deed == "close" ? .closed(1000) : .closed(nil)])
  }

  @Test
  func `a server that reads nothing is sent data up to the limit, and more is refused`() async throws {
    let outcomes = Box<[SendOutcome]>([])
    _ = try await heard([], count: 1) { socket in
      let frame = Frame(.binary, [UInt8](repeating: 1, count: 60_000))
      for _ in 0..<400 where outcomes.get().last != .overflow { outcomes.update { $0.append(socket.send(frame)) } }
    }
    #expect(outcomes.get().first == .sent)
    #expect(outcomes.get().contains(.queued))
    #expect(outcomes.get().last == .overflow)
  }

  @Test(.long)
  func
    `pings without end from a server that reads nothing are answered by the last pong only, not by an array without end`()
    async throws
  {
    let events = SocketEvents()
    let loop = SocketLoop(index: 0, seed: 1)
    try loop.start()
    defer { loop.stop() }
    let peer = try await dial(on: loop, RecordingHandler(SocketEvents(), onOpen: { _ in events.add(.opened) }))
    #expect(await events.next() == .opened)
    let count = 150_000
    let ping: [UInt8] = [0x89, 125] + [UInt8](repeating: 1, count: 125)
    // The last ping is answered after everything before; a pong without a payload has six bytes, four of them a random
    // mask.
    let read = try await Task(executorPreference: BlockingThreads.shared) {
      for _ in 0..<count / 1_000 { try peer.send([UInt8]((0..<1_000).map { _ in ping }.joined())) }
      return try peer.readToPong(behind: [0x89, 0])
    }.value
    // The system buffers a few megabytes of both sides; all pongs would be 131 bytes each.
    #expect(read < count * 131 / 2, "\(read)")
  }

  @Test
  func `the text of a close frame is reported before the end`() async throws {
    let raw = try RawServer()
    var opening = raw.opening(with: [0x88, 6, 0x0f, 0xa1] + "gone".utf8).makeAsyncIterator()
    let loop = SocketLoop(index: 0, seed: 1)
    try loop.start()
    defer { loop.stop() }
    let handler = GoodbyeHandler()
    let target = DialTarget(host: "127.0.0.1", port: raw.port)
    await loop.perform {
      SocketDialer(on: loop).dial(
        target, upgrade: HTTPRequest(method: "GET", path: "/"), subprotocols: [], handler: handler)
    }
    _ = try #require(await opening.next()).get()
    #expect(await handler.events.next() == .received(Frame(text: "gone")))
    #expect(await handler.events.next() == .closed(4001))
  }
}

/// A handler that notes a close frame's text.
///
/// `@unchecked Sendable`: used on one loop.
private final class GoodbyeHandler: SocketHandler, @unchecked Sendable {
  let events = SocketEvents()
  func socketHeardGoodbye(_ text: String) { events.add(.received(Frame(text: text))) }
  func socketOpened(_ socket: any Socket) {}
  func socketRefused(_ failure: DialFailure) {}
  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {}
  func socketReceivedPong() {}
  func socketReceivedPing() {}
  func socketViolated(_ reason: CloseReason) {}
  func socketClosed(_ peerCode: UInt16?) { events.add(.closed(peerCode)) }
}
