import GatewayCore
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

@Suite(.onNodes)
struct SendbirdChangeLogTests {
  private let sendbird: SimulatedSendbird
  private let key: [String: String]

  init() throws {
    sendbird = try SimulatedSendbird()
    for user in ["ann", "bob"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    key = ["session-key": sendbird.connect(["user_id": "ann"]).sessionKey]
  }

  /// Sends a message, and returns its number.
  @discardableResult
  private func say(_ text: String) -> String {
    sendbird.serve(
      "POST", "/v3/group_channels/talk/messages", #"{"message_type":"MESG","user_id":"bob","message":"\#(text)"}"#
    ).member("message_id") ?? ""
  }

  /// Returns the values of a member of the objects in an answer's list.
  private func values(_ name: String, in list: String?) -> [String] {
    (list ?? "").split(separator: "\"\(name)\":").dropFirst().map { part in
      String(part.prefix { $0 != "," && $0 != "}" }).replacing("\"", with: "")
    }
  }

  @Test(arguments: ["9007199254740991", "9223372036854775807", "1800000001000"])
  func `the newest messages are before the largest number that a client has`(time: String) {
    let sent = ["a", "b", "c"].map { text in
      sendbird.world.advance(by: .milliseconds(1))
      return say(text)
    }
    sendbird.world.advance(by: .seconds(1))
    let target = "/v3/group_channels/talk/messages?message_ts=\(time)&prev_limit=2&next_limit=0"
    let answer = sendbird.fetch("GET", target, key)
    #expect(answer.code == 0)
    #expect(values("message_id", in: answer.member("messages")) == Array(sent.suffix(2)))
  }

  @Test(arguments: [("-1", 400_106), ("soon", 400_101), ("1e99", 400_101)])
  func `an invalid time is refused`(time: String, code: Int) {
    #expect(sendbird.fetch("GET", "/v3/group_channels/talk/messages?message_ts=\(time)", key).code == code)
    #expect(sendbird.fetch("GET", "/v3/group_channels/talk/messages/changelogs?change_ts=\(time)", key).code == code)
  }

  @Test
  func `messages edited since a time are listed once each, page by page`() throws {
    let changes = "/v3/group_channels/talk/messages/changelogs"
    let sent = (1...150).map { say("m\($0)") }
    #expect(sent.compactMap { Int($0) } == Set(sent.compactMap { Int($0) }).sorted())
    sendbird.world.advance(by: .seconds(1))
    let none = sendbird.fetch("GET", changes + "?change_ts=1", key)
    #expect(none.code == 0 && none.member("updated") == "[]" && none.member("deleted") == "[]")
    #expect(none.member("has_more") == "false")
    for number in sent {
      sendbird.world.advance(by: .milliseconds(1))
      sendbird.serve("PUT", "/v3/group_channels/talk/messages/\(number)", #"{"message_type":"MESG","message":"new"}"#)
    }
    var token = try #require(none.member("next"))
    var seen: [String] = []
    for hasMore in ["true", "false"] {
      let page = sendbird.fetch("GET", changes + "?token=\(token)", key)
      seen += values("message_id", in: page.member("updated"))
      #expect(page.member("has_more") == hasMore)
      token = try #require(page.member("next"))
    }
    #expect(seen == sent)
    sendbird.world.advance(by: .seconds(1))
    #expect(sendbird.fetch("GET", changes, key).code == 400_105)
    #expect(sendbird.fetch("GET", changes + "?token=x", key).code == 400_111)
    #expect(sendbird.fetch("GET", "/v3/open_channels/talk/messages/changelogs?change_ts=1", key).code == 400_201)
  }

  @Test
  func `a change that was made after an answer is in the next`() throws {
    let sent = ["a", "b", "c"].map { say($0) }
    let changes = "/v3/group_channels/talk/messages/changelogs"
    sendbird.serve("PUT", "/v3/group_channels/talk/messages/\(sent[0])", #"{"message_type":"MESG","message":"new"}"#)
    sendbird.serve("DELETE", "/v3/group_channels/talk/messages/\(sent[1])")
    sendbird.world.advance(by: .seconds(3))
    // An event of three seconds ago may have waited that long, and is returned again.
    let token = try #require(sendbird.fetch("GET", changes + "?change_ts=1", key).member("next"))
    let again = sendbird.fetch("GET", changes + "?token=\(token)", key)
    #expect(values("message_id", in: again.member("updated")) == [sent[0]])
    #expect(values("message_id", in: again.member("deleted")) == [sent[1]])
    sendbird.world.advance(by: .seconds(30))
    let last = try #require(sendbird.fetch("GET", changes + "?change_ts=1", key).member("next"))
    let none = sendbird.fetch("GET", changes + "?token=\(last)", key)
    #expect(none.member("updated") == "[]" && none.member("deleted") == "[]")
  }

  @Test(arguments: ["GET", "PUT"])
  func `every channel of the user counts as changed, page by page, and again the next time`(method: String) throws {
    for name in ["b", "c"] {
      sendbird.world.advance(by: .milliseconds(1))
      sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"\#(name)","user_ids":["ann"]}"#)
    }
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"others","user_ids":["bob"]}"#)
    let target = "/v3/users/ann/my_group_channels/changelogs?limit=2"
    var token = ""
    var seen: [String] = []
    for hasMore in ["true", "false", "true"] {
      let isGET = method == "GET"
      let page = sendbird.fetch(
        method, target + (isGET ? "&change_ts=1&token=\(token)" : ""), key,
        body: isGET ? "" : #"{"change_ts":1,"token":"\#(token)"}"#)
      #expect(page.code == 0 && page.member("has_more") == hasMore && page.member("deleted") == "[]")
      seen += values("channel_url", in: page.member("updated"))
      token = try #require(page.member("next"))
    }
    #expect(seen == ["c", "b", "talk", "c", "b"])
    #expect(sendbird.fetch(method, "/v3/users/bob/my_group_channels/changelogs", key).code == 400_108)
  }

  @Test
  func `a channel left or made between two pages hides no other, and is reported`() throws {
    for name in 1...6 {
      sendbird.world.advance(by: .milliseconds(1))
      sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"c\#(name)","user_ids":["ann"]}"#)
    }
    let target = "/v3/users/ann/my_group_channels/changelogs?limit=2"
    var (seen, gone): ([String], [String]) = ([], [])
    var token = ""
    func page() throws -> Bool {
      let page = sendbird.fetch("GET", target + "&change_ts=1&token=\(token)", key)
      seen += values("channel_url", in: page.member("updated"))
      gone += page.member("deleted")?.split(separator: "\"").filter { $0.contains("c") }.map(String.init) ?? []
      token = try #require(page.member("next"))
      return page.member("has_more") == "true"
    }
    #expect(try page() && seen == ["c6", "c5"])
    sendbird.world.advance(by: .seconds(1))
    sendbird.serve("DELETE", "/v3/group_channels/c6")
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"new","user_ids":["ann"]}"#)
    sendbird.world.advance(by: .seconds(1))
    while try page() {}
    #expect(seen == ["c6", "c5", "c4", "c3", "c2", "c1", "talk"] && Set(gone) == ["c6"])
    #expect(try page() && seen.suffix(2) == ["new", "c5"], "from the first again")
    #expect(sendbird.fetch("GET", "/v3/users/ann/my_group_channels/changelogs?limit=0", key).code == 400_113)
  }

