import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayStream
import TestSupport
import Testing

@Suite("Sessions of Stream's calls")
struct SessionTests {
  private let join = #"{"location":"FRA","create":true}"#

  @Test("begin with the first who joins and end with the last who leaves")
  func life() throws {
    let http = try StreamCallHTTP()
    let ann = http.connect("ann", 1)
    let bob = http.connect("bob", 2)
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

    http.gateway.advance(by: .seconds(90))
    http.disconnect("ann", 1)
    let left = try http.event("call.session_participant_left")
    #expect(left.at("participant.user.id")?.string == "ann")
    #expect(left.at("duration_seconds")?.integer == 90)
    #expect(http.told().last == "call.session_participant_left")
    http.disconnect("bob", 2)
    #expect(http.told().suffix(2) == ["call.session_participant_left", "call.session_ended"])
    #expect(try http.event("call.session_ended").at("call.current_session_id")?.string == "")

    let after = try http.ask("POST", "call/default/a/join", join, on: http.connect("ann", 3))
    #expect(after.body.at("call.current_session_id")?.string != session)
  }

  @Test("hold somebody once who joins twice by one connection, and twice who joins by two")
  func twice() throws {
    let http = try StreamCallHTTP()
    let one = http.connect("ann", 1)
    for body in [join, #"{"location":"auto","migrating_from":"edge","migrating_from_list":["edge"]}"#] {
      let answer = try http.ask("POST", "call/default/a/join", body, on: one)
      #expect(answer.body.at("call.session.participants")?.count == 1)
    }
    let other = try http.ask("POST", "call/default/a/join", join, on: http.connect("ann", 2))
    let ids = other.body.at("call.session.participants")?.elements?.compactMap { $0["user_session_id"]?.string }
    #expect(Set(ids ?? []).count == 2)
    http.disconnect("ann", 1)
    #expect(try http.ask("GET", "call/default/a").body.at("call.session.participants")?.count == 1)
  }

  @Test("hold who joined without a connection until the user's last one ends")
  func withoutConnection() throws {
    let http = try StreamCallHTTP()
    _ = http.connect("ann", 1)
    _ = http.connect("ann", 2)
    _ = try http.ask("POST", "call/default/a/join", join, v2: true)
    http.disconnect("ann", 1)
    #expect(try http.ask("GET", "call/default/a").body.at("call.session.participants")?.count == 1)
    http.disconnect("ann", 2)
    #expect(http.told().last == "call.session_ended")
  }

  @Test("count the anonymous without showing them, and end without waiting for them")
  func anonymous() throws {
    let http = try StreamCallHTTP()
    _ = try http.ask("POST", "call/default/a/join", join, on: http.connect("ann", 1))
    let before = http.told()
    for _ in 0..<2 {
      _ = try http.ask("POST", "call/default/a/join", join, as: .anonymous(calls: ["default:a"]))
    }
    #expect(http.told() == before)
    let call = try http.ask("GET", "call/default/a").body
    #expect(call.at("call.session.anonymous_participant_count")?.integer == 2)
    #expect(call.at("call.session.participants")?.count == 1)
    http.gateway.advance(by: .seconds(3601))
    _ = try http.ask("POST", "call/default/a/join", join, as: .anonymous(calls: ["default:a"]))
    #expect(
      try http.ask("GET", "call/default/a").body.at("call.session.anonymous_participant_count")?.integer == 1)
    http.disconnect("ann", 1)
    #expect(http.told().last == "call.session_ended")
  }

  @Test("end with the call, which nobody may join any more")
  func markEnded() throws {
    let http = try StreamCallHTTP()
    _ = try http.ask("POST", "call/default/a/join", join, on: http.connect("ann", 1))
    #expect(try http.ask("POST", "call/default/a/mark_ended", as: .user("bob")).status == 403)
    #expect(try http.ask("POST", "call/default/a/mark_ended").status == 201)
    #expect(http.told().suffix(3) == ["call.ended", "call.session_participant_left", "call.session_ended"])
    #expect(try http.event("call.ended").at("user.id")?.string == "ann")
    #expect(try http.event("call.ended").at("call.ended_at")?.string != nil)
    #expect(try http.ask("POST", "call/default/a/join", join, as: .user("bob")).status == 403)
    #expect(try http.ask("POST", "call/default/a/join", join).status == 201)
  }

  @Test("are left by who says so")
  func leave() throws {
    let http = try StreamCallHTTP()
    let connection = http.connect("ann", 1)
    _ = try http.ask("POST", "call/default/a/join", join, on: connection)
    #expect(try http.ask("POST", "call/default/a/leave", on: connection).status == 201)
    #expect(http.told().last == "call.session_ended")
    let told = http.told().count
    #expect(try http.ask("POST", "call/default/a/leave", on: connection).status == 201)
    #expect(http.told().count == told)
  }

  @Test("wait backstage until the call goes live")
  func backstage() throws {
    let http = try StreamCallHTTP()
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

  @Test("open ahead of their time if the call says so")
  func joinAhead() throws {
    let http = try StreamCallHTTP()
    let body = """
      {"data":{"starts_at":"2027-01-15T08:10:00Z",
      "settings_override":{"backstage":{"enabled":true,"join_ahead_time_seconds":300}}}}
      """
    let made = try http.ask("POST", "call/default/a", body)
    #expect(made.body.at("call.join_ahead_time_seconds")?.integer == 300)
    #expect(try http.ask("POST", "call/default/a/join", join, as: .user("bob")).status == 403)
    http.gateway.advance(by: .seconds(300))
    #expect(try http.ask("POST", "call/default/a/join", join, as: .user("bob")).status == 201)
  }

  @Test("hold no more than the call's limit")
  func limit() throws {
    let http = try StreamCallHTTP()
    _ = try http.ask("POST", "call/default/a", #"{"data":{"settings_override":{"limits":{"max_participants":1}}}}"#)
    #expect(try http.ask("POST", "call/default/a/join", join).status == 201)
    #expect(try http.ask("POST", "call/default/a/join", join, as: .user("bob")).status == 403)
    #expect(try http.ask("POST", "call/default/a/join", join).status == 201)
  }

  @Test("let nobody in whose connection ends on the way")
  func endsMeanwhile() throws {
    let connection = ConnectionID(loop: 0, serial: 1)
    let http = try StreamCallHTTP { gateway, store in
      HastyStore(inner: store) { gateway.disconnect(UserID("ann"), connection) }
    }
    _ = try http.ask("POST", "call/default/a")
    let answer = try http.ask("POST", "call/default/a/join", join, on: http.connect("ann", 1))
    #expect(answer.status == 400 && answer.body.at("code")?.integer == 46)
    #expect(http.told().last == "call.session_ended")
  }
}

/// A store before whose commits something happens.
private struct HastyStore: Store {
  let inner: any Store
  let first: @Sendable () -> Void

  func read(_ keys: [StoreKey], at now: WallTime) async throws(StoreError) -> [StoreEntry?] {
    try await inner.read(keys, at: now)
  }

  func scan(_ range: StoreRange, limit: Int, at now: WallTime) async throws(StoreError) -> [StoreEntry] {
    try await inner.scan(range, limit: limit, at: now)
  }

  func commit(_ commit: StoreCommit, at now: WallTime) async throws(StoreError) -> Bool {
    first()
    return try await inner.commit(commit, at: now)
  }

  func tallies(_ counts: [StoreCount]) async throws(StoreError) -> [Int] {
    try await inner.tallies(counts)
  }
}
