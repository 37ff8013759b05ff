import GatewayCore
import GatewaySimulator
import TestSupport
import Testing

@Suite(.onNodes)
struct SendbirdEscapesTests {
  @Test(arguments: [
    (#"\u0000"#, "\u{FFFD}"), (#"\ud83d"#, "\u{FFFD}"), (#"\uDE00"#, "\u{FFFD}"), (#"a\ud83db"#, "a\u{FFFD}b"),
    (#"\ud83d\ud83d\ude00"#, "\u{FFFD}😀"), (#"\ude00\ud83d"#, "\u{FFFD}\u{FFFD}"),
    (#"\\u0000\u0000"#, "\\u0000\u{FFFD}"),
    (#"\ud83d\n"#, "\u{FFFD}\n"), (#"\ud83d\\ude00"#, "\u{FFFD}\\ude00"),
  ])
  func `invalid text of a client is accepted with a replacement character`(written: String, read: String) throws {
    let sendbird = try SimulatedSendbird()
    sendbird.serve("POST", "/v3/users", #"{"user_id":"ann"}"#)
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann"]}"#)
    let ann = sendbird.connect(["user_id": "ann"])
    sendbird.say(#"MESG{"channel_url":"talk","message":"\#(written)","req_id":"r"}"#, ann)
    #expect(ann.last("req_id", of: "MESG") == "r" && ann.last("message", of: "MESG") == read)
    let body = #"{"message_type":"MESG","message":"\#(written)"}"#
    let sent = sendbird.fetch(
      "POST", "/v3/group_channels/talk/messages", ["session-key": ann.sessionKey], body: body)
    #expect(sent.member("message") == read)
  }

  @Test(arguments: [#"\u00"#, #"\ud83d"#, "\\", #"\ud83d\"#])
  func `an escape does not repair what is not JSON`(end: String) throws {
    let sendbird = try SimulatedSendbird()
    let ann = sendbird.connect(["user_id": "ann"])
    sendbird.say(#"MESG{"channel_url":"talk","req_id":"r","message":"\#(end)"#, ann)
    #expect(ann.commands.count == 1 && ann.isOpen)
  }
}
