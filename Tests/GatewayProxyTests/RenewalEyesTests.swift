import GatewayCore
import GatewayProxy
import GatewayRuntime
import GatewaySimulator
import GatewayWires
import Testing

/// A proxy's reading of renewals without a message of the client's.
struct RenewalEyesTests {
  /// Tokens of ann's, and one of bob's.
  private static let ann = [
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4iLCJleHAiOjQxMDI0NDQ4MDAsIm4iOjF9.c2ln",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4iLCJleHAiOjQxMDI0NDQ4MDAsIm4iOjJ9.c2ln",
  ]
  private static let bob = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IiLCJleHAiOjQxMDI0NDQ4MDAsIm4iOjF9.c2ln"

  /// Returns a description whose request names no connection, names one, or brings the token.
  private static func http(_ request: String) -> String {
    """
    { "wire": 1, "name": "keys", "connect": { "path": "/socket", "query": { "token": "{{token}}" } },
      "hear": [{ "when": { "json": { "/type": "hello" } }, "is": "logged_in", "take": { "session": "/session" } }],
      "ends": [{ "http": 401, "then": "renew" }, { "http": 403, "then": "give_up" }],
      "refresh": { "how": "http", "lead": "10s", "request": { "path": "/refresh", \(request) } } }
    """
  }

