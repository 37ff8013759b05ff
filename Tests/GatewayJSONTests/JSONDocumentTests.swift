import GatewayJSON
import Testing

struct JSONDocumentTests {
  @Test
  func `members are found in place, with their kinds`() throws {
    let root = try JSONDocument.parse(
      #"{"s":"größer","i":-12,"r":1.5,"e":1e3,"t":true,"f":false,"n":null,"a":[1,"x"],"o":{"k":"v"}}"#
    ).root
    #expect(root.isObject && root.count == 9)
    #expect(root["s"]?.string == "größer" && root["s"]?.equals("größer") == true && root["s"]?.equals("gr") == false)
    #expect(root["i"]?.integer == -12 && root["i"]?.number == -12 && root["i"]?.kind == .integer)
    #expect(root["r"]?.number == 1.5 && root["r"]?.integer == nil && root["r"]?.kind == .real)
    #expect(root["e"]?.number == 1000 && root["e"]?.kind == .real)
    #expect(root["t"]?.bool == true && root["f"]?.bool == false && root["t"]?.kind == .bool)
    #expect(root["n"]?.isNull == true && root["absent"] == nil)
    #expect(root["a"]?.elements?.count == 2 && root["a"]?.elements?[1].string == "x")
    #expect(root["o"]?["k"]?.string == "v" && root[member: "o"]?.text == #"{"k":"v"}"#)
    #expect(root["s"]?["k"] == nil && root["s"]?.elements == nil && root["s"]?.members == nil)
    #expect(root.members?.map(\.name) == ["s", "i", "r", "e", "t", "f", "n", "a", "o"])
  }

