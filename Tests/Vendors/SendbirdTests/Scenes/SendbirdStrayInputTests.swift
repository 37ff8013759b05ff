import GatewayCore
import GatewaySimulator
import TestSupport
import Testing

@Suite(.onNodes)
struct SendbirdStrayInputTests {
  private static let huge = String(repeating: "x", count: 60_000)
  private static let deep = String(repeating: "[", count: 5_000)

  /// Commands that are sent with and without a request id; none of them is valid.
  private static let commands = [
    "", "\n", "X", "MESG", "MESG\n", "mesg{}", "MES1{}", "MESG[]", "MESG{", #"MESG{"channel_url":"talk","message":"x"#,
    "MESG{}{}", "MESG null", "MESG\u{0}{}", #"MESG{"channel_url":"talk","message":"a\#u{0}b"}"#,
    #"MESG{"channel_url":null,"message":null}"#, #"MESG{"channel_url":["talk"],"message":"x"}"#,
    #"MESG{"channel_url":"\#(huge)","message":"x"}"#, #"MESG{"channel_url":"talk","message":"\#(huge)"}"#,
    #"MESG{"channel_url":"talk","message":\#(deep)"#, #"MESG{"channel_url":"../talk","message":"x"}"#,
    #"MESG{"channel_url":"talk\u0000","message":"x"}"#, #"MESG{"channel_url":"%74alk","message":"x"}"#,
    #"MESG{"channel_url":"TALK","message":"x"}"#, #"MEDI{"channel_url":"talk","msg_id":-1}"#,
    #"MEDI{"channel_url":"talk","msg_id":99999999999999999999}"#, #"MEDI{"channel_url":"talk","msg_id":1e300}"#,
    #"READ{"channel_url":{}}"#, #"ENTR{"channel_url":true}"#, #"EXIT{}"#, #"TPST{"channel_url":5,"time":"now"}"#,
    #"VOTE{}"#, "XXXX{}", #"LOGI{"token":5}"#, #"EROR{"code":1}"#, #"EXPR{"reason":400310}"#, #"SYEV{"cat":12000}"#,
    #"DELM{"channel_url":"talk","msg_id":1}"#, #"BRDM{"message":"x"}"#, #"ADMM{"channel_url":"talk","message":"x"}"#,
  ]

