import GatewayCore
import GatewayRuntime
import GatewayServer
import Testing

/// Bodies that a site gets in pieces, because they are above the limit.
@Suite(.timeLimit(.minutes(5)))
struct PassedUploadTests {
  static let limit = 64 << 10

  /// The period is no power of two, so that a misplaced piece shows.
  private static let block = (0..<4099).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

  static func body(_ count: Int) -> [UInt8] {
    var body: [UInt8] = []
    while body.count < count { body += block.prefix(count - body.count) }
    return body
  }

  /// Returns a request with that body, with its length or in chunks.
  static func request(_ body: [UInt8], isChunked: Bool, method: String = "PUT", fields: String = "") -> [UInt8] {
    let head = "\(method) /up HTTP/1.1\r\nHost: x\r\n\(fields)"
    guard isChunked else { return Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body }
    var bytes = Array("\(head)Transfer-Encoding: chunked\r\n\r\n".utf8)
    var rest = body[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(10_000)
      rest = rest.dropFirst(chunk.count)
      bytes += Array("\(String(chunk.count, radix: 16));x=y\r\n".utf8) + chunk + [13, 10]
    }
    return bytes + Array("0\r\n\r\n".utf8)
  }

  /// A site that answers with how the body came, its length and its hash.
  private static func summing(_ largest: Box<Int> = Box(0), slowly: Bool = false) -> TestSite {
    var site = TestSite()
    site.passes = { _ in true }
    site.onRespond = { request, loop in
      var body = request.body
      if let stream = request.stream {
        while let piece = await stream.next() {
          largest.update { $0 = max($0, piece.count) }
          body += piece
          if slowly { await loop.sleep(until: loop.now + .milliseconds(2)) }
        }
        if stream.isCut() { return HTTPResponse(status: 500) }
      }
      let kind = request.stream == nil ? "whole" : "in pieces"
      return HTTPResponse(status: 200, contentType: "text/plain", text: "\(kind) \(body.count) \(body.hashValue)")
    }
    return site
  }

  private static func summary(_ body: [UInt8], _ kind: String) -> String {
    "\(kind) \(body.count) \(body.hashValue)"
  }

  @Test(arguments: [false, true])
  func `bodies up to 64 KiB come whole and larger ones in pieces, one after the other on one connection`(
    isChunked: Bool
  ) async throws {
    try await TestServer.with(Self.summing()) { server in
      let client = try RawClient(port: server.port)
      for size in [5, Self.limit - 1, Self.limit, Self.limit + 1, 3 << 20, 7, Self.limit + 1, Self.limit] {
        let body = Self.body(size)
        try client.send(Self.request(body, isChunked: isChunked))
        let answer = try client.readAnswer()
        #expect(answer.body == Self.summary(body, size > Self.limit ? "in pieces" : "whole"))
        #expect(answer.headers["connection"] == nil)
      }
    }
  }

  @Test(arguments: [false, true])
  func `requests in one piece behind a large body are answered in their turn`(isChunked: Bool) async throws {
    try await TestServer.with(Self.summing()) { server in
      let client = try RawClient(port: server.port)
      let (large, small) = (Self.body(200_000), Self.body(7))
      let requests = [large, small, large, large, small].map { ($0, Self.request($0, isChunked: isChunked)) }
      try client.send(requests.flatMap(\.1))
      for (body, _) in requests {
        #expect(try client.readAnswer().body == Self.summary(body, body.count > 7 ? "in pieces" : "whole"))
      }
    }
  }

  @Test(arguments: [false, true])
  func `a site that passes no bodies gets none, and the client gets 413`(isChunked: Bool) async throws {
    var site = Self.summing()
    site.passes = { _ in false }
    try await TestServer.with(site) { server in
      let client = try RawClient(port: server.port)
      try client.send(Self.request(Self.body(Self.limit + 1), isChunked: isChunked))
      let answer = try client.readAnswer()
      #expect(answer.status == 413 && answer.headers["connection"] == "close")
    }
  }