  @Test(.long)
  func `a client that returns after three hundred changes of messages and channels receives all of them`() throws {
    for number in 1...300 {
      say("m\(number)")
      sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"c\#(number)","user_ids":["ann"]}"#)
    }
    sendbird.world.advance(by: .seconds(1))
    let since = sendbird.world.wallTime.nanoseconds / 1_000_000
    for number in 1...300 {
      sendbird.serve("DELETE", "/v3/group_channels/talk/messages/\(number)")
      sendbird.serve("DELETE", "/v3/group_channels/c\(number)")
    }
    let messages = sendbird.fetch("GET", "/v3/group_channels/talk/messages/changelogs?change_ts=\(since)", key)
    #expect(values("message_id", in: messages.member("deleted")) == (1...300).map(String.init))
    let channels = sendbird.fetch("GET", "/v3/users/ann/my_group_channels/changelogs?change_ts=\(since)", key)
    #expect(channels.member("deleted")?.split(separator: ",").count == 300 && channels.member("has_more") == "false")
  }

  @Test
  func `a channel is also found where clients look up an announced one`() {
    sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"square"}"#)
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"others","user_ids":["bob"]}"#)
    #expect(sendbird.fetch("GET", "/v3/sdk/group_channels/talk", key).member("member_count") == "2")
    #expect(sendbird.fetch("GET", "/v3/sdk/open_channels/square", key).member("channel_url") == "square")
    #expect(sendbird.fetch("GET", "/v3/sdk/group_channels/others", key).code == 400_108)
    #expect(sendbird.fetch("GET", "/v3/sdk/open_channels/none", key).code == 400_201)
  }
}
