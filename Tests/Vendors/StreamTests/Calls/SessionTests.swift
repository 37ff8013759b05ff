import GatewayCore
import GatewayJSON
import GatewayKit
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct SessionTests {
  private let join = #"{"location":"FRA","create":true}"#

  @Test
  func `a session begins with the first join and ends with the last departure`() throws {
    let http = try StreamCallWorld()
    let (ann, bob) = (try http.connect("ann"), try http.connect("bob"))
    let first = try http.ask("POST", "call/default/a/join", join, on: ann)
    let session = try #require(first.body.at("call.current_session_id")?.string)
    #expect(session.utf8.count == 36)
    #expect(first.body.at("call.session.id")?.string == session)
    #expect(http.told() == ["call.created", "call.session_started", "call.session_participant_joined"])
    let second = try http.ask("POST", "call/default/a/join", join, as: .user("bob"), on: bob)
    #expect(second.body.at("created")?.bool == false)
    #expect(second.body.at("call.session.participants")?.count == 2)
    #expect(second.body.at("call.session.participants_count_by_role.user")?.integer == 2)
    let joined = try http.event("call.session_participant_joined")
    #expect(joined.at("participant.user.id")?.string == "bob")
    #expect(joined.at("session_id")?.string == session)

    http.advance(by: .seconds(90))
    http.disconnect(ann)
    let left = try http.event("call.session_participant_left")
    #expect(left.at("participant.user.id")?.string == "ann")
    #expect(left.at("duration_seconds")?.integer == 90)
    #expect(http.told().last == "call.session_participant_left")
    http.disconnect(bob)
    #expect(http.told().suffix(2) == ["call.session_participant_left", "call.session_ended"])
    #expect(try http.event("call.session_ended").at("call.current_session_id")?.string == "")

    let after = try http.ask("POST", "call/default/a/join", join, on: http.connect("ann"))
    #expect(after.body.at("call.current_session_id")?.string != session)
  }

  @Test
  func `a session has a user once who joins twice by one connection, and twice by two`() throws {
    let http = try StreamCallWorld()
    let one = try http.connect("ann")
    for body in [join, #"{"location":"auto","migrating_from":"edge","migrating_from_list":["edge"]}"#] {
      let answer = try http.ask("POST", "call/default/a/join", body, on: one)
      #expect(answer.body.at("call.session.participants")?.count == 1)
    }
    let other = try http.ask("POST", "call/default/a/join", join, on: http.connect("ann"))
    let ids = other.body.at("call.session.participants")?.elements?.compactMap { $0["user_session_id"]?.string }
    #expect(Set(ids ?? []).count == 2)
    http.disconnect(one)
    #expect(try http.ask("GET", "call/default/a").body.at("call.session.participants")?.count == 1)
  }

  @Test
  func `a session has a user without a connection until the user's last one ends`() throws {
    let http = try StreamCallWorld()
    let (one, two) = (try http.connect("ann"), try http.connect("ann"))
    _ = try http.ask("POST", "call/default/a/join", join, v2: true)
    http.disconnect(one)
    #expect(try http.ask("GET", "call/default/a").body.at("call.session.participants")?.count == 1)
    http.disconnect(two)
    #expect(http.told().last == "call.session_ended")
  }

  @Test
  func `a session counts anonymous users without showing them, and ends without waiting for them`() throws {
    let http = try StreamCallWorld()
    let ann = try http.connect("ann")
    _ = try http.ask("POST", "call/default/a/join", join, on: ann)
    let before = http.told()
    for _ in 0..<2 {
      _ = try http.ask("POST", "call/default/a/join", join, as: .anonymous(calls: ["default:a"]))
    }
    let counted = "call.session_participant_count_updated"
    #expect(http.told() == before + [counted, counted])
    let call = try http.ask("GET", "call/default/a").body
    #expect(call.at("call.session.anonymous_participant_count")?.integer == 2)
    #expect(call.at("call.session.participants")?.count == 1)
    http.advance(by: .seconds(3601))
    _ = try http.ask("POST", "call/default/a/join", join, as: .anonymous(calls: ["default:a"]))
    #expect(
      try http.ask("GET", "call/default/a").body.at("call.session.anonymous_participant_count")?.integer == 1)
    http.disconnect(ann)
    #expect(http.told().last == "call.session_ended")
  }

  @Test
  func `a session ends with the call, and guests may not join it any more`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a/join", join, on: http.connect("ann"))
    #expect(try http.ask("POST", "call/default/a/mark_ended", as: .guest).status == 403)
    #expect(try http.ask("POST", "call/default/a/mark_ended").status == 201)
    #expect(http.told().suffix(3) == ["call.ended", "call.session_participant_left", "call.session_ended"])
    #expect(try http.event("call.ended").at("user.id")?.string == "ann")
    #expect(try http.event("call.ended").at("call.ended_at")?.string != nil)
    #expect(try http.ask("POST", "call/default/a/join", join, as: .guest).status == 403)
    #expect(try http.ask("POST", "call/default/a/join", join).status == 201)
  }

  @Test
  func `a session is left at the user's word`() throws {
    let http = try StreamCallWorld()
    let connection = try http.connect("ann")
    _ = try http.ask("POST", "call/default/a/join", join, on: connection)
    #expect(try http.ask("POST", "call/default/a/leave", on: connection).status == 201)
    #expect(http.told().last == "call.session_ended")
    let told = http.told().count
    #expect(try http.ask("POST", "call/default/a/leave", on: connection).status == 201)
    #expect(http.told().count == told)
  }

  @Test
  func `a session waits backstage until the call goes live`() throws {
    let http = try StreamCallWorld(listeningTo: ["livestream:a"])
    let made = try http.ask("POST", "call/livestream/a")
    #expect(made.body.at("call.backstage")?.bool == true)
    let early = try http.ask("POST", "call/livestream/a/join", join, as: .user("bob"))
    #expect(early.status == 403 && early.body.at("code")?.integer == 17)
    #expect(try http.ask("POST", "call/livestream/a/join", join).status == 201)
    let live = try http.ask("POST", "call/livestream/a/go_live")
    #expect(live.status == 201 && live.body.at("call.backstage")?.bool == false)
    #expect(http.told().suffix(2) == ["call.live_started", "call.updated"])
    #expect(try http.ask("POST", "call/livestream/a/join", join, as: .user("bob")).status == 201)
    #expect(try http.ask("POST", "call/livestream/a/stop_live").body.at("call.backstage")?.bool == true)
    #expect(try http.ask("POST", "call/livestream/a/join", join, as: .user("eve")).status == 403)
  }

  @Test
  func `a session opens before its start if the call allows it`() throws {
    let http = try StreamCallWorld()
    let body = """
      {"data":{"starts_at":"2027-01-15T08:10:00Z",
      "settings_override":{"backstage":{"enabled":true,"join_ahead_time_seconds":300}}}}
      """
    let made = try http.ask("POST", "call/default/a", body)
    #expect(made.body.at("call.join_ahead_time_seconds")?.integer == 300)
    #expect(try http.ask("POST", "call/default/a/join", join, as: .user("bob")).status == 403)
    http.advance(by: .seconds(300))
    #expect(try http.ask("POST", "call/default/a/join", join, as: .user("bob")).status == 201)
  }

  @Test
  func `a session has at most as many users as the call allows`() throws {
    let http = try StreamCallWorld()
    _ = try http.ask("POST", "call/default/a", #"{"data":{"settings_override":{"limits":{"max_participants":1}}}}"#)
    #expect(try http.ask("POST", "call/default/a/join", join).status == 201)
    #expect(try http.ask("POST", "call/default/a/join", join, as: .guest).status == 403)
    #expect(try http.ask("POST", "call/default/a/join", join).status == 201)
  }

  @Test
  func `a session admits no connection that ends on the way, at whatever moment`() throws {
    var answers: Set<Int> = []
    for moment in 0..<12 {
      let http = try StreamCallWorld()
      _ = try http.ask("POST", "call/default/a")
      let ann = try http.connect("ann")
      http.stream.space.store.fault = .late(.seconds(1))
      let answer = http.begin("POST", "call/default/a/join", join, on: ann)
      http.advance(by: .milliseconds(1000 * moment + 500))
      // Her removal from calls is fast now.
      http.stream.space.store.fault = nil
      http.disconnect(ann)
      http.advance(by: .seconds(20))
      let response = try #require(try answer.value?.get())
      answers.insert(response.status)
      #expect(try response.status == 201 || JSONDocument.parse(response.body).root["code"]?.integer == 46)
      #expect(!http.told().contains("call.session_started") || http.told().last == "call.session_ended")
      #expect(try http.ask("GET", "call/default/a").body.at("call.current_session_id")?.string == "")
    }
    #expect(answers == [201, 400])
  }
}
