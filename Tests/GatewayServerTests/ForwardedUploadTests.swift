import GatewayCore
import GatewayRuntime
import GatewayServer
import Testing

/// Large bodies on their way through a proxy to a server.
@Suite(.timeLimit(.minutes(5)))
struct ForwardedUploadTests {
  /// Runs `body` with a port whose requests are forwarded to the target. A failure is answered with 502 and its reason.
  private func with(
    target port: Int, isTLS: Bool = false, _ body: (TestServer) async throws -> Void
  ) async throws {
    let dialer = Box<SocketDialer?>(nil)
    var target = DialTarget(host: "127.0.0.1", port: port, isTLS: isTLS)
    target.allowsUntrustedCertificate = isTLS
    var site = TestSite()
    site.passes = { _ in true }
    site.onRespond = { [target] request, _ in
      guard let dialer = dialer.get() else { return HTTPResponse(status: 500) }
      var forwarded = request
      let dropped = ["host", "transfer-encoding", "expect"] + (request.stream == nil ? ["content-length"] : [])
      forwarded.headers.removeAll { dropped.contains($0.name) }
      switch await dialer.forward(forwarded, to: target) {
      case .success(let answer): return answer
      case .failure(let failure): return HTTPResponse(status: 502, contentType: "text/plain", text: "\(failure)")
      }
    }
    try await TestServer.with(site) { server in
      dialer.set(SocketDialer(on: server.loops[0]))
      try await body(server)
    }
  }

  @Test(arguments: [false, true])
  func `a body arrives as it was sent, and connections on both sides carry the next request`(
    isChunked: Bool
  ) async throws {
    let target = try RawTarget()
    try await with(target: target.port) { server in
      let client = try RawClient(port: server.port)
      let body = PassedUploadTests.body(2 << 20)
      for method in ["POST", "PUT"] {
        try client.send(PassedUploadTests.request(body, isChunked: isChunked, method: method))
        #expect(try client.readAnswer().body == "ok")
        try client.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.readAnswer().body == "ok")
      }
      let seen = target.requests
      #expect(seen.count == 4 && seen.map(\.isCut) == [false, false, false, false])
      #expect(seen[0].body == body && seen[2].body == body)
      let framing = isChunked ? "transfer-encoding: chunked\r\n" : "content-length: \(body.count)\r\n"
      #expect(seen[0].head.contains(framing) && seen[0].head.contains("\r\nconnection: keep-alive\r\n"))
      #expect(!seen[0].head.contains(isChunked ? "content-length" : "transfer-encoding"))
      // A body that cannot be sent twice has a connection of its own, which the next request takes.
      #expect(seen[0].connection == seen[1].connection && seen[1].connection != seen[2].connection)
    }
  }

  @Test
  func `a small chunked body is sent whole, with its length`() async throws {
    let target = try RawTarget()
    try await with(target: target.port) { server in
      let client = try RawClient(port: server.port)
      let body = PassedUploadTests.body(64 << 10)
      try client.send(PassedUploadTests.request(body, isChunked: true))
      #expect(try client.readAnswer().body == "ok")
      let seen = try #require(target.requests.first)
      #expect(seen.body == body && seen.head.contains("content-length: \(body.count)\r\n"))
      #expect(!seen.head.contains("transfer-encoding"))
    }
  }

  @Test(arguments: [false, true])
  func `a server's answer in mid-body reaches the client`(isChunked: Bool) async throws {
    let text = "HTTP/1.1 413 Content Too Large\r\ncontent-length: 8\r\nconnection: close\r\n\r\ntoo much"
    let target = try RawTarget(.answerEarly(text, after: 100_000))
    try await with(target: target.port) { server in
      let bytes = PassedUploadTests.request(PassedUploadTests.body(8 << 20), isChunked: isChunked)
      let client = try RawClient(port: server.port)
      try client.send(bytes)
      let answer = try client.readAnswer()
      #expect(answer.status == 413 && answer.body == "too much" && answer.headers["connection"] == "close")
      #expect(try client.readToEnd().isEmpty)
      #expect(target.requests.count == 1)
    }
  }

  @Test(arguments: ["PUT", "POST"])
  func `a server that dies in mid-body is unreachable, and the request is not repeated`(method: String) async throws {
    let target = try RawTarget(.die(after: 100_000))
    try await with(target: target.port) { server in
      let bytes = PassedUploadTests.request(PassedUploadTests.body(8 << 20), isChunked: false, method: method)
      let client = try RawClient(port: server.port)
      try client.send(bytes)
      let answer = try client.readAnswer()
      #expect(answer.status == 502 && answer.headers["connection"] == "close")
      #expect(target.requests.count == 1)
    }
  }

  @Test(arguments: [false, true])
  func `a client that leaves in mid-body takes the request to the server along`(isChunked: Bool) async throws {
    let target = try RawTarget()
    try await with(target: target.port) { server in
      let body = PassedUploadTests.body(300_000)
      let bytes = PassedUploadTests.request(body, isChunked: isChunked)
      var client: RawClient? = try RawClient(port: server.port)
      try client?.send(Array(bytes[..<200_000]))
      _ = target.requests { $0.first.map { $0.body.count > 100_000 } ?? false }
      client = nil
      let seen = target.requests { $0.first?.isCut == true }
      #expect(seen.count == 1 && seen[0].body.elementsEqual(body.prefix(seen[0].body.count)))
    }
  }

  @Test(arguments: [false, true])
  func `a body passes to a server over TLS`(isChunked: Bool) async throws {
    let certificate = try TestCertificate()
    var site = TestSite()
    site.passes = { _ in true }
    site.onRespond = { request, loop in
      var count = request.body.count
      while let piece = await request.stream?.next() {
        count += piece.count
        await loop.pause()
      }
      return HTTPResponse(status: 200, contentType: "text/plain", text: "\(count)")
    }
    try await TestServer.with(site, { $0.tls = certificate.files }) { target in
      try await with(target: target.port, isTLS: true) { server in
        let client = try RawClient(port: server.port)
        for size in [3 << 20, 5, 100_000] {
          try client.send(PassedUploadTests.request(PassedUploadTests.body(size), isChunked: isChunked))
          #expect(try client.readAnswer().body == "\(size)")
        }
      }
    }
  }
}
