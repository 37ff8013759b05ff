import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewaySendbird

@Suite(.onNodes)
struct SendbirdRefreshTests {
  private let access = "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3"

  private func expiring(_ sendbird: SimulatedSendbird, _ token: String) -> SimulatedPeer {
    sendbird.connect(["user_id": "ann", "expiring_session": "1"], headers: ["sendbird-ws-token": token])
  }

  private func refresh(_ sendbird: SimulatedSendbird, _ peer: SimulatedPeer, _ token: String, _ request: String = "r") {
    sendbird.say(#"LOGI{"token":"\#(token)","expiring_session":1,"req_id":"\#(request)"}"#, peer)
  }

  private func get(_ sendbird: SimulatedSendbird, _ key: String) -> HTTPResponse {
    sendbird.fetch("GET", "/v3/users/ann/my_group_channels", ["session-key": key])
  }

  /// Returns the code of an error over HTTP; 0 for a success.
  private func code(_ response: HTTPResponse) -> Int {
    response.status == 200 ? 0 : response.member("code").flatMap { Int($0) } ?? -1
  }

  @Test
  func `a refreshable session ends after ten minutes, and continues with the same token under a new key`() throws {
    for token in ["access", "session"] {
      let sendbird = try SimulatedSendbird()
      if token == "access" { sendbird.setAccessToken(access) }
      let token = token == "access" ? access : sendbird.sessionToken()
      let peer = expiring(sendbird, token)
      let key = peer.sessionKey
      #expect(peer.last("expires_at", of: "LOGI") == "1800000600")
      for _ in 0..<28 {
        sendbird.world.advance(by: .seconds(20))
        sendbird.say(#"PING{"id":1}"#, peer)
      }
      #expect(peer.commands.allSatisfy { !$0.hasPrefix("EXPR") } && code(get(sendbird, key)) == 0)
      // Before the end, so that a client on iOS refreshes on the open socket.
      sendbird.world.advance(by: .seconds(10))
      #expect(peer.commands.last == #"EXPR{"expires_in":30,"reason":400309}"# && code(get(sendbird, key)) == 0)
      sendbird.say(#"PING{"id":1}"#, peer)
      sendbird.world.advance(by: .seconds(30))
      #expect(code(get(sendbird, key)) == 400_309)
      refresh(sendbird, peer, token)
      #expect(peer.commands.last?.hasPrefix(#"LOGI{"req_id":"r","user_id":"ann","#) == true && peer.sessionKey != key)
      // A client that never accepts a new key on its socket continues with the old one.
      #expect(code(get(sendbird, key)) == 0 && code(get(sendbird, peer.sessionKey)) == 0)
      #expect(peer.commands.filter { $0.hasPrefix("EXPR") }.count == 1)
      #expect(sendbird.connectionCount == 1)
    }
  }

  @Test
  func `a session is renewed in its socket by an answer like a login's, but with new_key instead of key`() throws {
    let sendbird = try SimulatedSendbird()
    let peer = expiring(sendbird, sendbird.sessionToken())
    let login = try #require(peer.commands.last)
    refresh(sendbird, peer, sendbird.sessionToken())
    let answer = try #require(peer.commands.last)
    func members(_ command: String) throws -> Set<String> {
      Set(try #require(try JSONDocument.parse(String(command.dropFirst(4))).root.members).map(\.name))
    }
    #expect(try members(answer) == members(login).subtracting(["key"]).union(["req_id", "new_key"]))
    #expect(peer.last("user_id", of: "LOGI") == "ann" && peer.last("services", of: "LOGI") == #"["chat"]"#)
  }

  @Test
  func `a session announces its end a tenth of its life ahead if that is short, or as long before as the setting says`()
    throws
  {
    let usual = try SimulatedSendbird { $0.sessionLife = .seconds(100) }
    let late = try SimulatedSendbird { settings in
      settings.sessionLife = .seconds(100)
      settings.expiryLead = .seconds(4)
    }
    for (sendbird, lead) in [(usual, 10), (late, 4)] {
      let peer = expiring(sendbird, "")
      for _ in 0..<(100 - lead - 1) {
        sendbird.world.advance(by: .seconds(1))
        sendbird.say("PING{}", peer)
      }
      #expect(peer.commands.last?.hasPrefix("PONG") == true)
      sendbird.world.advance(by: .seconds(1))
      #expect(peer.commands.last == #"EXPR{"expires_in":\#(lead),"reason":400309}"#)
    }
  }

  @Test
  func `a session lasts as long as the setting says`() throws {
    let sendbird = try SimulatedSendbird { settings in
      settings.expiryLead = .zero
      settings.sessionLife = .seconds(3)
      settings.plainSessionLife = .seconds(7)
      settings.keyGrace = .seconds(2)
    }
    let quick = expiring(sendbird, "")
    let plain = sendbird.connect(["user_id": "bob"])
    sendbird.world.advance(by: .seconds(3))
    #expect(quick.commands.last == #"EXPR{"expires_in":0,"reason":400309}"# && plain.commands.count == 1)
    let key = quick.sessionKey
    refresh(sendbird, quick, "")
    #expect(code(get(sendbird, key)) == 0)
    sendbird.world.advance(by: .seconds(2))
    #expect(code(get(sendbird, key)) == 400_309 && code(get(sendbird, quick.sessionKey)) == 0)
    sendbird.world.advance(by: .seconds(2))
    #expect(plain.commands.last == #"EXPR{"expires_in":0,"reason":400309}"#)
  }

  @Test
  func `a session that cannot be refreshed lasts as long as its token, and without one it does not end`() throws {
    let sendbird = try SimulatedSendbird()
    let byToken = sendbird.connect(
      ["user_id": "ann"], headers: ["sendbird-ws-token": sendbird.sessionToken(life: .seconds(30))])
    let byName = sendbird.connect(["user_id": "bob"])
    #expect(byToken.last("expires_at", of: "LOGI") == "1800000030" && byName.last("expires_at", of: "LOGI") == "-1")
    sendbird.world.advance(by: .seconds(27))
    #expect(byToken.commands.last == #"EXPR{"expires_in":3,"reason":400302}"#)
    #expect(byName.commands.count == 1)
  }

  @Test
  func `a session with an expired token needs another, which it may present after failures, on the same socket`() throws
  {
    let sendbird = try SimulatedSendbird()
    let token = sendbird.sessionToken(life: .seconds(30))
    let peer = expiring(sendbird, token)
    sendbird.world.advance(by: .seconds(27))
    #expect(peer.commands.last == #"EXPR{"expires_in":3,"reason":400302}"#)
    sendbird.world.advance(by: .seconds(3))
    for (request, wrong) in [("1", token), ("2", "0123"), ("3", sendbird.sessionToken("bob")), ("4", "")] {
      refresh(sendbird, peer, wrong, request)
      #expect(
        peer.commands.last
          == #"EROR{"req_id":"\#(request)","error":true,"code":400302,"message":"Access token is not valid.","ts":"#
          + "1800000030000}")
    }
    for round in 0..<20 { refresh(sendbird, peer, token, "again \(round)") }
    #expect(peer.isOpen)
    sendbird.world.advance(by: .seconds(30))
    sendbird.say("PING{}", peer)
    refresh(sendbird, peer, sendbird.sessionToken(life: .seconds(60)))
    #expect(peer.commands.last?.hasPrefix(#"LOGI{"req_id":"r","user_id""#) == true)
    sendbird.world.advance(by: .seconds(40) - .nanoseconds(1))
    #expect(peer.isOpen && peer.commands.filter { $0.hasPrefix("EXPR") }.count == 1)
  }

  @Test
  func `a session that misses the timeout loses its socket, and returns over HTTP`() throws {
    let sendbird = try SimulatedSendbird { $0.pingInterval = .seconds(600) }
    let token = sendbird.sessionToken()
    let peer = expiring(sendbird, token)
    sendbird.world.advance(by: .seconds(660))
    // 60 s after the notice, which came 30 s before the end.
    #expect(peer.ending?.at == .seconds(630) && peer.ending?.code == 4000)
    let refused = sendbird.connect(["key": peer.sessionKey])
    #expect(refused.last("code", of: "LOGI") == "400309")
    let answer = sendbird.fetch(
      "POST", "/v3/users/ann/session_key", ["access-token": token, "app-id": "APP"], body: #"{"expiring_session":true}"#
    )
    let key = answer.member("key") ?? ""
    #expect(answer.status == 200 && answer.member("services") == #"["chat"]"#)
    #expect(sendbird.connect(["key": key]).last("user_id", of: "LOGI") == "ann")
    // The client's earlier key is still valid: one SDK never drops it.
    #expect(sendbird.connect(["key": peer.sessionKey]).last("user_id", of: "LOGI") == "ann")
  }

  @Test
  func `a session is renewed on the live socket when its client refreshes over HTTP`() throws {
    let sendbird = try SimulatedSendbird { $0.pingInterval = .seconds(600) }
    let token = sendbird.sessionToken()
    let peer = expiring(sendbird, token)
    let other = expiring(sendbird, sendbird.sessionToken(life: .seconds(5_000)))
    sendbird.world.advance(by: .seconds(570))
    #expect(peer.commands.last == #"EXPR{"expires_in":30,"reason":400309}"#)
    let heard = peer.commands.count
    let answer = sendbird.fetch(
      "POST", "/v3/users/ann/session_key", ["access-token": token], body: #"{"expiring_session":true}"#)
    #expect(answer.status == 200)
    sendbird.world.advance(by: .seconds(569))
    #expect(peer.isOpen && other.isOpen && peer.commands.count == heard)
    sendbird.world.advance(by: .seconds(1))
    #expect(peer.commands.last == #"EXPR{"expires_in":30,"reason":400309}"# && peer.commands.count == heard + 1)
  }

  @Test
  func `an unused session is not restored by a refresh over HTTP, and a forgotten one continues by its key`() throws {
    let sendbird = try SimulatedSendbird()
    let token = sendbird.sessionToken()
    let keys = (0..<61).map { _ in
      sendbird.world.advance(by: .milliseconds(1))
      let peer = expiring(sendbird, token)
      peer.abort()
      sendbird.world.settle()
      return peer.sessionKey
    }
    let forgotten = sendbird.connect(["key": keys[0]])
    #expect(forgotten.last("user_id", of: "LOGI") == "ann")
    sendbird.world.advance(by: .milliseconds(1))
    #expect(sendbird.connect(["key": keys[1]]).last("code", of: "LOGI") == nil)
    sendbird.world.advance(by: .seconds(600))
    _ = sendbird.fetch(
      "POST", "/v3/users/ann/session_key", ["access-token": token], body: #"{"expiring_session":true}"#)
    #expect(sendbird.connect(["key": keys[30]]).last("code", of: "LOGI") == "400309")
    #expect(sendbird.connect(["key": keys[1]]).last("code", of: "LOGI") == nil)
  }

  @Test
  func `a failed refresh over HTTP has the code of the cause, and leaves the socket open`() throws {
    let sendbird = try SimulatedSendbird { $0.applicationID = "APP" }
    let token = sendbird.sessionToken(life: .seconds(10))
    let peer = expiring(sendbird, token)
    let ask = { (token: String, headers: [String: String]) in
      code(
        sendbird.fetch(
          "POST", "/v3/users/ann/session_key", headers.merging(["access-token": token]) { $1 }, body: "{}"))
    }
    #expect(ask("0123", [:]) == 400_302 && ask(sendbird.mint("bob"), [:]) == 400_302 && ask("", [:]) == 400_302)
    #expect(ask(token, ["app-id": "OTHER"]) == 400_304)
    #expect(code(sendbird.fetch("POST", "/v3/users/ann/session_key", ["access-token": token], body: "{")) == 400_403)
    sendbird.world.advance(by: .seconds(10))
    #expect(ask(token, [:]) == 400_302)
    sendbird.revokeSessionTokens(of: "ann")
    #expect(ask(sendbird.mint("ann"), [:]) == 0)
    sendbird.change("ann") { $0.isActive = false }
    #expect(ask(sendbird.mint("ann"), [:]) == 400_300)
    #expect(peer.isOpen)
  }

  @Test
  func `a session with revoked tokens gets 400310 once, on the socket, over HTTP and in a refresh`() throws {
    let sendbird = try SimulatedSendbird()
    let token = sendbird.sessionToken()
    let peer = expiring(sendbird, token)
    sendbird.world.advance(by: .seconds(1))
    sendbird.revokeSessionTokens(of: "ann")
    #expect(peer.commands.last == #"EXPR{"reason":400310}"#)
    #expect(code(get(sendbird, peer.sessionKey)) == 400_310)
    refresh(sendbird, peer, token)
    #expect(peer.last("code", of: "EROR") == "400310")
    sendbird.say("PING{}", peer)
    sendbird.world.advance(by: .seconds(35))
    sendbird.say("PING{}", peer)
    sendbird.world.advance(by: .seconds(25))
    #expect(peer.ending?.code == 4000 && peer.commands.filter { $0.hasPrefix("EXPR") }.count == 1)
  }

  @Test
  func `an operator's expiry asks for another token with 400302, and the session token is void everywhere`() throws {
    let sendbird = try SimulatedSendbird()
    let token = sendbird.sessionToken()
    let peer = expiring(sendbird, token)
    let key = peer.sessionKey
    sendbird.order("ann", .expireNow)
    #expect(peer.commands.last == #"EXPR{"expires_in":5,"reason":400302}"#)
    // On the open socket, on a new one, and over HTTP.
    refresh(sendbird, peer, token)
    #expect(peer.last("code", of: "EROR") == "400302")
    #expect(expiring(sendbird, token).last("code", of: "LOGI") == "400302")
    let again = sendbird.fetch("POST", "/v3/users/ann/session_key", ["access-token": token], body: "{}")
    #expect(code(again) == 400_302)
    let login = sendbird.fetch("POST", "/v3/users/ann/login", ["access-token": token, "app-id": "APP"], body: "{}")
    #expect(code(login) == 400_302)
    // The session ended with its token, as at the token's own end.
    #expect(code(get(sendbird, key)) == 400_309)
    #expect(sendbird.connect(["key": key, "expiring_session": "1"]).last("code", of: "LOGI") == "400309")
    // With another token the socket stays, and the session continues under a new key.
    sendbird.world.advance(by: .seconds(1))
    refresh(sendbird, peer, sendbird.sessionToken())
    #expect(peer.commands.last?.hasPrefix("LOGI{") == true && code(get(sendbird, peer.sessionKey)) == 0)
    sendbird.order("ann", .askForRefresh)
    #expect(peer.commands.last == #"EXPR{"expires_in":600,"reason":400302}"#)
  }

  @Test
  func `an operator's expiry without a new token closes with 4000 after the refresh timeout`() throws {
    let sendbird = try SimulatedSendbird()
    let peer = expiring(sendbird, sendbird.sessionToken())
    sendbird.order("ann", .expireNow)
    for _ in 0..<2 {
      sendbird.world.advance(by: .seconds(29))
      sendbird.say("PING{}", peer)
    }
    #expect(peer.isOpen)
    sendbird.world.advance(by: .seconds(2))
    #expect(peer.ending?.code == 4000 && peer.commands.filter { $0.hasPrefix("EXPR") }.count == 1)
  }

  @Test
  func `an operator's expiry of an access token asks with 400309, since such a token has no end`() throws {
    let sendbird = try SimulatedSendbird()
    sendbird.setAccessToken(access)
    let peer = expiring(sendbird, access)
    sendbird.order("ann", .expireNow)
    #expect(peer.commands.last == #"EXPR{"expires_in":5,"reason":400309}"#)
    refresh(sendbird, peer, access)
    #expect(peer.commands.last?.hasPrefix("LOGI{") == true)
  }

  @Test
  func `a session whose token a fault refuses gets the same code over HTTP as on the socket, and keeps its key`() throws
  {
    let sendbird = try SimulatedSendbird(takesFaults: true)
    let token = sendbird.sessionToken()
    let peer = expiring(sendbird, token)
    try sendbird.space.fail(#"{"fault": "refuse_token", "of": "refresh", "who": {"users": ["ann"]}}"#)
    refresh(sendbird, peer, token)
    #expect(peer.last("code", of: "EROR") == "400302")
    let request = { sendbird.fetch("POST", "/v3/users/ann/session_key", ["access-token": token], body: "{}") }
    #expect(code(request()) == 400_302 && code(get(sendbird, peer.sessionKey)) == 0)
    let login = sendbird.fetch("POST", "/v3/users/ann/login", ["access-token": token, "app-id": "APP"], body: "{}")
    #expect(code(login) == 0, "a fault of refreshes leaves logins alone")
  }

  @Test
  func `a session survives its socket, and its key opens the next one after a loss and after a close by the client`()
    throws
  {
    let sendbird = try SimulatedSendbird()
    let peer = expiring(sendbird, sendbird.sessionToken())
    peer.close()
    sendbird.world.settle()
    #expect(code(get(sendbird, peer.sessionKey)) == 0)
    sendbird.world.advance(by: .seconds(300))
    let again = sendbird.connect(["key": peer.sessionKey])
    #expect(again.last("expires_at", of: "LOGI") == "1800000600" && again.sessionKey == peer.sessionKey)
    #expect(code(get(sendbird, peer.sessionKey)) == 0)
    for _ in 0..<10 {
      sendbird.world.advance(by: .seconds(30))
      sendbird.say("PING{}", again)
    }
    #expect(again.commands.contains(#"EXPR{"expires_in":30,"reason":400309}"#))
  }
}
