import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

@Suite(.onNodes)
struct SendbirdCollectionTests {
  private let sendbird: SimulatedSendbird
  private let ann: SimulatedPeer
  private let bob: SimulatedPeer
  private var key: [String: String] { ["session-key": ann.sessionKey] }

  init() throws {
    sendbird = try SimulatedSendbird()
    for user in ["ann", "bob"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
    for url in ["talk", "other"] {
      sendbird.serve(
        "POST", "/v3/group_channels", #"{"channel_url":"\#(url)","user_ids":["ann","bob"],"operator_ids":["bob"]}"#)
    }
    sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"square"}"#)
    ann = sendbird.connect(["user_id": "ann"])
    bob = sendbird.connect(["user_id": "bob"])
  }

  private func say(_ text: String, _ more: String = "") {
    sendbird.say(#"MESG{"channel_url":"talk","message":"\#(text)","req_id":"1"\#(more)}"#, bob)
  }

  private func answer(_ target: String) -> JSONView? {
    let response = sendbird.fetch("GET", target, key)
    #expect(response.code == 0, "\(target)")
    return try? JSONDocument.parse(response.body, sizeMax: 1 << 24).root
  }

  private func texts(_ messages: JSONView?) -> [String] {
    (messages?.elements ?? []).compactMap { $0["message"]?.string }
  }

  // MARK: Gaps

  private func gap(_ query: String) -> JSONView? {
    answer("/v3/group_channels/talk/messages_gap?\(query)&checking_continuous_messages=true&include_reply_type=all")
  }

  @Test
  func `a collection receives messages sent while it was away, on either side of its range`() {
    for text in ["a", "b"] { say(text) }
    sendbird.world.advance(by: .seconds(10))
    for text in ["c", "d"] { say(text) }
    let whole = "prev_start_ts=1800000000000&prev_end_ts=1800000005000&prev_cache_count=2"
    let next = "&next_start_ts=1800000005000&next_end_ts=9007199254740991&next_cache_count=0"
    let found = gap(whole + next)
    #expect(found?["is_huge_gap"]?.bool == false)
    #expect(texts(found?["prev_messages"]) == ["a", "b"] && texts(found?["next_messages"]) == ["c", "d"])
    for name: StaticString in ["prev_hasmore", "next_hasmore", "prev_has_more", "next_has_more"] {
      #expect(found?[name]?.bool == false)
    }
    #expect(found?["is_continuous_next_messages"]?.bool == true)
    #expect(texts(gap("")?["next_messages"]) == [])
  }

  @Test
  func `a collection starts again if more than a hundred messages are missing`() {
    for number in 0..<102 { say("\(number)") }
    let next = "next_start_ts=0&next_end_ts=9007199254740991&next_cache_count="
    for (kept, isHuge) in [(0, true), (1, true), (2, false), (102, false)] {
      let found = gap(next + "\(kept)")
      #expect(found?["is_huge_gap"]?.bool == isHuge, "\(kept)")
      #expect(texts(found?["next_messages"]).count == (isHuge ? 0 : 102))
    }
  }

  @Test(.long)
  func `a collection receives new messages when as many were deleted, also behind two hundred messages`() {
    for number in 1...250 { say("\(number)") }
    for number in 1...3 { sendbird.serve("DELETE", "/v3/group_channels/talk/messages/\(number)") }
    for number in 251...253 { say("\(number)") }
    let next = "next_start_ts=0&next_end_ts=9007199254740991&next_cache_count="
    for kept in [250, 253] {
      let found = gap(next + "\(kept)")
      #expect(found?["is_huge_gap"]?.bool == false)
      #expect(texts(found?["next_messages"]) == (54...253).map(String.init), "\(kept)")
    }
  }

  // MARK: Deletions

  @Test
  func `a collection is told of deleted messages and lost channels`() throws {
    for text in ["a", "b"] { say(text) }
    sendbird.world.advance(by: .seconds(10))
    #expect(sendbird.serve("DELETE", "/v3/group_channels/talk/messages/1").code == 0)
    let messages = answer("/v3/group_channels/talk/messages/changelogs?change_ts=1800000000000")
    #expect(messages?["deleted"]?.text == #"[{"message_id":1,"deleted_at":1800000010000}]"#)
    let token = try #require(messages?["next"]?.string)
    sendbird.world.advance(by: .seconds(1))
    #expect(answer("/v3/group_channels/talk/messages/changelogs?token=\(token)")?["deleted"]?.count == 1)
    // A token begins ten seconds before its answer.
    sendbird.world.advance(by: .seconds(10))
    let later = try #require(
      answer("/v3/group_channels/talk/messages/changelogs?change_ts=1800000011000")?["next"]?.string)
    #expect(answer("/v3/group_channels/talk/messages/changelogs?token=\(later)")?["deleted"]?.count == 0)

    let own = "/v3/users/ann/my_group_channels/changelogs"
    let before = answer(own + "?change_ts=1800000000000")
    #expect(before?["deleted"]?.count == 0 && before?["updated"]?.count == 2)
    let place = try #require(before?["next"]?.string)
    sendbird.serve("POST", "/v3/group_channels/talk/ban", #"{"user_id":"ann"}"#)
    sendbird.serve("DELETE", "/v3/group_channels/other")
    for query in ["token=\(place)", "change_ts=1800000000000"] {
      let after = answer(own + "?" + query)
      #expect(after?["deleted"]?.text == #"["talk","other"]"# && after?["updated"]?.count == 0)
    }
    #expect(sendbird.fetch("GET", own + "?token=p0", key).code == 400_111)
    #expect(sendbird.fetch("GET", own + "?token=c99999999999999999999c0", key).code == 400_111)
  }

  // MARK: Threads

  @Test
  func `a collection keeps threads apart from the channel, and is told when one grows or shrinks`() throws {
    say("root")
    let id = try #require(bob.last("msg_id", of: "MESG"))
    sendbird.say(
      #"MESG{"channel_url":"talk","message":"re","parent_message_id":\#(id),"req_id":"2"}"#, ann)
    let first = try #require(ann.last("msg_id", of: "MESG"))
    say("re to all", #","parent_message_id":\#(id),"reply_to_channel":true"#)
    say("other")
    let list = "/v3/group_channels/talk/messages?message_ts=1800000000000&prev_limit=9&next_limit=9"
    #expect(texts(answer(list)?["messages"]) == ["root", "other"])
    #expect(texts(answer(list + "&include_reply_type=NONE")?["messages"]) == ["root", "other"])
    #expect(texts(answer(list + "&include_reply_type=all")?["messages"]) == ["root", "re", "re to all", "other"])
    let both = texts(answer(list + "&include_reply_type=only_reply_to_channel")?["messages"])
    #expect(both == ["root", "re to all", "other"])
    // The parent message comes first.
    let thread = answer(list + "&include_reply_type=all&parent_message_id=\(id)")?["messages"]
    #expect(texts(thread) == ["root", "re", "re to all"])
    let root = thread?.elements?.first
    #expect(root?["thread_info"]?["reply_count"]?.integer == 2 && root?["parent_message_id"] == nil)
    #expect(root?["thread_info"]?["most_replies"]?.count == 2)
    let reply = thread?.elements?.last
    #expect(reply?["parent_message_info"]?["message"]?.string == "root")
    #expect(reply?["parent_message_info"]?["user"]?["user_id"]?.string == "bob")
    #expect(reply?["is_reply_to_channel"]?.bool == true)
    for peer in [ann, bob] {
      #expect(peer.commands.filter { $0.hasPrefix("MTHD") }.count == 2)
      #expect(peer.last("parent_message_id", of: "MTHD") == id)
      #expect(peer.last("thread_info", of: "MTHD")?.hasPrefix(#"{"reply_count":2,"#) == true)
    }
    // The answer comes before its effects.
    let heard = ann.commands.map { $0.prefix(4) }.suffix(5)
    #expect(Array(heard) == ["MESG", "MTHD", "MESG", "MTHD", "MESG"])
    #expect(sendbird.fetch("DELETE", "/v3/group_channels/talk/messages/\(first)", key).code == 0)
    #expect(bob.last("thread_info", of: "MTHD")?.hasPrefix(#"{"reply_count":1,"#) == true)
    #expect(sendbird.fetch("GET", list + "&parent_message_id=99", key).code == 400_201)
    #expect(sendbird.fetch("GET", list + "&parent_message_id=x", key).code == 400_101)
    #expect(sendbird.fetch("GET", list + "&include_reply_type=some", key).code == 400_111)
  }

  // MARK: Meta arrays

  @Test(arguments: [
    #""metaarray":{"b":["1","2"],"a":[]},"metaarray_key_order":["a","b"]"#,
    #""metaarray":[{"key":"a","value":[]},{"key":"b","value":["1","2"]}]"#,
    #""sorted_metaarray":[{"key":"a"},{"key":"b","value":["1","2"]},{"key":"a","value":["x"]}]"#,
  ])
  func `a collection receives meta arrays as a map, its order and a list, however they were written`(written: String) {
    say("hi", "," + written)
    for peer in [ann, bob] {
      #expect(peer.last("metaarray", of: "MESG") == #"{"a":[],"b":["1","2"]}"#)
      #expect(peer.last("metaarray_key_order", of: "MESG") == #"["a","b"]"#)
      #expect(
        peer.last("sorted_metaarray", of: "MESG") == #"[{"key":"a","value":[]},{"key":"b","value":["1","2"]}]"#)
    }
    let list = answer("/v3/group_channels/talk/messages?message_ts=1800000000000&prev_limit=0&next_limit=1")
    let message = list?["messages"]?.elements?.first
    #expect(message?["sorted_metaarray"]?.text == #"[{"key":"a","value":[]},{"key":"b","value":["1","2"]}]"#)
  }

  // MARK: Counts and receipts

  @Test
  func `a collection gets its own user's unread count with every event`() {
    func count(_ peer: SimulatedPeer, _ name: String) -> String? { peer.last("unread_cnt", of: name) }
    func counts(_ number: Int) -> String { #"{"all":\#(number),"feed":0,"ts":1800000000000,"custom_types":{}}"# }
    for number in 1...3 {
      say("\(number)")
      #expect(count(ann, "MESG") == counts(number) && count(bob, "MESG") == counts(0))
    }
    sendbird.say(#"MESG{"channel_url":"other","message":"x","req_id":"1"}"#, ann)
    #expect(count(bob, "MESG") == counts(1) && count(ann, "MESG") == counts(3))
    let laptop = sendbird.connect(["user_id": "ann"])
    #expect(count(laptop, "LOGI") == counts(3))
    sendbird.say(#"TPST{"channel_url":"talk","time":1}"#, bob)
    #expect(count(ann, "SYEV") == counts(3))
    sendbird.say(#"READ{"channel_url":"talk","req_id":"r"}"#, ann)
    #expect(count(ann, "READ") == counts(0) && count(laptop, "READ") == counts(0) && count(bob, "READ") == counts(1))
    sendbird.serve("PUT", "/v3/group_channels/other", #"{"custom_type":"food"}"#)
    #expect(count(bob, "SYEV")?.contains(#""custom_types":{"food":1}"#) == true)
    sendbird.say(#"ENTR{"channel_url":"square","req_id":"e"}"#, ann)
    #expect(ann.last("channel_type", of: "SYEV") == "open" && count(ann, "SYEV") == nil)
  }

  @Test
  func `a collection is told of deliveries, and so is the sender`() {
    let url = "/v3/group_channels/talk/messages/mark_as_delivered"
    let answer = sendbird.fetch("PUT", url, key, body: #"{"user_id":"ann","ts":1}"#)
    #expect(answer.code == 0 && answer.member("ts") == "1800000000000")
    #expect(bob.last("updated", of: "DLVR") == #"{"ann":1800000000000}"# && ann.last("updated", of: "DLVR") == nil)
    let channel = sendbird.fetch("GET", "/v3/group_channels/talk", key)
    #expect(channel.member("delivery_receipt") == #"{"ann":1800000000000,"bob":0}"#)
    #expect(channel.member("created_at") == "1800000000")
    let other = "/v3/group_channels/none/messages/mark_as_delivered"
    #expect(sendbird.fetch("PUT", other, key, body: "{}").code == 400_201)
  }

  // MARK: Open channels

  @Test
  func `a collection of an open channel counts participants after entering and leaving, from any device`() {
    let laptop = sendbird.connect(["user_id": "ann"])
    for (peer, count) in [(ann, "1"), (laptop, "1"), (bob, "2")] {
      sendbird.say(#"ENTR{"channel_url":"square","req_id":"1"}"#, peer)
      #expect(peer.commands.suffix(2).map { $0.prefix(4) } == ["ENTR", "SYEV"])
      #expect(peer.last("cat", of: "SYEV") == "10102")
      #expect(peer.last("data", of: "SYEV")?.contains(#""participant_count":\#(count)"#) == true)
    }
    sendbird.say(#"EXIT{"channel_url":"square","req_id":"2"}"#, bob)
    #expect(bob.last("cat", of: "SYEV") == "10103" && ann.last("cat", of: "SYEV") == "10103")
    #expect(bob.last("data", of: "SYEV")?.contains(#""participant_count":1"#) == true)
  }

  @Test
  func `a collection of an open channel gets no message of a muted user`() {
    sendbird.say(#"ENTR{"channel_url":"square","req_id":"1"}"#, ann)
    #expect(sendbird.serve("POST", "/v3/open_channels/square/mute", #"{"user_id":"ann"}"#).code == 0)
    #expect(ann.last("cat", of: "SYEV") == "10201")
    sendbird.say(#"MESG{"channel_url":"square","message":"hi","req_id":"2"}"#, ann)
    #expect(ann.last("code", of: "EROR") == "900041")
    let list = sendbird.serve("GET", "/v3/open_channels/square/participants").member("participants")
    #expect(list?.contains(#""is_muted":true"#) == true)
    #expect(sendbird.fetch("POST", "/v3/open_channels/square/mute", key, body: #"{"user_id":"bob"}"#).code == 400_108)
    #expect(sendbird.serve("POST", "/v3/open_channels/square/mute", #"{"user_id":"x"}"#).code == 400_201)
    #expect(sendbird.serve("DELETE", "/v3/open_channels/square/mute/ann").code == 0)
    sendbird.say(#"MESG{"channel_url":"square","message":"hi","req_id":"3"}"#, ann)
    #expect(ann.last("message", of: "MESG") == "hi" && ann.last("cat", of: "SYEV") == "10200")
  }
}
