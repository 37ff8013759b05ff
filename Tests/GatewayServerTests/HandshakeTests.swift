import GatewayCore
import GatewayRuntime
import GatewayServer
import TestTraits
import Testing

struct HandshakeTests {
  struct BadUpgrade: CustomTestStringConvertible {
    let testDescription: String
    let changes: [String: String?]
    let status: Int

    init(_ description: String, _ changes: [String: String?], _ status: Int) {
      testDescription = description
      self.changes = changes
      self.status = status
    }
  }

  @Test
  func `a good upgrade is answered with 101 and the key's proof, and messages pass`() async throws {
    try await TestServer.with { server in
      let client = try RawClient(port: server.port)
      try client.send(RawClient.upgrade())
      let answer = try client.readAnswer()
      #expect(answer.status == 101)
      // The example in RFC 6455 section 1.3.
      #expect(answer.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
      #expect(answer.headers["sec-websocket-protocol"] == nil)
      try client.sendText("hello")
      #expect(try client.readFrame() == .init(opcode: .text, payload: Array("hello".utf8)))
    }
  }

  @Test
  func `an upgrade that says Content-Length, 0 has no body and is answered with 101`() async throws {
    try await TestServer.with { server in
      let client = try RawClient(port: server.port)
      try client.send(RawClient.upgrade(changing: ["Content-Length": "0"]))
      #expect(try client.readAnswer().status == 101)
    }
  }