  @Test
  func `stray input on the socket is answered if it names a request, and disturbs no other connection`() throws {
    let sendbird = try SimulatedSendbird(policy: try SessionPolicy(malformedMax: 1_000))
    sendbird.serve("POST", "/v3/users", #"{"user_id":"bob"}"#)
    let (ann, bob) = (sendbird.connect(["user_id": "ann"]), sendbird.connect(["user_id": "bob"]))
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    let heard = bob.commands
    for command in Self.commands {
      sendbird.say(command, ann)
      if command.hasSuffix("}") { sendbird.say(command.dropLast() + #","req_id":"r"}"#, ann) }
    }
    #expect(ann.isOpen && bob.isOpen && bob.commands == heard)
    #expect(ann.commands.allSatisfy { !$0.hasPrefix("EROR") || $0.contains(#""req_id":"r""#) })
    #expect(ann.commands.filter { $0.hasPrefix("MESG") || $0.hasPrefix("MEDI") }.isEmpty)
    sendbird.say(#"MESG{"channel_url":"talk","message":"\u00fc\ud83d\ude00\n\"","req_id":"good"}"#, ann)
    #expect(ann.last("req_id", of: "MESG") == "good" && bob.last("message", of: "MESG") == "ü😀\n\"")
  }

  @Test(arguments: ["ü😀", "a b", "a'b\"c", "<script>", "a;b", "..", "%2e%2e", "a\\b", "\u{202e}x", "null", "0", "-1"])
  func `stray ids and channel URLs stay unchanged`(name: String) throws {
    let sendbird = try SimulatedSendbird()
    let quoted = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    let escaped = PercentEncoding.encode(name)
    #expect(sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(quoted)"}"#).member("user_id") == name)
    #expect(sendbird.serve("GET", "/v3/users/\(escaped)").member("user_id") == name)
    let made = sendbird.serve("POST", "/v3/group_channels", #"{"user_ids":["\#(quoted)"],"name":"\#(quoted)"}"#)
    #expect(made.member("name") == name && made.member("member_count") == "1")
    let url = try #require(made.member("channel_url"))
    #expect(sendbird.serve("GET", "/v3/group_channels/\(url)/members/\(escaped)").member("is_member") == "true")
    #expect(sendbird.serve("GET", "/v3/users/\(escaped)/my_group_channels").member("channels")?.contains(url) == true)
    for path in ["group_channels", "open_channels"] {
      #expect([400_201, 400_930].contains(sendbird.serve("GET", "/v3/\(path)/\(escaped)").code))
    }
    #expect(sendbird.serve("DELETE", "/v3/users/\(escaped)").code == 0)
    #expect(sendbird.serve("GET", "/v3/users/\(escaped)").code == 400_201)
  }

  @Test(arguments: [
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-1", "1e999", "NaN", "0x10", "٣", "+5",
    "18446744073709551616", "4000000000000001", "",
  ])
  func `impossible numbers are refused or count as the largest there are`(number: String) throws {
    let sendbird = try SimulatedSendbird()
    sendbird.serve("POST", "/v3/users", #"{"user_id":"ann"}"#)
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann"]}"#)
    let ann = sendbird.connect(["user_id": "ann"])
    sendbird.say(#"MESG{"channel_url":"talk","message":"x","req_id":"0"}"#, ann)
    let text = PercentEncoding.encode(number)
    let (url, own) = ("/v3/group_channels/talk", "/v3/users/ann/my_group_channels")
    let targets = [
      "\(url)/messages?message_ts=\(text)", "\(url)/messages?message_id=\(text)",
      "\(url)/messages?message_ts=1&prev_limit=\(text)&next_limit=\(text)",
      "\(url)/messages?message_ts=1&parent_message_id=\(text)", "\(url)/messages/\(text)",
      "\(url)/messages/changelogs?change_ts=\(text)", "\(url)/messages/changelogs?token=c\(text)c\(text)",
      "\(url)/messages_gap?prev_start_ts=\(text)&prev_end_ts=\(text)&prev_cache_count=\(text)",
      "\(url)/messages_gap?next_start_ts=0&next_end_ts=\(text)&next_cache_count=0",
      "\(url)/members?limit=\(text)", "\(url)/members?token=p1y2p0ij32e8e7", "\(own)?limit=\(text)&order=",
      "\(own)?token=p1y2p0ij32e8e7", "\(own)/changelogs?change_ts=\(text)", "\(own)/changelogs?token=c1c\(text)",
      "/v3/users?limit=\(text)", "/v3/users?token=p1y2p0ij32e8e7",
    ]
    for target in targets {
      let answer = sendbird.fetch("GET", target, ["session-key": ann.sessionKey])
      #expect(answer.status == 200 || answer.status == 400, "\(target)")
    }
    for name in ["msg_id", "parent_message_id", "size", "file_size", "time"] {
      for command in ["MESG", "FILE", "MEDI", "TPST"] {
        sendbird.say(
          #"\#(command){"channel_url":"talk","message":"x","url":"u","\#(name)":\#(number),"req_id":"1"}"#, ann)
      }
    }
    let bodies = ["expires_at", "session_token_expires_at", "last_seen_at", "change_ts"].map {
      #"{"\#($0)":\#(number)}"#
    }
    for body in bodies {
      sendbird.serve("POST", "/v3/users/ann/token", body)
      sendbird.serve("PUT", "/v3/users/ann", body)
      sendbird.serve("PUT", own + "/changelogs", body)
    }
    #expect(sendbird.serve("GET", "/v3/users/ann").code == 0)
  }

  @Test
  func `stray requests over HTTP get one of the vendor's errors, whatever the path`() throws {
    let sendbird = try SimulatedSendbird()
    sendbird.serve("POST", "/v3/users", #"{"user_id":"ann"}"#)
    let bodies = [
      "{", "null", "5", #""x""#, "[{}]", "{\"a\":\u{1}}", #"{"user_id":{}}"#, Self.deep, "\u{feff}{}", "a=b&c=d",
    ]
    let targets = [
      ("POST", "/v3/users"), ("PUT", "/v3/users/ann"), ("POST", "/v3/users/ann/token"),
      ("POST", "/v3/users/ann/metadata"), ("POST", "/v3/group_channels"), ("POST", "/v3/open_channels"),
      ("PUT", "/v3/users/ann/mark_as_read_all"), ("POST", "/v3/users/ann/block"),
    ]
    for (method, target) in targets {
      for body in bodies where body != #"{"user_id":{}}"# || target == "/v3/users" {
        let answer = sendbird.serve(method, target, body)
        #expect(
          answer.status == 400 && (400_100..<400_404).contains(answer.code), "\(method) \(target) \(body.prefix(20))")
      }
    }
    #expect(sendbird.serve("GET", "/v3/users").member("users")?.contains(#""ann""#) == true)
  }
}
