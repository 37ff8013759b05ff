import Foundation
import GatewayCore
import GatewayFleet
import GatewayPlain
import GatewayWires
import Testing

/// Descriptions of renewals without a message of the client's: their mistakes, and what a client takes from answers and
/// messages.
struct RenewalDescriptionTests {
  private func complaint(_ text: String) -> String {
    do {
      _ = try ServedWireTests.settings(try RenewalWires.wire(text))
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test
  func `the descriptions without a mistake can be played, and nothing in them is answered with silence`() throws {
    for text in [RenewalWires.http, RenewalWires.exchange, RenewalWires.pushed] {
      #expect(complaint(text) == "")
      #expect(try RenewalWires.wire(text).silences == [])
    }
  }

  @Test(arguments: [
    (#""lead": "20%", "grace""#, #""grace""#, "/refresh: nothing says when to renew"),
    (#""how": "http", "#, #""how": "https", "#, "/refresh/how: no such way of renewal 'https'; did you mean 'http'?"),
    (#""how": "http", "#, #""how": "timer", "#, "/refresh/request: a request renews where \"how\" is \"http\""),
    (#""how": "http", "#, #""how": "http", "say": "x", "#, "/refresh/say: the request renews; leave it out"),
    (
      #""how": "http", "#, #""how": "http", "proof": "reply", "#,
      "/refresh/proof: the status of the answer is the proof"
    ),
    (#""request": {"#, #""requests": {"#, "/refresh/requests: no such key 'requests'; did you mean 'request'?"),
    (#""path": "/keys/refresh","#, "", "/refresh/request: lacks \"path\""),
    (#""path": "/keys/refresh""#, #""path": "/keys/{{taken.session}}""#, "/refresh/request: a path with holes"),
    (#""path": "/keys/refresh""#, #""method": "HEAD", "path": "/a""#, "/refresh/request/method: no such method 'HEAD'"),
    (#""Bearer {{token}}""#, #""Bearer x""#, "/refresh/request: neither shows a token nor brings one"),
    (#"{ "life_s": "/expires_in" }"#, #"{ "wait_ms": "/a" }"#, "'wait_ms' has a meaning for messages only"),
    (#"{ "life_s": "/expires_in" }"#, #"{ "token": "/token" }"#, "/refresh/request/as: nothing to take as 'token'"),
    (#"{ "life_s": "/expires_in" }"#, #"{ "life_s": "expires_in" }"#, "'expires_in' is no JSON pointer"),
    (#"{{taken.session}}"#, "{{taken.sesion}}", "nothing takes 'sesion'"),
    (#""session": "{{connection}}""#, #""session": "{{random}}""#, "{{taken.session}} names no connection"),
    (
      #""expired": 4401 }"#, #""expired": 4401, "refresh_refused": 4403 }"#,
      "leave \"refresh_refused\" out of \"closes\""
    ),
    (
      #""name": "keys","#, #""name": "keys", "before": { "path": "/keys/refresh" },"#,
      "/before is the same request"
    ),
    (
      #""is": "goodbye", "then": "renew""#, #""is": "pushed", "take": { "token": "/type" }"#,
      "/hear/1: tokens are pushed where \"how\" of \"refresh\" is \"pushed\""
    ),
  ])
  func `a mistake in a renewal over HTTP is found, with its place and what would be right`(
    part: String, mistake: String, expected: String
  ) throws {
    let found = try #require(RenewalWires.http.range(of: part), "\(part)")
    let complaint = complaint(RenewalWires.http.replacingCharacters(in: found, with: mistake))
    #expect(complaint.contains(#/^w\.json:\d+:\d+ /#) && complaint.contains(expected), "\(complaint)")
  }

  @Test(arguments: [
    (#""token": "/refresh_token", "#, "", "/hear/1: a rule that is pushed takes the token"),
    (
      #""refresh_token": "{{token}}""#, #""refresh_token": """#, "/hear/1: nothing to take as 'token' is in its example"
    ),
    (#""how": "pushed", "#, #""how": "pushed", "say": "x", "#, "/refresh/say: the gateway renews by itself"),
    (#""how": "pushed", "#, #""how": "pushed", "jitter": "1s", "#, "/refresh/jitter: the gateway decides when"),
    (#""how": "pushed", "#, #""how": "pushed", "proof": "reply", "#, "/refresh/proof: the pushed token is the proof"),
    (#""is": "pushed""#, #""is": "pushes""#, "/hear/1/is: no such meaning 'pushes'; did you mean 'pushed'?"),
    (#""is": "pushed""#, #""is": "alive""#, "/refresh: no rule of /hear is pushed"),
    (
      #""as": { "json": { "type": "token", "refresh_token": "{{token}}", "life": "{{life_s:number}}" } }"#,
      #""label": "x""#, "/hear/1: a rule that is pushed has no \"as\""
    ),
  ])
  func `a mistake in a pushed renewal is found, with its place and what would be right`(
    part: String, mistake: String, expected: String
  ) throws {
    let found = try #require(RenewalWires.pushed.range(of: part), "\(part)")
    let complaint = complaint(RenewalWires.pushed.replacingCharacters(in: found, with: mistake))
    #expect(complaint.contains(#/^w\.json:\d+:\d+ /#) && complaint.contains(expected), "\(complaint)")
  }

  // MARK: The client's side

  private static let now = WallTime(seconds: 1_700_000_000)
  private static let client = ClientIdentity(user: UserID("ann"), token: Credentials(token: "old"), now: now)

  private func heard(_ message: String) throws -> [ServerNotice?] {
    let dialect = try RenewalWires.client(RenewalWires.pushed)
    var notices: [ServerNotice?] = []
    Array(message.utf8).withUnsafeBytes { bytes in
      dialect.hear(bytes, .text, by: { (.live, Self.client) }, dialect.memory(of: Self.client)) { notices.append($0) }
    }
    return notices
  }

  /// A JWT that ends at 1600000000.
  private static let over = "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE2MDAwMDAwMDB9.c2ln"

  @Test(arguments: [
    (#""""#, "pushed_lacks_token"), ("7", "pushed_lacks_token"), ("null", "pushed_lacks_token"),
    (#"{"a":1}"#, "pushed_lacks_token"), (#""a\nb""#, "pushed_lacks_token"), (#""a\u0001""#, "pushed_lacks_token"),
    (#""old""#, "pushed_same_token"), ("\"\(over)\"", "pushed_expired_token"),
    ("\"" + String(repeating: "x", count: 1 << 16 + 1) + "\"", "pushed_lacks_token"),
  ])
  func `a pushed token that is none, too long, the old one or over is an error, and is not kept`(
    value: String, name: String
  ) throws {
    #expect(try heard(#"{"type":"token","refresh_token":\#(value),"life":60}"#) == [.remark(name: name)])
  }

  @Test
  func `a pushed token has the life that the gateway tells`() throws {
    let token = ServerNotice.pushed(Credentials(token: "new"))
    #expect(try heard(#"{"type":"token","refresh_token":"new","life":60}"#) == [.tokenLife(.seconds(60)), token])
    for life in ["-1", "1e300", "\"x\"", "null", "[60]"] {
      #expect(try heard(#"{"type":"token","refresh_token":"new","life":\#(life)}"#) == [token], "\(life)")
    }
    #expect(try heard(#"{"type":"token"}"#) == [.remark(name: "pushed_lacks_token")])
  }

  @Test
  func `an answer over HTTP renews by its status, with the token and the life that it brings`() throws {
    let dialect = try RenewalWires.client(RenewalWires.exchange)
    func answer(_ status: Int, _ body: String, _ fields: [HTTPField] = []) -> SessionKeyAnswer? {
      dialect.key(
        in: HTTPResponse(status: status, headers: fields, body: Array(body.utf8)), of: Self.client,
        dialect.memory(of: Self.client))
    }
    #expect(
      answer(200, #"{"next":{"token":"new"}}"#) == .renewed(Credentials(token: "new"), life: nil))
    let long = #"{"next":{"token":""# + String(repeating: "x", count: 1 << 16 + 1) + #""}}"#
    for body in ["", "{", "[]", #"{"next":{}}"#, #"{"next":{"token":""}}"#, #"{"next":{"token":{}}}"#, long] {
      #expect(answer(200, body) == .incomplete(name: "lacks_token"), "\(body.prefix(30))")
    }
    #expect(answer(204, "") == .incomplete(name: "lacks_token"))
    #expect(answer(302, "") == .unrenewed(status: 302, retryAfter: nil))
    #expect(
      answer(503, "", [HTTPField("retry-after", "7")]) == .unrenewed(status: 503, retryAfter: .seconds(7)))
    let keys = try RenewalWires.client(RenewalWires.http)
    let memory = keys.memory(of: Self.client)
    for (body, life) in [
      (#"{"expires_in":60}"#, Duration.seconds(60)), (#"{"expires_in":-1}"#, nil), ("nonsense", nil),
    ] {
      let response = HTTPResponse(status: 200, headers: [], body: Array(body.utf8))
      #expect(keys.key(in: response, of: Self.client, memory) == .renewed(nil, life: life))
    }
  }

  @Test
  func `a request over HTTP is not sent before the gateway has named the connection, and holds no line break`() throws {
    let dialect = try RenewalWires.client(RenewalWires.http)
    let memory = try #require(dialect.memory(of: Self.client))
    #expect(dialect.keyRequest(of: Self.client, memory) == nil)
    memory.taken[0] = "conn_0_1"
    let request = try #require(dialect.keyRequest(of: Self.client, memory))
    #expect(request.method == "POST" && request.header("authorization") == "Bearer old")
    #expect(request.query == [HTTPField("session", "conn_0_1")])
    var hostile = Self.client
    hostile.token = Credentials(token: "a\r\nx: y")
    #expect(dialect.keyRequest(of: hostile, memory) == nil)
  }
}
