package import GatewayCore
internal import GatewayJSON

/// JSON text as it may be seen by whoever looks for a fault in a client: `{"type":"refresh","token":"(redacted)"}`.
///
/// A secret is the value of a member whose name says so, `access_token` for instance, and what a dialect names beside
/// those; and wherever it stands what looks like a signed token, or like an address with one in it.
package struct JSONRedaction: Sendable {
  /// What stands where a secret was.
  package static let blank = "(redacted)"

  /// What the name of a secret ends with, its signs left out: `accessToken` as well as `SESSION-TOKENS`.
  private static let endings = [
    "token", "tokens", "secret", "password", "jwt", "authorization", "credentials",
  ].map { Array($0.utf8) }
  /// What the text of a secret has in it: the beginning of a token's header, or a secret in a query.
  private static let marks = ["eyJ", "token=", "auth=", "secret=", "password=", "Bearer "].map { Array($0.utf8) }
  /// How long a text may be that nobody understands.
  private static let strangeMax = 24

  private let names: Set<Name>

  /// Names are given without signs and capitals: `newkey`.
  package init(_ names: Set<Name> = []) {
    self.names = names
  }

  /// The text of one object or array, its secrets blanked; nil if it is neither. Where it is not understood, every longer text
  /// in it is blanked.
  package func text(_ json: UnsafeRawBufferPointer, isUnderstood: Bool = true) -> String? {
    guard (try? JSONDocument(json, integersOfAnySize: true)) != nil else { return nil }
    var (output, index) = ([UInt8](), 0)
    output.reserveCapacity(json.count)
    while index < json.count {
      guard json[index] == Self.quote else {
        output.append(json[index])
        index += 1
        continue
      }
      let end = Self.end(ofString: index, json)
      let string = json[index..<end]
      var next = Self.skip(json, from: end)
      let isName = next < json.count && json[next] == UInt8(ascii: ":")
      index = end
      if hides(string, isUnderstood) { output += Self.quotedBlank } else { output += string }
      if isName && isSecret(string) {
        next = Self.skip(json, from: next + 1)
        output += json[end..<next] + Self.quotedBlank
        index = Self.end(ofValue: next, json)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  // MARK: What is hidden

  private static let quotedBlank = Array("\"\(blank)\"".utf8)

  /// Whether a string, with its quotes, has something in it that nobody may see.
  private func hides(_ string: Slice<UnsafeRawBufferPointer>, _ isUnderstood: Bool) -> Bool {
    if !isUnderstood && string.count > Self.strangeMax { return true }
    return Self.marks.contains { mark in
      string.indices.contains { string[$0] == mark[0] && string[$0...].starts(with: mark) }
    }
  }

  /// Whether a name, with its quotes, is a secret's. What is escaped in a name is not looked into.
  private func isSecret(_ string: Slice<UnsafeRawBufferPointer>) -> Bool {
    if string.contains(UInt8(ascii: "\\")) { return true }
    let letters = string.compactMap { byte -> UInt8? in
      switch byte {
      case Self.quote, UInt8(ascii: "_"), UInt8(ascii: "-"): nil
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
      default: byte
      }
    }
    return names.contains(Name(String(decoding: letters, as: UTF8.self)))
      || Self.endings.contains { letters.suffix($0.count).elementsEqual($0) }
  }

  // MARK: Where things end, in text that is JSON

  private static let quote = UInt8(ascii: "\"")

  private static func skip(_ json: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < json.count, [0x20, 0x09, 0x0A, 0x0D].contains(json[index]) { index += 1 }
    return index
  }

  /// Behind the closing quote of the string that begins there.
  private static func end(ofString start: Int, _ json: UnsafeRawBufferPointer) -> Int {
    var index = start + 1
    while index < json.count, json[index] != quote { index += json[index] == UInt8(ascii: "\\") ? 2 : 1 }
    return min(index + 1, json.count)
  }

  /// Behind the value that begins there.
  private static func end(ofValue start: Int, _ json: UnsafeRawBufferPointer) -> Int {
    var (index, depth) = (start, 0)
    while index < json.count {
      switch json[index] {
      case quote:
        index = end(ofString: index, json)
        if depth == 0 { return index }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        // Of a number: what holds it ends.
        if depth == 0 { return index }
        depth -= 1
        if depth == 0 { return index + 1 }
      case UInt8(ascii: ","):
        if depth == 0 { return index }
      default: break
      }
      index += 1
    }
    return index
  }
}
