import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewaySendbird

/// Sendbird with a faulty store, in virtual time.
@Suite(.onNodes)
struct SendbirdStoreScenes {
  private let sendbird = try! SimulatedSendbird()
  private let access = "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3"

  private var store: FaultyStore { sendbird.space.store }

  private func connect(_ token: String) -> SimulatedPeer {
    sendbird.connect(["user_id": "ann", "expiring_session": "1"], headers: ["sendbird-ws-token": token])
  }

  private func isLoggedIn(_ peer: SimulatedPeer) -> Bool {
    peer.last("user_id", of: "LOGI") == "ann" && peer.isOpen
  }

  @Test(arguments: ["access", "session", "key", "name"])
  func `a login while the store is away gets BUSY and 1013, and is accepted afterwards`(by credentials: String) {
    if credentials == "access" { sendbird.setAccessToken(access) }
    let token = credentials == "access" ? access : credentials == "session" ? sendbird.sessionToken() : ""
    let key = credentials == "key" ? sendbird.connect(["user_id": "ann"]).sessionKey : ""
    func connect() -> SimulatedPeer { key.isEmpty ? self.connect(token) : sendbird.connect(["key": key]) }
    store.fault = .away
    let peer = connect()
    #expect(peer.commands.count == 1 && peer.last("retry_after", of: "BUSY") == "3")
    sendbird.world.advance(by: .seconds(2))
    #expect(peer.ending?.code == 1013)
    store.fault = nil
    #expect(isLoggedIn(connect()))
  }

