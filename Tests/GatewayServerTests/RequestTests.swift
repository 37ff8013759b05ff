import GatewayCore
import GatewayRuntime
import GatewayServer
import Testing

struct RequestTests {
  /// Returns the request as the site sees it.
  private static func seen(_ text: String, inPieces: Bool = false, overTLS: Bool = false) async throws -> HTTPRequest {
    let seen = Box<HTTPRequest?>(nil)
    var site = TestSite()
    site.onRespond = { request, _ in
      seen.set(request)
      return HTTPResponse(status: 204)
    }
    site.onAdmit = { request, _ in
      seen.set(request)
      return .refuse(HTTPResponse(status: 403))
    }
    let certificate = overTLS ? try TestCertificate() : nil
    try await TestServer.with(site, { $0.tls = certificate?.files }) { server in
      if overTLS {
        _ = TestCertificate.send(text, port: server.port)
      } else {
        let client = try RawClient(port: server.port)
        for piece in inPieces ? text.utf8.map({ [$0] }) : [Array(text.utf8)] { try client.send(piece) }
        _ = try client.readAnswer()
      }
    }
    return try #require(seen.get())
  }

  private static func head(_ target: String, _ fields: [(String, String)] = []) -> String {
    "GET \(target) HTTP/1.1\r\nHost: x\r\n" + fields.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
  }

  // MARK: Fields

  /// Fields that vendors' clients send, and names with the same prefix as one that libwebsockets knows or as another of
  /// these.
  private static let fields = [
    ("strict-auth-type", "jwt"), ("x-strict-client", "strict-video-ios-1.2|os=iOS 17;x"),
    ("X-Client-Request-Id", "5e1b"), ("Server-WS-Token", "t1"), ("SERVER-WS-Auth", "t2"), ("Session-Key", "k1"),
    ("Api-Token", "k2"), ("App-Id", "E0A1"), ("Access-Token", "k3"), ("SerVer-S", "JS,4.9.8,x,y"),
    ("SB-User-Agent", "JS/c4.9.8///"), ("SB-SDK-User-Agent", "main_sdk_info=chat/js/4.9.8&x=%2F"),
    ("Request-Sent-Timestamp", "1700000000000"), ("X-A", "1"), ("Acc", "2"), ("Hos", "3"), ("authorizatio", "4"),
    ("Authorization", "Bearer t"), ("Sec-WebSocket", "5"), ("If", "6"),
  ]

