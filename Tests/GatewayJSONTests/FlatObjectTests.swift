import GatewayCore
import GatewayJSON
import Testing

@Suite("The reader of plain objects")
struct FlatObjectTests {
  private func read<Result>(_ text: String, _ body: (FlatObject?) throws -> Result) rethrows -> Result {
    try Array(text.utf8).withUnsafeBytes { try body(FlatObject($0)) }
  }

  @Test("reads plain strings, whole numbers and null")
  func members() {
    read(" {\"s\" : \"a b\" ,\n\"i\":-120,\t\"z\":0, \"n\":null,\"e\":\"\"}\r\n") { object in
      #expect(object?.string("s") == "a b" && object?.string("e") == "" && object?.string("i") == nil)
      #expect(object?.integer("i") == -120 && object?.integer("z") == 0 && object?.integer("s") == nil)
      #expect(object?.kind("n") == .null && object?.kind("x") == nil)
      #expect(object?.verbatim("s").map { $0.count } == 5)
    }
    #expect(read("{}") { $0 != nil })
    #expect(read(#"{"i":123456789012345678}"#) { $0?.integer("i") } == 123_456_789_012_345_678)
  }

  @Test(
    "leaves everything else to the parser",
    arguments: [
      "", "{", "}", "[]", "null", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a":1 "b":2}"#, #"{"a":1}x"#,
      #"{"a":1,"a":2}"#, #"{"a":01}"#, #"{"a":-}"#, #"{"a":1.0}"#, #"{"a":1e5}"#, #"{"a":+1}"#, #"{"a":true}"#,
      #"{"a":nul}"#, #"{"a":nulll}"#, #"{"a":"\n"}"#, #"{"\u0061":1}"#, #"{"a":"é"}"#, #"{"a":"b}"#, #"{"a":{}}"#,
      #"{"a":[]}"#, "{\"a\":\"\t\"}", "{\"a\":\"\u{7F}\"}", #"{a:1}"#, #"{"a":1234567890123456789}"#,
      #"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}"#,
    ])
  func others(text: String) {
    #expect(read(text) { $0 == nil })
  }

  @Test("never reads what the parser refuses, nor anything else than it does")
  func agreement() throws {
    let seeds = [
      #"{"type":"refresh","id":"12","token":"eyJhbGciOiJIUzI1NiJ9.e30.abc"}"#,
      #"{ "type" : "connected", "expires_in_ms": 3600000, "user_id":null }"#, #"{"a":-1,"b":"","c":0}"#,
    ].map { Array($0.utf8) }
    let alphabet = Array("{}[]\":,\\ -+.0129eEnultrfasbc\t\n\u{1F}\u{7F}é".utf8)
    var generator = SeededGenerator(seed: 11)
    var agreed = 0
    for round in 0..<60_000 {
      var bytes = seeds[round % seeds.count]
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[place] = alphabet.randomElement(using: &generator)!
        case 1: bytes.insert(alphabet.randomElement(using: &generator)!, at: place)
        default: bytes.remove(at: place)
        }
      }
      try bytes.withUnsafeBytes { text in
        guard let flat = FlatObject(text) else { return }
        let parsed = try JSONDocument(text).root
        let members = try #require(parsed.members, "\(String(decoding: bytes, as: UTF8.self))")
        for (name, value) in members { expect(flat, name, is: value) }
        agreed += 1
      }
    }
    #expect(agreed > 10_000, "too few were plain to tell")
  }

  private func expect(_ flat: FlatObject, _ name: String, is value: JSONView) {
    let names: [StaticString] = ["type", "id", "token", "expires_in_ms", "user_id", "a", "b", "c"]
    guard let known = names.first(where: { $0.description == name }) else { return }
    let kinds: [JSONView.Kind: FlatObject.Kind] = [.string: .string, .integer: .integer, .null: .null]
    #expect(flat.kind(known) == kinds[value.kind])
    #expect(flat.string(known) == value.string)
    #expect(flat.integer(known) == value.integer)
  }
}
