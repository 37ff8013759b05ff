import GatewayCore
import GatewaySimulator
import TestSupport
import Testing

@Suite(.onNodes)
struct SendbirdPushTests {
  private let sendbird: SimulatedSendbird
  private let ann: SimulatedPeer
  private var key: [String: String] { ["session-key": ann.sessionKey] }

  init() throws {
    sendbird = try SimulatedSendbird()
    for user in ["ann", "bob"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    ann = sendbird.connect(["user_id": "ann"])
  }

  @Test
  func `a device is registered, listed and removed, by clients of its own user only`() {
    let made = sendbird.fetch("POST", "/v3/users/ann/push/gcm", key, body: #"{"gcm_reg_token":"t 1","is_unique":true}"#)
    #expect(made.code == 0 && made.member("token") == "t 1" && made.member("type") == "GCM")
    #expect(made.member("device_token_last_deleted_at") == "0" && made.member("user")?.contains(#""ann""#) == true)
    #expect(sendbird.fetch("POST", "/v3/users/ann/push/apns", key, body: #"{"apns_device_token":"a"}"#).code == 0)
    #expect(sendbird.fetch("GET", "/v3/users/ann/push/gcm/device_tokens", key).member("device_tokens") == #"["t 1"]"#)
    #expect(sendbird.serve("GET", "/v3/users/ann/push/gcm").member("tokens") == #"["t 1"]"#)
    let owners = sendbird.serve("GET", "/v3/push/device_tokens/gcm/t%201")
    #expect(String(decoding: owners.body, as: UTF8.self) == #"[{"user_id":"ann"}]"#)
    #expect(sendbird.fetch("DELETE", "/v3/users/ann/push/gcm/t%201", key).member("token") == "t 1")
    #expect(sendbird.fetch("DELETE", "/v3/users/ann/push", key).member("token") == #"["a"]"#)
    sendbird.serve("POST", "/v3/users/bob/push/huawei", #"{"huawei_device_token":"h"}"#)
    #expect(sendbird.serve("DELETE", "/v3/push/device_tokens/huawei/h").status == 200)
    #expect(sendbird.serve("GET", "/v3/users/bob/push/huawei").member("tokens") == "[]")
    let refused: [(String, String, String, Int)] = [
      ("POST", "/v3/users/bob/push/gcm", #"{"gcm_reg_token":"x"}"#, 400_108),
      ("DELETE", "/v3/users/bob/push", "", 400_108),
      ("POST", "/v3/users/ann/push/gcm", #"{"gcm_reg_token":""}"#, 400_111),
      ("POST", "/v3/users/ann/push/gcm", "{}", 400_105),
      ("POST", "/v3/users/ann/push/pigeon", "{}", 400_111), ("GET", "/v3/push/device_tokens/gcm/x", "", 400_108),
    ]
    for (method, target, body, code) in refused {
      #expect(sendbird.fetch(method, target, key, body: body).code == code, "\(method) \(target)")
    }
  }

  @Test
  func `a deleted user leaves no device and no settings to a successor`() {
    _ = sendbird.fetch("POST", "/v3/users/ann/push/gcm", key, body: #"{"gcm_reg_token":"t"}"#)
    _ = sendbird.fetch("PUT", "/v3/users/ann/channel_invitation_preference", key, body: #"{"auto_accept":false}"#)
    sendbird.serve("DELETE", "/v3/users/ann")
    sendbird.serve("POST", "/v3/users", #"{"user_id":"ann"}"#)
    #expect(sendbird.serve("GET", "/v3/users/ann/push/gcm").member("tokens") == "[]")
    #expect(sendbird.serve("GET", "/v3/users/ann/channel_invitation_preference").member("auto_accept") == "true")
  }

  @Test
  func `a user's push settings are stored, member by member, and reset`() {
    let target = "/v3/users/ann/push_preference"
    #expect(sendbird.fetch("GET", target, key).member("push_trigger_option") == "all")
    let body =
      #"{"do_not_disturb":true,"start_hour":22,"end_min":30,"timezone":"Europe/Berlin","push_trigger_option":"mention_only","#
      + #""dnd_schedules":[{"day_of_week":"monday","time_windows":[{"start_hour":8,"end_hour":9}]}]}"#
    #expect(sendbird.fetch("PUT", target, key, body: body).code == 0)
    _ = sendbird.fetch("PUT", target, key, body: #"{"snooze_enabled":true,"snooze_end_ts":1800000000000}"#)
    let kept = sendbird.fetch("GET", target, key)
    let expected = [
      "do_not_disturb": "true", "start_hour": "22", "start_min": "0", "end_min": "30", "timezone": "Europe/Berlin",
      "push_trigger_option": "mention_only", "snooze_enabled": "true", "snooze_end_ts": "1800000000000",
      "dnd_schedules":
        #"[{"day_of_week":"monday","time_windows":[{"start_hour":8,"start_min":0,"end_hour":9,"end_min":0}]}]"#,
    ]
    for (name, value) in expected { #expect(kept.member(name) == value, "\(name)") }
    #expect(sendbird.fetch("DELETE", target, key).member("do_not_disturb") == "false")
    #expect(sendbird.fetch("PUT", target, key, body: #"{"start_hour":24}"#).code == 400_113)
    #expect(sendbird.fetch("PUT", target, key, body: #"{"push_trigger_option":"some"}"#).code == 400_111)
    #expect(sendbird.fetch("GET", "/v3/users/bob/push_preference", key).code == 400_108)
    let template = "/v3/users/ann/push/template"
    #expect(sendbird.fetch("GET", template, key).member("name") == "default")
    #expect(sendbird.fetch("PUT", template, key, body: #"{"name":"alternative"}"#).member("name") == "alternative")
    #expect(sendbird.fetch("PUT", template, key, body: #"{"name":"poem"}"#).code == 400_111)
  }

  @Test
  func `a user who wants to be asked is only invited, unless the invitation says otherwise`() {
    let target = "/v3/users/bob/channel_invitation_preference"
    #expect(sendbird.serve("GET", target).member("auto_accept") == "true")
    #expect(sendbird.serve("PUT", target, #"{"auto_accept":false}"#).member("auto_accept") == "false")
    func state(_ url: String) -> String? {
      sendbird.serve("GET", "/v3/group_channels/\(url)/members/bob").member("state")
    }
    _ = sendbird.fetch("POST", "/v3/group_channels", key, body: #"{"channel_url":"one","user_ids":["bob"]}"#)
    #expect(state("one") == "invited")
    _ = sendbird.fetch(
      "POST", "/v3/group_channels", key,
      body: #"{"channel_url":"two","user_ids":["bob"],"invitation_status":{"bob":"joined"}}"#)
    #expect(state("two") == "joined")
    _ = sendbird.fetch("POST", "/v3/group_channels", key, body: #"{"channel_url":"three","user_ids":[]}"#)
    _ = sendbird.fetch("POST", "/v3/group_channels/three/invite", key, body: #"{"user_ids":["bob"]}"#)
    #expect(state("three") == "invited")
    #expect(
      sendbird.serve("GET", "/v3/users/bob/group_channel_count?state=invited").member("group_channel_count") == "2")
    #expect(sendbird.serve("GET", "/v3/users/bob/group_channel_count").member("group_channel_count") == "4")
    #expect(sendbird.serve("GET", "/v3/users/bob/group_channel_count?state=best").code == 400_111)
  }

  @Test
  func `a channel shows its member's settings`() {
    let (push, count) = ("/v3/users/ann/push_preference/talk", "/v3/users/ann/count_preference/talk")
    #expect(sendbird.fetch("GET", push, key).member("push_trigger_option") == "default")
    let generated = ["api-token": SimulatedSendbird.apiToken, "user-agent": "OpenAPI-Generator/2.1.5/python"]
    let told = sendbird.fetch("GET", push, generated)
    #expect(told.member("push_trigger_option") == nil && told.member("enable") == "true")
    #expect(sendbird.serve("GET", push).member("push_trigger_option") == "default")
    #expect(sendbird.fetch("PUT", push, key, body: #"{"push_trigger_option":"off"}"#).member("enable") == "false")
    #expect(sendbird.fetch("GET", push, generated).member("push_trigger_option") == "off")
    #expect(sendbird.fetch("GET", count, key).member("count_preference") == "all")
    #expect(
      sendbird.fetch("PUT", count, key, body: #"{"count_preference":"off"}"#).member("count_preference") == "off")
    let channel = sendbird.fetch("GET", "/v3/group_channels/talk", key)
    #expect(channel.member("push_trigger_option") == "off" && channel.member("count_preference") == "off")
    #expect(channel.member("is_push_enabled") == "false")
    #expect(sendbird.fetch("PUT", count, key, body: #"{"count_preference":"some"}"#).code == 400_111)
    #expect(sendbird.fetch("PUT", push, key, body: #"{"push_trigger_option":"some"}"#).code == 400_111)
    #expect(sendbird.fetch("PUT", push, key, body: #"{"enable":true}"#).member("push_trigger_option") == "all")
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"other","user_ids":["bob"]}"#)
    #expect(sendbird.fetch("GET", "/v3/users/ann/push_preference/other", key).code == 400_108)
  }

  @Test
  func `unread items are reported item by item`() {
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"big","user_ids":["ann","bob"],"is_super":true}"#)
    for url in ["talk", "big"] {
      sendbird.world.advance(by: .seconds(1))
      sendbird.serve(
        "POST", "/v3/group_channels/\(url)/messages",
        #"{"message_type":"MESG","user_id":"bob","message":"hi","mentioned_user_ids":["ann"]}"#)
    }
    let keys = "item_keys=group_channel_unread_message_count,super_group_channel_unread_mention_count"
    let answer = sendbird.fetch("GET", "/v3/users/ann/unread_item_count?\(keys)", key)
    #expect(answer.member("group_channel_unread_message_count") == "2")
    #expect(answer.member("super_group_channel_unread_mention_count") == "1")
    #expect(answer.member("group_channel_invitation_count") == nil)
    #expect(sendbird.fetch("GET", "/v3/group_channels/talk", key).member("unread_mention_count") == "1")
    #expect(sendbird.fetch("GET", "/v3/users/ann/unread_item_count", key).code == 400_105)
    #expect(sendbird.fetch("GET", "/v3/users/ann/unread_item_count?item_keys=hats", key).code == 400_111)
  }

  @Test
  func `a hidden channel is not in the user's list, its earlier messages are gone, and the user's devices are told`() {
    let talk = "/v3/group_channels/talk"
    sendbird.serve("POST", talk + "/messages", #"{"message_type":"MESG","user_id":"bob","message":"old"}"#)
    sendbird.world.advance(by: .seconds(1))
    let hidden = sendbird.fetch(
      "PUT", talk + "/hide", key, body: #"{"hide_previous_messages":true,"allow_auto_unhide":false}"#)
    #expect(hidden.code == 0 && hidden.member("ts_message_offset") == "1800000001000")
    #expect(ann.last("cat", of: "SYEV") == "13000")
    #expect(ann.last("data", of: "SYEV")?.contains(#""allow_auto_unhide":false"#) == true)
    let own = "/v3/users/ann/my_group_channels?show_empty=true"
    #expect(sendbird.fetch("GET", own, key).member("channels") == "[]")
    #expect(sendbird.fetch("GET", own + "&hidden_mode=hidden_prevent_auto_unhide", key).member("channels") != "[]")
    #expect(sendbird.fetch("GET", own + "&hidden_mode=hidden_allow_auto_unhide", key).member("channels") == "[]")
    #expect(sendbird.fetch("GET", own + "&hidden_mode=some", key).code == 400_111)
    let channel = sendbird.fetch("GET", talk, key)
    #expect(channel.member("is_hidden") == "true" && channel.member("hidden_state") == "prevent_auto_unhide")
    #expect(channel.member("last_message") == "null" && channel.member("unread_message_count") == "0")
    let list = talk + "/messages?message_ts=1800000009000"
    #expect(sendbird.fetch("GET", list, key).member("messages") == "[]")
    #expect(sendbird.fetch("DELETE", talk + "/hide", key).code == 0 && ann.last("cat", of: "SYEV") == "13001")
    #expect(sendbird.fetch("GET", talk, key).member("is_hidden") == "false")
    #expect(sendbird.serve("PUT", talk + "/hide", "{}").code == 400_105)
    #expect(sendbird.serve("PUT", talk + "/hide", #"{"should_hide_all":true}"#).code == 0)
    sendbird.world.advance(by: .seconds(1))
    #expect(
      sendbird.serve("PUT", talk + "/reset_user_history", #"{"user_id":"bob"}"#).member("ts_message_offset")
        == "1800000002000")
    #expect(sendbird.serve("PUT", talk + "/reset_user_history", #"{"reset_all":true}"#).code == 0)
    #expect(sendbird.serve("PUT", talk + "/reset_user_history", #"{"user_id":"nobody"}"#).code == 400_108)
  }

  @Test
  func `muted, banned and blocked users are listed, with until when and why`() {
    let talk = "/v3/group_channels/talk"
    sendbird.serve("POST", talk + "/mute", #"{"user_id":"ann","seconds":60,"description":"loud"}"#)
    let muted = sendbird.serve("GET", talk + "/mute")
    #expect(muted.member("muted_list")?.contains(#""end_at":1800000060000"#) == true && muted.member("next") == "")
    sendbird.world.advance(by: .seconds(20))
    let own = sendbird.fetch("GET", talk + "/mute/ann", key)
    #expect(own.member("is_muted") == "true" && own.member("remaining_duration") == "40000")
    #expect(own.member("description") == "loud" && own.member("start_at") == "1800000000000")
    #expect(sendbird.fetch("GET", talk + "/mute/bob", key).code == 400_108)
    sendbird.world.advance(by: .seconds(40))
    #expect(sendbird.fetch("GET", talk + "/mute/ann", key).member("is_muted") == "false")
    sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"square"}"#)
    sendbird.serve("POST", "/v3/open_channels/square/mute", #"{"user_id":"bob"}"#)
    #expect(
      sendbird.serve("GET", "/v3/open_channels/square/mute").member("muted_list")?.contains(#""end_at":-1"#) == true)
    sendbird.serve("POST", talk + "/ban", #"{"user_id":"bob","seconds":-1}"#)
    #expect(sendbird.serve("GET", talk + "/ban").member("banned_list")?.contains(#""user_id":"bob""#) == true)
    #expect(sendbird.serve("GET", talk + "/ban/bob").member("end_at") == "-1")
    #expect(sendbird.serve("GET", talk + "/ban/ann").code == 400_201)
    #expect(sendbird.fetch("GET", talk + "/ban", key).code == 400_108)
    #expect(sendbird.serve("POST", talk + "/ban", #"{"user_id":"ann","seconds":0}"#).code == 400_113)
    // The first one was silent for too long.
    let listener = sendbird.connect(["user_id": "ann"])
    _ = sendbird.fetch("POST", "/v3/users/ann/block", key, body: #"{"target_id":"bob"}"#)
    sendbird.world.settle()
    #expect(listener.last("cat", of: "USEV") == "20001")
    #expect(listener.last("data", of: "USEV")?.contains(#""blockee":{"user_id":"bob""#) == true)
    let blocked = sendbird.fetch("GET", "/v3/users/ann/block?limit=1", key)
    #expect(blocked.member("users")?.contains(#""user_id":"bob""#) == true && blocked.member("next") == "")
    #expect(sendbird.fetch("GET", "/v3/users/bob/block", key).code == 400_108)
  }
}
