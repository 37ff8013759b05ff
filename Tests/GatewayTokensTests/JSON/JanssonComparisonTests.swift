import CJansson
import GatewayCore
import GatewayTokens
import Testing

/// Our reader beside jansson, a parser that nobody here wrote, told to be as strict: they accept the same texts and find
/// the same in them.
@Suite("Our JSON reader and jansson")
struct JanssonComparisonTests {
  private static let seeds = [
    #"{"user_id":"ann","iat":1700000000,"exp":1700003600.25,"kind":"guest","call_cids":["default:a","b:c"],"x":null}"#,
    #"{"type":"publish","id":"4","cid":"default:standup","content":{"a":[1,2.5e-3,-0,true,false],"b":{}}}"#,
    #"{"a":"\u00e9\ud83d\ude00\\\"\/\b\f\n\r\t","\u0061b":"ünï","n":[[[[]]],-12,0.5,1E+2],"e":""}"#,
    #" [ {"k" : 1 , "l":2} , "s" , -9223372036854775808 , 9223372036854775807 ] "#,
    #"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14,"o":15,"p":16,"q":17}"#,
  ]

  /// What mutations put in: everything that means something to JSON, and some that means nothing.
  private static let pieces: [[UInt8]] =
    [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0061", "\\u0000", "\\ud800", "\\udc00", "\\x", "0", "1", "-", "+",
      ".",
      "e", "E9", "e999", "null", "true", "fals", " ", "\t", "\n", "\u{b}", "a", "\"a\"", "\"a\":1,",
      "99999999999999999999",
      "NaN", "//", "'", "é", "\u{7f}", "\u{feff}",
    ].map { Array($0.utf8) } + [[0], [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0x1f]]

  @Test("agree on 200,000 texts made by chance", arguments: [1, 2, 3, 4] as [UInt64])
  func agree(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var accepted = 0
    for _ in 0..<50_000 {
      let text = Self.mutate(Self.seeds.randomElement(using: &generator)!, &generator)
      accepted += try Self.compare(text) ? 1 : 0
    }
    // Both kinds must be there in numbers, or the test says nothing.
    #expect((2_000...48_000).contains(accepted))
  }

  @Test("agree on the texts the mutations start from", arguments: seeds)
  func agreeOnSeeds(text: String) throws {
    #expect(try Self.compare(Array(text.utf8)))
  }

  private static func mutate(_ text: String, _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
      let start = Int.random(in: 0...bytes.count, using: &generator)
      let end = min(bytes.count, start + Int.random(in: 0...3, using: &generator))
      switch Int.random(in: 0...3, using: &generator) {
      case 0: bytes.removeSubrange(start..<end)
      case 1: bytes.replaceSubrange(start..<end, with: pieces.randomElement(using: &generator)!)
      case 2: bytes.insert(contentsOf: pieces.randomElement(using: &generator)!, at: start)
      default: bytes.insert(contentsOf: bytes[start..<min(bytes.count, start + 12)], at: end)
      }
    }
    return bytes
  }

  /// Reads `text` both ways; whether it was accepted.
  private static func compare(_ text: [UInt8]) throws -> Bool {
    let ours = try? JSONDocument.parse(text)
    if text.contains(0) {
      // jansson 2.14 steps over a NUL behind a number; RFC 8259 knows none.
      #expect(ours == nil)
      return false
    }
    let theirs = text.withUnsafeBytes {
      json_loadb($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, Int(JSON_REJECT_DUPLICATES), nil)
    }
    defer { json_decref(theirs) }
    guard (ours == nil) == (theirs == nil) else {
      Issue.record("ours \(ours == nil ? "refuses" : "accepts") \(String(decoding: text, as: UTF8.self))")
      return false
    }
    guard let ours, let theirs else { return false }
    #expect(isSame(ours.root, theirs), "\(String(decoding: text, as: UTF8.self))")
    return true
  }

  private static func isSame(_ ours: JSONView, _ theirs: UnsafeMutablePointer<json_t>) -> Bool {
    switch theirs.pointee.type {
    case JSON_OBJECT:
      guard let members = ours.members, members.count == json_object_size(theirs) else { return false }
      return members.allSatisfy { name, value in
        guard let other = json_object_getn(theirs, name, name.utf8.count) else { return false }
        return isSame(value, other) && ours[member: name]?.text == value.text
      }
    case JSON_ARRAY:
      guard let elements = ours.elements, elements.count == json_array_size(theirs) else { return false }
      return elements.enumerated().allSatisfy { isSame($1, json_array_get(theirs, $0)) }
    case JSON_STRING:
      let text = UnsafeBufferPointer(start: json_string_value(theirs), count: json_string_length(theirs))
      return ours.withUTF8 { $0.elementsEqual(text.lazy.map { UInt8(bitPattern: $0) }) } ?? false
    case JSON_INTEGER: return ours.integer == json_integer_value(theirs) && ours.kind == .integer
    case JSON_REAL: return ours.number == json_real_value(theirs) && ours.kind == .real
    case JSON_TRUE: return ours.bool == true
    case JSON_FALSE: return ours.bool == false
    default: return ours.isNull
    }
  }
}
