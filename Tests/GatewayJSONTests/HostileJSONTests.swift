import GatewayCore
import TestSupport
import TestTraits
import Testing

@testable import GatewayJSON

struct HostileJSONTests {
  private struct Numbers: Codable {
    var a: Int?
    var b: UInt8?
    var c: UInt64?
    var d: Double?
    var e: [Int32]?
    var f: Duration?
    var g: [String: Int16]?
    var h: String?
    var i: Bool?
  }

  private static let examples = [
    #"{"a": 1, "b": 255, "c": 18446744073709551615, "d": -1.5e3, "e": [1, -2], "f": 3, "g": {"x": 4}, "h": "\u00e9\n", "i": true}"#,
    #"{"type":"refresh","token":"a.b.c","expires_in":3600}"#, #"[[[[1]]], {"a": {"a": {"a": null}}}]"#, #"{"a":1}"#,
  ]
  private static let json5 = [
    "{ a: 0x1F, 'b': .5, /* c */ \"c\": +5, d: [1, 'x\\\n y',], // e\n e: Infinity }", "{port: 8080, on: true}",
  ]

  @Test(.long)
  func `hostile JSON traps neither the document, nor the coder, nor the flat reader, which agree on numbers`() {
    var source = HostileBytes(seed: 10, examples: Self.examples, words: ["\"a\"", "\"f\"", "1e400", "-", ","])
    var parsed = 0
    for _ in 0..<6_000 {
      let bytes = source.next()
      let numbers = try? JSONCoder().decode(Numbers.self, from: bytes)
      guard let root = (try? JSONDocument.parse(bytes))?.root else { continue }
      parsed += 1
      // It answers every question.
      for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        guard let value = root[member: name] else { continue }
        _ = (value.integer, value.number, value.string, value.isNull, value.members, value.kind)
        #expect(value.number?.isFinite != false)
      }
      if let numbers, let a = numbers.a { #expect(root["a"]?.number == Double(a)) }
      bytes.withUnsafeBytes { text in
        if let flat = FlatObject(text), let a = flat.number("a") { #expect(root["a"]?.number == a) }
      }
    }
    #expect(parsed > 500)
  }

  @Test(.long)
  func `a hostile JSON5 file traps no reader, and its values are written as JSON`() {
    var source = HostileBytes(
      seed: 11, examples: Self.json5 + Self.examples,
      words: ["//", "/*", "*/", "0x", "'", "Infinity", "NaN", "\\x4", "\u{2028}"])
    var parsed = 0
    for _ in 0..<6_000 {
      var reader = JSON5Reader(source.text())
      guard let object = try? reader.object() else { continue }
      parsed += 1
      var writer = JSONWriter()
      object.write(to: &writer)
    }
    #expect(parsed > 500)
  }

  @Test(arguments: [
    ("-0.", "0"), ("-0", "0"), ("-0x0", "0"), ("+0x1F", "31"), ("-0xff", "-255"), ("-.5", "-0.5"), ("1e3", "1000"),
    ("-9223372036854775808", "-9223372036854775808"), ("0x+5", nil), ("0x", nil), ("0x-1", nil), ("--1", nil),
  ])
  func `a number in JSON5 has one spelling, and hexadecimal digits have no sign among them`(
    text: String, number: String?
  ) {
    var reader = JSON5Reader("{a: \(text)}")
    guard case .number(let read)? = (try? reader.object())?.member("a")?.kind else {
      #expect(number == nil)
      return
    }
    #expect(read == number)
  }

  @Test
  func `a slice of an incomplete text ends within the text`() {
    for text in [#"{"data":"a"#, #"{"data":[1,{"a":"b"#, #"{"data":"a\"#, #"{"data"#, #"{"data":"#] {
      let slice = text.utf8.withContiguousStorageIfAvailable {
        JSONSlice(member: "data", of: UnsafeRawBufferPointer($0))
      }
      if let range = slice??.range { #expect(range.upperBound <= text.utf8.count, "\(text)") }
    }
  }
}
