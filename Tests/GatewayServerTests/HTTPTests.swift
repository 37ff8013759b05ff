import GatewayCore
import GatewayRuntime
import GatewayServer
import TestTraits
import Testing

struct HTTPTests {
  /// A site that answers with the request.
  private static var mirror: TestSite {
    var site = TestSite()
    site.onRespond = { request, _ in
      HTTPResponse(
        status: 200, contentType: "text/plain",
        text: "\(request.method) \(request.path) \(String(decoding: request.body, as: UTF8.self))")
    }
    return site
  }

  @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"])
  func `every method reaches the site, with its body`(method: String) async throws {
    try await TestServer.with(Self.mirror) { server in
      let client = try RawClient(port: server.port)
      let body = method == "GET" ? "" : "hello"
      try client.send("\(method) /a/b HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      let answer = try client.readAnswer()
      #expect(answer.status == 200)
      #expect(answer.body == "\(method) /a/b \(body)")
    }
  }

  @Test
  func `HTTP 1.0 may omit Host, and a target in absolute form replaces it`() async throws {
    var site = TestSite()
    site.onRespond = { request, _ in
      HTTPResponse(status: 200, contentType: "text/plain", text: "\(request.header("host") ?? "-") \(request.path)")
    }
    try await TestServer.with(site) { server in
      for (text, body) in [
        ("GET / HTTP/1.0\r\n\r\n", "- /"), ("GET http://b:8/x HTTP/1.0\r\n\r\n", "b:8 /x"),
        ("GET http://b:8/x HTTP/1.1\r\nHost: a\r\n\r\n", "b:8 /x"),
        ("GET / HTTP/1.1\r\nHost: [::1]:9\r\n\r\n", "[::1]:9 /"),
      ] {
        let client = try RawClient(port: server.port)
        try client.send(text)
        #expect(try client.readAnswer().body == body)
      }
    }
  }

  @Test
  func `the answer to HEAD has the length and no body`() async throws {
    try await TestServer.with(Self.mirror) { server in
      let client = try RawClient(port: server.port)
      try client.send("HEAD /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      let text = String(decoding: try client.readToEnd(), as: UTF8.self)
      #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(text.contains("content-length: \("HEAD /x ".utf8.count)\r\n"))
      #expect(text.hasSuffix("\r\n\r\n"))
    }
  }

  @Test
  func `a POST without a length has an empty body`() async throws {
    try await TestServer.with(Self.mirror) { server in
      let client = try RawClient(port: server.port)
      try client.send("POST /x HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try client.readAnswer().body == "POST /x ")
    }
  }

  @Test(arguments: [false, true])
  func `a chunked body reaches the site whole, in one segment or byte by byte, with extensions and trailers left out`(
    byByte: Bool
  ) async throws {
    try await TestServer.with(Self.mirror) { server in
      let client = try RawClient(port: server.port)
      let text =
        "PUT /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n"
        + "2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\nTrailer: x\r\n\r\n"
      for piece in byByte ? text.utf8.map({ [$0] }) : [Array(text.utf8)] {
        // The answer may come before the trailer was sent.
        try? client.send(piece)
      }
      #expect(try client.readAnswer().body == "PUT /x hello")
    }
  }

  @Test
  func `a body that comes byte by byte is whole in the end, also behind 100 (Continue)`() async throws {
    try await TestServer.with(Self.mirror) { server in
      let client = try RawClient(port: server.port)
      try client.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
      #expect(try client.readAnswer().status == 100)
      for byte in "hello".utf8 { try client.send([byte]) }
      #expect(try client.readAnswer().body == "POST /x hello")
    }
  }

  @Test(arguments: [("1.1", "5", true), ("1.0", "5", false), ("1.1", "0", false)])
  func `100 (Continue) goes to HTTP 1.1 clients that ask for it before they send a body`(
    version: String, length: String, isContinued: Bool
  ) async throws {
    try await TestServer.with(Self.mirror) { server in
      let client = try RawClient(port: server.port)
      try client.send(
        "POST /x HTTP/\(version)\r\nHost: x\r\nContent-Length: \(length)\r\nExpect: 100-Continue\r\n\r\n")
      if isContinued { #expect(try client.readAnswer().status == 100) }
      if length == "5" { try client.send("hello") }
      #expect(try client.readAnswer().status == 200)
    }
  }

  struct BadRequest: CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let status: Int
  }

  @Test(arguments: [
    BadRequest(
      testDescription: "a body above the limit",
      text: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "a", count: 100_000),
      status: 413),
    BadRequest(
      testDescription: "a chunked body above the limit",
      text: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\nhello", status: 413),
    BadRequest(
      testDescription: "a chunk without a size",
      text: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello", status: 400),
    BadRequest(
      testDescription: "another transfer coding",
      text: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", status: 501),
    BadRequest(
      testDescription: "a negative length", text: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
      status: 400),
    BadRequest(
      testDescription: "two lengths",
      text: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", status: 400),
    BadRequest(
      testDescription: "a head above the limit",
      text: "GET / HTTP/1.1\r\nHost: x\r\nAuthorization: \(String(repeating: "a", count: 9000))\r\n\r\n", status: 431),
    BadRequest(
      testDescription: "a head that never ends",
      text: "GET / HTTP/1.1\r\nHost: x\r\nA: \(String(repeating: "a", count: 200_000))", status: 431),
    BadRequest(
      testDescription: "too many fields",
      text: "GET / HTTP/1.1\r\nHost: x\r\n\(String(repeating: "a: b\r\n", count: 128))\r\n", status: 431),
    BadRequest(
      testDescription: "a field that goes on in the next line",
      text: "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", status: 400),
    BadRequest(
      testDescription: "a space behind a field's name", text: "GET / HTTP/1.1\r\nHost : x\r\n\r\n", status: 400),
    BadRequest(
      testDescription: "a carriage return in a field", text: "GET / HTTP/1.1\r\nHost: x\ry\r\n\r\n", status: 400),
    BadRequest(testDescription: "no host", text: "GET / HTTP/1.1\r\nA: b\r\n\r\n", status: 400),
    BadRequest(testDescription: "an empty host", text: "GET / HTTP/1.1\r\nHost: \r\n\r\n", status: 400),
    BadRequest(testDescription: "a host with a path", text: "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", status: 400),
    BadRequest(testDescription: "a host with a user", text: "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", status: 400),
    BadRequest(testDescription: "a host with a space", text: "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", status: 400),
    BadRequest(testDescription: "a port that is none", text: "GET / HTTP/1.1\r\nHost: a:99999\r\n\r\n", status: 400),
    BadRequest(testDescription: "a bad host of HTTP/1.0", text: "GET / HTTP/1.0\r\nHost: a b\r\n\r\n", status: 400),
    BadRequest(
      testDescription: "a bad host in the target", text: "GET http://a@b/ HTTP/1.1\r\nHost: b\r\n\r\n", status: 400),
    BadRequest(
      testDescription: "no host in the target", text: "GET http:///x HTTP/1.1\r\nHost: b\r\n\r\n", status: 400),
    BadRequest(
      testDescription: "a target in the absolute form and no host", text: "GET http://b/ HTTP/1.1\r\n\r\n",
      status: 400),
    BadRequest(
      testDescription: "a length beside a transfer coding",
      text: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      status: 400),
    BadRequest(
      testDescription: "a transfer coding of HTTP/1.0",
      text: "POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", status: 400),
    BadRequest(
      testDescription: "a transfer coding with the Kelvin sign in it",
      text: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chun\u{212a}ed\r\n\r\n0\r\n\r\n", status: 501),
    BadRequest(
      testDescription: "a carriage return in a chunk's size",
      text: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\rx\r\nhello\r\n0\r\n\r\n", status: 400),
    BadRequest(
      testDescription: "a line feed alone behind a chunk's size",
      text: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n", status: 400),
    BadRequest(
      testDescription: "a line feed alone behind a chunk",
      text: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\n0\r\n\r\n", status: 400),
    BadRequest(
      testDescription: "a line feed alone behind a trailer field",
      text: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\n\r\n", status: 400),
    BadRequest(
      testDescription: "a trailer that never ends",
      text: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
        + String(repeating: "A: b\r\n", count: 2000), status: 400),
    BadRequest(
      testDescription: "two carriage returns behind a chunk",
      text: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\r\n0\r\n\r\n", status: 400),
    BadRequest(
      testDescription: "something behind a chunk's size",
      text: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1 2\r\na\r\n0\r\n\r\n", status: 400),
    BadRequest(testDescription: "two hosts", text: "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", status: 400),
    BadRequest(testDescription: "a target that is no path", text: "GET x HTTP/1.1\r\nHost: x\r\n\r\n", status: 400),
    BadRequest(
      testDescription: "a query that is no UTF-8", text: "GET /?a=%ff HTTP/1.1\r\nHost: x\r\n\r\n", status: 400),
    BadRequest(testDescription: "another HTTP", text: "GET / HTTP/2.0\r\nHost: x\r\n\r\n", status: 505),
    BadRequest(testDescription: "no version", text: "GET /\r\nHost: x\r\n\r\n", status: 400),
  ])
  func `a request that cannot be served is answered with the reason`(_ bad: BadRequest) async throws {
    try await TestServer.with(Self.mirror) { server in
      let client = try RawClient(port: server.port)
      try client.send(bad.text)
      #expect(try client.readAnswer().status == bad.status)
    }
  }

  @Test(arguments: [
    "\u{16}\u{03}\u{01}\u{02}\u{00}\u{01}\r\n\r\n", "CONNECT x HTTP/1.1\r\nHost: x\r\n\r\n", "\r\n\r\n\r\n\r\n",
    "GET / HTTP/1.1\r\nAuthorization: \(String(repeating: "a", count: 60000))\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  ])
  func `bytes that are no HTTP end the connection and nothing else`(text: String) async throws {
    try await TestServer.with(Self.mirror) { server in
      let client = try RawClient(port: server.port)
      try? client.send(text)
      client.endSending()
      _ = try client.readToEnd()
      let other = try RawClient(port: server.port)
      try other.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try other.readAnswer().status == 200)
    }
  }

  @Test(arguments: [
    "GET /outer HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET /outer HTTP/1.0\r\n\r\n",
    "POST /outer HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n",
    "POST /outer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n",
    "POST /outer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
    "GET /outer HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "GET /outer HTTP/1.1\r\n\r\n",
    RawClient.upgrade(changing: ["Sec-WebSocket-Version": "7"]),
  ])
  func `bytes after a refused or a last request are not served as another request`(outer: String) async throws {
    let count = Box(0)
    var site = TestSite()
    site.onRespond = { _, _ in
      count.update { $0 += 1 }
      return HTTPResponse(status: 404)
    }
    try await TestServer.with(site) { server in
      let client = try RawClient(port: server.port)
      try client.send(outer + "GET /inner HTTP/1.1\r\nHost: x\r\n\r\n")
      let answer = try client.readAnswer()
      #expect(answer.headers["connection"] == "close")
      #expect(try client.readToEnd().isEmpty)
      #expect(count.get() == (answer.status == 404 ? 1 : 0))
    }
  }

  @Test(.long)
  func `a large answer reaches a peer that reads slowly, whole, while the loop serves others`() async throws {
    var site = TestSite()
    let size = 20 << 20
    site.onRespond = { request, _ in
      HTTPResponse(status: 200, body: request.path == "/large" ? Array(repeating: 7, count: size) : [])
    }
    try await TestServer.with(site) { server in
      let client = try RawClient(port: server.port)
      try client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
      // A client that has ended its side, and also sends too much.
      client.endSending()
      let other = try RawClient(port: server.port)
      try other.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try other.readAnswer().status == 200)
      let all = try client.readToEnd()
      #expect(all.count > size)
      #expect(all.suffix(size).allSatisfy { $0 == 7 })
    }
  }

  @Test
  func `a waiting handler delays no other client, and may find its own gone`() async throws {
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let (releases, release) = AsyncStream<Void>.makeStream()
    var site = TestSite()
    site.onRespond = { request, _ in
      guard request.path == "/slow" else { return HTTPResponse(status: 204) }
      arrived.yield()
      for await _ in releases { break }
      return HTTPResponse(status: 200, body: Array(repeating: 1, count: 1 << 20))
    }
    try await TestServer.with(site) { server in
      let client = try RawClient(port: server.port)
      try client.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
      for await _ in arrivals { break }
      client.reset()
      let other = try RawClient(port: server.port)
      try other.send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try other.readAnswer().status == 204)
      release.yield()
      let last = try RawClient(port: server.port)
      try last.send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try last.readAnswer().status == 204)
    }
  }

  @Test
  func
    `a body that does not arrive is answered with 408 after the handshake timeout, and a head that does not with the end`()
    async throws
  {
    try await TestServer.with(Self.mirror, { $0.limits.handshakeTimeout = .seconds(1) }) { server in
      let half = try RawClient(port: server.port)
      try half.send("GET / HTT")
      let client = try RawClient(port: server.port)
      try client.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe")
      #expect(try client.readAnswer().status == 408)
      #expect(try half.readToEnd().isEmpty)
    }
  }

  @Test
  func `a field that holds a line break is left out of the answer`() async throws {
    var site = TestSite()
    site.onRespond = { _, _ in
      HTTPResponse(status: 200, headers: [HTTPField("x-a", "1\r\nx-injected: 1"), HTTPField("x-b", "2")])
    }
    try await TestServer.with(site) { server in
      let client = try RawClient(port: server.port)
      try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      let answer = try client.readAnswer()
      #expect(answer.headers["x-injected"] == nil)
      #expect(answer.headers["x-b"] == "2")
    }
  }
}
