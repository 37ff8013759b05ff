import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StreamSFUTests {
  private let stream: SimulatedStream

  init() throws {
    stream = try SimulatedStream()
  }

  @Test
  func `a join over REST alone leaves no participant in the call`() throws {
    let answer = try #require(stream.join("ann"))
    #expect(answer.status == 201)
    #expect(stream.call()?.at("current_session_id")?.string == "" && stream.call()?.at("session") == nil)
    stream.world.advance(by: .seconds(60))
    #expect(stream.call()?.at("session") == nil)
  }

  @Test
  func
    `a participation begins with the JoinRequest, which the coordinator announces, and ends with the LeaveCallRequest`()
    throws
  {
    let watcher = stream.connect(stream.token("zoe"), as: "zoe")
    let id = try #require(watcher.coordinatorID)
    _ = stream.fetch(
      "POST", "/video/call/default/standup", token: stream.token("zoe"), query: [HTTPField("connection_id", id)])
    let ann = stream.enter("ann", session: "a")
    let response = try #require(ann.signal("joinResponse"))
    #expect(response.at("callState.participants.0.userId")?.string == "ann")
    #expect(response.at("callState.participants.0.sessionId")?.string == "a")
    #expect(response.at("callState.participantCount.total")?.integer == 1 && response.at("reconnected") == nil)
    #expect(response.at("fastReconnectDeadlineSeconds")?.integer == 5 && ann.heard == ["joinResponse"])
    #expect(stream.participants() == ["a"])
    #expect(watcher.types.suffix(2) == ["call.session_started", "call.session_participant_joined"])

    ann.say(#"{"healthCheckRequest":{}}"#)
    stream.world.settle()
    #expect(ann.signal("healthCheckResponse")?.at("participantCount.total")?.integer == 1)
    ann.say(#"{"leaveCallRequest":{"sessionId":"a","reason":"done"}}"#)
    stream.world.settle()
    #expect(watcher.types.suffix(2) == ["call.session_participant_left", "call.session_ended"])
    #expect(stream.participants() == [] && stream.call()?.at("current_session_id")?.string == "")
  }

  @Test
  func `two guests of a call see each other come and go, and users in another call do not`() throws {
    #expect(stream.join("ann")?.status == 201)
    let (first, second) = (try #require(stream.guest("tom")), try #require(stream.guest("tim")))
    func enter(_ guest: (user: String, token: String), _ call: String, _ session: String) -> SimulatedPeer {
      let credentials = stream.join(guest.user, call, token: guest.token).flatMap(SimulatedStream.credentials)
      return stream.enter(guest.user, call, session: session, credentials: credentials ?? "")
    }
    let tom = enter(first, "default/standup", "1")
    let other = stream.enter("eve", "default/other", session: "3")
    let tim = enter(second, "default/standup", "2")
    #expect(tom.heard == ["joinResponse", "participantJoined"] && tim.heard == ["joinResponse"])
    #expect(tom.signal("participantJoined")?.at("participant.userId")?.string == second.user)
    #expect(tom.signal("participantJoined")?.at("callCid")?.string == "default:standup")
    let names = tim.signal("joinResponse")?.at("callState.participants")?.elements?.map { $0["userId"]?.string }
    #expect(names == [first.user, second.user])
    tim.close()
    stream.world.settle()
    #expect(tom.heard.last == "participantLeft")
    #expect(tom.signal("participantLeft")?.at("participant.sessionId")?.string == "2")
    #expect(other.heard == ["joinResponse"] && stream.participants() == ["1"])
  }

  @Test(arguments: [Frame.Kind.binary, .text])
  func
    `a client that sends bytes, in frames of either kind, gets bytes, and one that sends JSON gets JSON, of one call`(
      kind: Frame.Kind
    ) throws
  {
    let ann = stream.enter("ann", session: "a")
    let token = try #require(stream.join("bob").flatMap(SimulatedStream.credentials))
    let bob = stream.openSFU()
    let join =
      [0x0A, UInt8(token.utf8.count & 0x7F) | 0x80, UInt8(token.utf8.count >> 7)] + Array(token.utf8) + [0x12, 1, 0x62]
    bob.say(Frame(kind, [0x0A, UInt8(join.count & 0x7F) | 0x80, UInt8(join.count >> 7)] + join))
    stream.world.settle()
    #expect(ann.heard == ["joinResponse", "participantJoined"] && stream.participants() == ["a", "b"])
    ann.close()
    stream.world.settle()
    let tags = bob.frames.map { $0.kind == .binary ? $0.payload.first : nil }
    #expect(tags == [0x6A, 0x5A])
  }

  @Test
  func `two devices of one user are two participants, and each leaves by itself`() {
    let phone = stream.enter("ann", session: "phone")
    let desk = stream.enter("ann", session: "desk")
    #expect(stream.participants() == ["phone", "desk"] && phone.heard.last == "participantJoined")
    desk.close()
    stream.world.settle()
    #expect(stream.participants() == ["phone"] && phone.heard.last == "participantLeft" && phone.isOpen)
  }

  @Test
  func `a session with the same name belongs to another user, and cannot be taken over`() {
    _ = stream.enter("ann", session: "a")
    let eve = stream.enter("eve", session: "a")
    #expect(eve.signal("error")?.at("error.code")?.string == "ERROR_CODE_REQUEST_VALIDATION_FAILED")
    let mallory = stream.enter("eve", session: "e", details: #"{"strategy":3,"previousSessionId":"a"}"#)
    #expect(stream.participants() == ["a", "e"] && mallory.isOpen && !eve.isOpen)
  }

  // MARK: Reconnects

  @Test
  func `a participant whose socket is lost stays for five seconds, and returns unnoticed`() throws {
    let stream = try SimulatedStream { $0.calls.sfu?.silenceMax = .seconds(1000) }
    let bob = stream.enter("bob", session: "b")
    let token = try #require(stream.join("ann").flatMap(SimulatedStream.credentials))
    for ending in ["lost", "4001", "4100"] {
      let ann = stream.enter("ann", session: "a", credentials: token)
      let heard = bob.heard.count
      if ending == "lost" { ann.abort() } else { ann.close(CloseReason(code: UInt16(ending)!, name: "js-client")!) }
      stream.world.advance(by: .seconds(4))
      #expect(stream.participants() == ["b", "a"])
      let again = stream.enter("ann", session: "a", credentials: token, details: #"{"strategy":2}"#)
      #expect(again.signal("joinResponse")?.at("reconnected")?.bool == true)
      stream.world.advance(by: .seconds(10))
      #expect(bob.heard.count == heard && stream.participants() == ["b", "a"] && again.isOpen)
      again.close()
      stream.world.settle()
      #expect(bob.heard.last == "participantLeft")
    }
    let ann = stream.enter("ann", session: "a", credentials: token)
    ann.abort()
    stream.world.advance(by: .seconds(5))
    #expect(stream.participants() == ["b"] && bob.heard.last == "participantLeft")
    let late = stream.enter("ann", session: "a", credentials: token, details: #"{"strategy":2}"#)
    #expect(late.signal("joinResponse")?.at("reconnected") == nil && stream.participants() == ["b", "a"])
  }

  @Test
  func `a replaced socket receives nothing more, and is closed soon`() throws {
    let token = try #require(stream.join("ann").flatMap(SimulatedStream.credentials))
    let old = stream.enter("ann", session: "a", credentials: token)
    let new = stream.enter("ann", session: "a", credentials: token, details: #"{"strategy":2}"#)
    _ = stream.enter("bob", session: "b")
    #expect(old.heard == ["joinResponse"] && old.isOpen && new.heard == ["joinResponse", "participantJoined"])
    stream.world.advance(by: .seconds(2))
    #expect(old.ending?.code == 1000 && new.isOpen)
    stream.world.advance(by: .seconds(10))
    #expect(stream.participants() == ["a", "b"])
  }

  @Test
  func `a rejoin ends the session that it names and begins another, in one call session`() throws {
    let bob = stream.enter("bob", session: "b")
    let old = stream.enter("ann", session: "a1")
    let session = stream.call()?.at("current_session_id")?.string
    old.abort()
    stream.world.advance(by: .seconds(1))
    let new = stream.enter("ann", session: "a2", details: #"{"strategy":3,"previousSessionId":"a1"}"#)
    #expect(bob.heard.suffix(2) == ["participantLeft", "participantJoined"] && stream.participants() == ["b", "a2"])
    #expect(new.signal("joinResponse")?.at("callState.participantCount.total")?.integer == 2)
    stream.world.advance(by: .seconds(10))
    #expect(stream.participants() == ["b", "a2"] && stream.call()?.at("current_session_id")?.string == session)
  }

  @Test
  func `a migrating participant is told on the old socket that the migration is complete`() {
    let old = stream.enter("ann", session: "a")
    _ = stream.enter("ann", session: "a", details: #"{"strategy":4}"#)
    #expect(old.heard == ["joinResponse", "participantMigrationComplete"])
  }

  // MARK: Tokens

  @Test(arguments: ["", "a.b.c", "user"])
  func `a wrong token is refused with 401 and a rejoin, and leaves no user in the call`(token: String) throws {
    _ = stream.join("ann")
    let peer = stream.enter("ann", session: "a", credentials: token == "user" ? stream.token() : token)
    let error = try #require(peer.signal("error"))
    #expect(error.at("error.code")?.string == "ERROR_CODE_UNAUTHENTICATED" && peer.heard == ["error"])
    #expect(error.at("reconnectStrategy")?.string == "WEBSOCKET_RECONNECT_STRATEGY_REJOIN")
    #expect(!peer.isOpen && stream.call()?.at("session") == nil)
  }

  @Test
  func `the token of a join is refused at the coordinator`() throws {
    let token = try #require(stream.join("ann").flatMap(SimulatedStream.credentials))
    #expect(stream.fetch("GET", "/video/call/default/standup", token: token)?.status == 401)
  }

  @Test
  func `a token that ends during a call gives 401 and a rejoin, is refused afterwards, and a new join works`() throws {
    let stream = try SimulatedStream { $0.calls.sfu?.tokenLife = .seconds(60) }
    let bob = stream.enter("bob", session: "b", credentials: nil)
    stream.world.advance(by: .seconds(20))
    bob.say(#"{"healthCheckRequest":{}}"#)
    let token = try #require(stream.join("ann").flatMap(SimulatedStream.credentials))
    let ann = stream.enter("ann", session: "a", credentials: token)
    stream.world.advance(by: .seconds(25))
    for peer in [ann, bob] { peer.say(#"{"healthCheckRequest":{}}"#) }
    stream.world.advance(by: .seconds(15))
    #expect(bob.signal("error")?.at("error.code")?.string == "ERROR_CODE_UNAUTHENTICATED" && bob.ending?.code == 4000)
    #expect(bob.signal("error")?.at("reconnectStrategy")?.string == "WEBSOCKET_RECONNECT_STRATEGY_REJOIN")
    #expect(stream.participants() == ["b", "a"] && ann.isOpen)
    let back = stream.enter("bob", session: "b2", details: #"{"strategy":3,"previousSessionId":"b"}"#)
    #expect(back.heard.first == "joinResponse" && stream.participants() == ["a", "b2"])
    stream.world.advance(by: .seconds(20))
    #expect(!ann.isOpen)
    let stale = stream.enter("ann", session: "a", credentials: token, details: #"{"strategy":2}"#)
    #expect(stale.signal("error")?.at("error.code")?.string == "ERROR_CODE_UNAUTHENTICATED" && !stale.isOpen)
  }

  @Test
  func `the user's revocation at the coordinator ends the participation too`() throws {
    let ann = stream.enter("ann", session: "a")
    stream.world.advance(by: .seconds(2))
    let now = StreamDates.text(stream.world.wallTime)
    let body = #"{"users":[{"id":"ann","set":{"revoke_tokens_issued_before":"\#(now)"}}]}"#
    #expect(stream.fetch("PATCH", "/video/users", token: stream.serverToken, body: body)?.status == 200)
    #expect(ann.signal("error")?.at("error.code")?.string == "ERROR_CODE_UNAUTHENTICATED" && !ann.isOpen)
    stream.world.advance(by: .seconds(5))
    #expect(stream.participants() == [])
  }
}
