import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewaySendbird

@Suite(.onNodes)
struct SendbirdGateTests {
  private func body(_ response: HTTPResponse) -> String { String(decoding: response.body, as: UTF8.self) }

  @Test(arguments: SendbirdSettings.UsersWithoutToken.allCases)
  func `a user who never had a token can log in by name if the application allows it`(
    setting: SendbirdSettings.UsersWithoutToken
  ) throws {
    let sendbird = try SimulatedSendbird { $0.usersWithoutToken = setting }
    let peer = sendbird.connect(["user_id": "ann"])
    #expect(peer.last("code", of: "LOGI") == (setting == .refuse ? "400302" : nil))
    #expect((sendbird.user("ann") != nil) == (setting != .refuse))
    guard setting != .refuse else { return }
    let session = sendbird.space.order { await $0.sessions(of: UserID("ann"), after: nil, limit: 1) }?.first
    #expect(session?.kind == (setting == .full ? .regular : .guest))
    let caller = sendbird.fetch("GET", "/v3/users/ann/my_group_channels", ["session-key": peer.sessionKey])
    #expect(caller.status == 200)
  }

  @Test
  func
    `a token minted elsewhere makes its user on connect, unless the application makes nobody or the user was deleted`()
    throws
  {
    let open = try SimulatedSendbird()
    #expect(open.connect(["user_id": "ann", "access_token": open.mint("ann")]).last("user_id", of: "LOGI") == "ann")
    #expect(open.connect(["user_id": "ann"]).last("code", of: "LOGI") == "400302")
    let closed = try SimulatedSendbird { $0.usersWithoutToken = .refuse }
    #expect(
      closed.connect(["user_id": "ann", "access_token": closed.mint("ann")]).last("code", of: "LOGI") == "400301")
  }

  @Test
  func `an unknown access token is a bad token for every user, and a deleted user's is a user that does not exist`()
    throws
  {
    let sendbird = try SimulatedSendbird()
    sendbird.setAccessToken("right")
    for user in ["ann", "nobody"] {
      let peer = sendbird.connect(["user_id": user, "access_token": "wrong"])
      #expect(peer.last("code", of: "LOGI") == "400302")
    }
    let (directory, now) = (sendbird.directory, sendbird.world.wallTime)
    _ = sendbird.world.ask { try? await directory.deleteUser(UserID("ann"), at: now) }
    #expect(sendbird.connect(["user_id": "ann", "access_token": "right"]).last("code", of: "LOGI") == "400301")
  }

  @Test
  func `a user created again after a deletion is not admitted by the first one's tokens`() throws {
    let sendbird = try SimulatedSendbird()
    let token = sendbird.sessionToken()
    let (directory, now) = (sendbird.directory, sendbird.world.wallTime)
    _ = sendbird.world.ask { try? await directory.deleteUser(UserID("ann"), at: now) }
    sendbird.world.advance(by: .seconds(1))
    #expect(sendbird.connect(["user_id": "ann"]).last("user_id", of: "LOGI") == "ann")
    #expect(sendbird.connect(["user_id": "ann", "access_token": token]).last("code", of: "LOGI") == "400310")
    #expect(sendbird.connect(["user_id": "ann", "access_token": sendbird.mint("ann")]).last("key", of: "LOGI") != nil)
  }

  @Test(arguments: [
    ([:], "400401"), (["api-token": "wrong"], "400401"), (["session-key": "x"], "400303"),
    (["session-key": "null"], "400401"), (["api-token": SimulatedSendbird.apiToken, "app-id": "OTHER"], "400304"),
  ])
  func `a caller over HTTP is told which credential is missing`(headers: [String: String], code: String) throws {
    let sendbird = try SimulatedSendbird { $0.applicationID = "APP" }
    let answer = sendbird.fetch("GET", "/v3/users/ann/my_group_channels", headers)
    #expect(answer.status == 400 && body(answer).hasPrefix(#"{"error":true,"code":\#(code),"message":""#))
  }

  @Test
  func
    `a server calls with its Api-Token, a client with its key, and in the strict setting only while it is connected`()
    throws
  {
    let sendbird = try SimulatedSendbird { $0.needsConnectionOverHTTP = true }
    let ask = { (headers: [String: String]) in
      sendbird.fetch("GET", "/v3/users/ann/my_group_channels", headers)
    }
    let peer = sendbird.connect(["user_id": "ann"])
    #expect(ask(["api-token": SimulatedSendbird.apiToken]).status == 200)
    #expect(ask(["session-key": peer.sessionKey]).status == 200)
    peer.abort()
    sendbird.world.settle()
    #expect(body(ask(["session-key": peer.sessionKey])).contains("800101"))
  }

  @Test(arguments: [
    "/v3/sdk/users/ann/authentication", "/v3/users/ann/login",
  ])
  func `a login over HTTP has the socket's answer, and its key is valid without a socket`(path: String) throws {
    let sendbird = try SimulatedSendbird { $0.applicationID = "APP" }
    let headers = ["app-id": "APP", "access-token": sendbird.sessionToken()]
    let answer = sendbird.fetch("POST", path, headers, body: #"{"expiring_session":false,"include_logi":true}"#)
    let key = answer.member("key") ?? ""
    #expect(answer.status == 200 && answer.member("services") == #"["chat"]"#)
    let call = sendbird.fetch("GET", "/v3/users/ann/my_group_channels", ["session-key": key])
    #expect(call.status == 200)
    let wrong = sendbird.fetch("POST", path, ["access-token": "wrong"], body: "{}")
    #expect(body(wrong).contains("400302"))
    let elsewhere = sendbird.fetch("POST", path, ["access-token": "wrong"], body: #"{"app_id":"OTHER"}"#)
    #expect(body(elsewhere).contains("400304"))
  }

  @Test
  func `thirty connections of a user stay, one more is refused, and one that left makes room`() throws {
    let sendbird = try SimulatedSendbird(loops: 3)
    let peers = (0..<30).map { _ in sendbird.connect(["user_id": "ann"]) }
    #expect(peers.allSatisfy { $0.last("user_id", of: "LOGI") == "ann" && $0.isOpen })
    #expect(sendbird.connect(["user_id": "ann"]).last("code", of: "LOGI") == "400500")
    #expect(sendbird.connect(["user_id": "bob"]).last("code", of: "LOGI") == nil)
    peers[7].abort()
    sendbird.world.settle()
    #expect(sendbird.connect(["key": peers[7].sessionKey]).last("user_id", of: "LOGI") == "ann")
  }

  @Test
  func `logins above the limit per second get BUSY, and succeed later`() throws {
    let sendbird = try SimulatedSendbird { settings in
      settings.loginsPerSecond = 2
      settings.busyRetryAfter = .seconds(4)
    }
    let peers = (0..<3).map { sendbird.connect(["user_id": "user\($0)"]) }
    #expect(peers[1].last("user_id", of: "LOGI") == "user1")
    #expect(peers[2].commands == [#"BUSY{"retry_after":4,"reason_code":1,"message":"The server is overloaded."}"#])
    sendbird.world.advance(by: .seconds(4))
    #expect(sendbird.connect(["user_id": "user2"]).last("user_id", of: "LOGI") == "user2")
  }

  @Test
  func `a silent client is dropped after two rounds of keep-alive, and pings of either kind keep it`() throws {
    let sendbird = try SimulatedSendbird()
    let quiet = sendbird.connect(["user_id": "ann"])
    let pinging = sendbird.connect(["user_id": "bob"])
    let protocolPinging = sendbird.connect(["user_id": "cid"])
    for _ in 0..<9 {
      sendbird.world.advance(by: .seconds(15))
      sendbird.say(#"PING{"id":1,"active":1,"req_id":""}"#, pinging)
      protocolPinging.ping()
      sendbird.world.settle()
    }
    #expect(quiet.ending?.at == .seconds(40) && quiet.ending?.code == 4002)
    #expect(pinging.isOpen && protocolPinging.isOpen)
    #expect(pinging.commands.last == #"PONG{"sts":1800000135000,"ts":1800000135000}"#)
    #expect(protocolPinging.commands.count == 1)
  }

  @Test
  func `a session forgotten for want of room is restored by its key, and refreshed`() throws {
    let sendbird = try SimulatedSendbird { $0.sessionsMax = 4 }
    let peers = (0..<8).map { sendbird.connect(["user_id": "user\($0)", "expiring_session": "1"]) }
    let first = sendbird.fetch("GET", "/v3/users/user0/my_group_channels", ["session-key": peers[0].sessionKey])
    #expect(first.status == 200)
    sendbird.say(#"LOGI{"token":"","expiring_session":1,"req_id":"r"}"#, peers[0])
    #expect(peers[0].last("new_key", of: "LOGI") != nil)
    let second = sendbird.fetch("GET", "/v3/users/user0/my_group_channels", ["session-key": peers[0].sessionKey])
    #expect(second.status == 200)
  }

  @Test(arguments: [
    (#"MESG{"channel_url":"c","message":"m","req_id":"1"}"#, "900500"), (#"ABCD{"req_id":"1"}"#, "400930"),
    (#"ABCD{}"#, nil), (#"PING{"id":"#, nil), ("", nil), ("PING", nil), ("ping{}", nil), ("[1]", nil),
    (#"LOGI{"token":5,"req_id":"1"}"#, "400100"), (#"LOGI{"token":5}"#, nil), (#"LOGI[]"#, nil),
    ("PING{}\nPING{\"req_id\":\"1\"}", nil), ("PING{\"req_id\":\"1\"}\nPING{}", "400920"),
    (#"MESG{"req_id":7}"#, "400105"), (#"MESG{"req_id":null}"#, nil),
  ])
  func `stray input is answered if it has a req_id, never otherwise, and disturbs no other client`(
    text: String, code: String?
  )
    throws
  {
    let sendbird = try SimulatedSendbird()
    let other = sendbird.connect(["user_id": "bob"])
    let peer = sendbird.connect(["user_id": "ann"])
    sendbird.say(text, peer)
    #expect(peer.commands.count == (code == nil ? 1 : 2) && peer.last("code", of: "EROR") == code)
    sendbird.say("PING{}", peer)
    #expect(peer.commands.last?.hasPrefix("PONG") == true && other.commands.count == 1 && other.isOpen)
  }

  @Test
  func `a binary message is refused if it has a req_id, and ignored otherwise`() throws {
    let sendbird = try SimulatedSendbird()
    let peer = sendbird.connect(["user_id": "ann"])
    for text in [#"PING{"id":1}"#, "\u{1F}\u{8B}", #"PING{"req_id":"1"}"#] {
      peer.say(Frame(.binary, Array(text.utf8)))
      sendbird.world.settle()
    }
    #expect(peer.commands.count == 2 && peer.last("code", of: "EROR") == "400920" && peer.isOpen)
  }
}
