import GatewayJSON
import GatewayWires
import Testing

/// A client that has sent one message, as number 7.
private struct Said: HoleSource {
  func value(of hole: Hole) -> String? { hole == .sent(0) ? "7" : nil }
}

struct JSONMatcherTests {
  private func matches(_ matcher: String, _ pointer: String, _ message: String) throws -> Bool {
    let described = try DescriptionFile.parse(Array("{\"m\": \(matcher)}".utf8), file: "wire.json").members()[0].value
    let names = HoleNames(sent: ["login", "renew"])
    let view = try #require(JSONPointer(pointer)).find(in: try JSONDocument.parse(message).root)
    return try JSONMatcher(described, names).matches(view, Said())
  }

  @Test(arguments: [
    ("109", "/e/c", #"{"e":{"c":109}}"#), (#""x""#, "/0", #"["x"]"#), (#"{"is": {}}"#, "", "{}"),
    (#"{"exists": true}"#, "/a", #"{"a":null}"#), (#"{"exists": false}"#, "/b", #"{"a":1}"#),
    (#"{"from": 1, "to": 3}"#, "/a", #"{"a":3}"#), (#"{"not": 1}"#, "/a", #"{"a":2}"#),
    (#"{"in": ["x", 2]}"#, "/a", #"{"a":2}"#), (#"{"starts": "ab", "contains": "bc"}"#, "/a", #"{"a":"abcd"}"#),
    (#""{{sent.login:number}}""#, "/id", #"{"id":7}"#), (#""{{sent.login}}""#, "/id", #"{"id":"7"}"#),
    (#"{"is": {"a": [1, "b"], "c": null}}"#, "/x", #"{"x":{"c":null,"a":[1,"b"]}}"#), ("1", "/a~1b", #"{"a/b":1}"#),
    ("1.5", "/a", #"{"a":1.5}"#), ("2", "/a", #"{"a":2.0}"#), ("true", "/a", #"{"a":true}"#),
  ])
  func `a matcher matches what it describes`(matcher: String, pointer: String, message: String) throws {
    #expect(try matches(matcher, pointer, message))
  }

  @Test(arguments: [
    ("109", "/e/c", #"{"e":{"c":"109"}}"#), (#"{"is": {}}"#, "", #"{"a":1}"#), (#"{"not": 1}"#, "/a", #"{"b":2}"#),
    (#"{"exists": true}"#, "/1", "[1]"), (#"{"from": 1}"#, "/a", #"{"a":"2"}"#),
    (#""{{sent.renew:number}}""#, "/id", #"{"id":7}"#), (#"{"contains": "bd"}"#, "/a", #"{"a":"abcd"}"#),
    (#"{"is": {"a": 1}}"#, "", #"{"a":1,"b":2}"#), ("1", "/01", #"[0,1]"#), (#""x""#, "/a", #"{"a":"xy"}"#),
  ])
  func `a matcher matches nothing else`(matcher: String, pointer: String, message: String) throws {
    #expect(try !matches(matcher, pointer, message))
  }

  @Test
  func `an empty matcher or one with an unknown word is refused, and the error says what to write`() throws {
    #expect(throws: DescriptionError.self) { try matches("{}", "", "{}") }
    let error = #expect(throws: DescriptionError.self) { try matches(#"{"exist": true}"#, "", "{}") }
    #expect(error.map { "\($0)" } == "wire.json:1:8 /m/exist: no such key 'exist'; did you mean 'exists'?")
  }

  @Test(arguments: ["type", "/a~2", "/" + String(repeating: "a/", count: 40)])
  func `a matcher needs a valid JSON pointer`(text: String) {
    #expect(JSONPointer(text) == nil)
  }
}
