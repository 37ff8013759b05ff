import GatewayCore
import GatewayKit
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewaySendbird

@Suite(.onNodes)
struct SendbirdBotTests {
  private let sendbird: SimulatedSendbird
  private let ann: SimulatedPeer

  init() throws {
    sendbird = try SimulatedSendbird()
    for user in ["ann", "bob"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    ann = sendbird.connect(["user_id": "ann"])
  }

  private func make(_ id: String = "helper") -> HTTPResponse {
    sendbird.serve(
      "POST", "/v3/bots",
      #"{"bot_userid":"\#(id)","bot_nickname":"Helper","bot_profile_url":"","bot_callback_url":"http://x","bot_type":"a","is_privacy_mode":false}"#
    )
  }

  @Test
  func `a bot is created, shown, changed, listed and deleted, and is a user while it exists`() throws {
    let made = make()
    #expect(made.code == 0 && made.member("is_privacy_mode") == "false")
    #expect(made.member("bot")?.contains(#""bot_nickname":"Helper""#) == true)
    #expect(make().code == 400_202 && sendbird.serve("POST", "/v3/bots", "{}").code == 400_105)
    #expect(sendbird.serve("GET", "/v3/users/helper").member("nickname") == "Helper")
    let changed = sendbird.serve("PUT", "/v3/bots/helper", #"{"bot_nickname":"H","show_member":true}"#)
    #expect(changed.member("show_member") == "true" && changed.member("bot")?.contains(#""bot_nickname":"H""#) == true)
    #expect(changed.member("bot_callback_url") == "http://x")
    _ = make("other")
    let page = sendbird.serve("GET", "/v3/bots?limit=1")
    #expect(page.member("bots")?.contains("helper") == true && page.member("next")?.isEmpty == false)
    let last = sendbird.serve("GET", "/v3/bots?limit=1&token=\(page.member("next") ?? "")")
    #expect(last.member("bots")?.contains("other") == true && last.member("next") == "")
    #expect(sendbird.serve("DELETE", "/v3/bots/helper").code == 0)
    #expect(sendbird.serve("GET", "/v3/bots/helper").code == 400_201)
    #expect(sendbird.serve("GET", "/v3/users/helper").code == 400_201)
    #expect(sendbird.serve("DELETE", "/v3/users/other").code == 0)
    #expect(sendbird.serve("GET", "/v3/bots/other").code == 400_201, "nothing is left of one whose user is gone")
    #expect(sendbird.serve("GET", "/v3/bots").member("bots") == "[]")
  }

  @Test
  func `a bot joins channels, speaks there and leaves, and clients receive it`() throws {
    _ = make()
    #expect(
      sendbird.serve("POST", "/v3/bots/helper/send", #"{"channel_url":"talk","message":"hi"}"#).code != 0,
      "it is no member yet")
    let joined = sendbird.serve("POST", "/v3/bots/helper/channels", #"{"channel_urls":["talk"]}"#)
    #expect(joined.code == 0 && joined.member("channel_url") == "talk" && joined.member("channels") != nil)
    let sent = sendbird.serve("POST", "/v3/bots/helper/send", #"{"channel_url":"talk","message":"hi"}"#)
    #expect(sent.member("message")?.contains(#""message":"hi""#) == true)
    #expect(ann.last("message", of: "MESG") == "hi" && ann.last("user", of: "MESG")?.contains("Helper") == true)
    #expect(sendbird.serve("DELETE", "/v3/bots/helper/channels/talk").code == 0)
    #expect(ann.last("cat", of: "SYEV") == "10001")
    #expect(sendbird.serve("POST", "/v3/bots/helper/channels", #"{"channel_urls":["none"]}"#).code == 400_201)
    #expect(sendbird.serve("POST", "/v3/bots/helper/channels", #"{"channel_urls":["talk"]}"#).code == 0)
    #expect(sendbird.serve("DELETE", "/v3/bots/helper/channels").code == 0)
    #expect(sendbird.serve("GET", "/v3/group_channels/talk/members").member("members")?.contains("helper") == false)
  }

  @Test
  func `bots are for servers, no login is by their name, and stray bodies are refused`() throws {
    _ = make()
    #expect(ann.sessionKey.isEmpty == false)
    for (method, path) in [
      ("GET", "/v3/bots"), ("POST", "/v3/bots"), ("GET", "/v3/bots/helper"), ("DELETE", "/v3/bots/helper"),
      ("POST", "/v3/bots/helper/send"), ("GET", "/v3/applications/dau"), ("GET", "/v3/applications/mau"),
      ("GET", "/v3/applications/ccu"),
    ] {
      let body = method == "POST" ? #"{"bot_userid":"x","bot_nickname":"x","channel_url":"talk","message":"x"}"# : ""
      let asked = sendbird.fetch(method, path, ["session-key": ann.sessionKey], body: body)
      #expect(asked.code == 400_108, "\(method) \(path)")
    }
    let stranger = sendbird.connect(["user_id": "helper"])
    #expect(stranger.last("error", of: "LOGI") == "true")
    for body in [
      "[]", "x", #"{"bot_userid":7}"#, #"{"bot_userid":"","bot_nickname":"x"}"#,
      #"{"bot_userid":"\#(String(repeating: "x", count: 81))","bot_nickname":"x"}"#,
      #"{"bot_userid":"y","bot_nickname":"x","is_privacy_mode":"no"}"#,
      #"{"bot_userid":"y","bot_nickname":"x","channel_invitation_preference":2}"#,
    ] {
      #expect(sendbird.serve("POST", "/v3/bots", body).code > 0, "\(body.prefix(60))")
    }
    #expect(sendbird.serve("GET", "/v3/users/y").code == 400_201)
    for body in ["{}", #"{"channel_urls":[]}"#, #"{"channel_urls":[7]}"#, #"{"channel_urls":"talk"}"#] {
      #expect(sendbird.serve("POST", "/v3/bots/helper/channels", body).code > 0)
    }
    for body in ["{}", #"{"channel_url":"talk"}"#, #"{"channel_url":"talk","message":"x","message_type":"ADMM"}"#] {
      #expect(sendbird.serve("POST", "/v3/bots/helper/send", body).code > 0)
    }
    for id in ["caf\u{E9}", "cafe\u{301}"] { #expect(make(id).code == 0, "names of other bytes are other bots") }
    sendbird.space.store.fault = .away
    #expect(make("late").status == 503 && sendbird.serve("GET", "/v3/bots").status == 503)
    #expect(sendbird.serve("GET", "/v3/applications/dau").status == 503)
    sendbird.space.store.fault = nil
    #expect(sendbird.serve("GET", "/v3/users/late").code == 400_201)
  }

  @Test
  func `logged-in connections are counted, each of a user's own`() {
    func count() -> String? { sendbird.serve("GET", "/v3/applications/ccu").member("ccu") }
    #expect(count() == "1")
    let more = ["ann", "bob", "bob"].map { sendbird.connect(["user_id": $0]) }
    _ = sendbird.connect(["user_id": "ann", "key": "none"])
    #expect(count() == "4", "who is refused is none")
    for peer in more { peer.close() }
    sendbird.world.advance(by: .seconds(1))
    #expect(count() == "1")
  }

  @Test
  func `users that are connected, or were seen last in that day or month, are counted`() {
    #expect(sendbird.serve("GET", "/v3/applications/dau").member("dau") == "1")
    let bob = sendbird.connect(["user_id": "bob"])
    #expect(sendbird.serve("GET", "/v3/applications/mau").member("mau") == "2")
    bob.close()
    sendbird.world.advance(by: .seconds(1))
    #expect(sendbird.serve("GET", "/v3/applications/dau").member("dau") == "2")
    // The time begins on 2027-01-15 here.
    #expect(sendbird.serve("GET", "/v3/applications/dau?date=2027-01-15").member("dau") == "2")
    #expect(sendbird.serve("GET", "/v3/applications/dau?date=2027-01-14").member("dau") == "0")
    #expect(sendbird.serve("GET", "/v3/applications/mau?date=2027-01").member("mau") == "2")
    #expect(sendbird.serve("GET", "/v3/applications/mau?date=2026-12").member("mau") == "0")
    for query in ["dau?date=today", "dau?date=2027-01", "mau?date=2027-01-15", "mau?date=2027-13"] {
      #expect(sendbird.serve("GET", "/v3/applications/\(query)").code == 400_111, "\(query)")
    }
  }
}
