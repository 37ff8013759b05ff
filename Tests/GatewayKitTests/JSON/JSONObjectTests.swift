import GatewayCore
import GatewayJSON
import Testing

@testable import GatewayKit

struct JSONObjectTests {
  private func read<Result>(_ text: String, _ body: (JSONObject) throws -> Result) throws -> Result {
    try Array(text.utf8).withUnsafeBytes { try body(JSONObject($0)) }
  }

  @Test(arguments: [
    "", "{", "[]", "3", "null", #"{"s3cret":1,"s3cret":2}"#, #"{"a":{"s3cret":1,"s3cret":2}}"#, #"{"a":1} s3cret"#,
    #"{"a":1}{}"#, #"{"s3cret\u0000":1}"#, #"{"a":"s3cret\u0000"}"#, #"{"a":1e999}"#, #"{"a":99999999999999999999}"#,
    #"{"a":s3cret}"#, #"{'a':1}"#, #"{"a":01}"#, #"{"a":"\ud800"}"#, #"{"a":NaN}"#, #"{"a":1,}"#, "\u{FEFF}{}",
  ])
  func `a body that is no JSON object is refused with its place and without its content`(text: String) {
    let error = #expect(throws: JSONError.self) { try read(text) { _ in } }
    #expect(error?.description.contains("s3cret") == false)
  }

  @Test
  func `a body with endless nesting is refused`() {
    for opening in ["[", #"{"a":"#] {
      let error = #expect(throws: JSONError.self) { try read(String(repeating: opening, count: 100_000)) { _ in } }
      #expect(error == .tooDeep(limit: 64))
    }
  }

  @Test
  func `a member of the wrong type is refused with its name, and an absent one is nil`() throws {
    try read(#"{"n":null,"s":"abc","i":3,"r":-2.5,"l":["a",1],"o":{"x":"y"}}"#) { object throws in
      #expect(try object.string("missing", bytes: 1...3) == nil)
      #expect(try object.string("s", bytes: 1...3) == "abc")
      #expect(throws: GatewayError.invalidParameter.detailed("s must be a string of 1 to 2 bytes")) {
        try object.string("s", bytes: 1...2)
      }
      #expect(throws: GatewayError.self) { try object.string("n", bytes: 0...3) }
      #expect(try object.number("i") == 3)
      #expect(try object.number("r") == -2.5)
      #expect(throws: GatewayError.invalidParameter.detailed("s must be a number")) { try object.number("s") }
      #expect(throws: GatewayError.self) { try object.strings("l", count: 1...3) }
      #expect(throws: GatewayError.self) { try object.strings("s", count: 1...3) }
      #expect(object["o"]?["x"]?.string == "y")
      #expect(object.has("n") && !object.has("m") && object["s"] == nil)
    }
  }

  @Test(arguments: [
    (#"{"content":1.0}"#, "1.0"),
    (#"{ "content" : 1E5 , "b":2}"#, "1E5"),
    ("{\"a\":{\"content\":0},\n\"content\"\t:\r\n[1, {\"x\":\"}\"} ]\n}", "[1, {\"x\":\"}\"} ]"),
    (#"{"a":"\"content\":","content":"\\"}"#, #""\\""#),
    (#"{"content":true}"#, "true"),
    (#"{"content":{}}"#, "{}"),
    (#"{"b":[[],{}],"content":"é😀"}"#, #""é😀""#),
    (#"{"content":-0}"#, "-0"),
  ])
  func `the text of a JSON member is given back unchanged`(text: String, expected: String) throws {
    #expect(try read(text) { try $0.verbatim("content", depth: 4) } == expected)
  }

  @Test
  func `a JSON member is refused if its text is nested too deep or its name is escaped`() throws {
    try read(#"{"content":[[[]]],"\u0062":1}"#) { object throws in
      #expect(try object.verbatim("content", depth: 3) == "[[[]]]")
      #expect(throws: GatewayError.invalidParameter.detailed("content must be nested at most 2 deep")) {
        try object.verbatim("content", depth: 2)
      }
      #expect(throws: GatewayError.invalidParameter.detailed("write the name b without escapes")) {
        try object.verbatim("b", depth: 2)
      }
      #expect(try object.verbatim("c", depth: 2) == nil)
    }
  }
}
