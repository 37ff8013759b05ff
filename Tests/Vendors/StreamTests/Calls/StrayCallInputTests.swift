import GatewayCore
import GatewayJSON
import TestSupport
import TestTraits
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StrayCallInputTests {
  private static let members101 = (0..<101).map { #"{"user_id":"u\#($0)"}"# }.joined(separator: ",")
  private static let long = String(repeating: "x", count: 5000)

  /// Values that are invalid in every body.
  private static let broken = [
    "{", "[]", "null", "7", #""text""#, #"{"a":}"#, "{\"a\":1}garbage", "\u{0}", #"{"a":1,"a":2}"#,
    String(repeating: #"{"a":"#, count: 100),
  ]
  private static let paths = [
    "call/default/a", "call/default/a/join", "call/default/a/members", "call/default/a/event",
    "call/default/a/block", "call/default/a/unblock", "call/default/a/kick", "call/default/a/mute_users",
    "call/default/a/user_permissions", "call/default/a/request_permission", "call/default/a/ring",
    "call/default/a/accept", "call/default/a/reject", "call/default/a/mark_ended", "call/default/a/go_live",
    "call/default/a/stop_live", "call/default/a/reaction", "call/default/a/leave", "calls", "call/members",
  ]

  @Test(.long, arguments: paths)
  func `a body that is no object is refused by every resource in the vendor's own object`(path: String) throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a")
    let told = http.told()
    for body in Self.broken {
      for v2 in [false, true] {
        let answer = try http.ask("POST", path, body, v2: v2)
        #expect(answer.status == 400 && answer.body.at("code")?.integer == 4, "\(body)")
        for name in ["message", "StatusCode", "duration", "more_info", "details"] {
          #expect(answer.body.at(name) != nil)
        }
      }
    }
    #expect(http.told() == told)
  }

  @Test(
    .long,
    arguments: [
      ("call/default/a", #"{"data":7}"#, "data"), ("call/default/a", #"{"ring":"yes"}"#, "ring"),
      ("call/default/a", #"{"members_limit":101}"#, "members_limit"),
      ("call/default/a", #"{"members_limit":-1}"#, "members_limit"),
      ("call/default/a", #"{"data":{"members":{}}}"#, "data.members"),
      ("call/default/a", #"{"data":{"members":[\#(members101)]}}"#, "data.members"),
      ("call/default/a", #"{"data":{"members":[{"role":"host"}]}}"#, "members.user_id"),
      ("call/default/a", #"{"data":{"members":[{"user_id":"a"},{"user_id":"a"}]}}"#, "members"),
      ("call/default/a", #"{"data":{"members":[{"user_id":7}]}}"#, "members.user_id"),
      ("call/default/a", #"{"data":{"members":["ann"]}}"#, "members"),
      ("call/default/a", #"{"data":{"custom":[]}}"#, "data.custom"),
      ("call/default/a", #"{"data":{"custom":{"x":"\#(long)\#(long)"}}}"#, "data.custom"),
      ("call/default/a", #"{"data":{"starts_at":"tomorrow"}}"#, "data.starts_at"),
      ("call/default/a", #"{"data":{"starts_at":{}}}"#, "data.starts_at"),
      (
        "call/default/a", #"{"data":{"settings_override":{"audio":{"default_device":"ear"}}}}"#,
        "data.settings_override.audio.default_device"
      ),
      ("call/default/a", #"{"data":{"settings_override":{"audio":7}}}"#, "data.settings_override.audio"),
      (
        "call/default/a", #"{"data":{"settings_override":{"ring":{"auto_cancel_timeout_ms":-5}}}}"#,
        "data.settings_override.ring.auto_cancel_timeout_ms"
      ),
      (
        "call/default/a", #"{"data":{"settings_override":{"geofencing":{"names":[1]}}}}"#,
        "data.settings_override.geofencing.names"
      ),
      ("call/default/a/join", #"{}"#, "location"), ("call/default/a/join", #"{"location":""}"#, "location"),
      ("call/default/a/join", #"{"location":7}"#, "location"),
      ("call/default/a/join", #"{"location":"FRA","migrating_from":7}"#, "migrating_from"),
      ("call/default/a/join", #"{"location":"FRA","migrating_from_list":"x"}"#, "migrating_from_list"),
      ("call/default/a/join", #"{"location":"FRA","create":1}"#, "create"),
      ("call/default/a/members", #"{"update_members":[\#(members101)]}"#, "update_members"),
      ("call/default/a/members", #"{"remove_members":"ann"}"#, "remove_members"),
      ("call/default/a/event", #"{"custom":"x"}"#, "custom"),
      ("call/default/a/event", #"{"custom":{"x":"\#(long)\#(long)"}}"#, "custom"),
      ("call/default/a/block", #"{}"#, "user_id"), ("call/default/a/block", #"{"user_id":{}}"#, "user_id"),
      ("call/default/a/kick", #"{"user_id":"b","block":"x"}"#, "block"),
      ("call/default/a/mute_users", #"{}"#, "user_ids"),
      ("call/default/a/mute_users", #"{"user_ids":[1]}"#, "user_ids"),
      ("call/default/a/user_permissions", #"{"user_id":"b","grant_permissions":["fly"]}"#, "grant_permissions"),
      ("call/default/a/reject", #"{"reason":5}"#, "reason"), ("call/default/a/reaction", #"{}"#, "type"),
      ("call/default/a/ring", #"{"members_ids":{}}"#, "members_ids"),
    ])
  func `wrong members are named, and change nothing`(path: String, body: String, field: String) throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a", #"{"data":{"custom":{"topic":"tea"}}}"#)
    let told = http.told()
    let before = try http.ask("GET", "call/default/a").body.at("call")?.text
    let answer = try http.ask("POST", path, body)
    #expect(answer.status == 400 && answer.body.at("code")?.integer == 4)
    #expect(answer.body.at("exception_fields")?[member: field] != nil, "\(answer.body.text)")
    #expect(http.told() == told)
    #expect(try http.ask("GET", "call/default/a").body.at("call")?.text == before)
  }

  @Test(arguments: [
    "call/default/%20", "call/default/a%2Fb", "call/default/a%00", "call/default/%F0%9F%8D%B5", "call/de%3Afault/a",
    "call/default/" + String(repeating: "x", count: 5000), "call/\(String(repeating: "y", count: 200))/a",
    "call/default/a.b", "call/default/a'%22--",
  ])
  func `ids of odd characters or great length are refused`(path: String) throws {
    let http = try StreamCallWorld()
    for (method, tail) in [("POST", ""), ("GET", ""), ("PATCH", ""), ("POST", "/join"), ("POST", "/event")] {
      let answer = try http.ask(method, path + tail, method == "GET" ? "" : #"{"location":"FRA","custom":{}}"#)
      #expect(answer.status == 400 && answer.body.at("code")?.integer == 4)
    }
    #expect(http.told() == [])
  }

  @Test(arguments: [
    ("POST", "call/default/b", #"{"data":{"custom":NAMES}}"#),
    ("POST", "call/default/c", #"{"data":{"members":[{"user_id":"bob","custom":NAMES}]}}"#),
    ("POST", "call/default/d/join", #"{"location":"FRA","create":true,"data":{"custom":NAMES}}"#),
    ("PATCH", "call/default/a", #"{"custom":NAMES}"#), ("POST", "call/default/a/event", #"{"custom":NAMES}"#),
    ("POST", "call/default/a/reaction", #"{"type":"like","custom":NAMES}"#),
    ("POST", "call/default/a/members", #"{"update_members":[{"user_id":"bob","custom":NAMES}]}"#),
  ])
  func `names that differ only in how an accent is encoded trap nothing`(method: String, path: String, body: String)
    throws
  {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a")
    let names = #"{"\u00e9":1,"e\u0301":2}"#
    let answer = try http.ask(method, path, body.replacing("NAMES", with: names))
    #expect(answer.status == (method == "PATCH" ? 200 : 201), "\(answer.body.text)")
    // Both are stored unchanged.
    let said = answer.body.text + http.events().map(\.text).joined()
    #expect(said.utf8.count(of: #""e\#u{301}":2,"\#u{e9}":1"#) > 0)
  }

  @Test
  func `a connection's name is read only in the form in which it is written`() {
    let id = ConnectionID(loop: 0, serial: 0xABC)
    let text = StreamConnectionID.text(id)
    #expect(StreamConnectionID.read(text) == id)
    for other in [text.uppercased(), "+" + text.dropFirst(), text.dropLast() + "\u{301}", "", "----"] {
      #expect(StreamConnectionID.read(String(other)) == nil)
    }
  }

  @Test(arguments: paths)
  func `an unknown client is asked to authenticate, whatever it requests`(path: String) throws {
    let answer = try StreamCallWorld().ask("POST", path, "{", as: .nobody)
    #expect(answer.status == 401 && answer.body.at("code")?.integer == 5)
  }
}

extension String.UTF8View {
  /// Returns how often the bytes of `text` occur here.
  fileprivate func count(of text: String) -> Int {
    let wanted = Array(text.utf8)
    let bytes = Array(self)
    guard bytes.count >= wanted.count else { return 0 }
    return (0...(bytes.count - wanted.count)).count { bytes[$0..<($0 + wanted.count)].elementsEqual(wanted) }
  }
}