  @Test(arguments: [
    BadUpgrade("another version", ["Sec-WebSocket-Version": "7"], 426),
    BadUpgrade("no version", ["Sec-WebSocket-Version": nil], 426),
    BadUpgrade("no key", ["Sec-WebSocket-Key": nil], 400),
    BadUpgrade("a short key", ["Sec-WebSocket-Key": "YQ=="], 400),
    BadUpgrade("a key of 16 bytes that is no base64", ["Sec-WebSocket-Key": "!!!!!!!!!!!!!!!!!!!!!!=="], 400),
    BadUpgrade("a Connection that does not say upgrade", ["Connection": "keep-alive"], 400),
    BadUpgrade("a Connection that begins like upgrade", ["Connection": "up"], 400),
    BadUpgrade("no Connection", ["Connection": nil], 400),
    BadUpgrade("no Host", ["Host": nil], 400),
    BadUpgrade(
      "a subprotocol list that is too long", ["Sec-WebSocket-Protocol": String(repeating: "a", count: 2049)], 400),
    BadUpgrade("a subprotocol that is no token", ["Sec-WebSocket-Protocol": #"{"token":"x"}"#], 400),
    BadUpgrade("a subprotocol with a space in it", ["Sec-WebSocket-Protocol": "a, b c"], 400),
    BadUpgrade("an empty subprotocol", ["Sec-WebSocket-Protocol": "a,,b"], 400),
    BadUpgrade("a body of a length, which would be read as frames", ["Content-Length": "5"], 400),
    BadUpgrade("a body in chunks", ["Transfer-Encoding": "chunked"], 400),
    BadUpgrade("a length that is no number", ["Content-Length": "+0"], 400),
    BadUpgrade("two Hosts", ["host": "elsewhere"], 400),
  ])
  func `an upgrade that RFC 6455 section 4.2.1 does not allow is refused with a reason`(_ bad: BadUpgrade) async throws
  {
    try await TestServer.with { server in
      let client = try RawClient(port: server.port)
      try client.send(RawClient.upgrade(changing: bad.changes))
      let answer = try client.readAnswer()
      #expect(answer.status == bad.status)
      #expect(!answer.body.isEmpty)
      if bad.status == 426 { #expect(answer.headers["sec-websocket-version"] == "13") }
      _ = try client.readToEnd()
    }
  }

  @Test(arguments: [("POST", "1.1", 405), ("GET", "1.0", 400)])
  func `an upgrade with another method or an older HTTP is refused`(method: String, version: String, status: Int)
    async throws
  {
    try await TestServer.with { server in
      let client = try RawClient(port: server.port)
      try client.send(
        RawClient.upgrade().replacing("GET / HTTP/1.1", with: "\(method) / HTTP/\(version)"))
      #expect(try client.readAnswer().status == status)
    }
  }

  @Test
  func `the site's refusal arrives whole, with its body, and the connection ends`() async throws {
    var site = TestSite()
    site.onAdmit = { _, _ in
      .refuse(
        HTTPResponse(
          status: 403, headers: [HTTPField("content-type", "application/json"), HTTPField("x-why", "anonymous")],
          body: Array(#"{"error":"anonymous_refused"}"#.utf8)))
    }
    try await TestServer.with(site) { server in
      let client = try RawClient(port: server.port)
      try client.send(RawClient.upgrade())
      let answer = try client.readAnswer()
      #expect(answer.status == 403)
      #expect(answer.headers["x-why"] == "anonymous")
      #expect(answer.headers["connection"] == "close")
      #expect(answer.body == #"{"error":"anonymous_refused"}"#)
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test(arguments: ["h2c", "foo", "TLS/1.0"])
  func `an Upgrade to anything but websocket is ignored, as RFC 9110 section 7.8 allows`(name: String) async throws {
    try await TestServer.with { server in
      let client = try RawClient(port: server.port)
      try client.send(
        RawClient.upgrade("/x", changing: ["Upgrade": name, "HTTP2-Settings": "AAMAAABkAARAAAAA"]))
      let answer = try client.readAnswer()
      #expect(answer.status == 200)
      #expect(answer.body == "GET /x")
    }
  }

  @Test
  func `the site sees the path, the decoded query and every field`() async throws {
    let seen = Box<HTTPRequest?>(nil)
    var site = TestSite()
    site.onAdmit = { request, _ in
      seen.set(request)
      return .accept(EchoHandler(), subprotocol: nil)
    }
    try await TestServer.with(site) { server in
      let client = try RawClient(port: server.port)
      try client.send(
        RawClient.upgrade(
          "/connect/a%20b?access_token=a.b-c_d&name=J%C3%B6rg+K%26Co&empty",
          changing: [
            "Authorization": "Bearer abc", "Origin": "https://app.example", "X-App-Key": "k1", "User-Agent": "test/1",
            "Cookie": "a=1; b=2", "X-Forwarded-For": "203.0.113.9",
          ]))
      #expect(try client.readAnswer().status == 101)
      let request = try #require(seen.get())
      #expect(request.method == "GET")
      #expect(request.path == "/connect/a%20b")
      #expect(request.parameter("access_token") == "a.b-c_d")
      #expect(request.parameter("name") == "Jörg K&Co")
      #expect(request.parameter("empty") == "")
      #expect(request.bearerToken == "abc")
      #expect(request.header("origin") == "https://app.example")
      #expect(request.header("x-app-key") == "k1")
      #expect(request.header("user-agent") == "test/1")
      #expect(request.header("cookie") == "a=1; b=2")
      #expect(request.header("x-forwarded-for") == "203.0.113.9")
      #expect(request.peer == "127.0.0.1")
    }
  }

  /// The offer of a vendor's browser clients: percent-encoded JSON with the session's token.
  private static let tokenOffer = "%7B%22token%22%3A%22" + String(repeating: "a1B2", count: 90) + "%22%7D"
  /// All characters that a token may contain.
  private static let everyCharacter = "!#$%&'*+-.^_`|~09azAZ"

  @Test(
    .long,
    arguments: [
      ("postern.v1", "postern.v1, other"), (nil, "unknown, strange"), ("other", "postern.v1, other"),
      (tokenOffer, tokenOffer), (nil, tokenOffer), (everyCharacter, "x,\t\(everyCharacter)\t, y"),
      (tokenOffer, (1...20).map { "long-name-number-\($0)" }.joined(separator: ", ") + ", " + tokenOffer),
      (String(repeating: "x", count: 2048), String(repeating: "x", count: 2048)), ("a", "a,a"),
    ] as [(String?, String)], [false, true])
  func `the 101 names exactly the subprotocol that the site chose, and none if it chose none`(
    _ names: (chosen: String?, offered: String), overTLS: Bool
  ) async throws {
    let certificate = overTLS ? try TestCertificate() : nil
    let site = TestSite.recording(
      SocketEvents(), subprotocol: names.chosen, onOpen: { if overTLS { $0.abort() } })
    try await TestServer.with(site, { $0.tls = certificate?.files }) { server in
      let request = RawClient.upgrade(changing: ["Sec-WebSocket-Protocol": names.offered])
      let head: String
      if overTLS {
        head = TestCertificate.send(request, port: server.port)
      } else {
        let client = try RawClient(port: server.port)
        try client.send(request)
        head = try client.readHead()
      }
      #expect(head.contains("HTTP/1.1 101 "))
      let lines = head.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("sec-websocket-protocol") }
      #expect(lines.map(String.init) == names.chosen.map { ["Sec-WebSocket-Protocol: \($0)"] } ?? [])
    }
  }

  @Test
  func `offers that are far too long for the library itself are no matter, of extensions neither`() async throws {
    try await TestServer.with { server in
      let offers = (1...40).map { "x-extension-number-\($0)" }.joined(separator: ", ")
      let client = try RawClient.open(
        port: server.port,
        changing: [
          "Sec-WebSocket-Extensions": offers, "Connection": String(repeating: "keep-alive, ", count: 30) + "Upgrade",
        ])
      try client.sendText("x")
      #expect(try client.readFrame().text == "x")
    }
  }

  @Test
  func `messages sent in one segment with the upgrade request are not lost`() async throws {
    try await TestServer.with { server in
      let client = try RawClient(port: server.port)
      try client.send(
        Array(RawClient.upgrade().utf8) + RawClient.frame(1, Array("first".utf8))
          + RawClient.frame(1, Array("second".utf8)))
      #expect(try client.readAnswer().status == 101)
      #expect(try client.readFrame().text == "first")
      #expect(try client.readFrame().text == "second")
    }
  }
}
