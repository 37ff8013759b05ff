import Foundation
import GatewayCore
import TestTraits
import Testing

@testable import GatewayJSON

struct JSONCoderTests {
  private struct Inner: Codable, Hashable {
    var name: String
    var counts: [Int]
    var share: Double?
  }

  private struct Value: Codable, Hashable {
    var id: String
    var isOpen: Bool
    var large: UInt64
    var small: Int64
    var wait: Duration
    var ratio: Double
    var wsURLPath: String?
    var inner: Inner
    var others: [Inner]
    var byName: [String: Int]
    var byNumber: [Int: String]
    var nothing: Int?
  }

  private static let value = Value(
    id: "a\u{0}\"\\/\n\u{1F600}é", isOpen: true, large: .max, small: .min, wait: .seconds(4_000_000), ratio: 0.1,
    wsURLPath: "/ws", inner: Inner(name: "", counts: [], share: 1), others: [Inner(name: "ann", counts: [1, -2, 3])],
    byName: ["in_words": 1, "inWords": 2], byNumber: [7: "seven"], nothing: nil)

  @Test(arguments: [JSONCoder.Layout.compact, .sorted, .indented])
  func `the coder reads back what it has written`(layout: JSONCoder.Layout) throws {
    for names in [JSONCoder.Names.asWritten, .snakeCase] {
      let text = try JSONCoder(names: names, layout: layout).encode(Self.value)
      // `wsURLPath` is decoded as `wsUrlPath`.
      var expected = Self.value
      if names == .snakeCase { expected.wsURLPath = nil }
      #expect(try JSONCoder(names: names).decode(Value.self, from: text) == expected)
    }
  }

  @Test
  func `the coder and Foundation's read each other's output`() throws {
    for isSnakeCase in [false, true] {
      let coder = JSONCoder(names: isSnakeCase ? .snakeCase : .asWritten, layout: .sorted)
      let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      if isSnakeCase {
        encoder.keyEncodingStrategy = .convertToSnakeCase
        decoder.keyDecodingStrategy = .convertFromSnakeCase
      }
      let ours = try coder.encode(Self.value)
      let theirs = try Array(encoder.encode(Self.value))
      // Our encoder writes a line feed inside a text in its long form.
      let text = String(decoding: theirs, as: UTF8.self).replacingOccurrences(of: #"\n"#, with: #"\u000a"#)
      #expect(String(decoding: ours, as: UTF8.self) == text)
      #expect(try decoder.decode(Value.self, from: Data(ours)) == coder.decode(Value.self, from: theirs))
    }
  }

  @Test(.long)
  func `the coder accepts and refuses the same texts as the document`() throws {
    struct Anything: Decodable {
      init(from decoder: any Decoder) {}
    }
    var chance = SeededGenerator(seed: 18)
    let value = Inner(name: "a\u{19}\"\\/\u{1F600}\u{E9}", counts: [0, -1, 20], share: -1.5e-7)
    let whole = try JSONCoder(layout: .indented).encode([value, value])
    let marks = Array(#"{}[]",:\u0019.eE+-tfn/ "#.utf8) + [0x80, 0xC3, 0xFF, 0x1F, 0x00]
    var taken = 0
    for _ in 0..<20_000 {
      let isCut = Int.random(in: 0..<4, using: &chance) == 0
      let end = isCut ? Int.random(in: 0...whole.count, using: &chance) : whole.count
      var text = whole[..<end] + (isCut ? whole.suffix(Int.random(in: 0...3, using: &chance)) : [])
      for _ in 0..<Int.random(in: 0...2, using: &chance) where !text.isEmpty {
        text[Int.random(in: text.indices, using: &chance)] = marks.randomElement(using: &chance)!
      }
      // Allowed by RFC 8259, and refused by the document: a NUL, a number by itself.
      if text.first != UInt8(ascii: "[") || String(decoding: text, as: UTF8.self).contains("\\u0000") { continue }
      let ours = (try? JSONCoder().decode(Anything.self, from: Array(text))) != nil
      let theirs: Bool
      do {
        _ = try JSONDocument.parse(Array(text))
        theirs = true
      } catch JSONError.duplicateMember, JSONError.numberOutOfRange {
        continue
      } catch {
        theirs = false
      }
      taken += ours ? 1 : 0
      #expect(ours == theirs, "\(String(decoding: text, as: UTF8.self).debugDescription)")
    }
    #expect((1_000..<19_000).contains(taken))
  }

  @Test
  func `the coder refuses a number that its type cannot hold, with its place`() {
    for text in [#"{"name":"","counts":[1,1e3,9223372036854775808]}"#, #"{"name":"","counts":[1,1,1.5]}"#] {
      let error = #expect(throws: DecodingError.self) { try JSONCoder().decode(Inner.self, from: text) }
      guard case .dataCorrupted(let context) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue } == ["counts", "2"])
    }
  }

