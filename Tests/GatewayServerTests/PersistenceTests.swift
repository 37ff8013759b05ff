import GatewayCore
import GatewayRuntime
import GatewayServer
import TestTraits
import Testing

struct PersistenceTests {
  /// A site that answers with the request.
  private static var mirror: TestSite {
    var site = TestSite()
    site.onRespond = { request, _ in
      let body = String(decoding: request.body, as: UTF8.self)
      return HTTPResponse(status: 200, contentType: "text/plain", text: "\(request.method) \(request.path) \(body)")
    }
    return site
  }

  private static func get(_ path: String, _ fields: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n"
  }

  struct Exchange: CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let bodies: [String]
  }

  private static let chunked =
    "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\nA: b\r\n\r\n"

  private static let exchanges = [
    Exchange(
      testDescription: "requests without bodies", text: get("/a") + get("/b") + get("/c"),
      bodies: ["GET /a ", "GET /b ", "GET /c "]),
    Exchange(
      testDescription: "a body of a length, then another request",
      text: "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" + get("/b"),
      bodies: ["POST /a hello", "GET /b "]),
    Exchange(
      testDescription: "a chunked body with a trailer, twice, then another request",
      text: chunked + chunked + get("/b"), bodies: ["POST /c hello", "POST /c hello", "GET /b "]),
    Exchange(
      testDescription: "HTTP/1.0 that asks for it",
      text: "GET /a HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n" + get("/b"), bodies: ["GET /a ", "GET /b "]),
    Exchange(
      testDescription: "empty lines between requests", text: get("/a") + "\r\n\n" + get("/b"),
      bodies: ["GET /a ", "GET /b "]),
  ]

  @Test(
    .long,
    arguments: exchanges,
    [(false, false), (true, false), (false, true), (true, true)])
  func `requests on one connection are answered in turn, in one segment or byte by byte, plain and over TLS`(
    exchange: Exchange, way: (byByte: Bool, overTLS: Bool)
  ) async throws {
    let certificate = way.overTLS ? try TestCertificate() : nil
    try await TestServer.with(Self.mirror, { $0.tls = certificate?.files }) { server in
      let bytes = Array((exchange.text + Self.get("/last", "Connection: close\r\n")).utf8)
      let pieces = way.byByte ? bytes.map { [$0] } : [bytes]
      var text: String
      if way.overTLS {
        let client = try SecureClient(port: server.port)
        for piece in pieces { try client.send(piece) }
        text = String(decoding: client.readToEnd(), as: UTF8.self)
      } else {
        let client = try RawClient(port: server.port)
        for piece in pieces { try client.send(piece) }
        text = String(decoding: try client.readToEnd(), as: UTF8.self)
      }
      let answers = text.components(of: "HTTP/1.1 200 OK\r\n")
      #expect(answers.map { $0.components(of: "\r\n\r\n").last } == exchange.bodies + ["GET /last "])
      #expect(answers.map { $0.contains("connection: close") } == exchange.bodies.map { _ in false } + [true])
      #expect(answers.first?.contains("connection: keep-alive") == exchange.text.contains("HTTP/1.0"))
    }
  }

  @Test(arguments: [false, true])
  func `a connection serves a thousand requests in one segment, and more while an answer is awaited`(isSlow: Bool)
    async throws
  {
    var site = TestSite()
    site.onRespond = { request, loop in
      if isSlow && request.path == "/0" { await loop.sleep(until: loop.now + .milliseconds(50)) }
      return HTTPResponse(status: 200, contentType: "text/plain", text: request.path)
    }
    try await TestServer.with(site) { server in
      let client = try RawClient(port: server.port)
      try client.send((0..<1000).map { Self.get("/\($0)") }.joined())
      for index in 0..<1000 { #expect(try client.readAnswer().body == "/\(index)") }
      try client.send(Self.get("/again"))
      #expect(try client.readAnswer().body == "/again")
    }
  }

  @Test
  func `a request may follow a HEAD, and a body that waits for 100 (Continue)`() async throws {
    try await TestServer.with(Self.mirror) { server in
      let client = try RawClient(port: server.port)
      try client.send("HEAD /x HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try client.readHead().contains("content-length: \("HEAD /x ".utf8.count)\r\n"))
      try client.send("POST /y HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
      #expect(try client.readAnswer().status == 100)
      try client.send("hello")
      #expect(try client.readAnswer().body == "POST /y hello")
      try client.send(Self.get("/z"))
      #expect(try client.readAnswer().body == "GET /z ")
    }
  }

  @Test(.long)
  func `a connection ends after a bounded number of requests`() async throws {
    try await TestServer.with(Self.mirror) { server in
      let client = try RawClient(port: server.port)
      for _ in 0..<99 {
        try client.send(String(repeating: Self.get("/"), count: 100))
        for _ in 0..<100 { #expect(try client.readAnswer().headers["connection"] == nil) }
      }
      try client.send(String(repeating: Self.get("/"), count: 99))
      for _ in 0..<99 { #expect(try client.readAnswer().headers["connection"] == nil) }
      try client.send(Self.get("/"))
      #expect(try client.readAnswer().headers["connection"] == "close")
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test(arguments: [5, 9000], [false, true])
  func
    `a connection may become a WebSocket after pipelined requests, with frames right behind the upgrade, plain and over TLS`(
      size: Int, overTLS: Bool
    ) async throws
  {
    let certificate = overTLS ? try TestCertificate() : nil
    let events = SocketEvents()
    try await TestServer.with(.recording(events), { $0.tls = certificate?.files }) { server in
      let text = String(repeating: "x", count: size)
      let frames = RawClient.frame(1, Array(text.utf8)) + RawClient.frame(1, Array("second".utf8))
      let bytes = Array((Self.get("/a") + Self.get("/b") + RawClient.upgrade()).utf8) + frames
      if overTLS {
        let client = try SecureClient(port: server.port)
        try client.send(bytes)
        _ = try client.read(through: "GET /aHTTP/1.1 200 OK\r\n")
        _ = try client.read(through: "HTTP/1.1 101 ")
        for expected in [SocketEvents.Event.opened, .received(Frame(text: text)), .received(Frame(text: "second"))] {
          #expect(await events.next() == expected)
        }
        try client.send(RawClient.frame(1, Array("third".utf8)))
        #expect(await events.next() == .received(Frame(text: "third")))
      } else {
        let client = try RawClient(port: server.port)
        try client.send(bytes)
        #expect(try client.readAnswer().body == "GET /a")
        #expect(try client.readAnswer().body == "GET /b")
        #expect(try client.readAnswer().status == 101)
        for expected in [SocketEvents.Event.opened, .received(Frame(text: text)), .received(Frame(text: "second"))] {
          #expect(await events.next() == expected)
        }
        try client.sendText("third")
        #expect(await events.next() == .received(Frame(text: "third")))
      }
    }
  }

  @Test
  func `a close code that the library does not know is reported unchanged, also right behind the upgrade`() async throws
  {
    let events = SocketEvents()
    try await TestServer.with(.recording(events)) { server in
      let client = try RawClient(port: server.port)
      try client.send(Array(RawClient.upgrade().utf8) + RawClient.frame(8, [0x03, 0xf5]))
      #expect(await events.next() == .opened)
      #expect(await events.next() == .closed(1013))
    }
  }

  @Test(arguments: [false, true])
  func `a refused body's answer can be read behind all of the body, and the connection ends`(overTLS: Bool) async throws
  {
    let certificate = overTLS ? try TestCertificate() : nil
    try await TestServer.with(Self.mirror, { $0.tls = certificate?.files }) { server in
      let text =
        Self.get("/a") + "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n"
        + String(repeating: "a", count: 200_000)
      let answers: [UInt8]
      if overTLS {
        let client = try SecureClient(port: server.port)
        try client.send(text)
        answers = client.readToEnd()
      } else {
        let client = try RawClient(port: server.port)
        try client.send(text)
        answers = try client.readToEnd()
      }
      let last = String(decoding: answers, as: UTF8.self).components(of: "HTTP/1.1 ").last ?? ""
      #expect(last.hasPrefix("413 "))
      #expect(last.contains("connection: close\r\n"))
    }
  }

  @Test(arguments: [false, true])
  func `a client that has ended its side gets its answers, and then the end`(overTLS: Bool) async throws {
    let certificate = overTLS ? try TestCertificate() : nil
    try await TestServer.with(Self.mirror, { $0.tls = certificate?.files }) { server in
      let text: String
      if overTLS {
        let client = try SecureClient(port: server.port)
        try client.send(Self.get("/a") + Self.get("/b"))
        client.endSending()
        text = String(decoding: client.readToEnd(), as: UTF8.self)
      } else {
        let client = try RawClient(port: server.port)
        try client.send(Self.get("/a") + Self.get("/b"))
        client.endSending()
        text = String(decoding: try client.readToEnd(), as: UTF8.self)
      }
      #expect(text.hasSuffix("GET /b "))
      #expect(text.contains("GET /a "))
    }
  }

  @Test(arguments: [1, 3])
  func `idle connections make room for new ones when there are too many`(loops: Int) async {
    // In its own process: the library's table is short, and other tests' descriptors would exceed it.
    if loops == 1 {
      await #expect(processExitsWith: .success) { try await PersistenceTests.makeRoom(loops: 1) }
    } else {
      await #expect(processExitsWith: .success) { try await PersistenceTests.makeRoom(loops: 3) }
    }
  }

  private static func makeRoom(loops: Int) async throws {
    try await TestServer.with(mirror, loops: loops, { $0.limits.connectionsMax = 3 }) { server in
      let busy = try (0..<2).map { _ in try RawClient.open(port: server.port) }
      let idle = try RawClient(port: server.port)
      for path in ["/a", "/b"] {
        try idle.send(get(path))
        #expect(try idle.readAnswer().status == 200)
      }
      // The answer is sent before the server begins to wait for another request.
      for loop in server.loops { await loop.perform {} }
      let socket = try RawClient.open(port: server.port)
      #expect(try idle.readToEnd().isEmpty)
      for client in busy + [socket] {
        try client.sendText("x")
        #expect(try client.readFrame().text == "x")
      }
      let refused = try RawClient(port: server.port)
      try refused.send(get("/"))
      #expect(try refused.readAnswer().status == 503)
      #expect(try refused.readToEnd().isEmpty)
    }
  }

  @Test
  func `a client above the limit can read the 503 after everything that it sent`() async {
    await #expect(processExitsWith: .success) {
      try await TestServer.with(PersistenceTests.mirror, { $0.limits.connectionsMax = 1 }) { server in
        let first = try RawClient.open(port: server.port)
        let refused = try RawClient(port: server.port)
        try refused.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n")
        for _ in 0..<30 { try refused.send(String(repeating: "a", count: 10_000)) }
        let answer = try refused.readAnswer()
        #expect(answer.status == 503 && answer.headers["retry-after"] == "1")
        #expect(try refused.readToEnd().isEmpty)
        try first.sendText("x")
        #expect(try first.readFrame().text == "x")
      }
    }
  }
}

extension String {
  /// Returns the non-empty parts between those texts.
  fileprivate func components(of separator: String) -> [String] {
    split(separator: separator, omittingEmptySubsequences: true).map(String.init)
  }
}
