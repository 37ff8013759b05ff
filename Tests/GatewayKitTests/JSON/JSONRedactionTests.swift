import GatewayCore
import GatewayJSON
import GatewayKit
import TestSupport
import Testing

struct JSONRedactionTests {
  private static func shown(_ text: String, _ names: Set<Name> = [], isUnderstood: Bool = true) -> String? {
    Array(text.utf8).withUnsafeBytes { JSONRedaction(names).text($0, isUnderstood: isUnderstood) }
  }

  @Test(arguments: [
    (#"{"type":"refresh","token":"a.b.c"}"#, #"{"type":"refresh","token":"(redacted)"}"#),
    (
      #"{ "a" : [ {"Access-Token" : "x\"y" , "n":1.50} ] }"#,
      #"{ "a" : [ {"Access-Token" : "(redacted)" , "n":1.50} ] }"#
    ),
    (#"{"password":1234}"#, #"{"password":"(redacted)"}"#),
    (#"{"password":1234,"n":1}"#, #"{"password":"(redacted)","n":1}"#),
    (#"{"session_tokens":[{"v":"]"},["x"]],"n":null}"#, #"{"session_tokens":"(redacted)","n":null}"#),
    (#"{"clientSecret":{"a":"}"}}"#, #"{"clientSecret":"(redacted)"}"#),
    (#"{"to\u006ben":"x"}"#, #"{"to\u006ben":"(redacted)"}"#),
    (#"{"new_key":"x","key":"y"}"#, #"{"new_key":"(redacted)","key":"y"}"#),
    (#"{"text":"look: eyJhbGciOiJIUzI1NiJ9.e30.x"}"#, #"{"text":"(redacted)"}"#),
    (#"{"url":"https://a.example/?auth=1&x=2"}"#, #"{"url":"(redacted)"}"#), (#"[1,"é",true]"#, #"[1,"é",true]"#),
    (#"{"to":"wss://a.example/?AUTH=1"}"#, #"{"to":"(redacted)"}"#), (#"{"h":"bearer x"}"#, #"{"h":"(redacted)"}"#),
    (#"{"data":"{\"api_secret\":\"x\"}"}"#, #"{"data":"(redacted)"}"#),
    (#"{"data":"42[\"auth\",{\"token\":\"x\"}]"}"#, #"{"data":"(redacted)"}"#),
    (#"{"data":"{\"a\":\"{\\\"jwt\\\":1}\"}"}"#, #"{"data":"(redacted)"}"#),
    (#"{"data":"{\"a\":1}","b":"\n{"}"#, #"{"data":"{\"a\":1}","b":"\n{"}"#),
    (#"{"a":"\u0065yJhbGci"}"#, #"{"a":"(redacted)"}"#), (#"{"stream_key":"k"}"#, #"{"stream_key":"(redacted)"}"#),
    (#"{"n":18446744073709551616}"#, #"{"n":18446744073709551616}"#),
    (#"{"token":"x"} "#, #"{"token":"(redacted)"} "#),
  ])
  func `redacted JSON has no value of a member with a secret's name, at any depth and of any type`(
    text: String, expected: String
  ) {
    #expect(Self.shown(text, ["newkey"]) == expected)
  }

  @Test(arguments: ["", "token", #"{"token":"a.b"#, #""token""#, "{\"a\":1}x", "\u{0}"])
  func `text that is no JSON is redacted completely`(text: String) {
    #expect(Self.shown(text) == nil)
  }

  @Test
  func `redacted JSON has no long text of an unknown member`() {
    let text = #"{"typ":"refrsh","tok":"a-token-of-more-than-24-bytes","n":1}"#
    #expect(Self.shown(text) == text)
    #expect(Self.shown(text, isUnderstood: false) == #"{"typ":"refrsh","tok":"(redacted)","n":1}"#)
  }

  @Test
  func `JSON that is not understood has no text that looks like a key, in a value, a name or JSON inside of text`() {
    let text =
      ##"{"a":"9f3Kq7Zt21vLx0Wb","9f3Kq7Zt21vLx0Wb":1,"b":"user-17""##
      + ##","c":"room/4","d":"{\"e\":\"9f3Kq7Zt2\"}"}"##
    #expect(Self.shown(text) == text)
    #expect(
      Self.shown(text, isUnderstood: false)
        == ##"{"a":"(redacted)","(redacted)":1,"b":"user-17","c":"room/4","d":"(redacted)"}"##)
  }

  /// Returns a random value with a mark in it, at most `depth` levels deep.
  private static func value(_ depth: Int, _ generator: inout SeededGenerator, isSecret: Bool) -> String {
    let texts = ["a", "\\\"", "\\u00e9", "{", "]", ",", ":", "\\\\", " "]
    let kind = Int.random(in: 0...(depth > 0 ? 4 : 2), using: &generator)
    switch kind {
    case 0:
      return "\"\((0..<4).map { _ in texts.randomElement(using: &generator)! }.joined())\(isSecret ? "MARK" : "")\""
    case 1: return isSecret ? "\"MARK\"" : "true"
    case 2: return isSecret ? "\"\\nMARK\"" : "-1.5e3"
    case 3:
      return "[" + (0..<3).map { _ in value(depth - 1, &generator, isSecret: isSecret) }.joined(separator: " ,") + "]"
    default:
      let names = ["a", "user_token", "b\\\"", "newKey"]
      let members = names.map { name in
        let hides = isSecret || name == "user_token" || name == "newKey" || name.contains("\\")
        return "\"\(name)\" : \(value(depth - 1, &generator, isSecret: hides))"
      }
      return "{" + members.joined(separator: ",\n") + "}"
    }
  }

  @Test(arguments: UInt64(1)...200)
  func `redacted JSON is JSON again, with the same members and without a secret`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let text = "{\"x\":\(Self.value(4, &generator, isSecret: false))}"
    let shown = try #require(Self.shown(text, ["newkey"]))
    #expect(!shown.contains("MARK"))
    let document = try JSONDocument.parse(shown)
    #expect(document.root.members?.map(\.name) == ["x"])
  }
}
