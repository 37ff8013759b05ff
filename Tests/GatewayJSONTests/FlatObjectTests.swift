import GatewayCore
import GatewayJSON
import Glibc
import TestTraits
import Testing

struct FlatObjectTests {
  private func read<Result>(_ text: String, _ body: (FlatObject?) throws -> Result) rethrows -> Result {
    try Array(text.utf8).withUnsafeBytes { try body(FlatObject($0)) }
  }

  @Test
  func `the flat reader reads plain strings, numbers of few digits, true, false and null`() throws {
    read(" {\"s\" : \"a b\" ,\n\"i\":-120,\t\"z\":0, \"n\":null,\"e\":\"\",\"r\":-1.25,\"t\":true}\r\n") { object in
      #expect(object?.string("s") == "a b" && object?.string("e") == "" && object?.string("i") == nil)
      #expect(object?.number("i") == -120 && object?.number("z") == 0 && object?.number("s") == nil)
      #expect(object?.number("r") == -1.25 && object?.number("t") == nil)
      #expect(object?.has("n") == true && object?.has("x") == false)
      #expect(object?.verbatim("s").map { $0.count } == 5)
    }
    #expect(read("{}") { $0 != nil })
    #expect(try JSONDocument.parse(#"{"i":123456789012345678}"#).root["i"]?.integer == 123_456_789_012_345_678)
  }

  @Test(arguments: [
    "", "{", "}", "[]", "null", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a":1 "b":2}"#, #"{"a":1}x"#,
    #"{"a":1,"a":2}"#, #"{"a":01}"#, #"{"a":-}"#, #"{"a":1.}"#, #"{"a":1e5}"#, #"{"a":1.5e5}"#, #"{"a":+1}"#,
    #"{"a":tru}"#,
    #"{"a":truee}"#, #"{"a":.5}"#, #"{"a":0.1234567890123456789}"#, #"{"a":nul}"#, #"{"a":nulll}"#, #"{"a":"\n"}"#,
    #"{"\u0061":1}"#, #"{"a":"é"}"#, #"{"a":"b}"#, #"{"a":{}}"#,
    #"{"a":[]}"#, "{\"a\":\"\t\"}", "{\"a\":\"\u{7F}\"}", #"{a:1}"#, #"{"a":1234567890123456789}"#,
    #"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}"#,
  ])
  func `the flat reader leaves everything else to the parser`(text: String) {
    #expect(read(text) { $0 == nil })
  }

  @Test(.long)
  func `the flat reader never reads what the parser refuses, nor reads anything differently`() throws {
    let seeds = [
      #"{"type":"refresh","id":"12","token":"eyJhbGciOiJIUzI1NiJ9.e30.abc"}"#,
      #"{ "type" : "connected", "expires_in_ms": 3600000, "user_id":null }"#, #"{"a":-1,"b":"","c":0}"#,
      #"{"exp":1763823123.52506,"iat":-0,"server":true,"x":false,"y":-0.0}"#,
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
      guard bytes.withUnsafeBytes({ FlatObject($0) != nil }) else { continue }
      // Values inside an array are not plain, and therefore read by the parser.
      let words = String(decoding: bytes, as: UTF8.self)
      let parsed = try #require(JSONDocument.parse("[\(words)]").root.elements?.first, "\(words)")
      let plain = try JSONDocument.parse(bytes).root
      expect(plain, is: parsed, words)
      agreed += 1
    }
    #expect(agreed > 10_000, "too few were plain to tell")
  }

  private func expect(_ plain: JSONView, is parsed: JSONView, _ words: String) {
    let (ours, theirs) = (plain.members ?? [], parsed.members ?? [])
    #expect(ours.map(\.name) == theirs.map(\.name), "\(words)")
    #expect(plain.text == parsed.text && plain.count == parsed.count && plain.isObject, "\(words)")
    for ((name, one), (_, other)) in zip(ours, theirs) {
      #expect(one.kind == other.kind && one.string == other.string && one.integer == other.integer, "\(words)")
      #expect(one.number == other.number && one.bool == other.bool && one.text == other.text, "\(words)")
      #expect(one.isNull == other.isNull && one.count == nil && one.elements == nil && one.members == nil, "\(words)")
      #expect(plain[member: name]?.text == other.text, "\(words)")
    }
  }

  @Test(.long)
  func `a fraction is the double nearest to its digits, as the C library reads them`() {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<50_000 {
      let whole =
        Int64.random(in: -999_999_999_999...999_999_999_999, using: &generator)
        >> Int64.random(in: 0..<40, using: &generator)
      let decimals = (0..<Int.random(in: 1...17, using: &generator)).map { _ in
        String(Int.random(in: 0...9, using: &generator))
      }
      let digits = "\(whole == 0 ? "-0" : "\(whole)").\(decimals.joined())"
      #expect(read("{\"r\":\(digits)}") { $0?.number("r") }?.bitPattern == strtod(digits, nil).bitPattern, "\(digits)")
    }
  }
}
