import GatewayCore
import GatewayJSON
import GatewayKit

/// The texts for a recording's names of secrets in its replay, e.g. for `token-1`. They are learned from the answers of the
/// gateway that is played to, or minted.
struct TrafficNames: Sendable {
  private var texts: [Name: String] = [:]

  private static let countMax = 100_000
  private static let lengthMax = 65_536
  private static let depthMax = 8

  init() {}

  /// Returns the text of a name; nil if there is none yet.
  subscript(name: String) -> String? { texts[Name(name)] }

  /// Remembers the text of a name, unless it has one, or the text cannot stand everywhere.
  mutating func set(_ name: String, _ text: String) {
    let isPlain = text.utf8.allSatisfy {
      $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    guard isPlain, !text.isEmpty, text.utf8.count <= Self.lengthMax, texts.count < Self.countMax,
      texts[Name(name)] == nil
    else { return }
    texts[Name(name)] = text
  }

  /// Returns the names in a text, in their order.
  static func names(in text: String) -> [String] { parts(of: text).compactMap { $0.isName ? String($0.text) : nil } }

  /// Returns a text with the texts of its names. A name without one stays.
  func filled(_ text: String) -> String {
    texts.isEmpty
      ? text
      : Self.parts(of: text).map { $0.isName ? self[String($0.text)] ?? String($0.text) : String($0.text) }
        .joined()
  }

  /// Learns the texts of the names in a recorded message or body from the one that was received in its place.
  mutating func learn(from received: String, recordedAs recorded: String) { learn(received, recorded, depth: 0) }

  private mutating func learn(_ received: String, _ recorded: String, depth: Int) {
    guard depth < Self.depthMax, Self.parts(of: recorded).contains(where: \.isName) else { return }
    if let one = Self.json(received), let other = Self.json(recorded) {
      learn(one.root, other.root, depth: depth)
    } else {
      learnWord(received, recorded)
    }
  }

  private mutating func learn(_ received: JSONView, _ recorded: JSONView, depth: Int) {
    guard depth < Self.depthMax else { return }
    if let elements = recorded.elements {
      for (one, other) in zip(received.elements ?? [], elements) { learn(one, other, depth: depth + 1) }
    } else if let members = recorded.members {
      for member in members {
        if let one = received[member: member.name] { learn(one, member.value, depth: depth + 1) }
      }
    } else if let text = recorded.string, let one = received.string {
      learn(one, text, depth: depth + 1)
    }
  }

  /// Learns one name from a text that is otherwise the same, e.g. `Bearer token-1`.
  private mutating func learnWord(_ received: String, _ recorded: String) {
    let parts = Self.parts(of: recorded)
    guard let place = parts.firstIndex(where: \.isName), !parts[(place + 1)...].contains(where: \.isName) else {
      return
    }
    let (before, after) = (parts[..<place].map(\.text).joined(), parts[(place + 1)...].map(\.text).joined())
    let bytes = Array(received.utf8)
    guard bytes.count > before.utf8.count + after.utf8.count, bytes.starts(with: before.utf8),
      bytes.suffix(after.utf8.count).elementsEqual(after.utf8)
    else { return }
    let middle = bytes[before.utf8.count..<(bytes.count - after.utf8.count)]
    set(String(parts[place].text), String(decoding: middle, as: UTF8.self))
  }

  /// Returns the JSON of a text, also behind a short prefix such as `42`; nil if there is none.
  private static func json(_ text: String) -> JSONDocument? {
    let bytes = Array(text.utf8)
    guard let start = bytes.prefix(16).firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") })
    else { return nil }
    return try? JSONDocument.parse(Array(bytes[start...]))
  }

  private static func parts(of text: String) -> [(text: Substring, isName: Bool)] {
    let view = text.utf8
    var (parts, start): ([(text: Substring, isName: Bool)], String.Index) = ([], view.startIndex)
    while start < view.endIndex {
      let isWord = isOfWord(view[start])
      let end = view[start...].firstIndex { isOfWord($0) != isWord } ?? view.endIndex
      let part = Substring(view[start..<end])
      parts.append((part, isWord && Pseudonyms.isName(part.utf8)))
      start = end
    }
    return parts
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_") || byte >= 0x80
  }
}
