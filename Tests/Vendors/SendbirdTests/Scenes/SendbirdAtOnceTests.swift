import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewaySendbird

@Suite(.onNodes)
struct SendbirdAtOnceTests {
  private let sendbird: SimulatedSendbird
  private let ann: SimulatedPeer

  init() throws {
    sendbird = try SimulatedSendbird()
    for user in ["ann", "bob"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    ann = sendbird.connect(["user_id": "ann"])
  }

  /// Returns the codes of eight concurrent requests.
  private func eightTimes(_ method: String, _ target: String, _ body: String = "") -> [Int: Int] {
    let codes = sendbird.serve(atOnce: Array(repeating: (method, target, body), count: 8))
    return Dictionary(codes.map { ($0, 1) }, uniquingKeysWith: +)
  }

  @Test
  func `one caller creates a bot, no concurrent change is lost, and one caller deletes it`() {
    let wish = #"{"bot_userid":"helper","bot_nickname":"Helper","bot_callback_url":"","bot_type":"a"}"#
    #expect(eightTimes("POST", "/v3/bots", wish) == [0: 1, 400_202: 7])
    let changes = [
      #"{"bot_callback_url":"http://x"}"#, #"{"is_privacy_mode":false}"#, #"{"enable_mark_as_read":false}"#,
      #"{"show_member":true}"#, #"{"channel_invitation_preference":1}"#, #"{"bot_nickname":"H"}"#,
    ]
    #expect(sendbird.serve(atOnce: changes.map { ("PUT", "/v3/bots/helper", $0) }) == [0, 0, 0, 0, 0, 0])
    let bot = sendbird.serve("GET", "/v3/bots/helper")
    #expect(bot.member("bot_callback_url") == "http://x" && bot.member("is_privacy_mode") == "false")
    #expect(bot.member("enable_mark_as_read") == "false" && bot.member("show_member") == "true")
    #expect(bot.member("channel_invitation_preference") == "1")
    #expect(bot.member("bot")?.contains(#""bot_nickname":"H""#) == true)
    #expect(eightTimes("DELETE", "/v3/bots/helper") == [0: 1, 400_201: 7])
    #expect(sendbird.serve("GET", "/v3/bots").member("bots") == "[]")
  }

  @Test
  func `one caller creates an announcement, it is sent once, and one caller cancels it`() {
    let wish = #""message":{"type":"ADMM","content":"news"},"target_at":"target_channels","target_list":["talk"]"#
    #expect(eightTimes("POST", "/v3/announcements", #"{"unique_id":"now",\#(wish)}"#) == [0: 1, 400_202: 7])
    #expect(ann.commands.count { $0.hasPrefix("ADMM") } == 1)
    let later = #"{"unique_id":"later","scheduled_at":1800000020000,\#(wish)}"#
    #expect(eightTimes("POST", "/v3/announcements", later) == [0: 1, 400_202: 7])
    #expect(eightTimes("PUT", "/v3/announcements/later", #"{"action":"pause"}"#) == [0: 1, 400_111: 7])
    #expect(eightTimes("PUT", "/v3/announcements/later", #"{"action":"resume"}"#) == [0: 1, 400_111: 7])
    sendbird.world.advance(by: .seconds(21))
    #expect(ann.commands.count { $0.hasPrefix("ADMM") } == 2)
    #expect(eightTimes("PUT", "/v3/announcements/later", #"{"action":"cancel"}"#) == [400_111: 8])
  }

  @Test
  func `a scheduled message that many callers send now is sent once, and one caller cancels it`() {
    let path = "/v3/group_channels/talk/scheduled_messages"
    let wish = #"{"message_type":"MESG","user_id":"bob","message":"later","scheduled_at":1800000020000}"#
    let ids = (0..<2).map { _ in sendbird.serve("POST", path, wish).member("scheduled_message_id") ?? "" }
    #expect(Set(ids.compactMap { Int($0) }).count == 2)
    #expect(eightTimes("POST", path + "/\(ids[0])/send_now") == [0: 1, 400_201: 7])
    #expect(ann.commands.count { $0.hasPrefix("MESG") } == 1)
    let both = sendbird.serve(
      atOnce: (0..<4).flatMap { _ in
        [("DELETE", "\(path)/\(ids[1])", ""), ("POST", "\(path)/\(ids[1])/send_now", "")]
      })
    #expect(both.count { $0 == 0 } == 1 && both.count { $0 == 400_201 } == 7, "\(both)")
    let sent = sendbird.serve("GET", path + "/\(ids[1])").member("scheduled_status")
    sendbird.world.advance(by: .seconds(30))
    #expect(ann.commands.count { $0.hasPrefix("MESG") } == (sent == "sent" ? 2 : 1))
  }

  @Test
  func `a poll counts one vote of a user who votes twice, by the socket and over HTTP, and one caller closes it`() {
    let key = ["session-key": ann.sessionKey]
    let made = sendbird.fetch("POST", "/v3/polls", key, body: #"{"title":"?","options":["yes","no"]}"#)
    #expect(made.member("id") == "1")
    sendbird.say(#"MESG{"channel_url":"talk","message":"vote","poll_id":1,"req_id":"1"}"#, ann)
    for round in 0..<4 {
      ann.say(#"VOTE{"channel_url":"talk","poll_id":1,"option_ids":[1],"req_id":"v\#(round)"}"# + "\n")
      let answers = sendbird.space.fetch(
        atOnce: [[1], [2], [2], [1]].map {
          SimulatedSendbird.request("PUT", "/v3/polls/1/vote", key, body: #"{"option_ids":\#($0)}"#)
        })
      #expect(answers.map { $0?.code } == [0, 0, 0, 0])
      #expect(answers.map { $0?.member("voter_count") } == ["1", "1", "1", "1"])
      #expect(ann.commands.contains { $0.hasPrefix("VOTE") && $0.contains(#""req_id":"v\#(round)""#) })
      let counts = [1, 2].map { option in
        sendbird.fetch("GET", "/v3/polls/1/options/\(option)", key).member("vote_count").flatMap { Int($0) } ?? 9
      }
      #expect(counts.reduce(0, +) == 1, "\(counts)")
    }
    let closing = SimulatedSendbird.request("PUT", "/v3/polls/1/close", key)
    let closed = sendbird.space.fetch(atOnce: [closing, closing, closing]).map { $0?.code ?? -1 }
    #expect(closed.count { $0 == 0 } >= 1 && closed.allSatisfy { $0 == 0 || $0 == 400_920 }, "\(closed)")
    #expect(sendbird.fetch("GET", "/v3/polls/1", key).member("status") == "closed")
  }
}
