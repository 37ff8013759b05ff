import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@Suite(.onNodes)
struct SendbirdMarkTests {
  private let sendbird: SimulatedSendbird
  private let ann: SimulatedPeer
  private let bob: SimulatedPeer
  private var key: [String: String] { ["session-key": ann.sessionKey] }
  private static let talk = "/v3/group_channels/talk"

  init() throws {
    sendbird = try SimulatedSendbird()
    for user in ["ann", "bob", "eve"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"square","operator_ids":["bob"]}"#)
    ann = sendbird.connect(["user_id": "ann"])
    bob = sendbird.connect(["user_id": "bob"])
    sendbird.say(#"MESG{"channel_url":"talk","message":"hi","req_id":"1"}"#, bob)
  }

  @discardableResult
  private func ask(_ method: String, _ target: String, _ body: String = "") -> HTTPResponse {
    sendbird.fetch(method, target, key, body: body)
  }

  // MARK: Messages

  @Test
  func `a reaction is announced to all, shown with the message, and found by a client that was away`() throws {
    let target = Self.talk + "/messages/1/reactions"
    sendbird.world.advance(by: .seconds(5))
    let added = ask("POST", target, #"{"reaction":"sendbird_emoji_sob","user_id":"eve"}"#)
    #expect(added.code == 0 && added.member("operation") == "ADD" && added.member("user_id") == "ann")
    for peer in [ann, bob] {
      #expect(peer.last("reaction", of: "RXNS") == "sendbird_emoji_sob" && peer.last("msg_id", of: "RXNS") == "1")
      #expect(peer.last("updated_at", of: "RXNS") == "1800000005000")
    }
    let count = bob.commands.count
    ask("POST", target, #"{"reaction":"sendbird_emoji_sob"}"#)
    #expect(bob.commands.count == count)
    let shown = #"[{"key":"sendbird_emoji_sob","user_ids":["ann"],"updated_at":1800000005000}]"#
    #expect(ask("GET", Self.talk + "/messages/1").member("reactions") == shown)
    #expect(ask("GET", target).text == #"{"sendbird_emoji_sob":1}"#)
    #expect(ask("GET", target + "?list_users=true").text == #"{"sendbird_emoji_sob":["ann"]}"#)
    #expect(ask("GET", target + "?list_users=yes").code == 400_104)
    #expect(ask("GET", Self.talk + "/messages/9/reactions").code == 400_201)
    let log = ask("GET", Self.talk + "/messages/changelogs?change_ts=1800000005000")
    #expect(log.member("updated")?.contains(#""message_id":1"#) == true)
    #expect(ask("GET", Self.talk + "/messages/changelogs?change_ts=1800000005001").member("updated") == "[]")
    let removed = ask("DELETE", target + "?reaction=sendbird_emoji_sob")
    #expect(removed.member("operation") == "DELETE" && bob.last("operation", of: "RXNS") == "DELETE")
    #expect(ask("GET", Self.talk + "/messages/1").member("reactions") == "[]")
    #expect(ask("GET", target).text == "{}")
    let refused: [(HTTPResponse, Int)] = [
      (ask("POST", target, "{}"), 400_105),
      (ask("POST", Self.talk + "/messages/9/reactions", #"{"reaction":"x"}"#), 400_201),
      (ask("POST", Self.talk + "/messages/x/reactions", #"{"reaction":"x"}"#), 400_101),
      (sendbird.serve("POST", target, #"{"reaction":"x","user_id":"eve"}"#), 400_108),
      (sendbird.serve("POST", target, #"{"reaction":"x"}"#), 400_105),
      (sendbird.serve("POST", target, #"{"reaction":"x","user_id":"nobody"}"#), 400_201),
    ]
    for (answer, code) in refused { #expect(answer.code == code) }
  }

  @Test
  func `a message has a bounded number of kinds of reactions`() {
    let target = Self.talk + "/messages/1/reactions"
    for number in 0..<50 { #expect(ask("POST", target, #"{"reaction":"\#(number)"}"#).code == 0) }
    #expect(ask("POST", target, #"{"reaction":"50"}"#).code == 400_203)
    #expect(ask("DELETE", target, #"{"reaction":"7"}"#).code == 0)
    #expect(ask("POST", target, #"{"reaction":"50"}"#).code == 0)
  }

  @Test
  func `emojis are listed by the hash that a login names, and have pictures`() throws {
    let hash = try #require(ann.last("emoji_hash", of: "LOGI"))
    #expect(ann.last("use_reaction", of: "LOGI") == "true")
    let all = ask("GET", "/v3/emoji_categories")
    #expect(all.member("emoji_hash") == hash && all.member("emoji_categories")?.contains("thumbsup") == true)
    #expect(ask("GET", "/v3/emoji_categories/1").member("emojis")?.contains("sendbird_emoji_rage") == true)
    #expect(ask("GET", "/v3/emoji_categories/2").code == 400_201)
    let path = "/v3/emojis/sendbird_emoji_sob/image"
    #expect(ask("GET", "/v3/emojis/sendbird_emoji_sob").member("url")?.hasSuffix(path) == true)
    let picture = sendbird.fetch("GET", path)
    #expect(picture.status == 200 && picture.header("content-type") == "image/svg+xml")
    #expect(
      ask("GET", "/v3/emojis/none").code == 400_201 && sendbird.fetch("GET", "/v3/emojis/x/image").code == 400_201)
  }

  @Test
  func `a pinned message is announced, shown with the channel, and gone with its message`() {
    #expect(ask("POST", Self.talk + "/messages/1/pin").code == 0)
    #expect(bob.last("cat", of: "SYEV") == "11300")
    #expect(
      bob.last("data", of: "SYEV")?.hasPrefix(#"{"pinned_message_ids":[1],"latest_pinned_message":{"message_id":1"#)
        == true)
    sendbird.say(#"MESG{"channel_url":"talk","message":"two","pin_message":true,"req_id":"2"}"#, bob)
    let channel = ask("GET", Self.talk)
    #expect(channel.member("pinned_message_ids") == "[2,1]")
    #expect(channel.member("latest_pinned_message")?.contains(#""message":"two""#) == true)
    let list = ask("GET", Self.talk + "/pinned_messages?limit=1")
    #expect(list.member("pinned_messages")?.contains(#""message":"two""#) == true && list.member("has_more") == "true")
    let token = list.member("end_cursor") ?? ""
    #expect(ask("GET", Self.talk + "/pinned_messages?token=\(token)").member("has_more") == "false")
    sendbird.serve("DELETE", Self.talk + "/messages/2")
    #expect(ask("DELETE", Self.talk + "/messages/1/pin").code == 0)
    #expect(ask("GET", Self.talk).member("pinned_message_ids") == "[]")
    #expect(ask("GET", Self.talk).member("latest_pinned_message") == "null")
    #expect(ask("POST", Self.talk + "/messages/2/pin").code == 400_201)
    for number in 3...13 {
      sendbird.say(#"MESG{"channel_url":"talk","message":"m","req_id":"3"}"#, bob)
      #expect(ask("POST", Self.talk + "/messages/\(number)/pin").code == (number < 13 ? 0 : 400_203))
    }
  }

  @Test
  func `a translation is an echo, kept with the message`() {
    let answer = ask("POST", Self.talk + "/messages/1/translation", #"{"target_langs":["de","fr"]}"#)
    #expect(answer.member("translations") == #"{"de":"hi","fr":"hi"}"# && bob.last("msg_id", of: "MEDI") == "1")
    #expect(ask("GET", Self.talk + "/messages/1").member("translations") == #"{"de":"hi","fr":"hi"}"#)
    sendbird.say(#"MESG{"channel_url":"talk","message":"x","target_langs":["es"],"req_id":"2"}"#, bob)
    #expect(ann.last("translations", of: "MESG") == #"{"es":"x"}"#)
    #expect(ask("POST", Self.talk + "/messages/1/translation", "{}").code == 400_105)
    #expect(ask("POST", Self.talk + "/messages/1/translation", #"{"target_langs":[""]}"#).code == 400_111)
    let many = (0..<11).map { #""l\#($0)""# }.joined(separator: ",")
    #expect(ask("POST", Self.talk + "/messages/1/translation", #"{"target_langs":[\#(many)]}"#).code == 400_203)
  }

  // MARK: Channels

  @Test
  func `metadata of a channel are created, changed, shown and removed, and all members are told`() {
    let target = Self.talk + "/metadata"
    #expect(ask("POST", target, #"{"metadata":{"a":"1"}}"#).member("a") == "1")
    #expect(bob.last("cat", of: "SYEV") == "11100")
    #expect(bob.last("data", of: "SYEV") == #"{"created":{"a":"1"},"updated":{},"deleted":[]}"#)
    #expect(ask("POST", target, #"{"metadata":{"a":"2"}}"#).code == 400_202)
    let changed = ask("PUT", target + "?include_ts=true", #"{"metadata":{"a":"2","b":"3"},"upsert":true}"#)
    #expect(changed.member("metadata") == #"{"a":"2","b":"3"}"# && changed.member("ts") == "1800000000000")
    ask("PUT", target, #"{"metadata":{"c":"4"}}"#)
    #expect(ask("GET", target + "?keys=a,c").member("a") == "2" && ask("GET", target).member("c") == nil)
    #expect(ask("PUT", target + "/b", #"{"value":"5"}"#).code == 0)
    #expect(ask("GET", target + "/b").member("b") == "5" && ask("GET", target + "/c").code == 400_201)
    #expect(ask("DELETE", target + "/b").code == 0)
    #expect(bob.last("data", of: "SYEV") == #"{"created":{},"updated":{},"deleted":["b"]}"#)
    #expect(ask("GET", Self.talk).member("metadata") == #"{"a":"2"}"#)
    #expect(ask("DELETE", target).code == 0)
    let many = (0..<50).map { #""k\#($0)":"""# }.joined(separator: ",")
    #expect(ask("PUT", target, #"{"metadata":{\#(many)},"upsert":true}"#).code == 0)
    #expect(ask("PUT", target, #"{"metadata":{"one more":""},"upsert":true}"#).code == 400_203)
    #expect(ask("GET", target + "/one%20more").code == 400_201)
    #expect(ask("POST", "/v3/open_channels/square/metadata", #"{"metadata":{"a":"1"}}"#).code == 400_108)
    #expect(sendbird.serve("POST", "/v3/open_channels/square/metadata", #"{"metadata":{"a":"1"}}"#).member("a") == "1")
    #expect(ask("POST", target, "{}").code == 400_105)
  }

  @Test
  func `counters of a channel are set, raised and lowered, by any number of callers at once`() {
    let target = Self.talk + "/metacounter"
    #expect(ask("POST", target, #"{"metacounter":{"likes":1}}"#).member("likes") == "1")
    #expect(bob.last("cat", of: "SYEV") == "11200")
    #expect(ask("POST", target, #"{"metacounter":{"likes":1}}"#).code == 400_202)
    #expect(ask("PUT", target, #"{"metacounter":{"likes":4},"mode":"increase"}"#).member("likes") == "5")
    #expect(ask("PUT", target, #"{"metacounter":{"likes":7},"mode":"decrease"}"#).member("likes") == "-2")
    #expect(ask("PUT", target + "/likes", #"{"value":3}"#).member("likes") == "3")
    #expect(ask("PUT", target, #"{"metacounter":{"new":3},"mode":"increase"}"#).member("new") == nil)
    #expect(ask("PUT", target, #"{"metacounter":{"new":3},"mode":"increase","upsert":true}"#).member("new") == "3")
    #expect(ask("GET", target + "?keys=likes").member("new") == nil && ask("GET", target).member("new") == "3")
    let most = Int64.max
    #expect(ask("PUT", target, #"{"metacounter":{"likes":\#(most)},"mode":"increase"}"#).code == 400_113)
    #expect(ask("PUT", target, #"{"metacounter":{"likes":-9223372036854775808},"mode":"decrease"}"#).code == 400_113)
    #expect(ask("GET", target + "/likes").member("likes") == "3" && ask("GET", target + "/none").code == 400_201)
    #expect(ask("PUT", target, #"{"metacounter":{"likes":"3"}}"#).code == 400_101)
    #expect(ask("PUT", target, #"{"metacounter":{"likes":1},"mode":"square"}"#).code == 400_111)
    #expect(ask("DELETE", target + "/new").code == 0 && ask("GET", target).member("new") == nil)
    #expect(ask("DELETE", target).code == 0 && ask("GET", target).member("likes") == nil)
    // Anybody counts in an open channel.
    #expect(ask("POST", "/v3/open_channels/square/metacounter", #"{"metacounter":{"claps":1}}"#).member("claps") == "1")
    #expect(
      sendbird.fetch("GET", target, ["session-key": sendbird.connect(["user_id": "eve"]).sessionKey]).code == 400_108)
  }
}