  @Test(arguments: [0, 5, 11, 17], [(false, false), (true, false), (false, true)])
  func `every field arrives with its value, whatever is next to it`(
    turn: Int, way: (isReversed: Bool, isUpgrade: Bool)
  ) async throws {
    var fields = Array(Self.fields[turn...] + Self.fields[..<turn])
    if way.isReversed { fields.reverse() }
    let upgrade = [
      ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", RawClient.key),
      ("Sec-WebSocket-Version", "13"),
    ]
    let request = try await Self.seen(Self.head("/", fields + (way.isUpgrade ? upgrade : [])))
    for (name, value) in fields { #expect(request.header(name.lowercased()) == value) }
    #expect(request.headers.count == fields.count + 1 + (way.isUpgrade ? 4 : 0))
  }

  @Test
  func `a head arrives whole byte by byte, over TLS, with line feeds alone, and behind empty lines`() async throws {
    let text = Self.head("/a%2Fb?c=d", Self.fields + [("Connection", "close")])
    let plain = try await Self.seen(text)
    var others = [
      try await Self.seen(text, inPieces: true), try await Self.seen(text, overTLS: true),
      try await Self.seen(text.replacing("\r\n", with: "\n")), try await Self.seen("\r\n\r\n" + text),
    ]
    for index in others.indices { others[index].peer = plain.peer }
    #expect(others.allSatisfy { $0 == plain })
    #expect(plain.headers.count == Self.fields.count + 2)
  }

  @Test
  func `a field that comes several times becomes one list, and cookies keep their own separator`() async throws {
    let request = try await Self.seen(
      Self.head("/", [("A", "1"), ("Cookie", "a=1"), ("b", "x"), ("a", "2"), ("cookie", "b=2")]))
    #expect(request.header("a") == "1, 2")
    #expect(request.header("cookie") == "a=1; b=2")
    #expect(request.header("b") == "x")
  }

  @Test
  func `white space around a value is not part of it, and an empty value counts as a value`() async throws {
    let request = try await Self.seen("GET / HTTP/1.1\r\nHost:x\r\nA: \t 1  2 \t\r\nB:\r\n\r\n")
    #expect(request.header("host") == "x")
    #expect(request.header("a") == "1  2")
    #expect(request.header("b") == "")
  }

  // MARK: Targets

  @Test(
    arguments: [
      (
        "json=%7B%22user_id%22%3A%22a%26b%22%2C%22c%22%3A1%7D&api_key=k",
        [("json", #"{"user_id":"a&b","c":1}"#), ("api_key", "k")]
      ),
      ("a=1%3D2&b=1=2&c=%2B+%20", [("a", "1=2"), ("b", "1=2"), ("c", "+  ")]),
      ("a=&b&&c=%3B;d", [("a", ""), ("b", ""), ("c", ";;d")]),
      ("n=J%C3%B6rg&raw=Jörg&%E6%BC%A2=1", [("n", "Jörg"), ("raw", "Jörg"), ("漢", "1")]),
      ("a=%2541&b=100%&c=%zz&d=%4", [("a", "%41"), ("b", "100%"), ("c", "%zz"), ("d", "%4")]),
      ("a=/../b&c=?d&e=//", [("a", "/../b"), ("c", "?d"), ("e", "//")]),
      ("a%3Db=c&a=1&a=2", [("a=b", "c"), ("a", "1"), ("a", "2")]), ("", []),
    ] as [(String, [(String, String)])])
  func `parameters are decoded once, and split only at separators that are not escaped`(
    text: String, parameters: [(String, String)]
  )
    async throws
  {
    let request = try await Self.seen(Self.head("/x?\(text)"))
    #expect(request.path == "/x")
    #expect(request.query == parameters.map { HTTPField($0.0, $0.1) })
  }

  @Test
  func `four kilobytes of query arrive whole`() async throws {
    let value = String(repeating: "%7B%22a+b%22%7D", count: 273)
    let request = try await Self.seen(Self.head("/x?json=\(value)&last=1"))
    #expect(request.parameter("json") == String(repeating: #"{"a b"}"#, count: 273))
    #expect(request.parameter("last") == "1")
  }

  @Test(arguments: [
    "/v3/users/a%2Fb", "/v3/users/a%3Ab%21%40c/x", "/a+b", "/a%20b/%E6%BC%A2", "/a//b/", "/a/../b/./c", "/a;b=c,d",
    "/%00", "/100%",
  ])
  func `a path arrives unchanged, so that a segment may hold anything`(text: String) async throws {
    #expect(try await Self.seen(Self.head(text)).path == text)
  }

  @Test
  func `an escaped slash stays inside its segment when the router takes the path apart`() async throws {
    let request = try await Self.seen(Self.head("/v3/users/a%2Fb%21/messages"))
    let router = HTTPRouter([HTTPRoute("GET", "/v3/users/{user}/messages") { _, _ in HTTPResponse(status: 200) }])
    guard case .found(_, let parameters) = router.match(method: "GET", path: request.path) else {
      Issue.record("no route")
      return
    }
    #expect(parameters["user"] == "a/b!")
  }

  @Test(arguments: ["http://x:80/a?b=c", "HTTPS://x/a?b=c"])
  func `the absolute form of a target is its path`(target: String) async throws {
    let request = try await Self.seen(Self.head(target))
    #expect(request.path == "/a")
    #expect(request.query == [HTTPField("b", "c")])
  }

  // MARK: Methods and bodies

  struct Sent: CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let method: String
    let body: String
  }

  @Test(
    arguments: [
      Sent(
        testDescription: "DELETE with a JSON body",
        text: "DELETE /x HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n{\"a\":1}", method: "DELETE",
        body: #"{"a":1}"#),
      Sent(
        testDescription: "DELETE without a body", text: "DELETE /x HTTP/1.1\r\nHost: x\r\n\r\n", method: "DELETE",
        body: ""),
      Sent(
        testDescription: "PUT of no length", text: "PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
        method: "PUT", body: ""),
      Sent(
        testDescription: "POST of no length", text: "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
        method: "POST", body: ""),
      Sent(
        testDescription: "POST without a length", text: "POST /x HTTP/1.1\r\nHost: x\r\n\r\n", method: "POST", body: ""),
      Sent(
        testDescription: "PATCH", text: "PATCH /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
        method: "PATCH", body: "{}"),
      Sent(
        testDescription: "HTTP/1.0", text: "PUT /x HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}", method: "PUT", body: "{}"),
    ], [false, true])
  func `every method arrives with its body or without one`(sent: Sent, inPieces: Bool) async throws {
    let request = try await Self.seen(sent.text, inPieces: inPieces)
    #expect(request.method == sent.method)
    #expect(String(decoding: request.body, as: UTF8.self) == sent.body)
  }
}