  @Test
  func `the coder names a missing member, and what it found instead`() {
    func reason(_ text: String) -> String {
      do {
        _ = try JSONCoder().decode(Inner.self, from: text)
        return ""
      } catch DecodingError.keyNotFound(let key, _) {
        return key.stringValue
      } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
        return context.debugDescription
      } catch {
        return "\(error)"
      }
    }
    #expect(reason(#"{"name":"ann"}"#) == "counts")
    #expect(reason(#"{"name":7,"counts":[]}"#) == "expected text, not a number")
    #expect(reason(#"{"name":null,"counts":[]}"#) == "expected text, not null")
    #expect(reason(#"{"name":"","counts":{}}"#) == "expected an array, not an object")
    #expect(reason(#"[]"#) == "expected an object, not an array")
  }

  @Test
  func `the coder refuses values that are not finite, with an error`() {
    #expect(throws: EncodingError.self) { try JSONCoder().encode([1, Double.nan]) }
    #expect(throws: EncodingError.self) { try JSONCoder().encode(Inner(name: "", counts: [], share: .infinity)) }
    #expect(throws: DecodingError.self) { try JSONCoder().decode(Double.self, from: "1e999") }
  }

  @Test
  func `the coder nests as deep as its limit, and no deeper, without a trap`() throws {
    struct Nested: Codable {
      var inner: [Nested]
      init(from decoder: any Decoder) throws { inner = try decoder.singleValueContainer().decode([Nested].self) }
    }
    func text(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    let limit = JSONIndex.Rules.own.depthMax
    _ = try JSONCoder().decode(Nested.self, from: text(limit))
    #expect(throws: DecodingError.self) { try JSONCoder().decode(Nested.self, from: text(limit + 1)) }
    #expect(throws: DecodingError.self) {
      try JSONCoder().decode(Nested.self, from: String(repeating: "[", count: 1_000_000))
    }
  }

  @Test
  func `the coder distinguishes members by their bytes, of few and of many`() throws {
    struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
    struct Both: Decodable {
      var composed: Int
      var decomposed: Int
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        composed = try container.decode(Int.self, forKey: Key(stringValue: "\u{E9}"))
        decomposed = try container.decode(Int.self, forKey: Key(stringValue: "e\u{301}"))
      }
    }
    for others in [0, 40] {
      let more = (0..<others).map { ",\"n\($0)\":0" }.joined()
      let both = try JSONCoder().decode(Both.self, from: "{\"e\u{301}\":2,\"\u{E9}\":1\(more)}")
      #expect(both.composed == 1)
      #expect(both.decomposed == 2)
    }
  }

  @Test
  func `a second container of one value may replace what the first one wrote`() throws {
    struct Both: Encodable {
      enum Key: String, CodingKey { case name, other }
      func encode(to encoder: any Encoder) throws {
        try Inner(name: "ann", counts: [], share: nil).encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("bob", forKey: .name)
        try container.encode(1, forKey: .other)
      }
    }
    #expect(try JSONCoder(layout: .sorted).text(Both()) == #"{"counts":[],"name":"bob","other":1}"#)
  }

  @Test
  func `the coder writes a line for each value`() throws {
    let text = try JSONCoder(layout: .indented).text(Inner(name: "ann", counts: [1, 2], share: nil))
    #expect(
      text == """
        {
          "counts" : [
            1,
            2
          ],
          "name" : "ann"
        }
        """)
    #expect(try JSONCoder(layout: .indented).text([String: [Int]]()) == "{}")
    #expect(try JSONCoder(layout: .indented).text([[Int]]([[]])) == "[\n  []\n]")
  }

  @Test(arguments: ["a", "expireAfterS", "p99Ms", "wsURLPath", "aURL"])
  func `the coder names members in snake case as Foundation's does`(name: String) throws {
    struct Named: Encodable {
      let name: String
      struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: Key(stringValue: name))
      }
    }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let theirs = String(decoding: try encoder.encode(Named(name: name)), as: UTF8.self)
    #expect(try JSONCoder(names: .snakeCase).text(Named(name: name)) == theirs)
  }
}
