import GatewayCore
import GatewaySimulator
import TestSupport
import Testing

@Suite(.onNodes)
struct SendbirdSearchTests {
  private let sendbird: SimulatedSendbird
  private let key: [String: String]

  init() throws {
    sendbird = try SimulatedSendbird()
    for user in ["ann", "bob"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
    for (url, members) in [("talk", #""ann","bob""#), ("work", #""ann","bob""#), ("secret", #""bob""#)] {
      sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"\#(url)","user_ids":[\#(members)],"name":"N"}"#)
      sendbird.serve(
        "POST", "/v3/group_channels/\(url)/messages",
        #"{"message_type":"MESG","user_id":"bob","message":"Lunch in \#(url)"}"#)
      sendbird.world.advance(by: .seconds(1))
    }
    key = ["session-key": sendbird.connect(["user_id": "ann"]).sessionKey]
  }

  private func find(_ query: String) -> HTTPResponse {
    sendbird.fetch("GET", "/v3/search/messages?\(query)", key)
  }

  @Test
  func `messages of a user's own channels are found by their text, page by page`() {
    let all = find("query=lunch")
    #expect(all.member("total_count") == "2" && all.member("has_next") == "false" && all.member("end_cursor") == "")
    #expect(
      all.member("results")?.contains("Lunch in work") == true && all.member("results")?.contains("secret") == false)
    #expect(all.member("results")?.contains(#""channel":{"channel_url":"work","name":"N""#) == true)
    let first = find("query=LUNCH&limit=1")
    #expect(first.member("has_next") == "true" && first.member("results")?.contains("talk") == false)
    let second = find("query=LUNCH&limit=1&after=\(first.member("end_cursor") ?? "")")
    #expect(second.member("has_next") == "false" && second.member("results")?.contains("Lunch in talk") == true)
    let cases = [
      ("query=lunch&channel_url=talk", 1), ("query=lunch&channel_url=secret", 0), ("query=lunch&exact_match=true", 0),
      ("query=lunch%20in%20talk&exact_match=true", 1), ("query=lunch&message_ts_from=1800000000500", 1),
      ("query=lunch&message_ts_to=1800000000500", 1), ("query=lunch&custom_type=x", 0), ("query=lunch&reverse=true", 2),
    ]
    for (query, count) in cases { #expect(find(query).member("total_count") == "\(count)", "\(query)") }
    #expect(find("limit=1").code == 400_105 && find("query=x&after=y").code == 400_111)
    #expect(sendbird.serve("GET", "/v3/search/messages?query=lunch&user_id=bob").member("total_count") == "3")
    // Hidden history is not found either.
    _ = sendbird.fetch("PUT", "/v3/group_channels/talk/reset_user_history", key, body: "{}")
    #expect(find("query=lunch").member("total_count") == "1")
  }

  @Test
  func `a channel, a message and a user are reported, and servers are told`() {
    func report(_ target: String, _ body: String) -> Int {
      sendbird.fetch("POST", "/v3/report/\(target)", key, body: body).code
    }
    let spam = #"{"report_category":"spam","report_description":"d","offending_user_id":"bob"}"#
    for target in ["group_channels/talk", "group_channels/talk/messages/1", "users/bob"] {
      #expect(report(target, spam) == 0, "\(target)")
      sendbird.world.advance(by: .milliseconds(1))
    }
    let all = sendbird.serve("GET", "/v3/report")
    #expect(all.member("report_logs")?.hasPrefix(#"[{"report_type":"user","report_category":"spam""#) == true)
    let ofMessage = sendbird.serve("GET", "/v3/report/group_channels/talk/messages/1").member("report_logs")
    #expect(ofMessage?.contains(#""reported_message":{"message_id":1}"#) == true)
    #expect(ofMessage?.contains(#""reporting_user":{"user_id":"ann"}"#) == true)
    #expect(sendbird.serve("GET", "/v3/report/users/bob?limit=1").member("next") == "")
    #expect(sendbird.serve("GET", "/v3/report/open_channels/talk").member("report_logs") != "[]")
    #expect(sendbird.fetch("GET", "/v3/report", key).code == 400_108)
    let refused = [
      ("group_channels/secret", spam, 400_108), ("group_channels/none", spam, 400_201),
      ("group_channels/talk/messages/99", spam, 400_201), ("users/nobody", spam, 400_201), ("users/bob", "{}", 400_105),
      ("users/bob", #"{"report_category":"boring"}"#, 400_111),
    ]
    for (target, body, code) in refused { #expect(report(target, body) == code, "\(target)") }
  }

  @Test
  func `an interface kit is told that no optional feature is on`() {
    let answer = sendbird.fetch("GET", "/v3/sdk/ui_kit/configuration", key)
    #expect(
      answer.code == 0 && answer.member("uikit_configurations")?.contains(#""group_channel":{"channel":{}"#) == true)
    #expect(sendbird.fetch("GET", "/v3/sdk/ui_kit/configuration").code == 400_401)
  }

  @Test
  func `a client's statistics are accepted`() {
    func both(_ key: [String: String], _ body: String) -> [HTTPResponse] {
      [
        sendbird.fetch("POST", "/v3/sdk/statistics", key, body: body),
        sendbird.fetch("POST", "/v3/sdk/notification_statistics", key, body: body),
      ]
    }
    let entry = #"{"device_id":"d","log_entries":[{"stat_type":"ws:connect","ts":1,"data":{"success":true}}]}"#
    #expect(both(key, entry).map(\.text) == ["{}", "{}"])
    #expect(both([:], entry).map(\.code) == [400_401, 400_401])
    for (body, code) in [("{}", 400_105), (#"{"log_entries":7}"#, 400_102), ("x", 400_403)] {
      #expect(both(key, body).map(\.code) == [code, code], "\(body)")
    }
  }
}
