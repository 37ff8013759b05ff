import GatewayDrafts
import GatewayWires
import TestSupport
import TestTraits
import Testing

/// Drafts of wires whose clients send no message to renew.
struct RenewalDraftTests {
  /// A token of a recording: its name, when it was issued and when it ends, in seconds since the recording began.
  private struct Token {
    let number: Int
    var from = 0
    var to: Int
    var user = "ann"

    var line: String {
      let began = 1_900_000_000
      return #"{"secret":"token-\#(number)","form":"jwt","issued_ms":\#(began + from)000,"ends_ms":\#(began + to)000,"#
        + #""user":"\#(user)"}"#
    }
  }

  private static let three = [
    Token(number: 1, to: 60), Token(number: 2, from: 50, to: 110), Token(number: 3, from: 100, to: 160),
  ]

  private static func quoted(_ text: String) -> String { text.replacing("\"", with: "\\\"") }

  /// A line of the upgrade whose query shows a token.
  private static func opened(_ token: Int?, at: Int = 0, as name: String = "c1", more: String = "") -> String {
    let query = token.map { #"["access_token","token-\#($0)"]"# } ?? ""
    return #"{"n":1,"at_ms":\#(at),\#(began(at))"kind":"connection_opened","connection":"\#(name)","request":"#
      + #"{"method":"GET","path":"/socket","query":[\#(query)\#(more)],"headers":[]},"answer":{"status":101}}"#
  }

  /// The time of day, which a recording's first line tells.
  private static func began(_ at: Int) -> String { at <= 5 ? #""time":"2030-03-17T17:46:40.00\#(at)Z","# : "" }

  private static func heard(_ text: String, at: Int, by name: String = "c1") -> String {
    #"{"n":2,"at_ms":\#(at),"kind":"message_out","connection":"\#(name)","payload":"\#(quoted(text))"}"#
  }

  private static func said(_ text: String, at: Int, by name: String = "c1") -> String {
    #"{"n":2,"at_ms":\#(at),"kind":"message_in","connection":"\#(name)","payload":"\#(quoted(text))"}"#
  }

  private static func closed(at: Int, code: Int = 1000, by: String = "peer", of name: String = "c1") -> String {
    #"{"n":9,"at_ms":\#(at),"kind":"closed","connection":"\#(name)","code":\#(code),"by":"\#(by)"}"#
  }

  /// A line of a request and its answer.
  private static func posted(
    _ path: String, _ body: String, answer: String, at: Int, status: Int = 200, method: String = "POST",
    query: String = "", headers: String = ""
  ) -> String {
    #"{"n":5,"at_ms":\#(at),"kind":"http_answered","status":\#(status),"took_ms":5,"request":{"method":"\#(method)","#
      + #""path":"\#(path)","query":[\#(query)],"headers":[\#(headers)],"body":"\#(quoted(body))"},"#
      + #""answer":{"status":\#(status),"headers":[],"body":"\#(quoted(answer))"}}"#
  }

  private func drafted(_ tokens: [Token], _ lines: [String]) throws -> WireDraft {
    let text = ([#"{"postern_recording":1}"#] + tokens.map(\.line) + lines).joined(separator: "\n")
    return try WireDraft(try Recording(reading: Array(text.utf8)), name: "drafted")
  }

  /// Returns the draft's text, once a gateway could play it.
  private func draft(_ lines: [String], tokens: [Token] = three) throws -> String {
    let draft = try drafted(tokens, lines)
    let wire = try WireDescription(try DescriptionFile.parse(Array(draft.text.utf8), file: "draft"))
    do throws(DescriptionError) { _ = try ServedDialect(wire) } catch { Issue.record("\(error)\n\(draft.text)") }
    #expect(draft.missing.isEmpty, "\(draft.missing)")
    return draft.text
  }

  private static let hello = heard(#"{"type":"hello","session":"id-7"}"#, at: 10)
  private static let bare = heard(#"{"type":"hello"}"#, at: 10)

  private static func refresh(_ number: Int, at: Int, _ body: String = "", headers: String = "") -> String {
    let shown = body.isEmpty ? #"{"token":"token-\#(number)","session":"id-7"}"# : body
    return posted("/refresh", shown, answer: #"{"expires_in":60}"#, at: at, headers: headers)
  }

  // MARK: Over HTTP

  @Test
  func `a request that names its connection and shows another token renews over HTTP`() throws {
    let text = try draft([
      Self.opened(1), Self.hello, Self.refresh(2, at: 50_000), Self.refresh(3, at: 100_000), Self.closed(at: 120_000),
    ])
    #expect(text.contains(#""take": { "connection": "/session" }"#) && text.contains(#""session": "{{connection}}""#))
    #expect(text.contains(#""refresh": { "how": "http", "lead": "10s","#) && text.contains("// 2 times, line 7; guess"))
    #expect(
      text.contains(
        #""method": "POST", "path": "/refresh", "json": { "token": "{{token}}", "session": "{{taken.connection}}" }, "#
          + #""take": { "life_s": "/expires_in" }, "as": { "json": { "expires_in": "{{life_s:number}}" } }"#))
    #expect(!text.contains("id-7") && !text.contains("token-2"))
  }

  @Test
  func `a name of a connection that is no secret is found because each connection has another one`() throws {
    let other = Self.heard(#"{"type":"hello","session":"conn_0_2","region":"eu-west-1"}"#, at: 30, by: "c2")
    let bobs = [Token(number: 4, to: 60, user: "bob"), Token(number: 5, from: 50, to: 110, user: "bob")]
    let text = try draft(
      [
        Self.opened(1), Self.heard(#"{"type":"hello","session":"conn_0_1","region":"eu-west-1"}"#, at: 10),
        Self.opened(4, at: 20, as: "c2"), other,
        Self.posted(
          "/renew", "", answer: "{}", at: 50_000, query: #"["region","eu-west-1"],["session","conn_0_1"]"#,
          headers: #"["authorization","Bearer token-2"],["x-other","1"]"#),
        Self.posted(
          "/renew", "", answer: "{}", at: 51_000, query: #"["region","eu-west-1"],["session","conn_0_2"]"#,
          headers: #"["authorization","Bearer token-5"]"#),
      ], tokens: Self.three + bobs)
    #expect(
      text.contains(
        #""query": { "region": "eu-west-1", "session": "{{taken.connection}}" }, "#
          + #""headers": { "authorization": "Bearer {{token}}" }"#))
    #expect(text.contains(#""region": "eu-west-1""#) && !text.contains("conn_0"))
  }

  @Test
  func `a request that names the key of the upgrade takes it from the request ahead`() throws {
    let ahead = Self.posted(
      "/negotiate", "", answer: #"{"key":"key-1"}"#, at: 0, headers: #"["authorization","Bearer token-1"]"#)
    let text = try draft([
      ahead, Self.opened(1, at: 5, more: #",["key","key-1"]"#), Self.bare,
      Self.posted("/refresh", #"{"key":"key-1","token":"token-2"}"#, answer: #"{"expires_in":60.0}"#, at: 50_000),
    ])
    #expect(text.contains(#""key": "{{taken.ticket}}", "token": "{{token}}""#) && !text.contains("key-1"))
  }

  @Test
  func `a gateway that asks before each request over HTTP asks in the draft`() throws {
    let text = try draft([
      Self.opened(1), Self.hello, Self.heard(#"{"type":"news"}"#, at: 20_000),
      Self.heard(#"{"type":"expiring"}"#, at: 49_000),
      Self.refresh(2, at: 50_000), Self.heard(#"{"type":"news"}"#, at: 60_000),
      Self.heard(#"{"type":"news"}"#, at: 61_000),
      Self.heard(#"{"type":"expiring"}"#, at: 99_000), Self.refresh(3, at: 100_000),
    ])
    #expect(text.contains(#"{ "json": { "/type": "expiring" } }, "is": "ask""#))
    #expect(text.contains(#""how": "http","#) && !text.contains("lead"))
  }

  @Test
  func `an answer that brings the token of a connection that outlives its old one is the renewal`() throws {
    let text = try draft([
      Self.opened(1), Self.bare,
      Self.posted(
        "/token", "grant=a+b&token=token-1", answer: #"{"next":{"token":"token-2"},"ttl":60}"#, at: 50_000,
        headers: #"["content-type","application/x-www-form-urlencoded"]"#),
      Self.heard(#"{"type":"news"}"#, at: 70_000),
    ])
    #expect(
      text.contains(
        #""form": { "grant": "a b", "token": "{{token}}" }, "take": { "token": "/next/token", "life_s": "/ttl" }, "#
          + #""as": { "json": { "next": { "token": "{{token}}" }, "ttl": "{{life_s:number}}" } }"#))
  }

  @Test
  func `a token endpoint that is shown the old token is no renewal of a connection that ends with it`() throws {
    let call = Self.posted(
      "/token", #"{"token":"token-1"}"#, answer: #"{"token":"token-2","expires_in":60}"#, at: 50_000)
    let text = try draft([
      Self.opened(1), Self.bare, call, Self.closed(at: 60_000, code: 4401, by: "gateway"),
      Self.opened(2, at: 61_000, as: "c2"),
    ])
    #expect(text.contains(#""how": "reconnect""#) && text.contains(#"{ "code": 4401, "then": "renew" }"#))
    // Neither is it if nothing shows whether the connection outlived the token.
    let short = try drafted(Self.three, [Self.opened(1), Self.bare, call, Self.closed(at: 55_000)])
    #expect(short.missing == ["a renewal: no token followed another"])
  }

  @Test
  func `a token endpoint ahead of the request that shows its token is none, whatever it was shown`() throws {
    let text = try draft([
      Self.opened(1), Self.bare,
      Self.posted("/token", #"{"token":"token-1"}"#, answer: #"{"token":"token-2","expires_in":60}"#, at: 49_000),
      Self.posted("/refresh", #"{"token":"token-2"}"#, answer: #"{"expires_in":60}"#, at: 50_000),
      Self.closed(at: 90_000),
    ])
    #expect(text.contains(#""path": "/refresh", "json": { "token": "{{token}}" }"#) && !text.contains(#""/token""#))
  }

  @Test
  func `calls of the application with the same token again and again renew nothing`() throws {
    let calls = (1...5).map { number in
      Self.posted(
        "/rooms", "", answer: #"{"rooms":3}"#, at: 50_000 + number, method: "GET",
        headers: #"["authorization","Bearer token-2"]"#)
    }
    let text = try draft(
      [Self.opened(1), Self.bare] + calls + [
        Self.heard(#"{"type":"news"}"#, at: 61_000), Self.closed(at: 62_000, code: 4401, by: "gateway"),
        Self.opened(2, at: 63_000, as: "c2"),
      ])
    #expect(text.contains(#""how": "reconnect""#) && !text.contains("/rooms"))
  }

  @Test
  func `a client that comes back with the token that it renewed over HTTP is no one that renews by coming back`() throws
  {
    let text = try draft([
      Self.opened(1), Self.hello, Self.refresh(2, at: 50_000), Self.closed(at: 70_000, code: 1012, by: "gateway"),
      Self.opened(2, at: 71_000, as: "c2"),
    ])
    #expect(text.contains(#""how": "http""#) && text.contains(#"{ "code": 1012, "then": "retry" }"#))
  }

  @Test
  func `the time, numbers and texts that are others in each request are no part of what a gateway knows it by`() throws
  {
    let body = { (token: Int, at: Int, more: String) in
      #"{"token":"token-\#(token)","session":"id-7","at":\#(1_900_000_000 + at),"v":3,"for":"ann",\#(more)}"#
    }
    let text = try draft([
      Self.opened(1), Self.hello, Self.refresh(2, at: 50_000, body(2, 50, #""count":71,"why":"timer""#)),
      Self.refresh(3, at: 100_000, body(3, 100, #""count":72,"why":"wake""#)),
    ])
    #expect(
      text.contains(
        #""at": "{{now:number}}", "v": 3, "for": "{{user}}", "count": "{{id:number}}", "why": "{{random}}""#))
  }

  @Test
  func `a refused request has its status, and what clients did then`() throws {
    let refused = Self.posted(
      "/refresh", #"{"token":"token-2","session":"id-7"}"#, answer: "{}", at: 49_000, status: 401)
    let busy = Self.posted("/refresh", #"{"token":"token-3","session":"id-7"}"#, answer: "{}", at: 50_000, status: 503)
    let text = try draft([Self.opened(1), Self.hello, refused, busy, Self.refresh(3, at: 51_000)])
    #expect(text.contains(#"{ "http": 401, "during": "refreshing", "then": "renew" }, // 1 times with another token"#))
    #expect(text.contains(#"{ "http": 503, "during": "refreshing", "then": "retry" }"#))
  }

  /// The draft of a client that renews by this method.
  private func draft(method: String) throws -> WireDraft {
    let request = Self.posted(
      "/refresh", #"{"token":"token-2","session":"id-7"}"#, answer: #"{"expires_in":60}"#, at: 50_000, method: method)
    return try drafted(Self.three, [Self.opened(1), Self.hello, request])
  }

  @Test(arguments: ["PUT", "PATCH"])
  func `a renewal by another method that descriptions have is drafted with it`(method: String) throws {
    let text = try draft(method: method).text
    #expect(text.contains(#""request": { "method": "\#(method)", "path": "/refresh", "json": {"#), "\(text)")
    _ = try WireDescription(try DescriptionFile.parse(Array(text.utf8), file: "w.json"))
  }

  @Test
  func `a method that no description has is named`() throws {
    let draft = try draft(method: "DELETE")
    #expect(draft.missing.first?.contains("renew by DELETE") == true && draft.text.contains(#""how": "none""#))
  }

  // MARK: Pushed

  private static func push(_ number: Int, at: Int, by name: String = "c1") -> String {
    heard(#"{"type":"token","data":{"jwt":"token-\#(number)","life":60}}"#, at: at, by: name)
  }

  @Test
  func `a token that the gateway sends and a client then comes back with is pushed`() throws {
    let text = try draft([
      Self.opened(1), Self.bare, Self.push(2, at: 48_000), Self.closed(at: 49_000, code: 1012, by: "gateway"),
      Self.opened(2, at: 50_000, as: "c2"), Self.heard(#"{"type":"hello"}"#, at: 50_010, by: "c2"),
    ])
    #expect(text.contains(#""is": "pushed", "take": { "token": "/data/jwt", "life_s": "/data/life" }"#))
    #expect(
      text.contains(
        #""as": { "json": { "type": "token", "data": { "jwt": "{{token}}", "life": "{{life_s:number}}" } } }"#))
    #expect(text.contains(#""refresh": { "how": "pushed", "lead": "12s" }"#) && !text.contains("goodbye"))
    #expect(text.contains(#"{ "code": 1012, "then": "retry" }"#))
  }

  @Test
  func `a pushed token at once after the login has a lead of half its life`() throws {
    let text = try draft([Self.opened(1), Self.bare, Self.push(2, at: 11), Self.push(3, at: 100_000)])
    #expect(text.contains(#""how": "pushed", "lead": "50%""#) || text.contains(#""how": "pushed", "lead": "10s""#))
    #expect(text.contains("// 2 times"))
  }

  @Test
  func `a first message with another token is no answer to the upgrade if it comes late`() throws {
    let text = try draft([Self.opened(1), Self.push(2, at: 50_000), Self.push(3, at: 100_000)])
    #expect(text.contains(#""at_open": { "is": "logged_in" }"#) && text.contains(#""is": "pushed""#))
  }

  @Test
  func `a token that nobody ever shows and a connection that does not outlive its own prove no push`() throws {
    let once = try drafted(Self.three, [Self.opened(1), Self.bare, Self.push(2, at: 40_000), Self.closed(at: 50_000)])
    #expect(once.text.contains(#""how": "none""#) && !once.text.contains("pushed"))
    let bob = Self.three + [Token(number: 4, from: 0, to: 500, user: "bob")]
    let other = try drafted(
      bob, [Self.opened(1), Self.bare, Self.push(4, at: 40_000), Self.push(4, at: 80_000), Self.closed(at: 90_000)])
    #expect(other.text.contains(#""how": "none""#))
  }

  @Test
  func `tokens that are no JWT are pushed if a client shows one later`() throws {
    let again = [Self.opened(2, at: 50_000, as: "c2"), Self.heard(#"{"type":"hello"}"#, at: 50_010, by: "c2")]
    let text = try draft(
      [Self.opened(1), Self.bare, Self.push(2, at: 40_000), Self.closed(at: 49_000)] + again, tokens: [])
    #expect(text.contains(#""is": "pushed""#))
  }

  @Test
  func `a client that sends the pushed token over its connection renews by that message`() throws {
    let text = try draft([
      Self.opened(1), Self.bare, Self.push(2, at: 48_000), Self.said(#"{"type":"auth","token":"token-2"}"#, at: 48_100),
      Self.heard(#"{"type":"renewed","expires_in":60}"#, at: 48_200),
    ])
    #expect(text.contains(#""how": "asked""#) && text.contains(#""is": "refreshed""#))
  }

  // MARK: HAR, and hostile files

  /// Tokens of ann's that end 60 and 120 seconds after the recording began.
  private static let jwts = [
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4iLCJpYXQiOjE5MDAwMDAwMDAsImV4cCI6MTkwMDAwMDA2MCwibiI6MX0.c2lnbmF0dXJlIG9mIDMyIGJ5dGVzIGlzIGhlcmUgb2s",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4iLCJpYXQiOjE5MDAwMDAwMDAsImV4cCI6MTkwMDAwMDEyMCwibiI6Mn0.c2lnbmF0dXJlIG9mIDMyIGJ5dGVzIGlzIGhlcmUgb2s",
  ]

  @Test
  func `a HAR file has the renewal over HTTP, too`() throws {
    let text = """
      {"log":{"entries":[{"startedDateTime":"2030-03-17T17:46:40.000Z","_resourceType":"websocket",\
      "request":{"method":"GET","url":"wss://h/socket?access_token=\(Self.jwts[0])","headers":[]},\
      "response":{"status":101,"headers":[],"content":{}},"_webSocketMessages":[\
      {"type":"receive","time":1900000001,"opcode":1,"data":"{\\"type\\":\\"hello\\",\\"session\\":\\"9f3Kq7Zt21vLx0Wb8Yp\\"}"}]},\
      {"startedDateTime":"2030-03-17T17:47:30.000Z","request":{"method":"POST","url":"https://h/refresh?session=9f3Kq7Zt21vLx0Wb8Yp",\
      "headers":[{"name":"Authorization","value":"Bearer \(Self.jwts[1])"}]},\
      "response":{"status":200,"headers":[],"content":{"text":"{\\"expires_in\\":70}"}}}]}}
      """
    let draft = try WireDraft(try Recording(reading: Array(text.utf8)), name: "drafted").text
    #expect(
      draft.contains(#""how": "http", "lead": "10s""#) && draft.contains(#""session": "{{taken.connection}}""#),
      "\(draft)")
    #expect(!draft.contains("eyJ") && !draft.contains("9f3Kq7"))
  }

  @Test(.long)
  func `a hostile recording of renewals is drafted, or refused with words, and traps nothing`() {
    let lines =
      [#"{"postern_recording":1}"#] + Self.three.map(\.line) + [
        Self.opened(1), Self.hello, Self.refresh(2, at: 50_000), Self.push(3, at: 90_000), Self.closed(at: 99_000),
      ]
    var source = HostileBytes(
      seed: 37, examples: [lines.joined(separator: "\n")],
      words: ["\"at_ms\"", "token-2", "id-7", "took_ms\":-9", "\n"])
    source.expectDraftOrRefusal()
  }

  @Test
  func `4,000 requests and 4,000 connections of one user are drafted`() throws {
    let connections = (0..<4_000).map { Self.opened(1, at: 5, as: "m\($0)") }
    let requests = (0..<4_000).map { Self.refresh(2 + $0 % 2, at: 50_000 + $0) }
    let draft = try drafted(Self.three, [Self.opened(1), Self.hello] + connections + requests)
    #expect(draft.text.contains(#""wire": 1"#))
  }
}
