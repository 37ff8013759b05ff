import Foundation
import GatewayWires
import Testing

struct WireDescriptionTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Deploy/wires")

  static let shipped = [
    "ably", "ably-msgpack", "centrifuge-v1", "centrifugo", "close-4401", "graphql-transport-ws", "nats", "phoenix",
    "postern-plain",
    "pusher", "signalr-json", "socketio", "supabase-realtime", "wamp-ticket",
  ]

  @Test(arguments: shipped)
  func `the wire descriptions that come with postern are right, and every rule takes its own example`(name: String)
    throws
  {
    let bytes = Array(try Data(contentsOf: Self.folder.appending(path: "\(name).json")))
    _ = try WireDescription(try DescriptionFile.parse(bytes, file: "\(name).json"))
  }

  @Test
  func `each wire description that comes with postern has its own test`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    let wires = files.filter { $0.hasSuffix(".json") && $0 != "wire.schema.json" }.map { String($0.dropLast(5)) }
    #expect(wires.sorted() == Self.shipped)
  }

  /// A valid description; tests replace parts of it by mistakes.
  static let good = """
    { "wire": 1, "name": "x", "connect": { "path": "/socket", "query": { "a": "{{user}}" } },
      "say": { "login": { "json": { "t": "{{token}}", "s": "{{taken.sid}}" } }, "renew": { "text": "R {{token}}" } },
      "at_open": { "say": "login" },
      "hear": [
        { "when": { "json": { "/type": "hi" } }, "during": "logging_in", "is": "logged_in", "take": { "sid": "/sid" },
          "as": { "json": { "type": "hi" } } },
        { "when": { "json": { "/type": "ask" } }, "is": "ask" },
        { "when": { "prefix": "OK" }, "is": "refreshed" }
      ],
      "ends": [{ "code": 4401, "then": "renew" }],
      "refresh": { "how": "asked", "say": "renew" },
      "keep_alive": { "say": "protocol_ping", "every": "10s", "dead_after": "30s" } }
    """

  private func complaint(_ text: String) -> String {
    do {
      _ = try WireDescription(try DescriptionFile.parse(Array(text.utf8), file: "w.json"))
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test
  func `a wire description without a mistake is accepted`() {
    #expect(complaint(Self.good) == "")
  }

  @Test(arguments: [
    (#""wire": 1"#, #""wire": 2"#, "/wire: expected 1"),
    (#""hear": ["#, #""heer": ["#, "/heer: no such key 'heer'; did you mean 'hear'?"),
    (#""name": "x","#, "", "lacks \"name\", as \"name\": \"my-gateway\""),
    (#""path": "/socket""#, #""path": "socket""#, "/connect/path: a path begins with / and has no query"),
    (#""{{user}}""#, #""{{usr}}""#, "/connect/query/a: no such hole 'usr'; did you mean 'user'?"),
    ("{{token}}\",", "{{token:hex}}\",", "/say/login/json/t: no such filter 'hex'; there is json, base64"),
    (
      #""take": { "sid": "/sid" },"#, "",
      "/say/login/json/s: nothing takes 'sid'; a rule with \"take\": {\"sid\": POINTER}"
    ),
    (#""text": "R {{token}}""#, #""text": "R", "json": 1"#, "/say/renew: \"json\" and \"text\" are both given"),
    (#""text": "R {{token}}""#, #""prefix": "R""#, "/say/renew: says nothing; \"json\": … or \"text\""),
    (
      #"{ "say": "login" }"#, #"{ "say": "loggin" }"#,
      "/at_open/say: no message 'loggin' under /say; did you mean 'login'?"
    ),
    (#""/type": "hi""#, #""type": "hi""#, "/hear/0/when/json: 'type' is no JSON pointer; a pointer as \"/type\""),
    (
      #""during": "logging_in""#, #""during": "login""#,
      "/hear/0/during: no such phase 'login'; there is opening, logging_in, live, refreshing"
    ),
    (#""is": "ask""#, #""is": "asks""#, "/hear/1/is: no such meaning 'asks'; did you mean 'ask'?"),
    (#""is": "ask""#, #""is": "step""#, "/hear/1: a step says something; \"say\": a message"),
    (#""is": "ask""#, #""is": "alive""#, "/refresh: nobody asks: no rule of /hear is ask"),
    (
      #""is": "refreshed""#, #""is": "alive""#,
      "/refresh: no rule of /hear is refreshed; one, or \"proof\": \"survival\""
    ),
    (#""is": "logged_in""#, #""is": "alive""#, "/hear: no rule is logged_in; one, or \"at_open\""),
    (
      #"{ "prefix": "OK" }"#, #"{ "json": { "/type": "ask" } }"#,
      "/hear/2: never reached: /hear/1 has the same condition"
    ),
    (
      #""as": { "json": { "type": "hi" } }"#, #""as": { "json": { "type": "ho" } }"#,
      "/hear/0: the rule does not recognise its own example"
    ),
    (
      #"{ "prefix": "OK" }, "is": "refreshed""#,
      #"{ "json": { "/type": "ask", "/a": 1 } }, "is": "refreshed", "as": { "json": { "type": "ask", "a": 1 } }"#,
      "/hear/2: its example is taken by /hear/1"
    ),
    (#"{ "prefix": "OK" }"#, "{}", "/hear/2/when: holds for nothing; one of \"text\", \"prefix\""),
    (#""code": 4401"#, #""code": "4401""#, "/ends/0/code: '4401' is no range of codes; one as \"1000-4999\", or a"),
    (#""code": 4401"#, #""code": 401"#, "/ends/0/code: 401; expected a whole number from 1000 to 4999"),
    (#""then": "renew""#, #""then": "new""#, "/ends/0/then: no such verdict 'new'"),
    (
      #""code": 4401, "then": "renew""#, #""http": 401, "contains": "x", "then": "renew""#,
      "/ends/0/contains: a refused upgrade has no text; \"contains\" goes with \"code\""
    ),
    (#""code": 4401"#, #""code": 4401, "contains": 1"#, "/ends/0/contains: a number; expected text"),
    (#""how": "asked""#, #""how": "timer""#, "/refresh/how: a timer needs \"lead\""),
    (#""how": "asked", "say": "renew""#, #""how": "asked""#, "/refresh/how: nothing says the new token"),
    (
      #""say": "renew" }"#, #""say": "renew", "proof": "survival", "ends_enforced": false }"#,
      "/refresh/proof: \"survival\" proves nothing"
    ),
    (#""every": "10s""#, #""every": "10""#, "/keep_alive/every: '10' is no duration; expected one as \"10s\""),
    (#""every": "10s","#, "", "/keep_alive/say: needs \"every\""),
    (
      #""at_open": { "say": "login" },"#, "",
      "/say: nobody says 'login', which holds the token; \"at_open\": {\"say\": \"login\"}, or a rule"
    ),
    (
      #""take": { "sid": "/sid" }"#, #""take": { "sid": "/sid", "life": "/ttl" }"#,
      "/hear/0/take/life: nothing says {{taken.life}}; did you mean 'life_s'"
    ),
  ])
  func `a wire description with a mistake is refused, and the error names its place and what would be right`(
    part: String, mistake: String, expected: String
  ) throws {
    let found = try #require(Self.good.range(of: part), "\(part)")
    let complaint = complaint(Self.good.replacingCharacters(in: found, with: mistake))
    #expect(complaint.contains(#/^w\.json:\d+:\d+ /#) && complaint.contains(expected), "\(complaint)")
  }

  @Test
  func `a wire without tokens cannot renew one, and needs none if nothing is renewed`() {
    let silent = Self.good.replacing("{{token}}", with: "x")
    #expect(complaint(silent).contains("nothing shows the gateway a token; {{token}} in a message of /say"))
    #expect(complaint(silent.replacing(#""how": "asked", "say": "renew""#, with: #""how": "none""#)) == "")
  }
}
