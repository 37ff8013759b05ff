import GatewayCore
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

@testable import GatewaySendbird

@Suite(.onNodes)
struct SendbirdCommandErrorTests {
  /// Returns channels in every state that a command can meet. Ann sends the commands.
  private func application(change: (inout SendbirdSettings) -> Void = { _ in }) throws -> SimulatedSendbird {
    let sendbird = try SimulatedSendbird(change)
    for user in ["ann", "bob", "eve"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
    for (url, users) in [
      ("mine", "ann\",\"bob"), ("other", "bob"), ("frozen", "ann\",\"bob"), ("muted", "ann\",\"bob"),
      ("blocked", "ann\",\"eve"),
    ] {
      sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"\#(url)","user_ids":["\#(users)"]}"#)
    }
    for url in ["square", "closed"] { sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"\#(url)"}"#) }
    sendbird.serve("PUT", "/v3/group_channels/frozen/freeze", #"{"freeze":true}"#)
    sendbird.serve("POST", "/v3/group_channels/muted/mute", #"{"user_id":"ann"}"#)
    sendbird.serve("POST", "/v3/open_channels/closed/ban", #"{"user_id":"ann"}"#)
    sendbird.serve("POST", "/v3/users/eve/block", #"{"target_id":"ann"}"#)
    sendbird.serve(
      "POST", "/v3/group_channels/mine/messages", #"{"message_type":"MESG","user_id":"bob","message":"1"}"#)
    return sendbird
  }

  @Test(
    .long,
    arguments: [
      (#"MESG{"message":"x"}"#, 400_105), (#"MESG{"channel_url":7,"message":"x"}"#, 400_100),
      (#"MESG{"channel_url":"mine"}"#, 400_105), (#"MESG{"channel_url":"mine","message":5}"#, 400_100),
      (#"MESG{"channel_url":"mine","message":""}"#, 400_111),
      (#"MESG{"channel_url":"mine","message":"x","mention_type":"all"}"#, 400_111),
      (#"MESG{"channel_url":"mine","message":"x","mentioned_user_ids":"bob"}"#, 400_102),
      (#"MESG{"channel_url":"mine","message":"x","metaarray":5}"#, 400_102),
      (#"MESG{"channel_url":"mine","message":"x","metaarray":{"k":["v",1]}}"#, 400_100),
      (#"MESG{"channel_url":"mine","message":"x","parent_message_id":"1"}"#, 400_101),
      (#"MESG{"channel_url":"mine","message":"x","parent_message_id":99}"#, 900_300),
      (#"MESG{"channel_url":"mine","message":"\#(String(repeating: "x", count: 5_001))"}"#, 400_110),
      (#"MESG{"channel_url":"none","message":"x"}"#, 900_500), (#"MESG{"channel_url":"","message":"x"}"#, 900_500),
      (#"MESG{"channel_url":"other","message":"x"}"#, 900_020),
      (#"MESG{"channel_url":"square","message":"x"}"#, 900_020),
      (#"MESG{"channel_url":"frozen","message":"x"}"#, 900_050),
      (#"MESG{"channel_url":"muted","message":"x"}"#, 900_041),
      (#"MESG{"channel_url":"closed","message":"x"}"#, 900_100),
      (#"MESG{"channel_url":"blocked","message":"x"}"#, 900_080),
      (#"FILE{"channel_url":"mine"}"#, 400_105), (#"FILE{"channel_url":"mine","url":"u","size":-1}"#, 400_106),
      (#"MEDI{"channel_url":"mine","message":"x"}"#, 400_105),
      (#"MEDI{"channel_url":"mine","msg_id":1,"message":"x"}"#, 900_022),
      (#"MEDI{"channel_url":"mine","msg_id":99,"message":"x"}"#, 900_300),
      (#"FEDI{"channel_url":"mine","msg_id":1.5}"#, 400_111),
      (#"READ{"channel_url":"square"}"#, 900_090), (#"READ{"channel_url":"other"}"#, 900_020),
      (#"READ{"channel_url":"none"}"#, 900_500),
      (#"ENTR{"channel_url":"mine"}"#, 900_090), (#"ENTR{"channel_url":"none"}"#, 900_500),
      (#"ENTR{"channel_url":"closed"}"#, 900_100), (#"EXIT{"channel_url":"mine"}"#, 900_090),
      (#"TPST{"channel_url":"other"}"#, 900_020), (#"TPST{"channel_url":"square"}"#, 900_090),
      (#"VOTE{"channel_url":"mine","poll_id":1,"option_ids":[1]}"#, 400_201),
      (#"VOTE{"channel_url":"mine","poll_id":1}"#, 400_105), (#"VOTE{"channel_url":"mine","option_ids":[]}"#, 400_105),
      (#"NOPE{"a":1}"#, 400_930),
      (#"MESG{"channel_url":"mine","message":[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}"#, 400_403),
    ] as [(String, Int)])
  func `a failed command is answered by EROR with the number of its cause and the name of its request`(
    command: String, code: Int
  ) throws {
    let sendbird = try application()
    let (ann, bob) = (sendbird.connect(["user_id": "ann"]), sendbird.connect(["user_id": "bob"]))
    let heard = bob.commands.count
    sendbird.say(command.dropLast() + #","req_id":"the request"}"#, ann)
    #expect(ann.last("code", of: "EROR") == "\(code)" && ann.last("req_id", of: "EROR") == "the request")
    #expect(ann.last("error", of: "EROR") == "true" && ann.last("message", of: "EROR")?.isEmpty == false)
    // A command without a request gets no answer: an unsolicited EROR logs the strictest client out.
    let commands = ann.commands.count
    sendbird.say(command, ann)
    #expect(ann.commands.count == commands && ann.isOpen && bob.isOpen && bob.commands.count == heard)
  }

  @Test
  func `a guest's command is refused, while looking and listening are permitted`() throws {
    let sendbird = try SimulatedSendbird { $0.usersWithoutToken = .readOnly }
    sendbird.serve("POST", "/v3/users", #"{"user_id":"ann"}"#)
    sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"square"}"#)
    let guest = sendbird.connect(["user_id": "ann"])
    sendbird.say(#"ENTR{"channel_url":"square","req_id":"1"}"#, guest)
    #expect(guest.last("participant_count", of: "ENTR") == "1")
    for command in ["MESG", "FILE", "MEDI", "FEDI"] {
      sendbird.say(#"\#(command){"channel_url":"square","message":"x","url":"u","msg_id":1,"req_id":"2"}"#, guest)
      #expect(guest.last("code", of: "EROR") == "900030", "\(command)")
    }
    sendbird.serve("POST", "/v3/open_channels/square/messages", #"{"message_type":"ADMM","message":"hear"}"#)
    #expect(guest.last("message", of: "ADMM") == "hear")
    let key = ["session-key": guest.sessionKey]
    #expect(sendbird.fetch("GET", "/v3/open_channels", key).code == 0)
    #expect(sendbird.fetch("POST", "/v3/open_channels", key, body: "{}").code == 900_030)
    #expect(sendbird.fetch("PUT", "/v3/users/ann", key, body: #"{"nickname":"x"}"#).code == 900_030)
  }

  @Test
  func `a command beyond the documented limits is refused, and the next second has room again`() throws {
    let sendbird = try application { $0.limitsRates = true }
    let ann = sendbird.connect(["user_id": "ann"])
    for number in 0..<6 {
      sendbird.say(#"MESG{"channel_url":"mine","message":"\#(number)","req_id":"\#(number)"}"#, ann)
    }
    #expect(ann.commands.filter { $0.hasPrefix("MESG") }.count == 5 && ann.last("code", of: "EROR") == "900200")
    #expect(ann.last("message", of: "EROR")?.contains("limit: 5;w=1, remaining: 0, retry_after: 0.200s") == true)
    sendbird.world.advance(by: .milliseconds(200))
    sendbird.say(#"MESG{"channel_url":"mine","message":"again","req_id":"6"}"#, ann)
    #expect(ann.last("message", of: "MESG") == "again")
    let key = ["session-key": ann.sessionKey]
    let codes = (0..<21).map { _ in sendbird.fetch("GET", "/v3/open_channels", key) }
    #expect(codes.prefix(20).allSatisfy { $0.code == 0 })
    #expect(codes[20].status == 429 && codes[20].code == 500_910)
    #expect((0..<30).allSatisfy { _ in sendbird.serve("GET", "/v3/open_channels").code == 0 })
  }
}
