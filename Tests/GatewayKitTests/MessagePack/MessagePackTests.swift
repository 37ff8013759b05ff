import GatewayCore
import GatewayJSON
import TestSupport
import TestTraits
import Testing

@testable import GatewayKit

/// The vectors are the formats of the MessagePack specification, each at its limits.
struct MessagePackTests {
  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.utf8.filter { $0 != 0x20 })
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
  }

  private static func text(_ hex: String) -> String? {
    MessagePack.json(bytes(hex)).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func packed(_ json: String) -> [UInt8]? { MessagePack.packed(Array(json.utf8)) }

  /// Values in their shortest form, within an array of one element.
  private static let shortest: [(String, String)] = [
    ("c0", "null"), ("c2", "false"), ("c3", "true"), ("00", "0"), ("7f", "127"), ("cc80", "128"), ("ccff", "255"),
    ("cd0100", "256"), ("cdffff", "65535"), ("ce00010000", "65536"), ("ceffffffff", "4294967295"),
    ("cf0000000100000000", "4294967296"), ("cf7fffffffffffffff", "9223372036854775807"),
    ("cf8000000000000000", #"{"$uint":"9223372036854775808"}"#),
    ("cfffffffffffffffff", #"{"$uint":"18446744073709551615"}"#), ("ff", "-1"), ("e0", "-32"), ("d0df", "-33"),
    ("d080", "-128"), ("d1ff7f", "-129"), ("d18000", "-32768"), ("d2ffff7fff", "-32769"), ("d280000000", "-2147483648"),
    ("d3ffffffff7fffffff", "-2147483649"), ("d38000000000000000", "-9223372036854775808"),
    ("cb3ff8000000000000", "1.5"), ("cb8000000000000000", "-0.0"), ("cb7ff8000000000000", #"{"$float":"nan"}"#),
    ("cb7ff0000000000000", #"{"$float":"inf"}"#), ("cbfff0000000000000", #"{"$float":"-inf"}"#), ("a0", #""""#),
    ("a3c3a4 22", #""ä\"""#), ("a100", #"{"$str":"AA=="}"#), ("a180", #"{"$str":"gA=="}"#),
    ("c400", #"{"$base64":""}"#),
    ("c4026869", #"{"$base64":"aGk="}"#), ("90", "[]"), ("80", "{}"), ("81a16101", #"{"a":1}"#),
    ("d4052a", #"{"$ext":5,"$base64":"Kg=="}"#), ("d6ff00000000", #"{"$ext":-1,"$base64":"AAAAAA=="}"#),
    ("d7ff0000000000000000", #"{"$ext":-1,"$base64":"AAAAAAAAAAA="}"#),
    ("c70380010203", #"{"$ext":-128,"$base64":"AQID"}"#),
    ("c70001", #"{"$ext":1,"$base64":""}"#), ("810102", #"{"$map":[[1,2]]}"#),
    ("82a16101c0a162", #"{"$map":[{"a":1},[null,"b"]]}"#), ("81a72462617365363401", #"{"$map":[{"$base64":1}]}"#),
    ("8181a1610102", #"{"$map":[[{"a":1},2]]}"#),
  ]

  @Test(arguments: shortest)
  func `each type of MessagePack is read as JSON and written back to the same bytes`(hex: String, json: String) {
    let whole = Self.bytes("91" + hex)
    #expect(Self.text("91" + hex) == "[\(json)]")
    #expect(Self.packed("[\(json)]") == whole)
    #expect((try? JSONDocument.parse("[\(json)]")) != nil)
  }

  @Test(arguments: [
    ("cc01", "1"), ("cd0001", "1"), ("cf0000000000000001", "1"), ("d001", "1"), ("d100ff", "255"),
    ("d37fffffffffffffff", "9223372036854775807"), ("d0ff", "-1"), ("d2ffffffff", "-1"), ("ca3fc00000", "1.5"),
    ("ca7f800000", #"{"$float":"inf"}"#), ("d90161", #""a""#), ("da000161", #""a""#), ("db0000000161", #""a""#),
    ("c5000168", #"{"$base64":"aA=="}"#), ("c60000000168", #"{"$base64":"aA=="}"#), ("dc000101", "[1]"),
    ("dd0000000101", "[1]"), ("de0001a16101", #"{"a":1}"#), ("df00000001a16101", #"{"a":1}"#),
    ("c80001052a", #"{"$ext":5,"$base64":"Kg=="}"#), ("c900000001052a", #"{"$ext":5,"$base64":"Kg=="}"#),
  ])
  func `a value in a longer form than it needs is read as the same value`(hex: String, json: String) {
    #expect(Self.text("91" + hex) == "[\(json)]")
  }

  @Test(.long, arguments: [31, 32, 255, 256, 65_535, 65_536])
  func `a text, bytes and a list of each length have the head for that length`(count: Int) throws {
    let long = String(repeating: "a", count: count)
    for json in ["[\"\(long)\"]", "[{\"$base64\":\"\(Base64.encode(Array(long.utf8)))\"}]"] {
      let packed = try #require(Self.packed(json))
      #expect(packed.suffix(count).elementsEqual(long.utf8))
      #expect(MessagePack.json(packed).map { $0.elementsEqual(json.utf8) } == true)
    }
    let list = "[" + Array(repeating: "1", count: count).joined(separator: ",") + "]"
    #expect(try MessagePack.json(#require(Self.packed(list))).map { $0.elementsEqual(list.utf8) } == true)
    let members = "{" + (0..<count).map { "\"\($0)\":1" }.joined(separator: ",") + "}"
    #expect(try MessagePack.json(#require(Self.packed(members))).map { $0.elementsEqual(members.utf8) } == true)
  }

  @Test(arguments: [
    "", "c1", "91c1", "91", "9101 00", "01", "a161", "c0", "dcffff", "dd ffffffff", "df ffffffff", "de0002a16101a162",
    "91dbffffffff", "91c6ffffffff61", "91c9ffffffff05", "91cb00", "91d8", "81a161", "93 0101",
  ])
  func `bytes that are no map and no array of MessagePack are no message`(hex: String) {
    #expect(Self.text(hex) == nil)
  }

  @Test(arguments: [
    #"{"$base64":"!"}"#, #"{"$base64":1}"#, #"{"$uint":"-1"}"#, #"{"$uint":"18446744073709551616"}"#,
    #"{"$float":"big"}"#, #"{"$ext":1}"#, #"{"$ext":128,"$base64":""}"#, #"{"$ext":1,"a":2}"#, #"{"$map":1}"#,
    #"{"$map":[1]}"#, #"{"$map":[[1]]}"#, #"{"$base64":"","a":1}"#, "{", "[1]]",
  ])
  func `JSON that stands for no value of MessagePack is not written`(json: String) {
    #expect(Self.packed("[\(json)]") == nil)
  }

  @Test
  func `another value is put in one place, and every other byte stays as it was`() throws {
    // A map of {"n": 1 in eight bytes, "life": 300, "x": bin}, none of them in its shortest form.
    let message = Self.bytes("de0003 a16e cf0000000000000001 d9046c696665 cd012c a178 c5000168")
    let pointer = try #require(JSONPointer("/life"))
    let changed = MessagePack.replacing(pointer, in: message) { $0.integer == 300 ? "3" : nil }
    #expect(changed == Self.bytes("de0003 a16e cf0000000000000001 d9046c696665 03 a178 c5000168"))
    #expect(MessagePack.replacing(try #require(JSONPointer("/lives")), in: message) { _ in "3" } == nil)
    #expect(MessagePack.replacing(pointer, in: message) { _ in nil } == nil)
    let nested = Self.bytes("92 01 81a16192 c0 82a162a178 a163 a179")
    let inner = MessagePack.replacing(try #require(JSONPointer("/1/a/1/c")), in: nested) { _ in #""zz""# }
    #expect(inner == Self.bytes("92 01 81a16192 c0 82a162a178 a163 a27a7a"))
  }

  @Test
  func `bytes are shown to people by their number alone`() {
    let message = Self.bytes("82a161c403616263a162d605 01020304")
    let shown = message.withUnsafeBytes { MessagePack.json($0, .counted) }
    #expect(
      shown.map { String(decoding: $0, as: UTF8.self) }
        == #"{"a":{"$base64":"(3 bytes)"},"b":{"$ext":5,"$base64":"(4 bytes)"}}"#)
  }

  // MARK: Hostile bytes

  @Test(.long)
  func `random and damaged bytes end in JSON that can be read, or in nothing`() throws {
    var chance = SeededGenerator(seed: 20_261_129)
    var read = 0
    for _ in 0..<20_000 {
      var message = Self.message(&chance, depth: 0)
      for _ in 0..<Int.random(in: 0...2, using: &chance) where !message.isEmpty {
        message[Int.random(in: message.indices, using: &chance)] = UInt8.random(in: 0...255, using: &chance)
      }
      if Bool.random(using: &chance) {
        message = Array(message.prefix(Int.random(in: 0...message.count, using: &chance)))
      }
      guard let json = MessagePack.json(message) else { continue }
      // A name may occur twice, or a mark add too many levels: then JSON has no form for it.
      guard let document = try? JSONDocument.parse(json, sizeMax: json.count) else { continue }
      read += 1
      let packed = try #require(MessagePack.packed(json))
      let again = MessagePack.json(packed)
      #expect(again == json, "\(message) \(document.root.text)")
    }
    #expect(read > 1000)
  }

  /// Returns a well-formed value, mostly a map or an array at the top.
  private static func message(_ chance: inout SeededGenerator, depth: Int) -> [UInt8] {
    let heads: [UInt8] = [
      0x05, 0xc0, 0xc3, 0xcc, 0xcd, 0xce, 0xcf, 0xd0, 0xd1, 0xd2, 0xd3, 0xca, 0xcb, 0xa2, 0xc4, 0xd4, 0xd8, 0xc7, 0xe5,
    ]
    func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &chance) } }
    let kind = Int.random(in: 0..<(depth == 0 ? 2 : depth > 3 ? 1 : 5), using: &chance)
    if depth == 0 || kind > 2 {
      let count = Int.random(in: 0...4, using: &chance)
      let isMap = kind % 2 == 1
      var bytes: [UInt8] = [(isMap ? 0x80 : 0x90) | UInt8(count)]
      for _ in 0..<count {
        if isMap { bytes += Int.random(in: 0...9, using: &chance) == 0 ? [7] : [0xa2] + Array("k\(count)".utf8) }
        bytes += message(&chance, depth: depth + 1)
      }
      return bytes
    }
    let head = heads[Int.random(in: heads.indices, using: &chance)]
    switch head {
    case 0xcc, 0xd0: return [head] + random(1)
    case 0xcd, 0xd1: return [head] + random(2)
    case 0xce, 0xd2, 0xca: return [head] + random(4)
    case 0xcf, 0xd3, 0xcb: return [head] + random(8)
    case 0xa2: return [head] + random(2)
    case 0xc4: return [head, 3] + random(3)
    case 0xd4: return [head] + random(2)
    case 0xd8: return [head] + random(17)
    case 0xc7: return [head, 5] + random(6)
    default: return [head]
    }
  }

  @Test(.long)
  func `deep and wide messages cost a time that grows with their size alone`() {
    let depth = MessagePack.depthMax
    #expect(MessagePack.json([UInt8](repeating: 0x91, count: depth - 1) + [0x90]) != nil)
    #expect(MessagePack.json([UInt8](repeating: 0x91, count: depth) + [0x90]) == nil)
    #expect(MessagePack.json([UInt8](repeating: 0x91, count: MessagePack.sizeMax)) == nil)
    #expect(MessagePack.json([UInt8](repeating: 0x81, count: MessagePack.sizeMax)) == nil)
    // Each map is not plain because of its last key, at every depth.
    var message: [UInt8] = [0xc0]
    for _ in 0..<depth - 1 { message = [0x82, 0xa1, 0x61] + message + [0x01, 0x01] }
    #expect(MessagePack.json(message) != nil)
    let maps = 200_000
    let wide =
      [0xdd] + withUnsafeBytes(of: UInt32(maps).bigEndian) { Array($0) } + [UInt8](repeating: 0x80, count: maps)
    #expect(MessagePack.json(wide)?.count == 3 * maps + 1)
    // Larger as JSON than it may be.
    let nils = MessagePack.sizeMax - 5
    let large =
      [0xdd] + withUnsafeBytes(of: UInt32(nils).bigEndian) { Array($0) } + [UInt8](repeating: 0xc0, count: nils)
    #expect(MessagePack.json(large) == nil)
    #expect(MessagePack.packed(Array(String(repeating: "[", count: 100_000).utf8)) == nil)
  }
}
