import GatewayCore
import GatewayJSON
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct RingTests {
  private let ring =
    #"{"ring":true,"video":true,"data":{"members":[{"user_id":"ann"},{"user_id":"bob"},{"user_id":"eve"}]}}"#

  @Test
  func `a ring reaches the members' own connections, but not the caller`() throws {
    let http = try StreamCallWorld()
    let (ann, bob, eve) = (try http.connect("ann"), try http.connect("bob"), try http.connect("eve"))
    let answer = try http.ask("POST", "call/default/a", ring)
    #expect(answer.status == 201)
    #expect(http.told() == ["call.created"] && http.heard(on: ann) == ["call.created"])
    for member in [bob, eve] { #expect(http.heard(on: member) == ["call.created", "call.ring"]) }
    let event = try #require(http.events(on: bob).last)
    #expect(event.at("video")?.bool == true)
    #expect(event.at("user.id")?.string == "ann")
    #expect(event.at("session_id")?.string == answer.body.at("call.current_session_id")?.string)
    #expect(event.at("call.session.started_at") == nil)
  }

  @Test
  func `a ring is answered by accepting or rejecting, and missed by members without an answer in time`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a", ring)
    #expect(try http.ask("POST", "call/default/a/accept", as: .user("bob")).status == 201)
    #expect(try http.event("call.accepted").at("call.session.accepted_by.bob")?.string != nil)
    http.advance(by: .milliseconds(14_999))
    #expect(!http.told().contains("call.missed"))
    http.advance(by: .milliseconds(1))
    let missed = try http.event("call.missed")
    #expect(missed.at("members")?.count == 1)
    #expect(missed.at("members.0.user_id")?.string == "eve")
    #expect(missed.at("call.session.missed_by.eve")?.string == "2027-01-15T08:00:15.000000000Z")
    #expect(try http.ask("POST", "call/default/a/reject", #"{"reason":"busy"}"#, as: .user("eve")).status == 201)
    let rejected = try http.event("call.rejected")
    #expect(rejected.at("reason")?.string == "busy")
    #expect(rejected.at("call.session.rejected_by.eve")?.string != nil)
    #expect(rejected.at("call.session.missed_by.eve") == nil)
  }

  @Test
  func `a ring counts as missed for the rest when the caller gives up, and for no user twice`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a", ring)
    _ = try http.ask("POST", "call/default/a/reject", #"{"reason":"cancel"}"#)
    #expect(try http.event("call.missed").at("members")?.count == 2)
    http.advance(by: .seconds(60))
    #expect(http.told().count { $0 == "call.missed" } == 1)
  }

  @Test
  func `a ring ends with the call`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a", ring)
    _ = try http.ask("POST", "call/default/a/mark_ended")
    #expect(http.told() == ["call.created", "call.ended", "call.missed"])
  }

  @Test
  func `a ring never times out if the call's settings say so, or if more rings wait than allowed`() throws {
    let http = try StreamCallWorld(
      limits: StreamCallLimits(rings: 1), listeningTo: ["silent", "a", "b", "c"].map { "default:\($0)" })
    let silent = """
      {"ring":true,"data":{"members":[{"user_id":"bob"}],"settings_override":{"ring":{"incoming_call_timeout_ms":0,
      "auto_cancel_timeout_ms":0,"missed_call_timeout_ms":0}}}}
      """
    _ = try http.ask("POST", "call/default/silent", silent)
    http.advance(by: .seconds(600))
    #expect(!http.told().contains("call.missed"))
    _ = try http.ask("POST", "call/default/a", ring)
    _ = try http.ask("POST", "call/default/b", ring)
    http.advance(by: .seconds(600))
    #expect(http.told().count { $0 == "call.missed" } == 1)
    _ = try http.ask("POST", "call/default/c", ring)
    http.advance(by: .seconds(600))
    #expect(http.told().count { $0 == "call.missed" } == 2)
  }

  @Test
  func `a ring of no user is refused, and nothing is created or changed for it`() throws {
    let http = try StreamCallWorld()
    func refusal(_ method: String, _ path: String, _ body: String = "", query: [HTTPField] = []) throws -> String {
      let answer = try http.ask(method, path, body, query: query)
      #expect(answer.status == 400 && answer.body.at("code")?.integer == 4, "\(path)")
      return answer.body.at("message")?.string ?? ""
    }
    #expect(try refusal("POST", "call/default/new", #"{"ring":true}"#).contains("no users to ring"))
    let alone = #"{"ring":true,"location":"FRA","create":true,"data":{"members":[{"user_id":"ann"}]}}"#
    #expect(try refusal("POST", "call/default/new/join", alone).contains("no users to ring"))
    #expect(try http.ask("GET", "call/default/new").status == 404)
    _ = try http.ask("POST", "call/default/a")
    #expect(try refusal("POST", "call/default/a/ring") == #"RingCall failed with error: "no users to ring""#)
    _ = try refusal("POST", "call/default/a", #"{"ring":true}"#)
    _ = try refusal("GET", "call/default/a", query: [HTTPField("ring", "true")])
    _ = try refusal("POST", "call/default/a/join", #"{"ring":true,"location":"FRA"}"#)
    _ = try http.ask("POST", "call/default/a/members", #"{"update_members":[{"user_id":"bob"}]}"#)
    _ = try refusal("POST", "call/default/a/ring", #"{"members_ids":["stranger"]}"#)
    #expect(http.told() == ["call.created", "call.member_added"])
    #expect(try http.ask("GET", "call/default/a").body.at("call.session") == nil)
  }

  @Test
  func `a ring can be for some of the members only`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a", #"{"data":{"members":[{"user_id":"bob"},{"user_id":"eve"}]}}"#)
    let (bob, eve) = (try http.connect("bob"), try http.connect("eve"))
    let answer = try http.ask("POST", "call/default/a/ring", #"{"members_ids":["eve","stranger"]}"#)
    #expect(answer.body.at("members_ids")?.elements?.compactMap(\.string) == ["eve"])
    #expect(http.heard(on: eve) == ["call.ring"] && http.heard(on: bob) == [])
  }
}
