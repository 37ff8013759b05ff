import GatewayCore
import GatewayKit
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewaySendbird

@Suite(.onNodes)
struct SendbirdAnnouncementTests {
  private let sendbird: SimulatedSendbird
  private let ann: SimulatedPeer
  private let bob: SimulatedPeer

  init() throws {
    sendbird = try SimulatedSendbird()
    for user in ["ann", "bob", "eve"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
    for (url, users) in [("talk", #"["ann","bob"]"#), ("team", #"["ann","bob","eve"]"#), ("far", #"["bob","eve"]"#)] {
      sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"\#(url)","user_ids":\#(users)}"#)
    }
    (ann, bob) = (sendbird.connect(["user_id": "ann"]), sendbird.connect(["user_id": "bob"]))
  }

  private func announce(_ target: String, _ list: String = "[]", by user: String? = "ann", _ more: String = "")
    -> HTTPResponse
  {
    let message =
      user.map { #"{"type":"MESG","user_id":"\#($0)","content":"news"}"# } ?? #"{"type":"ADMM","content":"news"}"#
    return sendbird.serve(
      "POST", "/v3/announcements", #"{"message":\#(message),"target_at":"\#(target)","target_list":\#(list)\#(more)}"#)
  }

  /// Returns the channels in which the peer received it.
  private func heard(_ peer: SimulatedPeer) -> [String] {
    ["talk", "team", "far"].filter { url in
      peer.commands.contains {
        ($0.hasPrefix("MESG") || $0.hasPrefix("ADMM")) && $0.contains("\"channel_url\":\"\(url)\"")
      }
    }
  }

  @Test
  func `announcements go to the chosen channels, each once`() {
    let all = announce("sender_all_channels")
    #expect(all.member("status") == "done" && all.member("sent_channel_count") == "2")
    #expect(all.member("sent_user_count") == "3" && heard(bob) == ["talk", "team"])
    #expect(announce("target_channels", #"["far","far","none"]"#, by: nil).member("sent_channel_count") == "1")
    #expect(heard(bob) == ["talk", "team", "far"] && heard(ann) == ["talk", "team"])
    #expect(announce("target_users_included_channels", #"["eve","bob"]"#).member("sent_channel_count") == "2")
    #expect(announce("target_users_only_channels", #"["bob","eve"]"#).member("sent_channel_count") == "1")
    let made = announce("target_users_only_channels", #"["eve","nobody"]"#, by: "ann", #","create_channel":true"#)
    #expect(made.member("sent_channel_count") == "1")
    #expect(sendbird.serve("GET", "/v3/users/eve/my_group_channels").member("channels")?.contains("news") == true)
  }

  @Test
  func `announcements are sent at their time, once, and not if they were cancelled or postponed`() throws {
    for (id, after) in [("a", 10), ("b", 20), ("c", 30)] {
      let time = 1_800_000_000_000 + after * 1_000
      let made = announce("target_channels", #"["talk"]"#, by: nil, #","unique_id":"\#(id)","scheduled_at":\#(time)"#)
      #expect(made.member("status") == "scheduled" && made.member("unique_id") == id)
    }
    #expect(announce("target_channels", #"["talk"]"#, by: nil, #","unique_id":"a""#).code == 400_202)
    let path = "/v3/announcements"
    #expect(sendbird.serve("PUT", path + "/b", #"{"action":"pause"}"#).member("status") == "paused")
    #expect(sendbird.serve("PUT", path + "/c", #"{"action":"cancel"}"#).member("status") == "canceled")
    sendbird.world.advance(by: .seconds(9))
    #expect(heard(bob).isEmpty)
    sendbird.world.advance(by: .seconds(12))
    #expect(bob.commands.count { $0.hasPrefix("ADMM") } == 1)
    #expect(sendbird.serve("GET", "/v3/announcements/a").member("status") == "done")
    #expect(sendbird.serve("PUT", path + "/a", #"{"action":"cancel"}"#).code == 400_111)
    #expect(sendbird.serve("PUT", path + "/b", #"{"action":"resume"}"#).member("status") == "done")
    sendbird.world.advance(by: .milliseconds(100))
    #expect(bob.commands.count { $0.hasPrefix("ADMM") } == 2)
    let page = sendbird.serve("GET", path + "?status=done&limit=1")
    #expect(page.member("announcements")?.contains(#""unique_id":"a""#) == true && page.member("next") != "")
    #expect(sendbird.serve("GET", path + "/none").code == 400_201)
  }

  @Test
  func `announcements are sent later if the store is away at their time`() {
    let later = #","unique_id":"a","scheduled_at":1800000010000"#
    #expect(announce("target_channels", #"["talk"]"#, by: nil, later).code == 0)
    sendbird.space.store.fault = .away
    sendbird.world.advance(by: .seconds(15))
    #expect(announce("target_channels", #"["talk"]"#, by: nil).status == 503 && heard(bob).isEmpty)
    sendbird.space.store.fault = nil
    sendbird.world.advance(by: .seconds(3))
    #expect(heard(bob) == ["talk"] && bob.commands.count { $0.hasPrefix("ADMM") } == 1)
  }

  @Test(arguments: [FaultyStore.Fault.away, .lostAnswer, .lossy, .conflict, .late(.milliseconds(700))])
  func `announcements are sent once in each channel and completed, whatever fault the store has in between`(
    fault: FaultyStore.Fault
  ) {
    let later = #","unique_id":"a","scheduled_at":1800000010000"#
    #expect(announce("target_channels", #"["talk","team","far"]"#, by: nil, later).code == 0)
    sendbird.world.advance(by: .milliseconds(9_500))
    sendbird.space.store.fault = fault
    sendbird.world.advance(by: .seconds(20))
    sendbird.space.store.fault = nil
    sendbird.world.advance(by: .seconds(20))
    let said = sendbird.serve("GET", "/v3/announcements/a")
    #expect(said.member("status") == "done" && said.member("sent_channel_count") == "3")
    #expect(said.member("sent_user_count") == "7")
    for url in ["talk", "team", "far"] {
      let kept = sendbird.serve("GET", "/v3/group_channels/\(url)/messages?message_ts=0&prev_limit=0&next_limit=50")
      #expect(kept.text.ranges(of: #""message":"news""#).count == 1, "\(kept.text)")
    }
  }

  @Test
  func `announcements are for servers, and stray ones are refused`() {
    let asked = sendbird.fetch("POST", "/v3/announcements", ["session-key": ann.sessionKey], body: "{}")
    #expect(asked.code == 400_108)
    for body in [
      "{}", "[]", #"{"message":7}"#, #"{"message":{"content":"x"}}"#,
      #"{"message":{"content":"x","user_id":"ann"},"target_at":"moon"}"#,
      #"{"message":{"content":"x","user_id":"ann"},"target_at":"target_channels"}"#,
      #"{"message":{"content":"x"},"target_at":"sender_all_channels"}"#,
      #"{"message":{"content":"x","user_id":"none"},"target_at":"sender_all_channels"}"#,
      #"{"message":{"content":"x","type":"FILE","user_id":"ann"},"target_at":"sender_all_channels"}"#,
      #"{"message":{"content":"x","user_id":"ann"},"target_at":"sender_all_channels","scheduled_at":-1}"#,
      #"{"message":{"content":"x","user_id":"ann"},"target_at":"sender_all_channels","unique_id":"a b"}"#,
      #"{"message":{"content":"","user_id":"ann"},"target_at":"sender_all_channels"}"#,
    ] {
      #expect(sendbird.serve("POST", "/v3/announcements", body).code > 0, "\(body)")
    }
    #expect(sendbird.serve("GET", "/v3/announcements").member("announcements") == "[]")
    #expect(heard(ann).isEmpty && ann.isOpen)
  }
}