  @Test
  func `a session that cannot be refreshed while the store is away continues, and is refreshed afterwards`() {
    let token = sendbird.sessionToken()
    let peer = connect(token)
    store.fault = .away
    for number in 0..<5 {
      sendbird.say(#"LOGI{"token":"\#(token)","expiring_session":1,"req_id":"r\#(number)"}"#, peer)
      #expect(peer.last("code", of: "EROR") == "503")
    }
    #expect(peer.isOpen)
    store.fault = nil
    sendbird.say(#"LOGI{"token":"\#(token)","expiring_session":1,"req_id":"good"}"#, peer)
    #expect(peer.last("req_id", of: "LOGI") == "good" && peer.isOpen)
  }

  @Test
  func `HTTP answers 503 with the time to retry after while the store is away, and no user, key or token is unknown`() {
    sendbird.setAccessToken(access)
    let key = connect(access).sessionKey
    store.fault = .away
    let answers = [
      sendbird.serve("GET", "/v3/users/ann"),
      sendbird.serve("GET", "/v3/users"),
      sendbird.serve("POST", "/v3/users", #"{"user_id":"bob","nickname":"Bob","profile_url":""}"#),
      sendbird.serve("PUT", "/v3/users/ann", #"{"nickname":"Ann"}"#),
      sendbird.serve("DELETE", "/v3/users/ann"),
      sendbird.serve("POST", "/v3/users/ann/token", "{}"),
      sendbird.serve("DELETE", "/v3/users/ann/token"),
      sendbird.fetch("GET", "/v3/users/ann/my_group_channels", ["session-key": key]),
      sendbird.fetch(
        "POST", "/v3/users/ann/session_key", ["access-token": access], body: #"{"expiring_session":true}"#),
      sendbird.fetch("POST", "/v3/sdk/users/ann/authentication", ["access-token": access], body: "{}"),
    ]
    for answer in answers {
      #expect(answer.status == 503 && answer.member("code") == "503" && answer.header("retry-after") != nil)
    }
    store.fault = nil
    #expect(sendbird.fetch("GET", "/v3/users/ann/my_group_channels", ["session-key": key]).status == 200)
    #expect(sendbird.user("bob") == nil)
  }

  @Test
  func `a revocation with a lost answer is announced or not, but the revoked token is refused`() {
    let token = sendbird.sessionToken()
    sendbird.world.advance(by: .seconds(1))
    store.fault = .lostAnswer
    #expect(sendbird.serve("DELETE", "/v3/users/ann/token").status == 503)
    store.fault = nil
    #expect(connect(token).last("code", of: "LOGI") == "400310")
  }

  @Test
  func `a login with a lost answer leaves the token as good as before`() {
    let token = sendbird.sessionToken()
    store.fault = .lostAnswer
    #expect(connect(token).last("retry_after", of: "BUSY") == "3")
    store.fault = nil
    #expect(isLoggedIn(connect(token)))
  }

  @Test
  func `a login with a contended store is refused for now, and accepted afterwards`() {
    let token = sendbird.sessionToken()
    store.fault = .conflict
    #expect(connect(token).last("retry_after", of: "BUSY") == "3")
    store.fault = nil
    #expect(isLoggedIn(connect(token)))
  }

  @Test
  func `logins and refreshes wait for a late store, and a user never has too many connections`() throws {
    let sendbird = try SimulatedSendbird { $0.connectionsPerUserMax = 2 }
    let token = sendbird.sessionToken()
    sendbird.space.store.fault = .late(.milliseconds(300))
    let peers = (0..<5).map { _ in sendbird.connect(["user_id": "ann"], headers: ["sendbird-ws-token": token]) }
    sendbird.world.advance(by: .seconds(5))
    let ins = peers.filter { $0.last("user_id", of: "LOGI") == "ann" }
    #expect(ins.count == 2 && peers.filter { $0.last("code", of: "LOGI") == "400500" }.count == 3)
    sendbird.say(#"LOGI{"token":"\#(token)","expiring_session":1,"req_id":"r"}"#, try #require(ins.first))
    sendbird.world.advance(by: .seconds(5))
    #expect(ins.first?.last("req_id", of: "LOGI") == "r")
  }

  @Test
  func `messages while the store is away are answered with 503, may be repeated, and end no connection`() {
    for user in ["ann", "bob"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)","nickname":"x"}"#) }
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"hall"}"#)
    let (ann, bob) = (sendbird.connect(["user_id": "ann"]), sendbird.connect(["user_id": "bob"]))
    for peer in [ann, bob] { sendbird.say(#"ENTR{"channel_url":"hall","req_id":"e"}"#, peer) }
    store.fault = .away
    for (command, request) in [("MESG", "m"), ("READ", "r"), ("ENTR", "n")] {
      let url = command == "ENTR" ? "hall" : "talk"
      sendbird.say(#"\#(command){"channel_url":"\#(url)","message":"hi","req_id":"\#(request)"}"#, ann)
      #expect(ann.last("req_id", of: "EROR") == request && ann.last("code", of: "EROR") == "503")
    }
    let answers = [
      sendbird.serve("GET", "/v3/group_channels"),
      sendbird.serve("GET", "/v3/group_channels/talk"),
      sendbird.serve("POST", "/v3/group_channels/talk/messages", #"{"message_type":"ADMM","message":"hi"}"#),
      sendbird.serve("GET", "/v3/group_channels/talk/messages?message_ts=0"),
      sendbird.serve("DELETE", "/v3/group_channels/talk"),
      sendbird.serve("GET", "/v3/users/ann/unread_message_count"),
    ]
    for answer in answers { #expect(answer.status == 503 && answer.header("retry-after") != nil) }
    bob.close()
    sendbird.world.settle()
    // Nodes share the participants by the store. A gateway alone does not need it.
    #expect(ann.isOpen && (TestPlace.ofScenes == .cluster || ann.last("cat", of: "SYEV") == "10103"))
    store.fault = nil
    sendbird.world.advance(by: .seconds(2))
    #expect(ann.last("cat", of: "SYEV") == "10103")
    #expect(sendbird.serve("GET", "/v3/open_channels/hall").member("participant_count") == "1")
    sendbird.say(#"MESG{"channel_url":"talk","message":"hi","req_id":"again"}"#, ann)
    #expect(ann.last("req_id", of: "MESG") == "again" && ann.last("msg_id", of: "MESG") == "1")
  }
}