  @Test(arguments: [false, true])
  func `no more than 64 KiB and one read wait for a slow reader`(isChunked: Bool) async throws {
    let largest = Box(0)
    try await TestServer.with(Self.summing(largest, slowly: true)) { server in
      let body = Self.body(4 << 20)
      let bytes = Self.request(body, isChunked: isChunked)
      let client = try RawClient(port: server.port)
      try client.send(bytes)
      #expect(try client.readAnswer().body == Self.summary(body, "in pieces"))
      #expect(largest.get() > 16 << 10 && largest.get() <= (64 + 16) << 10)
    }
  }

  @Test
  func `a body arrives over TLS`() async throws {
    let certificate = try TestCertificate()
    try await TestServer.with(Self.summing(slowly: true), { $0.tls = certificate.files }) { server in
      let client = try SecureClient(port: server.port)
      let body = Self.body(1 << 20)
      for isChunked in [false, true] {
        try client.send(Self.request(body, isChunked: isChunked))
        let head = try client.read(through: "\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
        let summary = Self.summary(body, "in pieces")
        #expect(try client.read(through: summary) == summary)
      }
    }
  }

  @Test
  func `Expect is answered when the site asks for the body, and not if it refuses the request`() async throws {
    var site = Self.summing()
    let sum = site.onRespond
    site.onRespond = { request, loop in
      request.header("x-refuse") == nil
        ? await sum(request, loop) : HTTPResponse(status: 403, contentType: "text/plain", text: "no")
    }
    try await TestServer.with(site) { server in
      let body = Self.body(Self.limit + 1)
      let length = "Content-Length: \(body.count)\r\nExpect: 100-continue\r\n"
      let client = try RawClient(port: server.port)
      try client.send("PUT /up HTTP/1.1\r\nHost: x\r\n\(length)\r\n")
      #expect(try client.readHead() == "HTTP/1.1 100 Continue\r\n\r\n")
      try client.send(body)
      #expect(try client.readAnswer().body == Self.summary(body, "in pieces"))
      let refused = try RawClient(port: server.port)
      try refused.send("PUT /up HTTP/1.1\r\nHost: x\r\nX-Refuse: 1\r\n\(length)\r\n")
      let answer = try refused.readAnswer()
      #expect(answer.status == 403 && answer.headers["connection"] == "close")
      #expect(try refused.readToEnd().isEmpty)
    }
  }

  /// A site that reads one piece and answers with 409.
  private static var refusing: TestSite {
    var site = TestSite()
    site.passes = { _ in true }
    site.onRespond = { request, _ in
      _ = await request.stream?.next()
      return HTTPResponse(status: 409, contentType: "text/plain", text: String(repeating: "no", count: 1 << 20))
    }
    return site
  }

  @Test(arguments: [false, true])
  func `a refusal in mid-body reaches a client that sends everything before it reads`(isChunked: Bool) async throws {
    try await TestServer.with(Self.refusing) { server in
      // Before the connection, which has little time for its request.
      let bytes = Self.request(Self.body(8 << 20), isChunked: isChunked)
      let client = try RawClient(port: server.port)
      try client.send(bytes)
      let answer = try client.readAnswer()
      #expect(answer.status == 409 && answer.headers["connection"] == "close" && answer.body.utf8.count == 2 << 20)
      #expect(try client.readToEnd().isEmpty && !client.wasReset)
    }
  }

  @Test(arguments: [false, true])
  func `an answer may begin in mid-body, and the rest of the body still arrives`(isChunked: Bool) async throws {
    var site = TestSite()
    site.passes = { _ in true }
    site.onRespond = { request, _ in
      guard let body = request.stream else { return HTTPResponse(status: 500) }
      return HTTPResponse(
        stream: HTTPStream(endsByItself: true, isCut: body.isCut) {
          await body.next().map { piece in Array("\(piece.count)\n".utf8) }
        }, headers: [])
    }
    try await TestServer.with(site) { server in
      let client = try RawClient(port: server.port)
      let bytes = Self.request(Self.body(300_000), isChunked: isChunked)
      try client.send(Array(bytes[..<150_000]))
      #expect(try client.readHead().contains("connection: close"))
      try client.send(Array(bytes[150_000...]))
      let answer = String(decoding: try client.readToEnd(), as: UTF8.self)
      // Between the sizes of the pieces are those of the answer's chunks.
      let sizes = answer.split(separator: "\r\n").filter { $0.hasSuffix("\n") }.compactMap { Int($0.dropLast()) }
      #expect(sizes.reduce(0, +) == 300_000 && answer.hasSuffix("0\r\n\r\n"))
    }
  }

  /// The end of a body as a site sees it: how many bytes it got, whether it was cut off, and whether the caller has gone.
  private struct End: Equatable {
    var count = 0
    var isCut = false
    var hasGone = false
  }

  private static func ending(_ ends: Box<[End]>) -> TestSite {
    var site = TestSite()
    site.passes = { _ in true }
    site.onRespond = { request, _ in
      var end = End()
      while let piece = await request.stream?.next() { end.count += piece.count }
      end.isCut = request.stream?.isCut() == true
      end.hasGone = HTTPCall.caller?.hasGone == true
      ends.update { [end] in $0.append(end) }
      return HTTPResponse(status: 200, contentType: "text/plain", text: "ok")
    }
    return site
  }

  @Test(arguments: [false, true])
  func `a client that leaves in mid-body cuts it off`(byReset: Bool) async throws {
    let ends = Box<[End]>([])
    try await TestServer.with(Self.ending(ends)) { server in
      let client = try RawClient(port: server.port)
      try client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
      try client.send(Self.body(100_000))
      if byReset { client.reset() } else { client.endSending() }
      ends.wait { $0.count == 1 }
      let end = ends.get()[0]
      #expect(end.isCut && end.hasGone && (byReset || end.count == 100_000))
    }
  }

  @Test
  func `a client that stalls in mid-body gets 408`() async throws {
    let ends = Box<[End]>([])
    try await TestServer.with(Self.ending(ends), { $0.limits.handshakeTimeout = .seconds(1) }) { server in
      let client = try RawClient(port: server.port)
      try client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
      try client.send(Self.body(100_000))
      #expect(try client.readAnswer().status == 408)
      ends.wait { $0.count == 1 }
      #expect(ends.get() == [End(count: 100_000, isCut: true, hasGone: true)])
    }
  }

  @Test(arguments: ["x\r\n", "-1\r\n", "1\n", "2\r\nhey", "0\r\n\rX"])
  func `malformed chunks behind 64 KiB are refused, and what follows is no request`(chunk: String) async throws {
    let ends = Box<[End]>([])
    try await TestServer.with(Self.ending(ends)) { server in
      let client = try RawClient(port: server.port)
      let count = 100_000
      let size = String(count, radix: 16)
      try client.send("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n")
      try client.send(Self.body(count))
      try client.send("\r\n\(chunk)\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try client.readAnswer().status == 400)
      #expect(try client.readToEnd().isEmpty)
      ends.wait { $0.count == 1 }
      #expect(ends.get()[0].isCut)
    }
  }

  @Test
  func `two lengths, or a length and chunks, are refused for large bodies too`() async throws {
    try await TestServer.with(Self.summing()) { server in
      for fields in [
        "Content-Length: 100000\r\nContent-Length: 5\r\n", "Content-Length: 100000\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 99999999999999999999\r\n", "Content-Length: -100000\r\n",
      ] {
        let client = try RawClient(port: server.port)
        try client.send("PUT /up HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
        #expect(try client.readAnswer().status == 400)
      }
    }
  }
}
