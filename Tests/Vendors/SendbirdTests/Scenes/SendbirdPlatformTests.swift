import GatewayCore
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

@testable import GatewaySendbird

@Suite(.onNodes)
struct SendbirdPlatformTests {
  private func application(_ change: (inout SendbirdSettings) -> Void = { _ in }) throws -> SimulatedSendbird {
    let sendbird = try SimulatedSendbird(change)
    for user in ["ann", "bob"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann"],"operator_ids":["ann"]}"#)
    sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"square"}"#)
    return sendbird
  }

  private static let long = String(repeating: "x", count: 81)

  @Test(
    .long,
    arguments: [
      ("POST", "/v3/users", #"{"user_id":"ann"}"#, 400_202), ("POST", "/v3/users", "{}", 400_105),
      ("POST", "/v3/users", #"{"user_id":5}"#, 400_100), ("POST", "/v3/users", #"{"user_id":""}"#, 400_111),
      ("POST", "/v3/users", #"{"user_id":"\#(long)"}"#, 400_110), ("POST", "/v3/users", #"{"user_id":"x""#, 400_403),
      ("POST", "/v3/users", "[]", 400_403), ("POST", "/v3/users", #"{"user_id":"a","user_id":"b"}"#, 400_403),
      ("POST", "/v3/users", #"{"user_id":"x","nickname":7}"#, 400_100),
      ("POST", "/v3/users", #"{"user_id":"x","metadata":[]}"#, 400_103),
      ("POST", "/v3/users", #"{"user_id":"x","metadata":{"a":1}}"#, 400_100),
      ("POST", "/v3/users", #"{"user_id":"x","discovery_keys":"a"}"#, 400_102),
      ("POST", "/v3/users", #"{"user_id":"x","issue_access_token":"yes"}"#, 400_104),
      ("POST", "/v3/users", #"{"user_id":"x","session_token_expires_at":"soon"}"#, 400_101),
      ("GET", "/v3/users/eve", "", 400_201), ("PUT", "/v3/users/eve", "{}", 400_201),
      ("DELETE", "/v3/users/eve", "", 400_201), ("POST", "/v3/users/eve/token", "", 400_201),
      ("DELETE", "/v3/users/eve/token", "", 400_201),
      ("POST", "/v3/users/ann/token", #"{"expires_at":"1"}"#, 400_101),
      ("POST", "/v3/users/ann/token", #"{"expires_at":-1}"#, 400_106),
      ("POST", "/v3/users/ann/token", #"{"expires_at":1}"#, 400_111),
      ("POST", "/v3/users/ann/token", #"{"expires_at":9000000000000000000}"#, 400_113),
      ("GET", "/v3/users?limit=0", "", 400_113), ("GET", "/v3/users?limit=101", "", 400_113),
      ("GET", "/v3/users?limit=ten", "", 400_101), ("GET", "/v3/users?token=nonsense", "", 400_111),
      ("GET", "/v3/users?active_mode=some", "", 400_111),
      ("POST", "/v3/users/ann/metadata", "{}", 400_105), ("GET", "/v3/users/ann/metadata/none", "", 400_201),
      ("PUT", "/v3/users/ann/metadata/none", #"{"value":"1"}"#, 400_201),
      ("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann"]}"#, 400_202),
      ("POST", "/v3/group_channels", "{}", 400_105),
      ("POST", "/v3/group_channels", #"{"user_ids":["ann","eve"],"strict":true}"#, 400_201),
      ("POST", "/v3/group_channels", #"{"user_ids":["ann"],"channel_url":"a b"}"#, 400_151),
      ("POST", "/v3/open_channels", #"{"channel_url":"../users"}"#, 400_151),
      ("POST", "/v3/open_channels", #"{"name":[]}"#, 400_100), ("GET", "/v3/group_channels/none", "", 400_201),
      ("GET", "/v3/group_channels/square", "", 400_201), ("GET", "/v3/open_channels/talk", "", 400_201),
      ("POST", "/v3/group_channels/talk/invite", #"{"user_ids":["eve"]}"#, 400_201),
      ("PUT", "/v3/group_channels/talk/join", #"{}"#, 400_105),
      ("PUT", "/v3/group_channels/talk/accept", #"{"user_id":"bob"}"#, 400_201),
      ("PUT", "/v3/group_channels/talk/leave", "{}", 400_105),
      ("POST", "/v3/group_channels/talk/messages", "{}", 400_105),
      ("POST", "/v3/group_channels/talk/messages", #"{"message_type":"POEM"}"#, 400_111),
      ("POST", "/v3/group_channels/talk/messages", #"{"message_type":"MESG","message":"x"}"#, 400_105),
      (
        "POST", "/v3/group_channels/talk/messages", #"{"message_type":"MESG","user_id":"bob","message":"x"}"#, 400_108
      ),
      (
        "POST", "/v3/group_channels/talk/messages", #"{"message_type":"MESG","user_id":"eve","message":"x"}"#, 400_201
      ),
      ("GET", "/v3/group_channels/talk/messages", "", 400_105),
      ("GET", "/v3/group_channels/talk/messages?message_ts=now", "", 400_101),
      ("GET", "/v3/group_channels/talk/messages?message_ts=1&prev_limit=201", "", 400_113),
      ("GET", "/v3/group_channels/talk/messages/x", "", 400_101),
      ("GET", "/v3/group_channels/talk/messages/99", "", 400_201),
      ("PUT", "/v3/group_channels/talk/freeze", #"{"freeze":1}"#, 400_104),
      ("GET", "/v3/users/ann/my_group_channels?order=best", "", 400_111),
      ("GET", "/v3/users/ann/my_group_channels?token=p1", "", 400_111),
      ("GET", "/v3/users/ann/my_group_channels?token=.", "", 400_111),
      ("GET", "/v3/users/ann/my_group_channels?order=latest_last_message&token=p1", "", 400_111),
      ("GET", "/v3/users/ann/my_group_channels?order=latest_last_message&token=p1.2", "", 400_111),
      ("GET", "/v3/users/ann/my_group_channels?order=channel_name_alphabetical&token=p1.*", "", 400_111),
      ("GET", "/v3/users/eve/my_group_channels", "", 400_201),
      ("PATCH", "/v3/users/ann", "{}", 400_930), ("GET", "/v3", "", 400_930), ("GET", "/v3/", "", 400_930),
      ("GET", "/v3/nothing", "", 400_930), ("GET", "/v3/users/ann/nothing", "", 400_930),
      ("POST", "/v3/users/%FF/token", "", 400_930),
    ] as [(String, String, String, Int)])
  func `the Platform API answers failures with status 400 and the number of the cause`(
    method: String, target: String, body: String, code: Int
  ) throws {
    let sendbird = try application()
    let answer = sendbird.serve(method, target, body)
    #expect(answer.code == code && answer.status == 400)
    #expect(answer.member("error") == "true" && answer.member("message")?.isEmpty == false)
    #expect(sendbird.serve("GET", "/v3/users/ann").code == 0)
  }

  @Test
  func `the Platform API shows a user with every documented member`() throws {
    let sendbird = try application()
    let made = sendbird.serve(
      "POST", "/v3/users",
      """
      {"user_id":"a/b ü","nickname":"N","profile_url":"p","metadata":{"k":"v"},"discovery_keys":["d"],
      "phone_number":"1","issue_access_token":true,"issue_session_token":true,"session_token_expires_at":1800000060000}
      """)
    let expected = [
      "user_id": "a/b ü", "nickname": "N", "profile_url": "p", "metadata": #"{"k":"v"}"#, "discovery_keys": #"["d"]"#,
      "phone_number": "1", "is_active": "true", "is_online": "false", "is_created": "true",
      "has_ever_logged_in": "false", "last_seen_at": "-1", "created_at": "1800000000", "preferred_languages": "[]",
      "require_auth_for_profile_image": "false",
    ]
    for (name, value) in expected { #expect(made.member(name) == value, "\(name)") }
    let token = try #require(made.member("access_token"))
    #expect(token.count == 40 && token.allSatisfy(\.isHexDigit))
    let tokens = try #require(made.member("session_tokens"))
    #expect(tokens.contains(#""expires_at":1800000060000"#) && tokens.contains("\"session_token\":\"ey"))
    let found = sendbird.serve("GET", "/v3/users/a%2Fb%20%C3%BC")
    #expect(found.member("access_token") == token && found.member("session_tokens") == "[]")
    #expect(sendbird.connect(["user_id": "a/b ü", "access_token": token]).sessionKey.isEmpty == false)
    let online = sendbird.serve("GET", "/v3/users/a%2Fb%20%C3%BC")
    #expect(online.member("is_online") == "true" && online.member("has_ever_logged_in") == "true")
    #expect(online.member("last_seen_at") == "0")
  }

  @Test
  func `the Platform API separates a client's own from others', and shows tokens to servers only`() throws {
    let sendbird = try application()
    let key = ["session-key": sendbird.connect(["user_id": "ann"]).sessionKey]
    #expect(sendbird.fetch("PUT", "/v3/users/ann", key, body: #"{"nickname":"A"}"#).code == 0)
    #expect(sendbird.user("ann")?.nickname == "A")
    let refused = [
      ("PUT", "/v3/users/bob", #"{"nickname":"B"}"#), ("PUT", "/v3/users/ann", #"{"issue_access_token":true}"#),
      ("PUT", "/v3/users/ann", #"{"is_active":false}"#), ("POST", "/v3/users", #"{"user_id":"new"}"#),
      ("DELETE", "/v3/users/bob", ""), ("POST", "/v3/users/ann/token", ""), ("DELETE", "/v3/users/ann/token", ""),
      ("GET", "/v3/users/bob/my_group_channels", ""), ("POST", "/v3/users/bob/metadata", #"{"metadata":{"a":"b"}}"#),
      ("PUT", "/v3/open_channels/square", #"{"name":"mine"}"#), ("DELETE", "/v3/open_channels/square", ""),
      ("POST", "/v3/open_channels/square/messages", #"{"message_type":"ADMM","message":"x"}"#),
      ("POST", "/v3/open_channels/square/messages", #"{"message_type":"MESG","message":"x"}"#),
    ]
    for (method, target, body) in refused {
      #expect(sendbird.fetch(method, target, key, body: body).code == 400_108, "\(method) \(target)")
    }
    #expect(sendbird.user("bob")?.metadata == [:])
    let own = sendbird.fetch("PUT", "/v3/users/ann", key, body: #"{"nickname":"B"}"#)
    #expect(own.member("nickname") == "B" && own.member("access_token") == nil)
    #expect(sendbird.fetch("GET", "/v3/users/bob", key).member("access_token") == nil)
    #expect(sendbird.serve("GET", "/v3/users/bob").member("access_token") == "")
  }

  @Test
  func `a living key works without a socket, unless the setting requires one`() throws {
    let usual = try application()
    let gone = usual.connect(["user_id": "ann"])
    gone.close()
    usual.world.settle()
    let own = "/v3/users/ann/my_group_channels"
    #expect(usual.fetch("GET", own, ["session-key": gone.sessionKey]).code == 0)
    let sendbird = try application { $0.needsConnectionOverHTTP = true }
    let peer = sendbird.connect(["user_id": "ann"])
    let key = ["session-key": peer.sessionKey]
    #expect(sendbird.fetch("GET", "/v3/users/ann/my_group_channels", key).code == 0)
    peer.close()
    sendbird.world.settle()
    for target in ["/v3/users/ann/my_group_channels", "/v3/group_channels/talk", "/v3/open_channels"] {
      let answer = sendbird.fetch("GET", target, key)
      #expect(answer.code == 800_101 && answer.status == 400, "\(target)")
    }
    let login = sendbird.fetch("POST", "/v3/sdk/users/ann/authentication", body: "{}")
    let other = ["session-key": try #require(login.member("key"))]
    #expect(sendbird.fetch("GET", "/v3/users/ann/my_group_channels", other).code == 0)
  }

  @Test
  func `exactly the sessions of revoked tokens are told of it`() throws {
    let sendbird = try application()
    let access = try #require(
      sendbird.serve("PUT", "/v3/users/ann", #"{"issue_access_token":true}"#).member("access_token"))
    let token = try #require(sendbird.serve("POST", "/v3/users/ann/token").member("token"))
    #expect((119...168).contains(token.count))
    let byAccess = sendbird.connect(["user_id": "ann", "access_token": access])
    let byToken = sendbird.connect(["user_id": "ann", "access_token": token])
    let bob = sendbird.connect(["user_id": "bob"])
    #expect(sendbird.serve("DELETE", "/v3/users/ann/token").code == 0)
    sendbird.world.settle()
    #expect(byToken.commands.last == #"EXPR{"reason":400310}"#)
    #expect([byAccess, bob].allSatisfy { peer in peer.commands.allSatisfy { !$0.hasPrefix("EXPR") } })
    #expect(sendbird.fetch("GET", "/v3/open_channels", ["session-key": byToken.sessionKey]).code == 400_310)
    #expect(sendbird.fetch("GET", "/v3/open_channels", ["session-key": byAccess.sessionKey]).code == 0)
    let next = try #require(sendbird.serve("POST", "/v3/users/ann/token").member("token"))
    sendbird.say(#"LOGI{"token":"\#(next)","expiring_session":1,"req_id":"1"}"#, byToken)
    #expect(byToken.last("new_key", of: "LOGI") != nil)
    sendbird.serve("PUT", "/v3/users/ann", #"{"issue_access_token":true}"#)
    sendbird.world.settle()
    #expect(byAccess.commands.last == #"EXPR{"reason":400310}"# && byToken.commands.last?.hasPrefix("LOGI") == true)
    #expect(sendbird.connect(["user_id": "ann", "access_token": access]).last("code", of: "LOGI") == "400302")
  }

  @Test(arguments: [true, false])
  func `a deactivated or deleted user is disconnected, and removed from their channels`(deletes: Bool) throws {
    let sendbird = try application()
    let (ann, bob) = (sendbird.connect(["user_id": "ann"]), sendbird.connect(["user_id": "bob"]))
    if deletes {
      sendbird.serve("DELETE", "/v3/users/ann")
    } else {
      #expect(sendbird.serve("PUT", "/v3/users/ann", #"{"is_active":false}"#).member("is_active") == "false")
    }
    sendbird.world.settle()
    #expect(ann.commands.contains(#"EXPR{"reason":\#(deletes ? 400_310 : 400_300)}"#) && ann.ending != nil)
    #expect(bob.isOpen && bob.commands.count == 1)
    #expect(sendbird.serve("GET", "/v3/group_channels/talk").member("member_count") == "0")
    let again = sendbird.connect(["user_id": "ann"])
    #expect(again.last("code", of: "LOGI") == (deletes ? nil : "400300"))
    let active = sendbird.serve("GET", "/v3/users?user_ids=ann,bob").member("users")
    #expect(active?.contains(#""ann""#) == deletes)
  }

  @Test
  func `the Platform API accepts only its own Api-Token, and no request without one`() throws {
    let sendbird = try application()
    for token in ["", "x", SimulatedSendbird.apiToken + "0", String(SimulatedSendbird.apiToken.dropLast())] {
      let answer = sendbird.fetch("GET", "/v3/users", ["api-token": token])
      #expect(answer.status == 400 && answer.code == 400_401)
      #expect(!String(decoding: answer.body, as: UTF8.self).contains(SimulatedSendbird.apiToken))
    }
    let missing = sendbird.fetch("GET", "/v3/users")
    #expect(missing.code == 400_401 && missing.member("message") == "Api-Token is missing.")
  }
}
