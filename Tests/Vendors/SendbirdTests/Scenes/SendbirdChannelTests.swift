import GatewayCore
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

@testable import GatewaySendbird

@Suite(.onNodes)
struct SendbirdChannelTests {
  /// Returns an application with users of these names, who are not connected.
  private func application(
    _ users: String..., change: (inout SendbirdSettings) -> Void = { _ in }
  ) throws -> SimulatedSendbird {
    let sendbird = try SimulatedSendbird(change)
    for user in users { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)","nickname":"\#(user)"}"#) }
    return sendbird
  }

  private func commands(_ peer: SimulatedPeer, _ name: String) -> [String] {
    peer.commands.filter { $0.hasPrefix(name) }
  }

  @Test(.long)
  func `clients exchange messages during a refresh of a session, and nothing is lost or doubled`() throws {
    let sendbird = try application("ann", "bob") { $0.sessionLife = .seconds(30) }
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    let ann = sendbird.connect(["user_id": "ann"])
    let bob = sendbird.connect(["user_id": "bob", "expiring_session": "1"])
    var refreshes = 0
    for second in 0..<100 {
      sendbird.say(#"MESG{"channel_url":"talk","message":"a\#(second)","req_id":"a\#(second)"}"#, ann)
      // Bob also sends while the gateway waits for his refresh.
      sendbird.say(#"MESG{"channel_url":"talk","message":"b\#(second)","req_id":"b\#(second)"}"#, bob)
      if commands(bob, "EXPR").count > refreshes, second % 3 == 0 {
        refreshes += 1
        sendbird.say(#"LOGI{"token":"","expiring_session":1,"req_id":"refresh"}"#, bob)
      }
      sendbird.world.advance(by: .seconds(1))
    }
    #expect(refreshes == 3 && commands(bob, "EXPR").count == 3 && sendbird.connectionCount == 2)
    for peer in [ann, bob] {
      let texts = commands(peer, "MESG").compactMap { $0.firstMatch(of: #/"message":"(\w+)"/#).map { String($0.1) } }
      #expect(texts == (0..<100).flatMap { ["a\($0)", "b\($0)"] })
      let ids = commands(peer, "MESG").compactMap { $0.firstMatch(of: #/"msg_id":(\d+)/#).flatMap { Int($0.1) } }
      #expect(ids.count == 200 && ids == Set(ids).sorted())
      #expect(ids == Array(1...200) || TestPlace.ofScenes == .cluster)
      #expect(commands(peer, "EROR").isEmpty)
    }
    // The sender gets the answer with the request id, and no second copy; the other user gets no request id.
    #expect(commands(ann, "MESG").filter { $0.contains(#""req_id":"a"#) }.count == 100)
    #expect(commands(ann, "MESG").filter { $0.contains(#""req_id":"b"#) }.isEmpty)
  }

  @Test
  func `messages reach every device of every member, and no other client`() throws {
    let sendbird = try application("ann", "bob", "eve")
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    let peers = ["ann", "ann", "bob", "bob", "eve"].map { sendbird.connect(["user_id": $0]) }
    sendbird.say(#"MESG{"channel_url":"talk","message":"hi","data":"d","custom_type":"c","req_id":"1"}"#, peers[0])
    #expect(peers.map { commands($0, "MESG").count } == [1, 1, 1, 1, 0])
    let heard = try #require(commands(peers[2], "MESG").first)
    for part in [
      #""channel_type":"group""#, #""data":"d""#, #""custom_type":"c""#, #""guest_id":"ann""#, #""name":"ann""#,
      #""ts":1800000000"#, #""mention_type":"users""#,
    ] {
      #expect(heard.contains(part), "\(part)")
    }
    let file = #"FILE{"channel_url":"talk","url":"https://x/y","name":"y","size":7,"custom":"z","req_id":"2"}"#
    sendbird.say(file, peers[2])
    #expect(peers[0].last("url", of: "FILE") == "https://x/y" && peers[0].last("custom", of: "FILE") == "z")
    #expect(peers[2].last("req_id", of: "FILE") == "2" && peers[2].last("size", of: "FILE") == "7")
  }

  @Test
  func `several files in one message are received, listed and replied to`() throws {
    let sendbird = try application("ann", "bob")
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    let (ann, bob) = (sendbird.connect(["user_id": "ann"]), sendbird.connect(["user_id": "bob"]))
    func file(_ name: String) -> String {
      #"{"url":"https://x/\#(name)","file_name":"\#(name)","file_type":"image/png","file_size":7}"#
    }
    sendbird.say(#"FILE{"channel_url":"talk","files":[\#(file("a")),\#(file("b"))],"req_id":"1"}"#, ann)
    func told(_ name: String) -> String {
      #"{"url":"https://x/\#(name)","name":"\#(name)","type":"image/png","size":7,"require_auth":false,"thumbnails":[]}"#
    }
    #expect(bob.last("files", of: "FILE") == "[\(told("a")),\(told("b"))]")
    #expect(bob.last("url", of: "FILE") == nil && ann.last("req_id", of: "FILE") == "1")
    let sent = sendbird.serve("GET", "/v3/group_channels/talk/messages/1")
    #expect(sent.member("files") == "[\(told("a")),\(told("b"))]" && sent.member("file") == nil)
    let reply = #"{"message_type":"MESG","user_id":"bob","message":"fine","parent_message_id":1}"#
    let info = sendbird.serve("POST", "/v3/group_channels/talk/messages", reply).member("parent_message_info")
    #expect(info?.contains(#""url":"https://x/a""#) == true)
    let one = #"{"message_type":"FILE","user_id":"ann","files":[\#(file("c"))]}"#
    let alone = sendbird.serve("POST", "/v3/group_channels/talk/messages", one)
    #expect(alone.member("file")?.contains(#""name":"c""#) == true && alone.member("files") == nil)
    for (files, code) in [
      ("[]", 400_105), ("7", 400_102), ("[7]", 400_103), (#"[{"url":"u"},{}]"#, 400_105),
      (#"[{"url":"u"},{"url":"u","file_size":-1}]"#, 400_106),
      ("[\((0...30).map { file("\($0)") }.joined(separator: ","))]", 400_203),
    ] {
      let body = #"{"message_type":"FILE","user_id":"ann","files":\#(files)}"#
      #expect(sendbird.serve("POST", "/v3/group_channels/talk/messages", body).code == code, "\(files)")
    }
  }

  @Test
  func `clients change their own messages, read other users' messages, and see typing`() throws {
    let sendbird = try application("ann", "bob")
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    let (ann, bob) = (sendbird.connect(["user_id": "ann"]), sendbird.connect(["user_id": "bob"]))
    sendbird.say(#"MESG{"channel_url":"talk","message":"hi","req_id":"1"}"#, ann)
    sendbird.say(#"MEDI{"channel_url":"talk","msg_id":1,"message":"ho","req_id":"2"}"#, ann)
    #expect(bob.last("message", of: "MEDI") == "ho" && ann.last("req_id", of: "MEDI") == "2")
    sendbird.say(#"MEDI{"channel_url":"talk","msg_id":1,"message":"mine","req_id":"3"}"#, bob)
    #expect(bob.last("code", of: "EROR") == "900022" && ann.last("message", of: "MEDI") == "ho")
    let own = { sendbird.serve("GET", "/v3/users/bob/unread_message_count").member("unread_count") }
    #expect(own() == "1")
    sendbird.say(#"READ{"channel_url":"talk","req_id":"4"}"#, bob)
    #expect(own() == "0" && bob.last("req_id", of: "READ") == "4" && ann.last("req_id", of: "READ") == nil)
    #expect(ann.last("ts", of: "READ") == "1800000000000")
    #expect(ann.commands.last?.contains(#""guest_id":"bob""#) == true)
    let before = ann.commands.count
    sendbird.say(#"TPST{"channel_url":"talk","time":1}"#, ann)
    #expect(bob.last("cat", of: "SYEV") == "10900" && ann.commands.count == before)
    sendbird.say(#"TPEN{"channel_url":"talk","time":2}"#, ann)
    #expect(bob.last("cat", of: "SYEV") == "10901")
    sendbird.say(#"MACK{"channel_url":"talk","msg_id":1}"#, bob)
    #expect(commands(bob, "EROR").count == 1 && bob.isOpen)
  }

  @Test
  func `messages are marked as unread from one on, with the answer that clients need and a READ for it`() throws {
    let sendbird = try application("ann", "bob")
    let (ann, bob) = (sendbird.connect(["user_id": "ann"]), sendbird.connect(["user_id": "bob"]))
    _ = sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    var ids: [String] = []
    for (index, speaker) in [ann, ann, bob, ann].enumerated() {
      sendbird.world.advance(by: .seconds(1))
      sendbird.say(#"MESG{"channel_url":"talk","message":"\#(index)","req_id":"m\#(index)"}"#, speaker)
      ids.append(try #require(speaker.last("msg_id", of: "MESG")))
    }
    sendbird.say(#"READ{"channel_url":"talk","req_id":"r"}"#, bob)
    let own = { sendbird.serve("GET", "/v3/users/bob/unread_message_count").member("unread_count") }
    #expect(own() == "0")
    func mark(_ body: String) -> HTTPResponse {
      sendbird.fetch(
        "PUT", "/v3/group_channels/talk/messages/mark_as_read", ["session-key": bob.sessionKey], body: body)
    }
    // Two of the four messages, from the second on, are by others.
    let answer = mark(#"{"user_id":"bob","message_id":\#(ids[1]),"is_excluded":true}"#)
    #expect(answer.status == 200 && answer.member("channel_url") == "talk")
    #expect(answer.member("unread_message_count") == "2" && answer.member("ts") == "1800000001999")
    #expect(answer.member("total_unread_count")?.contains(#""all":2"#) == true)
    #expect(own() == "2" && bob.last("is_excluded", of: "READ") == "true")
    #expect(ann.last("is_excluded", of: "READ") == "true" && ann.last("ts", of: "READ") == "1800000001999")
    #expect(bob.commands.last?.contains(#""unread_cnt":{"all":2"#) == true)
    // One more message counts from there, and reading ends it.
    sendbird.say(#"MESG{"channel_url":"talk","message":"4"}"#, ann)
    #expect(own() == "3")
    #expect(mark(#"{"user_id":"bob"}"#).text == "{}" && own() == "0")
    #expect(mark(#"{"user_id":"bob","message_id":\#(ids[0]),"is_excluded":false}"#).status == 200 && own() == "0")
    for body in [
      #"{"user_id":"bob","is_excluded":true}"#, #"{"user_id":"bob","message_id":0,"is_excluded":true}"#,
      #"{"user_id":"bob","message_id":9223372036854775807,"is_excluded":true}"#,
      #"{"user_id":"bob","message_id":"x","is_excluded":true}"#,
    ] {
      #expect(mark(body).status == 400, "\(body)")
    }
    #expect(own() == "0")
  }

  @Test
  func `a client is in an open channel from entering it until it leaves or its connection ends`() throws {
    let sendbird = try application("ann", "bob")
    sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"square"}"#)
    let count = { sendbird.serve("GET", "/v3/open_channels/square").member("participant_count") }
    let (ann, bob) = (sendbird.connect(["user_id": "ann"]), sendbird.connect(["user_id": "bob"]))
    sendbird.say(#"MESG{"channel_url":"square","message":"hi","req_id":"1"}"#, ann)
    #expect(ann.last("code", of: "EROR") == "900020")
    sendbird.say(#"ENTR{"channel_url":"square","req_id":"2"}"#, ann)
    #expect(ann.last("participant_count", of: "ENTR") == "1" && ann.last("edge_ts", of: "ENTR") == "1800000000000")
    sendbird.say(#"ENTR{"channel_url":"square","req_id":"3"}"#, bob)
    #expect(count() == "2" && ann.last("cat", of: "SYEV") == "10102")
    sendbird.say(#"MESG{"channel_url":"square","message":"hi","req_id":"4"}"#, bob)
    #expect(ann.last("channel_type", of: "MESG") == "open" && commands(bob, "MESG").count == 1)
    bob.abort()
    sendbird.world.settle()
    #expect(count() == "1" && ann.last("cat", of: "SYEV") == "10103")
    #expect(sendbird.user("bob")?.lastSeenAt == sendbird.world.wallTime)
    let again = sendbird.connect(["user_id": "bob"])
    sendbird.say(#"MESG{"channel_url":"square","message":"still?","req_id":"5"}"#, again)
    #expect(again.last("code", of: "EROR") == "900020")
    sendbird.say(#"EXIT{"channel_url":"square","req_id":"6"}"#, ann)
    #expect(ann.last("participant_count", of: "EXIT") == "0" && count() == "0")
    sendbird.serve(
      "POST", "/v3/open_channels/square/messages", #"{"message_type":"ADMM","message":"to nobody"}"#)
    #expect(commands(ann, "ADMM").isEmpty)
  }

  @Test
  func `a user leaves an open channel with their last connection only`() throws {
    let sendbird = try application("ann", "bob")
    sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"square"}"#)
    let (phone, laptop) = (sendbird.connect(["user_id": "ann"]), sendbird.connect(["user_id": "ann"]))
    let bob = sendbird.connect(["user_id": "bob"])
    for peer in [phone, laptop, bob] { sendbird.say(#"ENTR{"channel_url":"square","req_id":"1"}"#, peer) }
    #expect(bob.last("participant_count", of: "ENTR") == "2" && phone.last("cat", of: "SYEV") == "10102")
    phone.close()
    sendbird.world.settle()
    #expect(commands(bob, "SYEV").allSatisfy { !$0.contains(#""cat":10103"#) })
    laptop.close()
    sendbird.world.settle()
    #expect(bob.last("cat", of: "SYEV") == "10103")
  }

  @Test
  func `members are told of invitations, departures, and the channel's changes`() throws {
    let sendbird = try application("ann", "bob", "eve")
    let peers = ["ann", "bob", "eve"].map { sendbird.connect(["user_id": $0]) }
    let key = ["session-key": peers[0].sessionKey]
    let url = "/v3/group_channels/talk"
    #expect(
      sendbird.fetch("POST", "/v3/group_channels", key, body: #"{"channel_url":"talk","user_ids":["bob"]}"#)
        .member("member_count") == "2")
    #expect(peers.map { $0.last("cat", of: "SYEV") } == ["10020", "10020", nil])
    #expect(sendbird.fetch("POST", url + "/invite", key, body: #"{"user_ids":["eve"]}"#).code == 0)
    #expect(peers[2].last("cat", of: "SYEV") == "10020")
    #expect(sendbird.fetch("PUT", url, key, body: #"{"name":"New"}"#).member("name") == "New")
    #expect(peers.allSatisfy { $0.last("cat", of: "SYEV") == "11000" })
    #expect(sendbird.fetch("PUT", url + "/leave", ["session-key": peers[1].sessionKey], body: "{}").code == 0)
    #expect(peers.allSatisfy { $0.last("cat", of: "SYEV") == "10001" })
    sendbird.serve("PUT", url + "/freeze", #"{"freeze":true}"#)
    #expect(peers.map { $0.last("cat", of: "SYEV") } == ["10701", "10001", "10701"])
    #expect(sendbird.fetch("DELETE", url, key).code == 400_108)
    sendbird.serve("DELETE", url)
    #expect(peers.map { $0.last("cat", of: "SYEV") } == ["12000", "10001", "12000"])
    #expect(sendbird.fetch("GET", url, key).code == 400_201)
  }
}
