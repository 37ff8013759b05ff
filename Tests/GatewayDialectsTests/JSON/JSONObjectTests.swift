import GatewayCore
import Testing

@testable import GatewayDialects

@Suite("The JSON reader")
struct JSONObjectTests {
  private func read<Result>(_ text: String, _ body: (borrowing JSONObject) throws -> Result) throws -> Result {
    try Array(text.utf8).withUnsafeBytes { try body(JSONObject($0)) }
  }

  @Test(
    "what is no JSON object is refused, saying where but never what",
    arguments: [
      ("", "empty"),
      ("{", "JSON that ends too early, at byte 1"),
      ("[]", "a JSON value, but not an object"),
      ("3", "a JSON value, but not an object"),
      (#"{"s3cret":1,"s3cret":2}"#, "a member twice, at byte 20"),
      (#"{"a":{"s3cret":1,"s3cret":2}}"#, "a member twice, at byte 25"),
      (#"{"a":1} s3cret"#, "something after the JSON value, at byte 9"),
      (#"{"a":1}{}"#, "something after the JSON value, at byte 8"),
      (#"{"s3cret\u0000":1}"#, "the character U+0000 in a string, at byte 15"),
      (#"{"a":"s3cret\u0000"}"#, "the character U+0000 in a string, at byte 19"),
      (#"{"a":1e999}"#, "a number too large, at byte 10"),
      (#"{"a":99999999999999999999}"#, "a number too large, at byte 25"),
      (#"{"a":s3cret}"#, "not JSON, at byte 6"),
      (#"{'a':1}"#, "not JSON, at byte 2"),
      (#"{"a":01}"#, "not JSON, at byte 6"),
      (#"{"a":"\ud800"}"#, "not JSON, at byte 13"),
      (#"{"a":NaN}"#, "not JSON, at byte 8"),
    ])
  func refusals(text: String, expected: String) {
    let defect = #expect(throws: JSONDefect.self) { try read(text) { _ in } }
    #expect(defect?.description == expected)
    #expect(defect?.description.contains("s3cret") == false)
  }

  @Test("what is nested without end is refused before the stack runs out")
  func nesting() {
    for opening in ["[", #"{"a":"#] {
      let defect = #expect(throws: JSONDefect.self) { try read(String(repeating: opening, count: 100_000)) { _ in } }
      #expect(defect?.description.hasPrefix("nested too deep") == true)
    }
  }

  @Test("bytes that are not UTF-8 are refused")
  func notUTF8() {
    let bytes = Array(#"{"a":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
    let defect = #expect(throws: JSONDefect.self) { try bytes.withUnsafeBytes { _ = try JSONObject($0) } }
    #expect(defect?.description.hasPrefix("not UTF-8") == true)
  }

  @Test("a member of another type is refused by its name, an absent one is nil")
  func types() throws {
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
      #expect(object.object("o") { try? $0.string("x", bytes: 0...1) } == "y")
      #expect(object.object("s") { _ in 1 } == nil)
      #expect(object.has("n") && !object.has("m"))
    }
  }

  @Test(
    "the text of a member is given back as it stands",
    arguments: [
      (#"{"content":1.0}"#, "1.0"),
      (#"{ "content" : 1E5 , "b":2}"#, "1E5"),
      ("{\"a\":{\"content\":0},\n\"content\"\t:\r\n[1, {\"x\":\"}\"} ]\n}", "[1, {\"x\":\"}\"} ]"),
      (#"{"a":"\"content\":","content":"\\"}"#, #""\\""#),
      (#"{"content":true}"#, "true"),
      (#"{"content":{}}"#, "{}"),
      (#"{"b":[[],{}],"content":"é😀"}"#, #""é😀""#),
      (#"{"content":-0}"#, "-0"),
    ])
  func verbatim(text: String, expected: String) throws {
    #expect(try read(text) { try $0.verbatim("content", depth: 4) } == expected)
  }

  @Test("a member's text is refused when it is nested too deep, or its name is escaped")
  func verbatimRefusals() throws {
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
