import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StreamSFUEndingTests {
  private let stream: SimulatedStream

  init() throws {
    stream = try SimulatedStream()
  }

  private func post(_ path: String, _ body: String = "{}", as user: String? = nil) -> Int? {
    let token = user.map { stream.token($0) } ?? stream.serverToken
    return stream.fetch("POST", "/video/call/\(path)", token: token, body: body)?.status
  }

  private func code(_ peer: SimulatedPeer) -> String? { peer.signal("error")?.at("error.code")?.string }

  @Test(arguments: [
    ("/kick", #"{"user_id":"bob"}"#, "KICKED"), ("/block", #"{"user_id":"bob"}"#, "KICKED"),
    ("/mark_ended", "{}", "ENDED"), ("/delete", "{}", "ENDED"), ("/leave", "{}", "SESSION_ENDED"),
  ])
  func `a kicked, blocked or removed participant is told why, and the others are told of the departure`(
    path: String, body: String, reason: String
  ) {
    let ann = stream.enter("ann", session: "a")
    let bob = stream.enter("bob", session: "b")
    #expect(post("default/standup\(path)", body, as: path == "/leave" ? "bob" : nil) == 201)
    #expect(bob.signal("callEnded")?.at("reason")?.string == "CALL_ENDED_REASON_\(reason)")
    let endsForAll = reason == "ENDED"
    #expect((ann.signal("callEnded") == nil) != endsForAll)
    if !endsForAll { #expect(ann.signal("participantLeft")?.at("participant.userId")?.string == "bob") }
    #expect(bob.isOpen && stream.participants() == (endsForAll ? [] : ["a"]))
    let heard = bob.heard.count
    _ = stream.enter("eve", "default/standup", session: "e")
    stream.world.advance(by: .seconds(2))
    #expect(bob.ending?.code == 1000 && bob.heard.count == heard && ann.isOpen != endsForAll)
  }

  @Test
  func
    `a blocked user cannot return with an earlier token, a guest not into an ended call, and nobody into a deleted call`()
    throws
  {
    for (path, code) in [
      ("/block", "PERMISSION_DENIED"), ("/mark_ended", "PERMISSION_DENIED"), ("/delete", "CALL_NOT_FOUND"),
    ] {
      let call = "default/after-\(path.dropFirst())"
      _ = stream.join("ann", call)
      let guest = try #require(stream.guest("tom"))
      let joined =
        path == "/mark_ended" ? stream.join(guest.user, call, token: guest.token) : stream.join("bob", call)
      let token = try #require(joined.flatMap(SimulatedStream.credentials))
      #expect(post(call + path, #"{"user_id":"bob"}"#) == 201)
      let bob = stream.enter("bob", call, session: "b", credentials: token)
      #expect(self.code(bob) == "ERROR_CODE_\(code)" && bob.heard == ["error"] && !bob.isOpen)
      #expect(bob.signal("error")?.at("reconnectStrategy")?.string == "WEBSOCKET_RECONNECT_STRATEGY_DISCONNECT")
    }
  }

  @Test
  func `the second of two joins over REST for the last place is refused by the SFU with 301`() throws {
    _ = post(
      "default/standup", #"{"data":{"created_by_id":"ann","settings_override":{"limits":{"max_participants":1}}}}"#)
    let tokens = try ["ann", "bob"].map { try #require(stream.join($0).flatMap(SimulatedStream.credentials)) }
    let ann = stream.enter("ann", session: "a", credentials: tokens[0])
    let bob = stream.enter("bob", session: "b", credentials: tokens[1])
    #expect(ann.heard == ["joinResponse"] && code(bob) == "ERROR_CODE_CALL_PARTICIPANT_LIMIT_REACHED" && !bob.isOpen)
    ann.close()
    stream.world.settle()
    #expect(stream.enter("bob", session: "b", credentials: tokens[1]).heard == ["joinResponse"])
  }

  @Test
  func `a livestream that stops ends for its viewers and not for its host`() {
    _ = stream.join("host", "livestream/show")
    #expect(post("livestream/show/go_live", as: "host") == 201)
    let host = stream.enter("host", "livestream/show", session: "h")
    let viewer = stream.enter("bob", "livestream/show", session: "b")
    #expect(post("livestream/show/stop_live", as: "host") == 201)
    #expect(viewer.signal("callEnded")?.at("reason")?.string == "CALL_ENDED_REASON_LIVE_ENDED")
    #expect(host.signal("callEnded") == nil && stream.participants("livestream/show") == ["h"])
  }

  // MARK: Anonymous viewers

  private func viewer(_ stream: SimulatedStream) -> SimulatedPeer {
    _ = stream.join("host", "livestream/show")
    _ = stream.fetch("POST", "/video/call/livestream/show/go_live", token: stream.token("host"), body: "{}")
    let expiry = stream.world.wallTime.nanoseconds / 1_000_000_000 + 600
    let token = stream.token(claims: #"{"user_id":"!anon","exp":\#(expiry),"call_cids":["livestream:show"]}"#)
    let headers = [HTTPField("authorization", token), HTTPField("stream-auth-type", "anonymous")]
    let answer = stream.fetch(
      "POST", "/video/call/livestream/show/join", body: #"{"location":"FRA"}"#, headers: headers)
    return stream.enter(
      "!anon", "livestream/show", session: "v", credentials: answer.flatMap(SimulatedStream.credentials) ?? "")
  }

  @Test
  func `anonymous viewers get 403 at the SFU's socket if the gateway is configured to refuse them`() throws {
    let stream = try SimulatedStream { $0.calls.sfu?.admitsAnonymous = false }
    _ = stream.enter("host", "livestream/show", session: "h")
    let peer = viewer(stream)
    #expect(code(peer) == "ERROR_CODE_PERMISSION_DENIED" && !peer.isOpen)
    #expect(stream.call("livestream/show")?.at("session.anonymous_participant_count")?.integer == 0)
  }

  @Test
  func `an anonymous viewer joins with a call token by default, is counted and not shown`() throws {
    let host = stream.enter("host", "livestream/show", session: "h")
    let peer = viewer(stream)
    let count = try #require(peer.signal("joinResponse")?.at("callState.participantCount"))
    #expect(count.at("total")?.integer == 2 && count.at("anonymous")?.integer == 1)
    #expect(peer.signal("joinResponse")?.at("callState.participants")?.count == 1 && host.heard == ["joinResponse"])
    #expect(stream.call("livestream/show")?.at("session.anonymous_participant_count")?.integer == 1)
    peer.close()
    stream.world.settle()
    #expect(stream.call("livestream/show")?.at("session.anonymous_participant_count")?.integer == 0)
  }

  // MARK: Sockets

  @Test
  func `an SFU socket without a JoinRequest is closed after the login timeout, and a silent one after half a minute`()
    throws
  {
    let idle = stream.openSFU()
    let ann = stream.enter("ann", session: "a")
    stream.world.advance(by: .seconds(10))
    #expect(idle.ending?.code == 4001 && ann.isOpen)
    stream.world.advance(by: .seconds(20) - .nanoseconds(1))
    #expect(ann.isOpen)
    stream.world.advance(by: .nanoseconds(1))
    #expect(ann.ending?.code == 4002 && stream.participants() == [])
  }

  @Test(arguments: ["{", #"{"joinRequest":{}}"#])
  func `bytes that are no message are answered with 400, and end the socket`(text: String) {
    let peer = stream.openSFU()
    peer.say(text)
    stream.world.settle()
    #expect(code(peer) == "ERROR_CODE_REQUEST_VALIDATION_FAILED" && !peer.isOpen)
  }

  @Test
  func `a second JoinRequest on the socket brings another token, and no other call or session`() throws {
    let ann = stream.enter("ann", session: "a")
    let again = try #require(stream.join("ann").flatMap(SimulatedStream.credentials))
    let other = try #require(stream.join("ann", "default/other").flatMap(SimulatedStream.credentials))
    for (token, session) in [(again, "a"), (other, "a"), (again, "x")] {
      ann.say(#"{"joinRequest":{"token":"\#(token)","sessionId":"\#(session)"}}"#)
      stream.world.settle()
    }
    #expect(ann.heard == ["joinResponse", "joinResponse", "error", "error"] && ann.isOpen)
    #expect(stream.participants() == ["a"] && stream.participants("default/other") == [])
  }

  @Test
  func `a gateway that drains tells its participants to leave, and closes them`() {
    let ann = stream.enter("ann", session: "a")
    _ = stream.control("ann", .drain(until: stream.world.now + .seconds(3)))
    stream.world.settle()
    #expect(ann.signal("goAway")?.at("reason")?.string == "GO_AWAY_REASON_SHUTTING_DOWN" && ann.isOpen)
    stream.world.advance(by: .seconds(3))
    #expect(ann.ending?.code == 1012)
  }

  // MARK: Over HTTP

  @Test
  func `remote procedures are answered with nothing for holders of a join's token, in JSON and in bytes`() throws {
    let token = try #require(stream.join("ann").flatMap(SimulatedStream.credentials))
    let path = "/sfu/twirp/stream.video.sfu.signal.SignalServer/"
    func ask(_ name: String, _ authorization: String, _ kind: String) -> HTTPResponse? {
      let headers = [HTTPField("authorization", authorization), HTTPField("content-type", kind)]
      return stream.fetch("POST", path + name, headers: headers, key: nil)
    }
    for name in [
      "SetPublisher", "SendAnswer", "IceTrickle", "UpdateSubscriptions", "UpdateMuteStates", "IceRestart", "SendStats",
      "SendMetrics", "StartNoiseCancellation", "StopNoiseCancellation",
    ] {
      let json = try #require(ask(name, "Bearer \(token)", "application/json"))
      #expect(json.status == 200 && json.body == Array("{}".utf8) && json.header("content-type") == "application/json")
      let bytes = try #require(ask(name, token, "application/protobuf"))
      #expect(bytes.status == 200 && bytes.body == [] && bytes.header("content-type") == "application/protobuf")
    }
    let refused = try #require(ask("SendStats", "Bearer a.b.c", "application/protobuf"))
    #expect(
      refused.status == 401 && String(decoding: refused.body, as: UTF8.self).contains(#""code":"unauthenticated""#))
    let unknown = try #require(ask("Nonsense", token, "application/json"))
    #expect(unknown.status == 404 && String(decoding: unknown.body, as: UTF8.self).contains(#""code":"bad_route""#))
  }

  @Test
  func `a join sends clients to the host that they used, over TLS if the gateway has it, or to the configured address`()
    throws
  {
    func server(
      _ host: String, isSecure: Bool = false, _ adjust: (inout StreamSFUPolicy) -> Void = { _ in }
    ) throws -> JSONView? {
      var policy = StreamSFUPolicy()
      adjust(&policy)
      let stream = try SimulatedStream(isSecure: isSecure) { $0.calls.sfu = policy }
      let headers = [
        HTTPField("authorization", stream.token()), HTTPField("stream-auth-type", "jwt"), HTTPField("host", host),
      ]
      let answer = try #require(stream.join("ann", headers: headers))
      return try JSONDocument.parse(answer.body, sizeMax: 1 << 20).root.at("credentials.server")
    }
    let plain = try #require(try server("phone.example:8080"))
    #expect(plain.at("url")?.string == "http://phone.example:8080/sfu/twirp")
    #expect(plain.at("ws_endpoint")?.string == "ws://phone.example:8080/sfu/ws")
    let secure = try #require(try server("[::1]:8443", isSecure: true))
    #expect(secure.at("url")?.string == "https://[::1]:8443/sfu/twirp")
    #expect(secure.at("ws_endpoint")?.string == "wss://[::1]:8443/sfu/ws")
    let fixed = try #require(try server("10.0.0.1") { $0.address = "https://calls.example" })
    #expect(fixed.at("ws_endpoint")?.string == "wss://calls.example/sfu/ws")
    #expect(try server("evil/x?") == nil)
  }

  @Test
  func `with an external SFU a join sends clients there, and a join over REST is in the call at once`() throws {
    let stream = try SimulatedStream { $0.calls.sfu = nil }
    let answer = try #require(stream.join("ann"))
    let root = try JSONDocument.parse(answer.body, sizeMax: 1 << 20).root
    #expect(root.at("credentials.server.ws_endpoint")?.string == "ws://127.0.0.1:9/ws")
    #expect(root.at("call.session.participants")?.count == 1)
    #expect(stream.openSFU().refusal != nil)
  }
}
