import GatewayCore
import GatewayJSON
import TestSupport
import TestTraits
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct ParticipantTests {
  /// Returns a call with ann and bob: the world, and the names of their connections and sessions.
  private func call() throws -> (http: StreamCallWorld, connections: [String], sessions: [String]) {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a", #"{"data":{"members":[{"user_id":"bob","role":"host"}]}}"#)
    var connections: [String] = []
    for user in ["ann", "bob"] {
      let connection = try http.connect(user)
      _ = try http.ask("POST", "call/default/a/join", #"{"location":"FRA"}"#, as: .user(user), on: connection)
      connections.append(connection)
    }
    let people = try http.ask("GET", "call/default/a").body.at("call.session.participants")?.elements ?? []
    return (http, connections, people.compactMap { $0.at("user_session_id")?.string })
  }

  @Test
  func `participants are found by a filter`() throws {
    let (http, _, sessions) = try call()
    let all = try http.ask("POST", "call/default/a/participants", "{}")
    #expect(all.status == 201 && all.body.at("total_participants")?.integer == 2)
    #expect(all.body.at("participants.0.user.id")?.string == "ann" && all.body.at("call.id")?.string == "a")
    #expect(all.body.at("own_capabilities") != nil && all.body.at("members.0.user_id")?.string == "bob")
    let hosts = try http.ask("POST", "call/default/a/participants", #"{"filter_conditions":{"role":"host"}}"#)
    #expect(hosts.body.at("participants.0.user_session_id")?.string == sessions[1])
    #expect(hosts.body.at("total_participants")?.integer == 1)
    let one = try http.ask("POST", "call/default/a/participants", "{}", query: [HTTPField("limit", "1")])
    #expect(one.body.at("participants")?.count == 1 && one.body.at("total_participants")?.integer == 2)
    for limit in ["0", "251", "x"] {
      let query = [HTTPField("limit", limit)]
      #expect(try http.ask("POST", "call/default/a/participants", "{}", query: query).status == 400)
    }
    let stray = #"{"filter_conditions":{"shoe":7}}"#
    #expect(try http.ask("POST", "call/default/a/participants", stray).body.at("code")?.integer == 4)
  }

  @Test
  func `permitted users pin participants, and the pins end when the participants leave`() throws {
    let (http, connections, sessions) = try call()
    let bob = #"{"user_id":"bob","session_id":"\#(sessions[1])"}"#
    #expect(try http.ask("POST", "call/default/a/pin", bob, as: .user("zoe")).status == 403)
    let nobody = try http.ask("POST", "call/default/a/pin", #"{"user_id":"zoe","session_id":"x"}"#)
    #expect(nobody.status == 404 && nobody.body.at("message")?.string?.contains("no participant") == true)
    let nowhere = try http.ask("POST", "call/default/none/pin", #"{"user_id":"zoe","session_id":"x"}"#)
    #expect(nowhere.status == 404 && nowhere.body.at("message")?.string?.contains("Can't find call") == true)
    #expect(try http.ask("POST", "call/default/a/pin", #"{"user_id":"bob"}"#).status == 400)
    let before = http.told()
    #expect(try http.ask("POST", "call/default/a/pin", bob).status == 201)
    #expect(try http.ask("POST", "call/default/a/unpin", bob).status == 201)
    #expect(try http.ask("POST", "call/default/a/pin", bob).status == 201)
    http.disconnect(connections[1])
    #expect(try http.ask("POST", "call/default/a/pin", bob).status == 404)
    #expect(try http.ask("POST", "call/default/a/unpin", bob).status == 201)
    let told = http.told().dropFirst(before.count).filter { !$0.contains("session_participant") }
    #expect(told.isEmpty, "the coordinator says nothing of it")
  }

  @Test
  func `participants rate a call, which its watchers receive and servers read`() throws {
    let (http, _, sessions) = try call()
    let body = #"{"rating":4,"sdk":"js","sdk_version":"1.2","reason":"fine","user_session_id":"\#(sessions[0])"}"#
    #expect(try http.ask("POST", "call/default/a/feedback", body).status == 201)
    let event = try http.event("call.user_feedback_submitted")
    #expect(event.at("rating")?.integer == 4 && event.at("user.id")?.string == "ann")
    #expect(event.at("session_id")?.string?.isEmpty == false)
    for wrong in ["{}", #"{"rating":6,"sdk":"js","sdk_version":"1"}"#, #"{"rating":1,"sdk":"js"}"#] {
      #expect(try http.ask("POST", "call/default/a/feedback", wrong).body.at("code")?.integer == 4)
    }
    http.advance(by: .seconds(1))
    _ = try http.ask("POST", "call/default/a/feedback", #"{"rating":1,"sdk":"js","sdk_version":"1"}"#, as: .user("bob"))
    #expect(try http.ask("POST", "call/feedback", "{}").status == 403)
    let all = try http.ask("POST", "call/feedback", #"{"filter_conditions":{"call_cid":"default:a"}}"#, as: .server)
    #expect(all.body.at("user_feedback")?.count == 2 && all.body.at("user_feedback.0.reason")?.string == "fine")
    let none = try http.ask("POST", "call/feedback", #"{"filter_conditions":{"user_id":"zoe"}}"#, as: .server)
    #expect(none.body.at("user_feedback")?.count == 0)
    let report = try http.ask("GET", "call/default/a/report")
    #expect(report.body.at("report.user_ratings.count")?.integer == 2)
    #expect(report.body.at("report.user_ratings.average")?.number == 2.5)
  }

  @Test
  func `participants ask for a permission, and report of themselves without a name`() throws {
    let (http, _, _) = try call()
    let asked = try http.ask(
      "POST", "call/default/a/request_permission", #"{"permissions":["screenshare"]}"#, as: .user("bob"))
    #expect(asked.status == 201)
    #expect(try http.event("call.permission_request").at("permissions.0")?.string == "screenshare")
    #expect(try http.ask("POST", "call_client_event", "{}", as: .nobody).status == 201)
    let users = #"{"user_ids":["bob"]}"#
    #expect(try http.fetch("POST", "/users/deactivate", users, as: .server).status == 201)
    #expect(try http.ask("GET", "call/default/a", as: .user("bob")).status != 200)
    #expect(try http.fetch("POST", "/users/reactivate", users, as: .server).status == 201)
    #expect(try http.ask("GET", "call/default/a", as: .user("bob")).status == 200)
  }

  @Test(.long)
  func `participants are known after they have left, with the time that they were present`() throws {
    let (http, connections, sessions) = try call()
    let session = try #require(try http.ask("GET", "call/default/a").body.at("call.current_session_id")?.string)
    http.advance(by: .seconds(60))
    http.disconnect(connections[1])
    http.advance(by: .seconds(30))
    let path = "call/default/a/session/\(session)/participant_sessions"
    let during = try http.ask("GET", path).body
    #expect(during.at("total_participant_sessions")?.integer == 2 && during.at("duration")?.integer != nil)
    #expect(during.at("total_participant_duration")?.integer == 150)
    #expect(during.at("participants_sessions.0.user_id")?.string == "bob")
    #expect(during.at("participants_sessions.0.duration_in_seconds")?.integer == 60)
    #expect(during.at("participants_sessions.1.left_at") == nil)
    let live = try http.ask("GET", "call/default/a/stats/\(session)").body
    #expect(live.at("call_status")?.string == "ongoing" && live.at("call_duration_seconds")?.integer == 90)
    #expect(live.at("max_participants")?.integer == 2 && live.at("participant_report")?.count == 0)
    http.disconnect(connections[0])
    http.advance(by: .seconds(10))
    let report = try http.ask("GET", "call/default/a/report", query: [HTTPField("session_id", session)]).body
    #expect(report.at("session_id")?.string == session && report.at("report.participants.unique")?.integer == 2)
    #expect(report.at("report.participants.max_concurrent")?.integer == 2)
    #expect(report.at("report.call.started_at") != nil && report.at("report.call.ended_at") != nil)
    let over = try http.ask("GET", "call/default/a/stats/\(session)").body
    #expect(over.at("call_status")?.string == "ended" && over.at("call_duration_seconds")?.integer == 90)
    #expect(try http.ask("GET", "call/default/a/stats/none").body.at("sfu_count")?.integer == 0)
    let track = "call/default/a/session/\(session)/participant/bob/\(sessions[1])/details/track"
    #expect(try http.ask("GET", track).body.at("user_id")?.string == "bob")
    #expect(try http.ask("GET", path, as: .user("eve", calls: ["default:b"])).status == 403)
    http.advance(by: .seconds(14 * 86_400))
    #expect(try http.ask("GET", path).body.at("total_participant_sessions")?.integer == 0, "two weeks are long")
  }

  @Test
  func `participants have statistics, which are empty without media`() throws {
    let (http, _, sessions) = try call()
    let session = try #require(try http.ask("GET", "call/default/a").body.at("call.current_session_id")?.string)
    #expect(try http.ask("POST", "call/stats", "{}").body.at("reports")?.count == 0)
    #expect(try http.ask("POST", "stats", "{}").status == 201)
    #expect(try http.ask("POST", "call_stats", "{}").body.at("call_stats")?.count == 0)
    let below = "call_stats/default/a/\(session)"
    let map = try http.ask("GET", "call_stats/default/a/\(session)/map").body
    #expect(map.at("counts.live_sessions")?.integer == 2 && map.at("call_session_id")?.string == session)
    let people = try http.ask("GET", "call_stats/default/a/\(session)/participants").body
    #expect(people.at("participants")?.count == 2)
    #expect(people.at("participants.1.sessions.0.user_session_id")?.string == sessions[1])
    let details = try http.ask("GET", "call_stats/default/a/\(session)/participant/bob/\(sessions[1])/details").body
    #expect(details.at("user_id")?.string == "bob" && details.at("user_session_id")?.string == sessions[1])
    let line = try http.ask("GET", "call_stats/default/a/\(session)/participants/bob/\(sessions[1])/timeline").body
    #expect(line.at("events")?.count == 0)
    #expect(try http.ask("GET", "\(below)/map", as: .user("eve", calls: ["default:b"])).status == 403)
    #expect(try http.ask("GET", "call_stats/default/none/x/map").status == 404)
  }
}