  private static let byUser = http(#""json": { "token": "{{token}}" }, "take": { "life_s": "/expires_in" }"#)
  private static let bySession = http(#""headers": { "X-Token": "{{token}}", "X-Session": "{{taken.session}}" }"#)
  private static let exchange = http(#""form": { "token": "{{token}}" }, "take": { "token": "/token" }"#)
  private static let pushed = """
    { "wire": 1, "name": "pushes", "connect": { "path": "/socket", "query": { "token": "{{token}}" } },
      "hear": [
        { "when": { "json": { "/type": "hello" } }, "is": "logged_in" },
        { "when": { "json": { "/type": "token" } }, "is": "pushed", "take": { "token": "/next", "life_s": "/life" } }
      ],
      "refresh": { "how": "pushed" } }
    """

  private static func world(_ text: String) throws -> ProxyWorld {
    let wire = try WireDescription(try DescriptionFile.parse(Array(text.utf8), file: "w.json"))
    return ProxyWorld(isControlled: true, wire: ProxyWire(try ServedDialect(reading: wire)))
  }

  private func connect(_ proxied: ProxyWorld, _ token: String, _ session: String) throws -> SimulatedPeer {
    let client = proxied.connect(HTTPRequest(method: "GET", path: "/socket", query: [HTTPField("token", token)]))
    let target = try #require(proxied.site.sockets.last)
    target.act { _ = $0.send(Frame(text: #"{"type":"hello","session":"\#(session)"}"#)) }
    proxied.world.advance(by: .seconds(1))
    return client
  }

  private func post(_ proxied: ProxyWorld, _ body: String, _ fields: [HTTPField] = []) throws -> HTTPResponse {
    let dialer = SimulatedDialer(proxied.network, on: proxied.world.loops[2])
    let request = HTTPRequest(
      method: "POST", path: "/refresh", headers: fields + [HTTPField("host", "proxy")], body: Array(body.utf8))
    let answer = proxied.world.ask(on: 2) {
      await dialer.fetch(request, from: ProxyWorld.address, timeout: .seconds(30))
    }
    return try #require(answer).get()
  }

  private func users(_ proxied: ProxyWorld, _ kind: JournalKind) -> [String] {
    proxied.lines(kind).map { $0.user?.rawValue ?? "-" }
  }

  @Test
  func `a request over HTTP that is accepted renews the connections of its token's user in the journal`() throws {
    let proxied = try Self.world(Self.byUser)
    _ = try connect(proxied, Self.ann[0], "1")
    _ = try connect(proxied, Self.bob, "2")
    proxied.site.answer = { _ in HTTPResponse(status: 200, headers: [], body: Array(#"{"expires_in":60}"#.utf8)) }
    let answer = try post(proxied, #"{"x":1,"token":"\#(Self.ann[1])"}"#)
    #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == #"{"expires_in":60}"#)
    #expect(users(proxied, .refreshed) == ["ann"])
    let login = try #require(proxied.lines.first { $0.contains("logged_in") })
    let refresh = try #require(proxied.lines.first { $0.contains(#""kind":"refreshed""#) })
    let fingerprint = try #require(login.firstMatch(of: #/token_fingerprint":"([0-9a-f]{32})"/#))
    #expect(!refresh.contains(fingerprint.1) && refresh.contains(#""expires_in_ms":"#), "\(refresh)")
    #expect(proxied.lines.allSatisfy { !$0.contains("eyJ") })
    // A token that names nobody, and a request of another path, renew nothing.
    _ = try post(proxied, #"{"token":"opaque"}"#)
    _ = try post(proxied, "{")
    #expect(users(proxied, .refreshed) == ["ann"])
  }

  @Test
  func `a request over HTTP renews the connection that it names, whoever's its token is`() throws {
    let proxied = try Self.world(Self.bySession)
    _ = try connect(proxied, Self.ann[0], "s1")
    _ = try connect(proxied, Self.bob, "s2")
    let fields = [HTTPField("x-token", "opaque"), HTTPField("x-session", "s2")]
    #expect(try post(proxied, "", fields).status == 201)
    #expect(users(proxied, .refreshed) == ["bob"])
    _ = try post(proxied, "", [HTTPField("x-token", "opaque"), HTTPField("x-session", "s3")])
    _ = try post(proxied, "", [HTTPField("x-token", "opaque")])
    #expect(users(proxied, .refreshed) == ["bob"])
  }

  @Test(arguments: [(401, "token_expired"), (403, "not_permitted"), (503, "overloaded"), (302, "not_permitted")])
  func `a request over HTTP that is refused is a refused refresh, by its cause`(status: Int, error: String) throws {
    let proxied = try Self.world(Self.bySession)
    _ = try connect(proxied, Self.ann[0], "s1")
    proxied.site.answer = { _ in HTTPResponse(status: status, headers: [], body: []) }
    _ = try post(proxied, "", [HTTPField("x-token", Self.ann[1]), HTTPField("x-session", "s1")])
    let line = try #require(proxied.lines.first { $0.contains("refresh_refused") })
    #expect(line.contains(error), "\(line)")
    #expect(users(proxied, .refreshed).isEmpty)
  }

  @Test
  func `an answer over HTTP that brings the next token is read for its fingerprint, and passed on unchanged`() throws {
    let proxied = try Self.world(Self.exchange)
    _ = try connect(proxied, Self.ann[0], "1")
    _ = try connect(proxied, Self.ann[1], "2")
    let body = #"{"token": "next-token-of-ann"}"#
    proxied.site.answer = { _ in HTTPResponse(status: 200, headers: [], body: Array(body.utf8)) }
    let answer = try post(proxied, "token=\(Self.ann[0])")
    #expect(String(decoding: answer.body, as: UTF8.self) == body)
    #expect(users(proxied, .refreshed) == ["ann"])
    #expect(proxied.lines.allSatisfy { !$0.contains("next-token") })
    // The next request shows the token that the last answer brought.
    proxied.site.answer = { _ in HTTPResponse(status: 200, headers: [], body: Array(#"{"token": 7}"#.utf8)) }
    _ = try post(proxied, "token=next-token-of-ann")
    #expect(users(proxied, .refreshed) == ["ann", "ann"])
    _ = try post(proxied, "token=\(Self.ann[0])")
    #expect(users(proxied, .refreshed) == ["ann", "ann"])
  }

  @Test
  func `faults of HTTP befall the request that renews, and nothing is renewed`() throws {
    let proxied = try Self.world(Self.bySession)
    _ = try connect(proxied, Self.ann[0], "s1")
    try proxied.fail(#"{"fault": "answer_with", "route": "/refresh", "status": 503}"#)
    let fields = [HTTPField("x-token", Self.ann[1]), HTTPField("x-session", "s1")]
    #expect(try post(proxied, "", fields).status == 503)
    #expect(proxied.site.requests.isEmpty && users(proxied, .refreshed).isEmpty)
    #expect(users(proxied, .refreshRefused) == ["ann"])
  }

  private static let told = [HTTPField("x-token", ann[1]), HTTPField("x-session", "s1")]
  private static let tellingEnd = http(
    #""headers": { "X-Token": "{{token}}", "X-Session": "{{taken.session}}" }, "take": { "end_ms": "/data/end" }"#)

  /// Returns the body of the answer through the proxy, where the gateway's is this.
  private func shortened(_ wire: String, _ fault: String, _ body: String, _ status: Int = 200) throws -> (
    String, ProxyWorld
  ) {
    let proxied = try Self.world(wire)
    _ = try connect(proxied, Self.ann[0], "s1")
    try proxied.fail(fault)
    proxied.site.answer = { _ in HTTPResponse(status: status, headers: [], body: Array(body.utf8)) }
    let answer = try post(proxied, #"{"token":"\#(Self.ann[1])"}"#, Self.told)
    return (String(decoding: answer.body, as: UTF8.self), proxied)
  }

  @Test
  func `a shorter life is told in the answer over HTTP, each time, and the journal has the gateway's own`() throws {
    let body = #"{ "a": 1.50, "expires_in": 600.5, "b": [] }"#
    let (text, proxied) = try shortened(Self.byUser, #"{"fault": "shorten", "life_s": 3}"#, body)
    #expect(text == #"{ "a": 1.50, "expires_in": 3, "b": [] }"#)
    let again = try post(proxied, #"{"token":"\#(Self.ann[0])"}"#)
    #expect(String(decoding: again.body, as: UTF8.self) == text)
    let refreshed = proxied.lines.filter { $0.contains(#""kind":"refreshed""#) }
    #expect(refreshed.count == 2 && refreshed.allSatisfy { $0.contains(#""expires_in_ms":600500"#) }, "\(refreshed)")
    #expect(proxied.lines(.faulted).map { $0.user?.rawValue } == ["ann", "ann"])
    #expect(proxied.lines.filter { $0.contains(#""fault":"shorten""#) && $0.contains(#""connection""#) }.count == 2)
  }

  @Test
  func `an end in the answer over HTTP is that of the shorter life`() throws {
    let body = #"{"data":{"end":"4102444800000"}}"#
    let (text, proxied) = try shortened(
      Self.tellingEnd, #"{"fault": "shorten", "life_s": 2.5, "what": "reply:refresh"}"#, body)
    let end = try #require(text.firstMatch(of: #/"end":"([0-9]+)"/#).flatMap { Int64($0.1) })
    let now = proxied.world.loops[0].eventLoop.wallTime.nanoseconds / 1_000_000
    #expect((now - 2_000...now + 2_500).contains(end), "\(text) \(now)")
  }

  @Test(arguments: [
    (#"{"fault": "shorten", "life_s": 3, "what": "reply:login"}"#, 200),
    (#"{"fault": "shorten", "life_s": 3, "who": {"users": ["bob"]}}"#, 200),
    (#"{"fault": "shorten", "life_s": 3, "who": {"connection": 2}}"#, 200),
    (#"{"fault": "shorten", "life_s": 3, "what": "reply:refresh", "match": {"json": {"/plan": "free"}}}"#, 200),
    (#"{"fault": "shorten", "life_s": 3}"#, 401),
  ])
  func `an answer over HTTP that the fault does not mean is passed on unchanged`(fault: String, status: Int) throws {
    let body = #"{"expires_in":600,"plan":"paid"}"#
    let (text, proxied) = try shortened(Self.byUser, fault, body, status)
    #expect(text == body && proxied.lines(.faulted).isEmpty)
  }

  @Test
  func `a shorter life is told to a client whose connection nobody knows, and is refused where no answer tells one`()
    throws
  {
    let proxied = try Self.world(Self.byUser)
    try proxied.fail(#"{"fault": "shorten", "life_s": 3, "times": 1}"#)
    proxied.site.answer = { _ in HTTPResponse(status: 200, headers: [], body: Array(#"{"expires_in":600}"#.utf8)) }
    let answers = try (0..<2).map { _ in String(decoding: try post(proxied, #"{"token":"opaque"}"#).body, as: UTF8.self)
    }
    #expect(answers == [#"{"expires_in":3}"#, #"{"expires_in":600}"#])
    let silent = try Self.world(Self.bySession)
    let error = try #require(throws: GatewayError.self) { try silent.fail(#"{"fault": "shorten", "life_s": 3}"#) }
    #expect(error.name == "needs_wire")
  }

  @Test
  func `a login that tells no life does not spend a fault that is ordered once`() throws {
    let proxied = try Self.world(Self.byUser)
    try proxied.fail(#"{"fault": "shorten", "life_s": 3, "times": 1}"#)
    _ = try connect(proxied, Self.ann[0], "1")
    #expect(users(proxied, .loggedIn) == ["ann"] && proxied.lines(.faulted).isEmpty)
    proxied.site.answer = { _ in HTTPResponse(status: 200, headers: [], body: Array(#"{"expires_in":600}"#.utf8)) }
    let answers = try (0..<2).map { _ in
      String(decoding: try post(proxied, #"{"token":"\#(Self.ann[1])"}"#).body, as: UTF8.self)
    }
    #expect(answers == [#"{"expires_in":3}"#, #"{"expires_in":600}"#])
  }

  @Test
  func `a shorter life of a pushed token is told`() throws {
    let proxied = try Self.world(Self.pushed)
    let client = try connect(proxied, Self.ann[0], "1")
    try proxied.fail(#"{"fault": "shorten", "life_s": 3}"#)
    let target = try #require(proxied.site.sockets.last)
    target.act { _ = $0.send(Frame(text: #"{"type":"token","next":"\#(Self.ann[1])","life":60}"#)) }
    proxied.world.advance(by: .seconds(1))
    #expect(client.texts.last?.hasSuffix(#""life":3}"#) == true)
  }

  @Test
  func `a pushed token is a refresh that asked the provider for nothing`() async throws {
    let proxied = try Self.world(Self.pushed)
    let client = try connect(proxied, Self.ann[0], "1")
    let target = try #require(proxied.site.sockets.last)
    for message in [
      #"{"type":"token","next":7}"#, #"{"type":"token","next":""}"#,
      #"{"type":"token","next":"\#(String(repeating: "x", count: 70_000))"}"#,
    ] {
      target.act { _ = $0.send(Frame(text: message)) }
      proxied.world.advance(by: .seconds(1))
    }
    #expect(users(proxied, .refreshed).isEmpty)
    target.act { _ = $0.send(Frame(text: #"{"type":"token","next":"\#(Self.ann[1])","life":60}"#)) }
    proxied.world.advance(by: .seconds(1))
    #expect(client.texts.count == 5 && users(proxied, .refreshed) == ["ann"])
    let verdict = try await proxied.askText(
      "POST", "/journal/expect", #"{"expect": "one_provider_call_per_expiry", "user": "ann", "quiet_ms": 0}"#)
    #expect(verdict.contains(#""verdict":"passed""#) && verdict.contains("no provider call"), "\(verdict)")
    #expect(try await proxied.askText("POST", "/users/ann/expire").hasPrefix("409"))
    #expect(proxied.lines.allSatisfy { !$0.contains("eyJ") })
  }
}
