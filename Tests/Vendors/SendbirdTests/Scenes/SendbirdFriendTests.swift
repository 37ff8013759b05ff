import GatewayCore
import GatewaySimulator
import TestSupport
import Testing

@Suite(.onNodes)
struct SendbirdFriendTests {
  private let sendbird: SimulatedSendbird
  private let ann: SimulatedPeer
  private var key: [String: String] { ["session-key": ann.sessionKey] }
  private let path = "/v3/users/ann/friends"

  init() throws {
    sendbird = try SimulatedSendbird()
    for user in ["ann", "bob", "eve", "zoe"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
    ann = sendbird.connect(["user_id": "ann"])
  }

  private func ask(_ method: String, _ target: String, _ body: String = "") -> HTTPResponse {
    sendbird.fetch(method, target, key, body: body)
  }

  /// Returns the ids of the users in a member of the answer.
  private func ids(_ response: HTTPResponse, _ name: String = "users") -> [String] {
    (response.member(name) ?? "").matches(of: /"user_id":"(\w+)"/).map { String($0.output.1) }
  }

  @Test
  func `friends are picked, listed page by page, and removed, alone or several`() {
    #expect(ids(ask("GET", path)) == [] && ask("GET", path).member("next") == "")
    #expect(ids(ask("POST", path, #"{"user_ids":["zoe","bob","eve"]}"#)) == ["zoe", "bob", "eve"])
    #expect(ids(ask("POST", path, #"{"user_ids":["bob"]}"#)) == ["bob"])
    let page = ask("GET", path + "?limit=2")
    #expect(ids(page) == ["zoe", "bob"] && page.member("has_more") == "true")
    #expect(ids(ask("GET", path + "?limit=2&token=\(page.member("next") ?? "")")) == ["eve"])
    #expect(ask("DELETE", path + "/zoe").code == 0 && ids(ask("GET", path)) == ["bob", "eve"])
    #expect(ask("DELETE", path + "?user_ids=bob,zoe").code == 0 && ids(ask("GET", path)) == ["eve"])
    #expect(ask("DELETE", path, #"{"user_ids":["eve"]}"#).code == 0 && ids(ask("GET", path)) == [])
    #expect(ids(sendbird.serve("GET", "/v3/users/eve/friends")) == [], "whoever was picked has picked nobody")
  }

  @Test
  func `friends are listed by changes since the last answer, without deleted users`() {
    _ = ask("POST", path, #"{"user_ids":["bob","eve"]}"#)
    let first = ask("GET", path + "/changelogs")
    #expect(ids(first, "added") == ["bob", "eve"])
    #expect(first.member("deleted") == "[]" && first.member("updated") == "[]")
    _ = ask("DELETE", path + "/bob")
    _ = ask("POST", path, #"{"user_ids":["zoe"]}"#)
    let second = ask("GET", path + "/changelogs?token=\(first.member("next") ?? "")")
    #expect(ids(second, "added") == ["zoe"] && second.member("deleted") == #"["bob"]"#)
    #expect(second.member("has_more") == "false")
    sendbird.serve("DELETE", "/v3/users/zoe")
    #expect(ids(ask("GET", path)) == ["eve"])
    sendbird.serve("DELETE", "/v3/users/ann")
    sendbird.serve("POST", "/v3/users", #"{"user_id":"ann"}"#)
    #expect(ids(sendbird.serve("GET", path)) == [], "a user of that name made later has picked nobody")
  }

  @Test
  func `a user's friends are the user's own, exist, and are not the user`() {
    let asked: [(String, String, String, Int)] = [
      ("GET", "/v3/users/bob/friends", "", 400_108),
      ("POST", "/v3/users/bob/friends", #"{"user_ids":["eve"]}"#, 400_108),
      ("DELETE", "/v3/users/bob/friends/eve", "", 400_108), ("GET", "/v3/users/bob/friends/changelogs", "", 400_108),
      ("POST", path, "{}", 400_105), ("POST", path, #"{"user_ids":[]}"#, 400_105),
      ("POST", path, #"{"user_ids":"bob"}"#, 400_102), ("POST", path, #"{"user_ids":["nobody"]}"#, 400_201),
      ("POST", path, #"{"user_ids":["ann"]}"#, 400_111), ("POST", path, "x", 400_403), ("DELETE", path, "", 400_105),
      ("GET", path + "?limit=0", "", 400_113), ("GET", path + "/changelogs?token=x", "", 400_111),
      ("PUT", "/v3/users/ann/friend_discoveries", "{}", 400_105),
      ("PUT", "/v3/users/ann/friend_discoveries", #"{"friend_discoveries":[{}]}"#, 400_105),
    ]
    for (method, target, body, code) in asked {
      #expect(ask(method, target, body).code == code, "\(method) \(target) \(body)")
    }
    #expect(sendbird.serve("GET", "/v3/users/nobody/friends").code == 400_201)
  }

  @Test
  func `no friends are found among contacts, and the application owner's settings have their defaults`() {
    let contacts = #"{"friend_discoveries":[{"friend_discovery_key":"a@b.example","friend_name":"A"}]}"#
    #expect(ask("PUT", "/v3/users/ann/friend_discoveries", contacts).member("friend_discovery_request_id") != nil)
    #expect(ask("DELETE", "/v3/users/ann/friend_discoveries").code == 0)
    #expect(ask("GET", "/v3/sdk/applications/settings").member("configs") == "{}")
    #expect(ask("GET", "/v3/notifications/settings").member("themes") == "[]")
    #expect(ask("GET", "/v3/notifications/templates").member("templates") == "[]")
    #expect(ask("GET", "/v3/notifications/templates/none").code == 400_201)
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    #expect(ask("GET", "/v3/group_channels/talk/message_purge_offset").member("message_purge_offset") == "0")
    #expect(ask("GET", "/v3/group_channels/none/message_purge_offset").code == 400_201)
  }

  @Test
  func `friends have no notification channels, and thumbnails in their own channels only`() {
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"theirs","user_ids":["bob","eve"]}"#)
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"left","user_ids":["ann","bob"]}"#)
    #expect(ask("PUT", "/v3/group_channels/left/leave").code == 0)
    let own = "/v3/users/ann/my_group_channels"
    #expect(ask("GET", own + "?show_empty=true").member("channels")?.contains("talk") == true)
    #expect(ask("GET", own + "?show_empty=true&is_feed_channel=true").member("channels") == "[]")
    #expect(ask("GET", own + "?is_feed_channel=2").code == 400_104)
    #expect(ask("GET", own + "/changelogs?change_ts=1").member("deleted") == #"["left"]"#)
    let changes = ask("GET", own + "/changelogs?change_ts=1&is_feed_channel=true")
    #expect(changes.member("updated") == "[]" && changes.member("deleted") == "[]")
    #expect(ask("POST", "/v3/group_channels/talk/screenshot").code == 0)
    #expect(ask("POST", "/v3/group_channels/theirs/screenshot").code == 400_108)
    #expect(ask("POST", "/v3/group_channels/none/screenshot").code == 400_201)
  }
}
