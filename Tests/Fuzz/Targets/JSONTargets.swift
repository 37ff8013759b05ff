import Foundation
import GatewayKit

@testable import GatewayJSON

/// JSON of peers, and JSON that a person wrote.
enum JSONTargets {
  static let all = [
    FuzzTarget("json", json), FuzzTarget("json-slice", slice), FuzzTarget("json5", json5),
    FuzzTarget("msgpack", messagePack),
  ]

  private static func foundationAccepts(_ bytes: [UInt8]) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(bytes))) != nil
  }

  /// Whether only this reader refuses a text: Foundation takes other encodings, NUL in strings, and a comma before the end of
  /// an array or object.
  private static func isBeyond(_ bytes: [UInt8]) -> Bool {
    let escape = Array("\\u0000".utf8)
    return bytes.contains(0) || bytes.starts(with: [0xEF, 0xBB, 0xBF])
      || bytes.indices.contains { bytes[$0...].starts(with: escape) || isLastComma(bytes[$0...]) }
  }

  private static func isLastComma(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.first == UInt8(ascii: ",") else { return false }
    let next = bytes.dropFirst().first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
    return next == UInt8(ascii: "]") || next == UInt8(ascii: "}")
  }

  /// What is read is JSON that comes back from MessagePack as it was.
  static func messagePack(_ bytes: [UInt8]) throws {
    _ = MessagePack.packed(bytes)
    guard let json = MessagePack.json(bytes) else { return }
    let text = String(decoding: json, as: UTF8.self)
    guard (try? JSONDocument.parse(json, sizeMax: json.count)) != nil else { return }
    guard let packed = MessagePack.packed(json) else { return try hold(false, "not written: \(text)") }
    try hold(MessagePack.json(packed) == json, "another value comes back: \(text)")
  }

  static func json(_ bytes: [UInt8]) throws {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument.parse(bytes)
    } catch {
      // A text is refused as malformed only if others refuse it too.
      guard case .malformed = error, !isBeyond(bytes) else { return }
      try hold(!foundationAccepts(bytes), "\(error), and Foundation reads it")
      return
    }
    try hold(foundationAccepts(bytes), "a document that Foundation does not read")
    let text = document.root.text
    let again = try again(text)
    try hold(again.root.text.utf8.elementsEqual(text.utf8), "\(text), and again \(again.root.text)")
    if document.index == nil { try compare(document, bytes) }
  }

  private static func again(_ text: String) throws(FuzzFailure) -> JSONDocument {
    // Escapes are written longer than they were read.
    do throws(JSONError) { return try JSONDocument.parse(text, sizeMax: 1 << 22) } catch {
      throw FuzzFailure("what was written is \(error): \(text)")
    }
  }

  /// Compares the reader of plain objects with the one of all texts.
  private static func compare(_ plain: JSONDocument, _ bytes: [UInt8]) throws {
    guard let full = bytes.withUnsafeBytes({ try? JSONDocument($0, integersOfAnySize: true) }) else {
      throw FuzzFailure("a plain object that the index does not read")
    }
    let (some, others) = (plain.root.members ?? [], full.root.members ?? [])
    try hold(some.count == others.count, "\(some.count) members, and \(others.count) by the index")
    for (one, other) in zip(some, others) {
      try hold(one.name.utf8.elementsEqual(other.name.utf8), "\(one.name), and \(other.name) by the index")
      let isSame =
        one.value.string == other.value.string && one.value.bool == other.value.bool
        && one.value.isNull == other.value.isNull && one.value.number == other.value.number
      try hold(isSame, "\(one.value.text), and \(other.value.text) by the index")
    }
  }

  static func slice(_ bytes: [UInt8]) throws {
    let root = (try? JSONDocument.parse(bytes))?.root
    for name: StaticString in ["data", "type", "", "a", "id"] {
      let slice = bytes.withUnsafeBytes { JSONSlice(member: name, of: $0) }
      if let slice { try hold(slice.range.lowerBound >= 0 && slice.range.upperBound <= bytes.count, "\(slice.range)") }
      // It is asked only of texts that are well-formed objects.
      guard let root, root.isObject else { continue }
      // A name with escapes is not the name, byte for byte.
      guard let slice else { continue }
      guard let value = root[name] else { throw FuzzFailure("a slice of \(name), which the object lacks") }
      let text = "[\(String(decoding: bytes[slice.range], as: UTF8.self))]"
      let parsed = try? JSONDocument.parse(text).root
      try hold(parsed?.element(0)?.text == value.text, "\(text), and \(value.text)")
    }
  }

  static func json5(_ bytes: [UInt8]) throws {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    guard let first = written(text) else {
      let root = (try? JSONDocument.parse(bytes))?.root
      try hold(root?.isObject != true, "an object in JSON is one in JSON5")
      return
    }
    guard let second = written(first) else { throw FuzzFailure("what was written cannot be read: \(first)") }
    try hold(first.utf8.elementsEqual(second.utf8), "\(first), and again \(second)")
    try hold((try? JSONIndex(Array(first.utf8))) != nil, "no JSON: \(first)")
  }

  private static func written(_ text: String) -> String? {
    var reader = JSON5Reader(text)
    guard let object = try? reader.object() else { return nil }
    var json = JSONWriter()
    object.write(to: &json)
    return json.text
  }
}
