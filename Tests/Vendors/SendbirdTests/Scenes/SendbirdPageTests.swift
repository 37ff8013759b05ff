import GatewayCore
import TestSupport
import Testing

@Suite(.onNodes)
struct SendbirdPageTests {
  private let sendbird: SimulatedSendbird
  private static let names = (10..<20).map { "u\($0)" }

  init() throws {
    sendbird = try SimulatedSendbird()
    for user in Self.names + ["ann", "new"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
    let members = (Self.names + ["ann"]).map { "\"\($0)\"" }.joined(separator: ",")
    let body = #"{"channel_url":"talk","user_ids":[\#(members)],"operator_ids":["ann"]}"#
    #expect(sendbird.serve("POST", "/v3/group_channels", body).code == 0)
  }

  /// Returns the users of the list's pages; `change` runs between two pages, with the users on the first one.
  private func pages(_ target: String, _ list: String, _ change: ([String]) -> Void) -> [String] {
    var (seen, token): ([String], String) = ([], "")
    repeat {
      let page = sendbird.serve("GET", target + "?limit=3&token=\(token)")
      let shown = (page.member(list) ?? "").split(separator: "\"user_id\":\"").dropFirst().map { part in
        String(part.prefix { $0 != "\"" })
      }
      seen += shown
      token = (page.member("next") ?? "").replacing("\"", with: "")
      change(shown)
    } while !token.isEmpty && seen.count < 50
    return seen
  }

  @Test
  func `lists show every member once, though some that were shown leave`() {
    let talk = "/v3/group_channels/talk"
    let seen = pages("\(talk)/members", "members") { shown in
      sendbird.serve("PUT", "\(talk)/leave", #"{"user_ids":["\#(shown[0])"]}"#)
    }
    #expect(seen == Self.names + ["ann"])
    // The last user on the page leaves too.
    let rest = pages("\(talk)/members", "members") { shown in
      sendbird.serve("PUT", "\(talk)/leave", #"{"user_ids":["\#(shown[shown.count - 1])"]}"#)
    }
    let there = ["u11", "u12", "u14", "u15", "u17", "u18", "ann"]
    #expect(rest == there)
  }

  @Test
  func `lists show every banned user once, though some that were shown are unbanned, and others banned`() {
    let talk = "/v3/group_channels/talk"
    for name in Self.names { sendbird.serve("POST", "\(talk)/ban", #"{"user_id":"\#(name)","seconds":-1}"#) }
    let seen = pages("\(talk)/ban", "banned_list") { shown in
      sendbird.serve("DELETE", "\(talk)/ban/\(shown[0])")
      sendbird.serve("POST", "\(talk)/ban", #"{"user_id":"ann","seconds":-1}"#)
    }
    #expect(seen == Self.names)
  }

  @Test(arguments: ["x", "p1.*", "p1.A", ".", "p-1"])
  func `lists refuse a page token that they did not issue`(token: String) {
    for list in ["members", "ban", "mute", "operators"] {
      let answer = sendbird.serve("GET", "/v3/group_channels/talk/\(list)?token=\(token)")
      #expect(answer.code == 400_111 && answer.status == 400, "\(list)")
    }
  }

  @Test(arguments: [false, true])
  func `found messages are shown once each, although some are deleted in between`(isReversed: Bool) {
    let sent = (1...9).map { number in
      let body = #"{"message_type":"MESG","user_id":"ann","message":"tea \#(number)"}"#
      return sendbird.serve("POST", "/v3/group_channels/talk/messages", body).member("message_id") ?? ""
    }
    let numbers = sent.compactMap { Int($0) }
    #expect(numbers.count == 9 && numbers == Set(numbers).sorted())
    var (seen, cursor): ([String], String) = ([], "")
    repeat {
      let page = sendbird.serve(
        "GET", "/v3/search/messages?query=tea&user_id=ann&limit=2&reverse=\(isReversed)&after=\(cursor)")
      let shown = (page.member("results") ?? "").split(separator: "\"message_id\":").dropFirst().map { part in
        String(part.prefix { $0.isNumber })
      }
      seen += shown
      cursor = (page.member("end_cursor") ?? "").replacing("\"", with: "")
      for gone in shown { sendbird.serve("DELETE", "/v3/group_channels/talk/messages/\(gone)") }
    } while !cursor.isEmpty && seen.count < 20
    #expect(seen == (isReversed ? sent : sent.reversed()))
  }
}
