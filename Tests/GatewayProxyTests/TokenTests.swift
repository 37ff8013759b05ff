import GatewayCore
import GatewayJSON
import GatewayProxy
import GatewayRuntime
import GatewaySimulator
import GatewayWires
import Testing

struct TokenTests {
  private static let life = 60

  /// A proxy before an application that mints tokens at `POST /auth/token`, each of the life, for the user in its query.
  private func world(life: Int = life) throws -> ProxyWorld {
    let pointer = try #require(JSONPointer("/data/access"))
    let proxied = ProxyWorld(
      isControlled: true, tokens: TokenWatch(method: "POST", path: "/auth/token", tokenAt: pointer))
    let world = proxied.world
    let count = Counter()
    proxied.site.answer = { request in
      guard let user = request.parameter("user") else { return HTTPResponse(status: 401) }
      count.value += 1
      let token = Self.token(user, count.value, until: world.loops[0].eventLoop.wallTime + .seconds(life))
      return HTTPResponse(
        status: 200, contentType: "application/json",
        text: #"{ "n":1.50, "data": {"access" : "\#(token)"},"expires_in":\#(life), "tail":"x" }"#)
    }
    return proxied
  }

  /// `@unchecked Sendable`: touched only by the thread that runs the world.
  private final class Counter: @unchecked Sendable {
    var value = 0
  }

  private static func token(_ user: String, _ number: Int, until end: WallTime) -> String {
    let payload = #"{"sub":"\#(user)","exp":\#(end.nanoseconds / 1_000_000_000),"n":\#(number)}"#
    return [#"{"alg":"HS256"}"#, payload, "signature of 32 bytes is here ok"].map { Base64URL.encode(Array($0.utf8)) }
      .joined(separator: ".")
  }

  private func ask(_ proxied: ProxyWorld, _ user: String, _ fields: [HTTPField] = []) -> HTTPResponse? {
    proxied.send("POST", "/auth/token", fields, query: [HTTPField("user", user)])
  }

  private func token(in answer: HTTPResponse?) throws -> String {
    let body = try JSONDocument.parse(try #require(answer).body)
    return try #require(body.root["data"]?["access"]?.string)
  }

  private func kinds(_ proxied: ProxyWorld) -> [String] {
    proxied.onLoop {
      proxied.control?.journal.page(Journal.Query()).lines.filter { $0.event.kind != .httpAnswered }.map {
        "\($0.event.kind.rawValue) \($0.user?.rawValue ?? "-")"
      } ?? []
    }
  }

  @Test
  func `a call of the token endpoint has its lines, and its answer is passed on unchanged`() throws {
    let proxied = try world()
    let answer = try #require(ask(proxied, "ann", [HTTPField("accept-encoding", "gzip")]))
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(text.utf8.starts(with: #"{ "n":1.50, "data": {"access" : "ey"#.utf8))
    #expect(proxied.site.requests.first?.header("accept-encoding") == "identity")
    #expect(kinds(proxied) == ["provider_asked ann", "provider_minted ann"])
    #expect(proxied.send("POST", "/auth/token")?.status == 401)
    #expect(kinds(proxied).suffix(2) == ["provider_asked -", "provider_refused -"])
    #expect(proxied.send("GET", "/auth/token")?.status == 401)
    #expect(kinds(proxied).count == 4)
    #expect(proxied.lines.allSatisfy { $0.firstRange(of: "ey") == nil })
  }

  @Test
  func `a caller that names no user is recognized by the credentials of its last call`() throws {
    let proxied = try world()
    let cookie = [HTTPField("cookie", "session=7")]
    _ = ask(proxied, "ann", cookie)
    #expect(proxied.send("POST", "/auth/token", cookie)?.status == 401)
    #expect(kinds(proxied).suffix(2) == ["provider_asked ann", "provider_refused ann"])
    #expect(proxied.lines.allSatisfy { $0.firstRange(of: "session=7") == nil })
  }

  @Test(arguments: [
    #"{"fault": "mint_refused", "status": 429, "retry_after_s": 5, "times": 1}"#,
    #"{"fault": "mint_limited", "per": "all", "limit": 1, "window_s": 30, "retry_after": 5}"#,
  ])
  func `the endpoint is not asked when a fault refuses`(order: String) throws {
    let proxied = try world()
    if order.firstRange(of: "limited") != nil { _ = ask(proxied, "bob") }
    try proxied.fail(order)
    if order.firstRange(of: "limited") != nil { _ = ask(proxied, "bob") }
    let before = proxied.site.requests.count
    let answer = try #require(ask(proxied, "ann"))
    #expect(answer.status == 429 && answer.header("retry-after") == "5" && answer.header("postern-proxy") == "fault")
    #expect(proxied.site.requests.count == before)
    #expect(kinds(proxied).suffix(1) == ["provider_failed ann"] && proxied.lines(.faulted).count >= 1)
  }

  @Test
  func `the token is another, and the rest of the answer stays`() throws {
    let proxied = try world()
    let first = try token(in: ask(proxied, "ann"))
    let orders: [(String, (String) -> Bool)] = [
      ("mint_empty", { $0.isEmpty }), ("mint_malformed", { (20..<first.utf8.count / 2 + 2).contains($0.utf8.count) }),
      ("mint_forged", { $0.utf8.count == first.utf8.count && $0.utf8.starts(with: first.utf8.prefix(30)) }),
    ]
    for (word, isMeant) in orders {
      try proxied.fail(#"{"fault": "\#(word)", "times": 1, "who": {"users": ["ann"]}}"#)
      let answer = try #require(ask(proxied, "ann"))
      #expect(isMeant(try token(in: answer)), "\(word)")
      #expect(String(decoding: answer.body, as: UTF8.self).hasSuffix(#"},"expires_in":60, "tail":"x" }"#))
    }
    let last = try token(in: ask(proxied, "ann"))
    try proxied.fail(#"{"fault": "mint_same", "times": 1}"#)
    #expect(try token(in: ask(proxied, "ann")) == last)
    #expect(try token(in: ask(proxied, "ann")) != last)
  }

  @Test
  func `a token that has expired or belongs to another user is recognized as one that was seen`() throws {
    let proxied = try world()
    for order in [#"{"fault": "mint_expired"}"#, #"{"fault": "mint_for_other", "user": "bob"}"#] {
      let error = try #require(throws: GatewayError.self) { try proxied.fail(order) }
      #expect(error.name == "no_token_seen", "\(error.message)")
    }
    let (ann, bob) = (try token(in: ask(proxied, "ann")), try token(in: ask(proxied, "bob")))
    try proxied.fail(#"{"fault": "mint_for_other", "user": "bob", "times": 1, "who": {"users": ["ann"]}}"#)
    #expect(try token(in: ask(proxied, "ann")) == bob)
    proxied.world.advance(by: .seconds(70))
    try proxied.fail(#"{"fault": "mint_expired", "times": 1}"#)
    #expect(try token(in: ask(proxied, "ann")) == ann)
  }

  @Test
  func `the endpoint is slow, or never answers`() throws {
    let proxied = try world()
    try proxied.fail(#"{"fault": "mint_slowly", "by_ms": 4000, "times": 1}"#)
    #expect(proxied.send("POST", "/auth/token", query: [HTTPField("user", "ann")], within: .seconds(3)) == nil)
    #expect(proxied.site.requests.isEmpty)
    #expect(ask(proxied, "ann")?.status == 200)
    try proxied.fail(#"{"fault": "mint_never", "times": 1}"#)
    #expect(ask(proxied, "ann") == nil)
    #expect(ask(proxied, "ann")?.status == 200)
  }

  @Test
  func `a shorter life is written into the endpoint's answer and changes nothing else`() throws {
    let proxied = try world()
    try proxied.fail(#"{"fault": "shorten", "life_s": 3, "times": 1}"#)
    let text = String(decoding: try #require(ask(proxied, "ann")).body, as: UTF8.self)
    #expect(text.hasSuffix(#"},"expires_in":3, "tail":"x" }"#))
    #expect(try #require(ask(proxied, "ann")).body.count == text.utf8.count + 1)
  }

  @Test
  func `an answer after the gateway was asked is discarded`() throws {
    let proxied = try world()
    try proxied.fail(#"{"fault": "answer_with", "route": "/auth", "status": 503, "after": "upstream", "times": 1}"#)
    #expect(ask(proxied, "ann")?.status == 503 && proxied.site.requests.count == 1)
    #expect(kinds(proxied).suffix(1) == ["provider_minted ann"])
    try proxied.fail(#"{"fault": "answer_never", "route": "/auth", "after": "upstream", "times": 1}"#)
    #expect(ask(proxied, "ann") == nil && proxied.site.requests.count == 2)
    #expect(throws: GatewayError.self) { try proxied.fail(#"{"fault": "answer_never", "after": "lunch"}"#) }
  }

  @Test
  func `a fault of tokens that a proxy cannot mint is refused`() throws {
    let proxied = try world()
    let error = try #require(throws: GatewayError.self) { try proxied.fail(#"{"fault": "mint_early"}"#) }
    #expect(error.name == "not_ours")
    for order in [#"{"fault": "shorten", "life_s": 0}"#, #"{"fault": "shorten", "life_s": 3, "what": "login"}"#] {
      #expect(throws: GatewayError.self) { try proxied.fail(order) }
    }
  }
}
