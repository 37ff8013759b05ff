import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

/// Stream with a faulty store, in virtual time.
@Suite(.onNodes)
struct StreamStoreScenes {
  private let stream: SimulatedStream
  /// A gateway where users are in a call as soon as they have joined over REST.
  private let plain: SimulatedStream

  init() throws {
    stream = try SimulatedStream()
    plain = try SimulatedStream { $0.calls.sfu = nil }
  }

  private var store: FaultyStore { stream.space.store }

  private func isPutOff(_ peer: SimulatedPeer) -> Bool {
    peer.types == ["connection.error"] && peer.texts[0].contains(#""StatusCode":503"#) && peer.ending?.code == 1013
  }

  private func patch(_ set: String) -> HTTPResponse? {
    stream.fetch("PATCH", "/users", token: stream.serverToken, body: #"{"users":[{"id":"ann","set":\#(set)}]}"#)
  }

  @Test(arguments: StreamDialect.Kind.allCases, [FaultyStore.Fault.away, .conflict])
  func `a login while the store is away or contended is refused with 1013, and accepted afterwards`(
    kind: StreamDialect.Kind, fault: FaultyStore.Fault
  ) {
    store.fault = fault
    #expect(isPutOff(stream.connect(stream.token(), on: kind)))
    store.fault = nil
    #expect(stream.connect(stream.token(), on: kind).isOpen)
  }

  @Test
  func
    `revoked tokens and deactivated users are refused after a restart of the store, without a wrong error in between`()
    throws
  {
    let old = ["ann", "bob"].map { stream.token($0) }
    _ = old.map { stream.connect($0) }
    stream.world.advance(by: .seconds(10))
    let date = StreamDates.text(stream.world.wallTime)
    #expect(patch(#"{"revoke_tokens_issued_before":"\#(date)"}"#)?.status == 200)
    for name in ["ann", "bob"] { stream.connect(stream.token(name), as: name).close() }
    #expect(stream.fetch("POST", "/users/bob/deactivate", token: stream.serverToken, body: "{}")?.status == 201)
    store.fault = .away
    for (name, token) in zip(["ann", "bob"], old) { #expect(isPutOff(stream.connect(token, as: name))) }
    store.fault = nil
    for (name, token) in zip(["ann", "bob"], old) {
      let peer = stream.connect(token, as: name)
      #expect(peer.types == ["connection.error"] && peer.ending?.code == 1000)
    }
    #expect(stream.connect(stream.token()).isOpen)
  }

  @Test
  func `REST answers 503 with the time to retry after while the store is away, and no user or call is unknown`() throws
  {
    #expect(stream.join("ann")?.status == 201)
    let peer = stream.connect(stream.token())
    store.fault = .away
    let server = stream.serverToken
    let user = stream.token()
    let id = #"{"user_id":"bob"}"#
    for (method, path, token, body) in [
      ("GET", "/users", server, ""), ("POST", "/users", server, #"{"users":{"bob":{"id":"bob"}}}"#),
      ("PATCH", "/users", server, #"{"users":[{"id":"ann","set":{"name":"A"}}]}"#),
      ("POST", "/users/ann/deactivate", server, "{}"), ("DELETE", "/users/ann", server, ""),
      ("POST", "/users/delete", server, #"{"user_ids":["ann"],"user":"hard"}"#),
      ("POST", "/moderation/ban", server, #"{"target_user_id":"ann"}"#),
      ("POST", "/users/block", user, #"{"blocked_user_id":"bob"}"#), ("GET", "/users/block", user, ""),
      ("GET", "/app", server, ""), ("PATCH", "/app", server, #"{"guest_user_creation_disabled":true}"#),
      ("GET", "/devices", user, ""), ("POST", "/devices", user, #"{"id":"d","push_provider":"apn"}"#),
      ("DELETE", "/devices", user, ""), ("GET", "/video/call/default/standup", server, ""),
      ("POST", "/video/call/default/standup", user, "{}"), ("PATCH", "/video/call/default/standup", server, "{}"),
      ("POST", "/video/call/default/standup/join", user, #"{"location":"FRA"}"#),
      ("POST", "/video/call/default/standup/block", server, id),
      ("POST", "/video/call/default/standup/ring", user, "{}"),
      ("POST", "/video/call/default/standup/accept", user, "{}"), ("POST", "/video/calls", user, "{}"),
      ("POST", "/video/call/default/standup/delete", server, "{}"),
      ("POST", "/video/call/members", server, #"{"type":"default","id":"standup"}"#),
    ] {
      let query = path == "/devices" && method == "DELETE" ? [HTTPField("id", "d")] : []
      let answer = try #require(stream.fetch(method, path, token: token, query: query, body: body))
      #expect(answer.status == 503 && answer.header("retry-after") == "5", "\(method) \(path)")
    }
    let guest = try #require(stream.fetch("POST", "/video/guest", body: #"{"user":{"id":"tom"}}"#))
    #expect(guest.status == 503 && guest.header("retry-after") == "5")
    #expect(peer.isOpen)
    store.fault = nil
    #expect(stream.call()?.at("id")?.string == "standup")
    #expect(stream.fetch("GET", "/users", token: server)?.body.isEmpty == false)
    #expect(stream.guest("tom") != nil, "the settings are as they were")
  }

  @Test
  func `requests whose commits lose their answers are still done, and a repetition has no second effect`() throws {
    let old = stream.token()
    #expect(stream.connect(old).isOpen)
    stream.world.advance(by: .seconds(10))
    let date = StreamDates.text(stream.world.wallTime)
    let new = stream.token()
    store.fault = .lostAnswer
    #expect(patch(#"{"revoke_tokens_issued_before":"\#(date)"}"#)?.status == 503)
    #expect(isPutOff(stream.connect(new)), "the login is noted, but nobody learns of it")
    #expect(stream.join("ann", token: new)?.status == 503)
    store.fault = nil
    #expect(stream.connect(old).ending?.code == 1000)
    #expect(stream.connect(new).isOpen)
    #expect(stream.enter("ann", session: "a").heard == ["joinResponse"])
    #expect(stream.participants() == ["a"])
  }

  @Test
  func `logins, joins and answers of the SFU wait for a late store`() {
    store.fault = .late(.milliseconds(300))
    let ann = stream.connect(stream.token())
    #expect(ann.types == [])
    stream.world.advance(by: .seconds(2))
    #expect(ann.types == ["connection.ok"])
    let bob = stream.enter("bob", session: "b")
    stream.world.advance(by: .seconds(5))
    #expect(bob.heard == ["joinResponse"] && stream.participants() == ["b"])
  }

  @Test
  func `an SFU socket while the store is away is told to reconnect, and joins with the same token afterwards`() throws {
    let token = try #require(stream.join("ann").flatMap(SimulatedStream.credentials))
    store.fault = .away
    let peer = stream.enter("ann", session: "a", credentials: token)
    #expect(peer.heard == ["error"] && peer.signal("error")?.at("error.shouldRetry")?.bool == true && !peer.isOpen)
    store.fault = nil
    #expect(stream.enter("ann", session: "a", credentials: token).heard == ["joinResponse"])
  }

  @Test
  func `a participant that leaves while the store is away stays in the call until the store is back, and no longer`() {
    let ann = stream.enter("ann", session: "a")
    let bob = stream.enter("bob", session: "b")
    store.fault = .away
    ann.say(#"{"leaveCallRequest":{"sessionId":"a"}}"#)
    ann.close()
    stream.world.advance(by: .seconds(20))
    #expect(!bob.heard.contains("participantLeft"))
    store.fault = nil
    stream.world.advance(by: .seconds(2))
    #expect(bob.heard.count { $0 == "participantLeft" } == 1 && stream.participants() == ["b"])
  }

  @Test
  func `a ring that ends while the store is away is missed as soon as the store is back, and once`() throws {
    let eve = plain.connect(plain.token("eve"), as: "eve")
    let body = #"{"ring":true,"data":{"members":[{"user_id":"ann"},{"user_id":"eve"}]}}"#
    #expect(plain.fetch("POST", "/video/call/default/a", token: plain.token(), body: body)?.status == 201)
    plain.space.store.fault = .away
    plain.world.advance(by: .seconds(60))
    #expect(eve.types.contains("call.ring") && !eve.types.contains("call.missed"))
    plain.space.store.fault = nil
    plain.world.advance(by: .seconds(60))
    #expect(eve.types.count { $0 == "call.missed" } == 1)
  }
}
