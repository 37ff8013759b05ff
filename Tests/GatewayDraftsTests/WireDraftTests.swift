import GatewayDrafts
import GatewayWires
import TestSupport
import TestTraits
import Testing

struct WireDraftTests {
  /// A recording of one connection whose messages are these, half a second apart: `>` is the client's.
  func recording(_ messages: [String], more: [String] = [], every gap: Int = 500) -> String {
    var lines = [
      #"{"postern_recording":1}"#,
      #"{"secret":"token-1","form":"jwt","issued_ms":1900000000000,"ends_ms":1900003600000,"user":"ann"}"#,
      #"{"secret":"token-2","form":"jwt","issued_ms":1900003000000,"ends_ms":1900006600000,"user":"ann"}"#,
      #"{"n":1,"at_ms":0,"time":"2030-03-17T17:46:40.000Z","kind":"connection_opened","connection":"c1","#
        + #""request":{"method":"GET","path":"/socket","query":[["v","2"]],"headers":[]},"answer":{"status":101}}"#,
    ]
    for (number, message) in messages.enumerated() {
      let kind = message.hasPrefix(">") ? "message_in" : "message_out"
      let text = message.dropFirst().replacing("\"", with: "\\\"")
      lines.append(
        #"{"n":\#(number + 2),"at_ms":\#(number * gap),"kind":"\#(kind)","connection":"c1","payload":"\#(text)"}"#)
    }
    return (lines + more).joined(separator: "\n")
  }

  func draft(_ text: String) throws -> String {
    let draft = try WireDraft(try Recording(reading: Array(text.utf8)), name: "drafted")
    _ = try WireDescription(try DescriptionFile.parse(Array(draft.text.utf8), file: "draft"))
    return draft.text
  }

  static let login = [#">{"type":"auth","token":"token-1"}"#, #"<{"type":"welcome","expires_in":3600}"#]
  static let renewal = [#">{"type":"renew","token":"token-2"}"#, #"<{"type":"renewed","expires_in":3600}"#]

  @Test
  func `a message that comes before each renewal and before nothing else is the gateway's request`() throws {
    let text = try draft(recording(Self.login + [#"<{"type":"hurry"}"#] + Self.renewal))
    #expect(text.contains(#""how": "asked""#) && text.contains(#"{ "json": { "/type": "hurry" } }, "is": "ask""#))
    #expect(text.contains(#""take": { "life_s": "/expires_in" }"#) && text.contains(#""token": "{{token}}""#))
  }

  @Test
  func `a life is that of the token before it, even if another token comes within the same millisecond`() throws {
    let text = try draft(recording(Self.login + Self.renewal, every: 0))
    #expect(text.contains(#""is": "logged_in", "take": { "life_s": "/expires_in" }"#))
  }

  @Test
  func `a renewal that nothing asks for is one of a timer`() throws {
    let text = try draft(recording(Self.login + Self.renewal))
    #expect(text.contains(#""how": "timer""#) && text.contains(#""is": "refreshed""#))
  }

  @Test
  func `an error that comes after an unanswered ping is a goodbye and no answer`() throws {
    let text = try draft(
      recording(
        [#"<INFO {"x":1}"#, #">CONNECT {"jwt":"token-1"}"#, "<PONG", ">PING", "<-ERR 'Expired'"].map { $0 + "\\r\\n" },
        more: [
          #"{"n":8,"at_ms":2100,"kind":"closed","connection":"c1","code":4000,"by":"gateway"}"#,
          #"{"n":9,"at_ms":2500,"kind":"connection_opened","connection":"c2","request":{"method":"GET","path":"/socket"}}"#,
          #"{"n":10,"at_ms":2600,"kind":"message_in","connection":"c2","payload":"CONNECT {\"jwt\":\"token-2\"}\r\n"}"#,
        ]))
    #expect(text.contains(#"{ "when": { "text": "-ERR 'Expired'" }, "is": "goodbye", "then": "renew""#))
  }

  @Test
  func `an answer to a ping that is also the answer to the login has a rule for both`() throws {
    let lines = [#"<INFO {"x":1}"#, #">CONNECT {"jwt":"token-1"}"#, "<PONG", ">PING", "<PONG", "<MSG"]
    let text = try draft(recording(lines.map { $0 + "\\r\\n" }))
    #expect(text.contains(#"{ "when": { "text": "PONG" }, "is": "alive""#) && text.contains(#""during": "logging_in""#))
  }

  @Test
  func `a value of the query that is another one for each connection is left out`() throws {
    let back =
      #"{"n":9,"at_ms":2500,"kind":"connection_opened","connection":"c2","request":"#
      + #"{"method":"GET","path":"/socket","query":[["v","2"],["t","1795855102.6"]]}}"#
    let text = recording(Self.login + Self.renewal, more: [back])
      .replacing(#"[["v","2"]],"headers""#, with: #"[["v","2"],["t","1795855100.5"]],"headers""#)
    #expect(try draft(text).contains(#""query": { "v": "2" }"#))
  }

  @Test
  func `a client that comes back with another token after a close renews by reconnecting`() throws {
    let text = try draft(
      recording(
        Self.login,
        more: [
          #"{"n":8,"at_ms":2000,"kind":"closed","connection":"c1","code":4401,"by":"gateway"}"#,
          #"{"n":9,"at_ms":2500,"kind":"connection_opened","connection":"c2","request":{"method":"GET","path":"/socket"}}"#,
          #"{"n":10,"at_ms":2600,"kind":"message_in","connection":"c2","payload":"{\"type\":\"auth\",\"token\":\"token-2\"}"}"#,
          #"{"n":11,"at_ms":2700,"kind":"message_out","connection":"c2","payload":"{\"type\":\"welcome\"}"}"#,
        ]))
    #expect(text.contains(#""how": "reconnect""#) && text.contains(#"{ "code": 4401, "then": "renew" }"#))
  }

  @Test
  func `an answer is known by the number of the message that it answers`() throws {
    let text = try draft(
      recording([
        #">{"id":1,"connect":{"token":"token-1"}}"#, #"<{"id":1,"connect":{"ttl":3600}}"#,
        #">{"id":2,"refresh":{"token":"token-2"}}"#, #"<{"id":2,"refresh":{"ttl":3600}}"#,
      ]))
    #expect(text.contains(#""/id": "{{sent.login:number}}""#) && text.contains(#""/id": "{{sent.renew:number}}""#))
  }

  @Test
  func `a client that comes back is found by its user, and not by whoever connects next`() throws {
    let text = try draft(
      recording(
        Self.login,
        more: [
          #"{"secret":"token-3","form":"jwt","ends_ms":1900003600000,"user":"bob"}"#,
          #"{"n":8,"at_ms":2000,"kind":"closed","connection":"c1","code":4000,"by":"gateway"}"#,
          #"{"n":9,"at_ms":2100,"kind":"connection_opened","connection":"c2","request":{"method":"GET","path":"/socket"}}"#,
          #"{"n":10,"at_ms":2200,"kind":"message_in","connection":"c2","payload":"{\"type\":\"auth\",\"token\":\"token-3\"}"}"#,
          #"{"n":11,"at_ms":2300,"kind":"connection_opened","connection":"c3","request":{"method":"GET","path":"/socket"}}"#,
          #"{"n":12,"at_ms":2400,"kind":"message_in","connection":"c3","payload":"{\"type\":\"auth\",\"token\":\"token-1\"}"}"#,
        ]))
    #expect(text.contains(#"{ "code": 4000, "then": "retry" }"#) && text.contains(#""how": "none""#))
  }

  @Test
  func `what each client says as soon as it is logged in is said then, and its answer has no life in it`() throws {
    let text = try draft(
      recording(Self.login + [#">{"type":"subscribe","id":"7"}"#, #"<{"type":"next","id":"7","count":3599}"#]))
    #expect(
      text.contains(#""is": "logged_in", "say": "start""#)
        && text.contains(#""start": { "json": { "type": "subscribe", "id": "{{id}}" }"#))
    #expect(text.contains(#""count": 3599"#))
  }

  @Test
  func `a login is told from a renewal that has its members and one more`() throws {
    let text = try draft(
      recording([
        #">{"id":1,"params":{"token":"token-1"}}"#, #"<{"id":1,"result":{"ttl":3600}}"#,
        #">{"id":2,"method":10,"params":{"token":"token-2"}}"#, #"<{"id":2,"result":{"ttl":3600}}"#,
      ]))
    #expect(text.contains(#""known_by": { "/params": { "exists": true }, "/method": { "exists": false } }"#))
  }

  @Test
  func `the user's name is a hole in a longer text too, as in a topic`() throws {
    let text = try draft(
      recording([
        #">{"type":"join","topic":"user:ann","by":"ann","token":"token-1"}"#, #"<{"type":"joined","topic":"user:ann"}"#,
      ]))
    #expect(text.contains(#""topic": "user:{{user}}", "by": "{{user}}""#) && !text.contains("user:ann"))
  }

  @Test
  func `the user's name is found between hyphens, and not inside another word`() throws {
    let text = try draft(
      recording([
        #">{"type":"join","channel":"private-ann","note":"annual","token":"token-1"}"#, #"<{"type":"joined"}"#,
      ]))
    #expect(text.contains(#""channel": "private-{{user}}", "note": "annual""#))
  }

  @Test
  func `what a client says ahead of the gateway's question is said at the opening, and a kind is no life`() throws {
    let text = try draft(
      recording([
        #">[1,"realm1",{"authid":"ann"}]"#, #"<[4,"ticket",{}]"#, #">[5,"token-1",{}]"#,
        #"<[3598,77,{"realm":"realm1"}]"#,
      ]))
    #expect(text.contains(#""at_open": { "say": "hello" }"#) && text.contains(#""authid": "{{user}}""#))
    #expect(text.contains(#""during": "logging_in", "is": "step", "say": "login""#) && !text.contains("life_s"))
  }

  @Test
  func `clients that leave before the end of their token leave in the draft as long before`() throws {
    let text = try draft(
      recording(
        Self.login,
        more: [
          #"{"n":8,"at_ms":3590000,"kind":"closed","connection":"c1","code":1000,"by":"peer"}"#,
          #"{"n":9,"at_ms":3591000,"kind":"connection_opened","connection":"c2","request":{"method":"GET","path":"/socket"}}"#,
          #"{"n":10,"at_ms":3591000,"kind":"message_in","connection":"c2","payload":"{\"type\":\"auth\",\"token\":\"token-2\"}"}"#,
          #"{"n":11,"at_ms":3591010,"kind":"message_out","connection":"c2","payload":"{\"type\":\"welcome\"}"}"#,
        ]))
    #expect(text.contains(#""how": "reconnect", "lead": "10s""#) && !text.contains(#""ends""#))
  }

  @Test
  func `a renewal without an answer is proven by survival, for half of what the connection did`() throws {
    let text = try draft(
      recording(
        Self.login + [Self.renewal[0]],
        more: [#"{"n":8,"at_ms":3606500,"kind":"closed","connection":"c1","code":1000,"by":"peer"}"#]))
    #expect(text.contains(#""proof": "survival", "grace": "3s""#))
  }

  @Test
  func `a secret that a recording should have had a name for is not in the draft`() throws {
    let secret = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.dGhlLXNpZ25hdHVyZQ"
    let text = try draft(
      recording([
        #">{"type":"auth","token":"token-1","device":"\#(secret)"}"#,
        #"<{"type":"welcome","expires_in":3600,"session":"9f3Kq7Zt21vLx0Wb8Yp"}"#, #"<hello 4d8Rp2Ys77mNc5QaQq"#,
      ]))
    #expect(!text.contains("eyJ") && !text.contains("9f3Kq7Zt21vLx0Wb8Yp") && !text.contains("4d8Rp2Ys77mNc5QaQq"))
  }

  @Test
  func `braces of a recorded text are no holes, and odd names and shapes are described`() throws {
    let text = try draft(
      recording(
        Self.login + [
          #"<{"a~b/c {{token}}":1}"#, #"<{"type":"note {{now}}","n":2}"#, #"<{"type":"dup","type":"dup"}"#,
          #"<[[],[]]"#, #"<[]"#,
          #"<{{{secret.key}}"#, "<", #">{"note":"{{user}}"}"#,
        ] + Self.renewal))
    #expect(text.contains("/a~0b~1c { {token}}") && !text.contains("{{now}}") && !text.contains("{{secret"))
  }

  @Test
  func `messages of many kinds and of great length leave a draft that loads`() throws {
    let kinds = (0..<500).map { #"<{"type":"kind\#(UnicodeScalar(UInt8(97 + $0 % 26)))\#($0)"}"# }
    let long = #"<{"type":"welcome","expires_in":3600,"words":["\#(String(repeating: "ab ", count: 20_000))"]}"#
    let text = try draft(recording([Self.login[0], long] + kinds + Self.renewal))
    #expect(text.contains("messages of other kinds have no rule here") && text.utf8.count < 32_768)
  }

  @Test(arguments: [
    ("", "it is empty"), ("x", "line 1 is no JSON object"), ("[1]", "line 1 is no JSON object"),
    (#"{"n":1,"at_ms":0,"kind":"closed"}"#, "line 1 does not begin a recording"),
    (#"{"postern_recording":2}"#, "line 1 does not begin a recording"),
    ("{\"postern_recording\":1}\n{\"n\":1,\"at_ms\":0,\"ki", "line 2 is no JSON object"),
    ("{\"postern_recording\":1}\n{\"kind\":\"closed\",\"kind\":\"closed\"}", "line 2 is no JSON object"),
    ("{\"postern_recording\":1}\n" + String(repeating: "[", count: 100_000), "line 2 is no JSON object"),
    ("{\"postern_recording\":1}\n{\"kind\":\"closed\",\"at_ms\":1e300}", "line 2 has no time at_ms"),
    (#"{"postern_recording":1}"#, "it shows no token"),
    (
      "{\"postern_recording\":1}\n{\"secret\":\"token-1\"}\n{\"kind\":\"connection_opened\",\"at_ms\":1,\"connection\":\"c\"}",
      "no connection in it shows a login"
    ),
  ])
  func `a file that shows no login is refused with its reason`(text: String, reason: String) {
    do throws(Recording.Malformed) {
      Issue.record("drafted: \(try WireDraft(try Recording(reading: Array(text.utf8)), name: "w").text)")
    } catch {
      #expect(error.description.contains(reason))
    }
  }

  @Test
  func `a recording of 4,000 connections and one of 4,000 renewals are drafted`() throws {
    let open = #""kind":"connection_opened","request":{"method":"GET","path":"/s","query":[["token","token-1"]]}"#
    let many = (0..<4_000).flatMap {
      [
        #"{"at_ms":5,"connection":"m\#($0)",\#(open)}"#,
        #"{"at_ms":9,"kind":"closed","connection":"m\#($0)","code":4000,"by":"gateway"}"#,
      ]
    }
    #expect(try draft(recording(Self.login, more: many)).contains(#""wire": 1"#))
    let renewals = (0..<4_000).map { #">{"type":"renew","token":"token-\#($0 % 2 + 1)"}"# }
    #expect(try draft(recording(Self.login + renewals)).contains(#""proof": "survival""#))
  }

  @Test(.long)
  func `a hostile recording or HAR file is drafted, or refused with words, and traps nothing`() {
    let har = """
      {"log":{"entries":[{"startedDateTime":"2030-03-17T17:46:40.000Z","_resourceType":"websocket",\
      "request":{"method":"GET","url":"wss://h/socket?access_token=abcdef0123456789abc","headers":[{"name":"Cookie","value":"a=b1c2d3e4f5"}]},\
      "response":{"status":101,"headers":[],"content":{"text":"e30=","encoding":"base64"}},"_webSocketMessages":[\
      {"type":"send","time":1900000000.5,"opcode":1,"data":"{\\"type\\":\\"auth\\",\\"token\\":\\"abcdef0123456789abc\\"}"},\
      {"type":"receive","time":1900000001,"opcode":1,"data":"{\\"type\\":\\"welcome\\",\\"ttl\\":60}"},\
      {"type":"receive","time":1900000002,"opcode":2,"data":"e30="}]}]}}
      """
    let recorded = recording(Self.login + [#"<{"type":"hurry"}"#] + Self.renewal)
    var source = HostileBytes(
      seed: 36, examples: [har, recorded], words: ["\"at_ms\"", "\"kind\"", "token-1", "_webSocketMessages", "\n"])
    source.expectDraftOrRefusal()
  }
}
