import GatewayCore
import GatewayRuntime
import GatewayServer
import TestTraits
import Testing

@Suite(.serialized) struct CloseCodeTests {
  private static func close(_ code: UInt16, _ reason: String = "") -> [UInt8] {
    [0x88, UInt8(2 + reason.utf8.count), UInt8(code >> 8), UInt8(code & 0xff)] + reason.utf8
  }

  /// The way in which the server sends its frames.
  enum Sending: CaseIterable {
    case withTheAnswer, atOnce, byteByByte, behindOthers
  }

  /// Returns the code that a client connection receives in a close frame.
  private func heard(_ frame: [UInt8], _ sending: Sending, over files: TLSFiles?) async throws -> UInt16? {
    let raw = try RawServer(files)
    var opening = raw.opening(with: sending == .withTheAnswer ? frame : []).makeAsyncIterator()
    let target = DialTarget(
      host: "127.0.0.1", port: raw.port, isTLS: files != nil, allowsUntrustedCertificate: true)
    let events = SocketEvents()
    let loop = SocketLoop(index: 0, seed: 1)
    try loop.start()
    defer { loop.stop() }
    await loop.perform {
      SocketDialer(on: loop).dial(
        target, upgrade: HTTPRequest(method: "GET", path: "/"), subprotocols: [], handler: RecordingHandler(events))
    }
    let peer = try #require(await opening.next()).get()
    let first = await events.next()
    try #require(first == .opened)
    switch sending {
    case .withTheAnswer: break
    case .atOnce: try peer.send(frame)
    case .byteByByte: try peer.send(frame, byByte: true)
    case .behindOthers:
      // A message that looks like close frames, and one that is cut at the read's end.
      let decoy: [UInt8] = Self.close(1014, "x") + Self.close(3000) + [0x88, 0x7d]
      try peer.send([0x82, UInt8(decoy.count)] + decoy)
      #expect(await events.next() == .received(Frame(.binary, decoy)))
      try peer.send([0x82, UInt8(decoy.count)] + decoy + frame)
      #expect(await events.next() == .received(Frame(.binary, decoy)))
    }
    guard case .closed(let code) = await events.next() else { return nil }
    return code
  }

  @Test(.long, arguments: Sending.allCases, [false, true])
  func `a dialled connection receives 1012 to 1014, however the frame comes`(sending: Sending, overTLS: Bool)
    async throws
  {
    let certificate = overTLS ? try TestCertificate() : nil
    for code: UInt16 in [1012, 1013, 1014] {
      for reason in ["", "try again later", String(repeating: "r", count: 123)] {
        #expect(try await heard(Self.close(code, reason), sending, over: certificate?.files) == code)
      }
    }
  }

  @Test(arguments: Sending.allCases)
  func `a dialled connection receives other codes as before`(sending: Sending) async throws {
    for (code, told): (UInt16, UInt16) in [
      (1000, 1000), (1001, 1001), (1011, 1011), (1002, 1002), (1015, 1002), (4001, 4001),
    ] {
      #expect(try await heard(Self.close(code, "x"), sending, over: nil) == told)
    }
  }

  @Test(arguments: [false, true])
  func `a served connection receives 1012 to 1014, in one segment and byte by byte`(byByte: Bool) async throws {
    let events = SocketEvents()
    try await TestServer.with(.recording(events)) { server in
      for code: UInt16 in [1012, 1013, 1014, 1002, 3001] {
        let client = try RawClient.open(port: server.port)
        #expect(await events.next() == .opened)
        let frame = RawClient.frame(8, [UInt8(code >> 8), UInt8(code & 0xff)] + "bye".utf8)
        for piece in byByte ? frame.map({ [$0] }) : [frame] {
          try client.send(piece)
          if byByte { client.pause() }
        }
        #expect(await events.next() == .closed(code))
        #expect(try client.readFrame().closeCode == code)
      }
    }
  }

  @Test(arguments: [false, true])
  func `a close of 1013 reaches our own dialled connections, plain and over TLS`(overTLS: Bool) async throws {
    let certificate = overTLS ? try TestCertificate() : nil
    let reason = try #require(CloseReason(code: 1013, name: "overloaded"))
    let site = TestSite.recording(SocketEvents(), onMessage: { socket, _ in socket.close(reason) })
    try await TestServer.with(site, loops: 2, { $0.tls = certificate?.files }) { server in
      let events = SocketEvents()
      let loop = server.loops[1]
      let target = DialTarget(
        host: "127.0.0.1", port: server.port, isTLS: overTLS, allowsUntrustedCertificate: true)
      await loop.perform {
        let dialer = SocketDialer(on: loop)
        for _ in 0..<100 {
          dialer.dial(
            target, upgrade: HTTPRequest(method: "GET", path: "/"), subprotocols: [],
            handler: RecordingHandler(events, onOpen: { _ = $0.send(Frame(text: "x")) }))
        }
      }
      var codes: [UInt16?] = []
      while codes.count < 100 {
        if case .closed(let code) = await events.next() { codes.append(code) }
      }
      #expect(codes.allSatisfy { $0 == 1013 })
    }
  }
}
