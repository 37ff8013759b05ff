import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayIdentity

/// The backend decides who connects.
@Suite(.timeLimit(.minutes(2)))
struct HookConnectTests {
  @Test
  func `the signature is that of the example of Standard Webhooks, and a secret without its form is none`() throws {
    let secret = try #require(HookSecret("whsec_plJ3nmyCDGBKInavdOK15jsl"))
    let body = Array(#"{"event_type":"ping","data":{"success":true}}"#.utf8)
    #expect(
      secret.signature("msg_loFOjxBNrRLzqYUf", "1731705121", body) == "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=")
    for text in ["", "whsec_", "plJ3nmyCDGBKInavdOK15jsl", "whsec_c2hvcnQ=", "whsec_pl!3nmyCDGBKInavdOK15jslAA"] {
      #expect(HookSecret(text) == nil, "\(text)")
    }
  }

  @Test
  func `the question is in the JSON of Centrifugo's proxy, signed, and without the token`() throws {
    let space = try HookSpace([.connect])
    let token = try space.token()
    let fields = [
      HTTPField("cookie", "session=1"), HTTPField("x-request-id", "r1"), HTTPField("x-other", "secret"),
    ]
    let ann = space.connect(token, fields)
    #expect(ann.texts.first?.has(#""type":"connected""#) == true && ann.isOpen, "\(ann.texts)")
    let request = try #require(space.backend.requests.first)
    #expect(request.method == "POST" && request.rawTarget == "/rt/connect?v=2" && space.backend.requests.count == 1)
    let body = space.backend.body
    for member in [
      #""hook":"connect""#, #""client":"conn_0_1""#, #""transport":"websocket""#, #""protocol":"json""#,
      #""encoding":"json""#, #""dialect":"plain""#, #""user":"ann""#, #""kind":"regular""#, #""jti":"7f""#,
      #""fingerprint":""#, #""expires_at":"#,
    ] { #expect(body.has(member), "\(member) in \(body)") }
    #expect(!body.has(token) && !request.headers.contains { $0.value.has(token) })
    #expect(request.header("cookie") == "session=1" && request.header("x-request-id") == "r1")
    #expect(request.header("x-other") == nil && request.header("authorization") == "Bearer \(HookSpace.bearer)")
    let (id, time) = (request.header("webhook-id") ?? "", request.header("webhook-timestamp") ?? "")
    #expect(request.header("webhook-signature") == HookSecret(HookSpace.secret)?.signature(id, time, request.body))
    let now = space.inner.world.loops[0].eventLoop.wallTime.seconds
    #expect(id.hasPrefix("hk_") && abs((Double(time) ?? 0) - now) < 60)
  }

  @Test
  func `a token that is refused anyway costs the backend nothing`() throws {
    let space = try HookSpace([.connect])
    let ann = space.connect(try space.token(life: -100))
    #expect(ann.refusal != nil && space.backend.requests.isEmpty)
  }

  @Test
  func `the data of client and backend reach each other, and the session ends when the backend says`() throws {
    let space = try HookSpace([.connect])
    let end = Int(space.inner.world.loops[0].eventLoop.wallTime.seconds) + 100
    let data = #"{"room":[1,"x"]}"#
    space.backend.say("{\"result\":{\"user\":\"ann\",\"expire_at\":\(end),\"data\":\(data),\"channels\":[\"a\"]}}")
    let ann = space.begin(nil)
    let token = try space.token()
    let answer = space.ask(ann, "{\"type\":\"connect\",\"token\":\"\(token)\",\"data\":{\"device\":\"tv\"}}")
    #expect(answer.has(#""data":{"room":[1,"x"]}"#), "\(answer)")
    #expect(space.backend.body.has(#""data":{"device":"tv"}"#))
    space.pass(98)
    #expect(ann.texts.count == 1)
    space.pass(4)
    #expect(ann.texts.last?.has("refresh_required") == true, "\(ann.texts)")
  }

  @Test(arguments: [("é", 255), ("é", 254), ("😀", 253), ("x", 256), ("", 10)])
  func `the backend's message is cut at 256 bytes, and never inside a character`(next: String, before: Int) throws {
    let start = String(repeating: "x", count: before)
    let body = "{\"error\":{\"code\":1000,\"message\":\"\(start)\(next)\(next)\"}}"
    let answer = try HookAnswer(HTTPResponse(status: 200, body: Array(body.utf8)))
    let fits = before + next.utf8.count <= 256 ? next : ""
    #expect(answer == .refused(code: "1000", start + fits))
  }

  @Test
  func `more data of a client than 8 KiB is refused`() throws {
    let space = try HookSpace([.connect])
    let ann = space.begin(nil)
    let data = "\"" + String(repeating: "x", count: 8 << 10) + "\""
    let answer = space.ask(ann, "{\"type\":\"connect\",\"token\":\"\(try space.token())\",\"data\":\(data)}")
    #expect(answer.has("400003") && space.backend.requests.isEmpty)
  }

  /// The rows of the table of answers: what the backend says, the error's number, the close code.
  static let refusals: [(answer: String, status: Int, error: Int, code: UInt16)] = [
    (#"{"result":{"expired":true}}"#, 200, 401_002, 4500),
    (#"{"result":{"expire_at":1000}}"#, 200, 401_002, 4500),
    (#"{"error":{"code":1000,"message":"no seat"}}"#, 200, 403_007, 4500),
    (#"{"disconnect":{"code":4567,"reason":"banned"}}"#, 200, 403_007, 4567),
    (#"{"disconnect":{"code":4001,"reason":""},"result":{}}"#, 200, 403_007, 4001),
    (#"{"result":{"user":""}}"#, 200, 403_001, 4501),
    ("", 401, 403_007, 4500), ("<html>", 403, 403_007, 4500),
    // Of no use.
    (#"{"result":{"user":"bob"}}"#, 200, 503_005, 1013), ("", 200, 503_005, 1013), ("{}", 200, 503_005, 1013),
    (#"{"result":{"user":"#, 200, 503_005, 1013), ("<html>no</html>", 200, 503_005, 1013),
    (#"{"result":[]}"#, 200, 503_005, 1013), (#"{"result":{"user":7}}"#, 200, 503_005, 1013),
    (#"{"result":{"expire_at":"soon"}}"#, 200, 503_005, 1013), (#"{"error":{"code":"x"}}"#, 200, 503_005, 1013),
    (#"{"disconnect":{"code":1000,"reason":"x"}}"#, 200, 503_005, 1013),
    (#"{"disconnect":{"code":99999999999999999999,"reason":"x"}}"#, 200, 503_005, 1013),
    (#"{"disconnect":{"code":4500,"reason":"a reason of more than thirty-two bytes"}}"#, 200, 503_005, 1013),
    (#"{"result":{}}"#, 500, 503_005, 1013), ("", 302, 503_005, 1013), ("", 404, 503_005, 1013),
    ("", 429, 503_005, 1013), (#"{"result":{}}"#, 201, 503_005, 1013),
  ]

  @Test(arguments: refusals.indices)
  func `an answer that lets nobody in gives the error and the close code of its row`(index: Int) throws {
    let row = Self.refusals[index]
    let space = try HookSpace([.connect])
    space.backend.answers[""] = { HTTPResponse(status: row.status, body: Array(row.answer.utf8)) }
    let ann = space.connect(try space.token())
    #expect(IntrospectionSpace.number(ann.texts.first ?? "") == row.error, "\(row) \(ann.texts)")
    space.pass(10)
    #expect(ann.ending?.code == row.code, "\(row) \(String(describing: ann.ending))")
    #expect(ann.texts.first?.has("no seat") == row.answer.has("no seat"))
    #expect(space.results.count == 1 && (space.results == ["unjudged"]) == (row.error == 503_005), "\(space.results)")
    // It may come back.
    space.backend.answers = [:]
    space.pass(700)
    #expect(space.connect(try space.token()).texts.first?.has("connected") == true)
  }

  @Test
  func `a backend that hangs is given three seconds, and one that fails is asked twice with one name`() throws {
    let space = try HookSpace([.connect])
    space.backend.delay = .seconds(100)
    let begun = space.inner.world.now
    let ann = space.connect(try space.token())
    #expect(ann.texts.first?.has("503005") == true && space.inner.world.now - begun < .seconds(4))
    let asked = space.backend.requests.count
    #expect(asked == 1)
    space.backend.delay = .zero
    space.backend.say(500)
    _ = space.connect(try space.token())
    let ids = space.backend.requests[asked...].map { $0.header("webhook-id") }
    #expect(ids.count == 2 && ids[0] == ids[1] && ids[0] != space.backend.requests[0].header("webhook-id"))
    let told = space.logs.all("hook_failed")
    #expect(told.count == 1 && told[0]["hook"] == "connect")
  }

  @Test
  func `where the backend judges alone it is asked by the fields of the upgrade, and its word is the login`() throws {
    let space = try HookSpace([.connect]) { $0.judge = .instead }
    space.backend.say(#"{"result":{"user":"cara"}}"#)
    let cara = space.connect(nil, [HTTPField("cookie", "session=1")])
    #expect(cara.texts.first?.has(#""user_id":"cara""#) == true, "\(cara.texts)")
    #expect(cara.texts.first?.has(#""expires_in_ms":null"#) == true)
    #expect(space.backend.body.has(#""user":"""#) && !space.backend.body.has("\"token\""))
    // A token in another form than the gateway's own is of no matter.
    #expect(space.connect("anything").texts.first?.has("cara") == true)
    #expect(space.ask(cara, #"{"type":"refresh","token":"x"}"#).has("403004"))
    space.pass(4_000)
    #expect(cara.isOpen)
    space.backend.say(#"{"result":{}}"#)
    #expect(space.connect(nil).texts.first?.has("503005") == true)
    space.backend.say(#"{"result":{"user":""}}"#)
    #expect(space.connect(nil).texts.first?.has("403001") == true)
  }

  @Test
  func `a join is done by the backend's word, refused by it, or not done while it is away`() throws {
    let space = try HookSpace([.connect, .commands])
    space.backend.say(#"{"result":{"info":{"plan":"pro"}}}"#, to: "connect")
    let ann = space.connect(try space.token())
    #expect(space.ask(ann, #"{"type":"join","id":"1","cid":"default:42"}"#).has("joined"))
    for member in [
      #""hook":"commands""#, #""command":"join""#, #""channel":"default:42""#, #""user":"ann""#,
      #""meta":{"plan":"pro"}"#,
    ] { #expect(space.backend.body.has(member), "\(member) in \(space.backend.body)") }
    space.backend.say(#"{"error":{"code":103,"message":"not yours"}}"#, to: "subscribe")
    let refused = space.ask(ann, #"{"type":"join","id":"2","cid":"default:43"}"#)
    #expect(refused.has("403007") && refused.has("not yours (103)") && refused.has(#""id":"2""#))
    #expect(space.ask(ann, #"{"type":"publish","cid":"default:43","content":1}"#).has("400006"))
    space.backend.say(500, to: "subscribe")
    #expect(space.ask(ann, #"{"type":"join","cid":"default:43"}"#).has("503005") && ann.isOpen)
    // Others are not asked about.
    let count = space.backend.requests.count
    _ = space.ask(ann, #"{"type":"publish","cid":"default:42","content":1}"#)
    #expect(ann.texts.contains { $0.has(#""type":"published""#) } && space.backend.requests.count == count)
    space.backend.say(#"{"disconnect":{"code":4321,"reason":"out"}}"#, to: "subscribe")
    ann.say(#"{"type":"join","cid":"default:44"}"#)
    space.pass(10)
    #expect(ann.ending?.code == 4321)
  }

  @Test
  func `a slow join holds up the commands of its own connection, and a login that ends meanwhile joins nothing`() throws
  {
    let space = try HookSpace([.commands])
    let (ann, bob) = (space.connect(try space.token()), space.connect(try space.token("bob")))
    space.backend.delay = .seconds(2)
    ann.say(#"{"type":"join","cid":"default:42"}"#)
    ann.say(#"{"type":"publish","cid":"default:42","content":1}"#)
    #expect(space.ask(bob, #"{"type":"ping"}"#).has("pong"))
    space.pass(3)
    let joined = ann.texts.firstIndex { $0.has(#""type":"joined""#) } ?? .max
    #expect(joined < ann.texts.firstIndex { $0.has(#""type":"published""#) } ?? -1, "\(ann.texts)")
    bob.say(#"{"type":"join","cid":"default:42"}"#)
    bob.close()
    space.pass(5)
    #expect(!ann.texts.contains { $0.has("member_joined") })
  }
}