  @Test
  func `a view outlives the last reference to its document`() throws {
    func inner() throws -> JSONView? { try JSONDocument.parse(#"{"a":{"b":"still here"}}"#).root["a"] }
    #expect(try inner()?["b"]?.string == "still here")
  }

  @Test(arguments: [
    (#"{"a":1,"a":2}"#, JSONError.duplicateMember(position: 7)),
    (#"{"o":{"a":1,"a":2}}"#, .duplicateMember(position: 12)),
    (#"{"a":1} x"#, .malformed(position: 8)),
    (#"{"a":1,}"#, .malformed(position: 7)),
    (#"{a:1}"#, .malformed(position: 1)),
    (#"{"a":01}"#, .malformed(position: 7)),
    (#"{"a":NaN}"#, .malformed(position: 5)),
    (#"{"a":"\u0000"}"#, .malformed(position: 12)),
    (#"{"a":"\ud800"}"#, .malformed(position: 12)),
    (#"{"a":99999999999999999999}"#, .numberOutOfRange(position: 5)),
    (#"{"a":1e999}"#, .numberOutOfRange(position: 5)),
    (#""text""#, .malformed(position: 0)),
    ("17", .malformed(position: 0)),
    ("", .malformed(position: 0)),
    ("{", .malformed(position: 1)),
  ])
  func `text that is not strictly JSON is refused, with the place`(text: String, error: JSONError) {
    #expect(throws: error) { try JSONDocument.parse(text) }
  }

  @Test
  func `bytes that are not UTF-8 are refused, as are NUL and a byte order mark`() {
    #expect(throws: JSONError.notUTF8(position: 6)) {
      try JSONDocument.parse(Array(#"{"a":""#.utf8) + [0xff, 0x22, 0x7d])
    }
    #expect(throws: JSONError.self) { try JSONDocument.parse(Array(#"{"a":1}"#.utf8) + [0]) }
    #expect(throws: JSONError.malformed(position: 6)) { try JSONDocument.parse(Array(#"{"a":1"#.utf8) + [0, 0x7d]) }
    #expect(throws: JSONError.self) { try JSONDocument.parse([0xef, 0xbb, 0xbf] + Array(#"{"a":1}"#.utf8)) }
  }

  @Test
  func `size and depth are bounded, and brackets inside strings do not count`() throws {
    #expect(throws: JSONError.tooLarge(limit: 6)) { try JSONDocument.parse(#"{"a":1}"#, sizeMax: 6) }
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(try JSONDocument.parse(nested(32)).root.count == 1)
    #expect(throws: JSONError.tooDeep(limit: 32)) { try JSONDocument.parse(nested(33)) }
    let brackets = String(repeating: #"[{\"\\"#, count: 40)
    #expect(try JSONDocument.parse(#"{"a":"\#(brackets)"}"#).root.count == 1)
    let siblings = "[" + String(repeating: "[],", count: 50) + "[]]"
    #expect(try JSONDocument.parse(siblings, depthMax: 2).root.count == 51)
  }

  @Test
  func `the writer's output is read back the same`() throws {
    let odd = "quote \" backslash \\ newline \n bell \u{7} ünï 👋"
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("text", odd)
    writer.name(odd)
    writer.beginArray()
    writer.integer(.min)
    writer.number(0.25)
    writer.number(3)
    writer.number(.infinity)
    writer.bool(true)
    writer.beginObject()
    writer.endObject()
    writer.raw(#"{"x":[]}"#)
    writer.endArray()
    writer.member("n", 7)
    writer.member("b", false)
    writer.endObject()
    let root = try JSONDocument.parse(writer.bytes).root
    #expect(root["text"]?.string == odd && root["n"]?.integer == 7 && root["b"]?.bool == false)
    #expect(root[member: odd]?.text == #"[-9223372036854775808,0.25,3,null,true,{},{"x":[]}]"#)
  }

  @Test
  func `a name is found whether it is written with escapes or without, and both spellings are the same name`() throws {
    let root = try JSONDocument.parse(#"{"\u0061":{"b\n":1},"é":[2]}"#).root
    #expect(root["a"]?["b\n"]?.integer == 1 && root["\u{e9}"]?.element(0)?.integer == 2)
    // The same word to a reader, other bytes.
    #expect(root[member: "e\u{301}"] == nil)
    #expect(throws: JSONError.duplicateMember(position: 9)) { try JSONDocument.parse(#"{"a":[1],"\u0061":2}"#) }
    #expect(throws: Never.self) { try JSONDocument.parse("{\"\u{e9}\":[],\"e\u{301}\":[]}") }
  }

  @Test
  func `a name that comes twice among thousands is found`() throws {
    let names = (0..<5_000).map { #""n\#($0)":{}"# }
    #expect(try JSONDocument.parse("{\(names.joined(separator: ","))}", sizeMax: 1 << 20).root.count == 5_000)
    for again in [0, 15, 16, 17, 4_999] {
      let text = "{\((names + [names[again]]).joined(separator: ","))}"
      let position = text.utf8.count - names[again].utf8.count - 1
      #expect(throws: JSONError.duplicateMember(position: position)) { try JSONDocument.parse(text, sizeMax: 1 << 20) }
    }
  }

  @Test
  func `integers of any size are read as reals if the caller asks for it`() throws {
    let text = Array(#"{"big":99999999999999999999,"small":7,"list":[1]}"#.utf8)
    let root = try text.withUnsafeBytes { try JSONDocument($0, integersOfAnySize: true).root }
    #expect(root["big"]?.number == 1e20 && root["small"]?.kind == .real && root["small"]?.number == 7)
    #expect(root["big"]?.integer == nil && root["list"]?.element(0)?.integer == nil)
  }

  @Test
  func `a value is written again as compact text, each number as short as reads back the same`() throws {
    let numbers = try JSONDocument.parse("[0.1,-1.5e-7,3.0,1e3,-0,12345678901234567]").root
    #expect(numbers.text == "[0.1,-1.5e-07,3.0,1000.0,0,12345678901234567]")
    let text = #"{"b":{"c":"\u0001\"\\/é"},"d":null,"e":[true,false,{}]}"#
    #expect(try JSONDocument.parse(text).root.text == text)
  }
}
