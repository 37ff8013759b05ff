package import GatewayCore
internal import GatewayJSON

/// A redaction of the secrets in JSON text, for people who debug a client: `{"type":"refresh","token":"(redacted)"}`.
///
/// A value is a secret if its member's name says so, e.g. `access_token`, or if the dialect lists the name. Anywhere in
/// the text these are secrets too: text that looks like a signed token, an address with a token in it, and JSON text
/// that itself contains a secret.
package struct JSONRedaction: Sendable {
  /// The replacement for a secret.
  package static let blank = "(redacted)"

  /// The endings of names of secrets, without `-` and `_`: they match `accessToken` as well as `SESSION-TOKENS`.
  private static let endings = [
    "token", "tokens", "secret", "secrets", "password", "passphrase", "jwt", "authorization", "credential",
    "credentials",
    "cookie", "privatekey", "sessionkey", "streamkey",
  ].map { Array($0.utf8) }
  /// The beginning of a token's header, which marks a text as secret.
  private static let mark = Array("eyJ".utf8)
  /// Further marks, in either case: a secret in a query, or a header's value.
  private static let words = ["token=", "auth=", "secret=", "password=", "jwt=", "bearer ", "basic "].map {
    Array($0.utf8)
  }
  /// The depth to which JSON text inside JSON text is searched. Deeper text is redacted.
  private static let depthMax = 4
  /// The maximum length of a string that is shown in a message that the gateway does not understand.
  private static let strangeMax = 24

  private let names: Set<Name>

  /// Creates a redaction with further names of secrets, written in lower case without `-` and `_`: `newkey`.
  package init(_ names: Set<Name> = []) {
    self.names = names
  }

  /// Returns the text of one object or array with its secrets redacted; nil if it is neither. If the message is not
  /// understood, every string in it that is longer, or does not look like words, is redacted too.
  package func text(_ json: UnsafeRawBufferPointer, isUnderstood: Bool = true) -> String? {
    text(json, isUnderstood: isUnderstood, depth: 0)
  }

  private func text(_ json: UnsafeRawBufferPointer, isUnderstood: Bool, depth: Int) -> String? {
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
      if hides(string, isUnderstood, depth) { output += Self.quotedBlank } else { output += string }
      if isName && isSecret(string) {
        next = Self.skip(json, from: next + 1)
        output += json[end..<next] + Self.quotedBlank
        index = Self.end(ofValue: next, json)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  // MARK: Redacted text

  private static let quotedBlank = Array("\"\(blank)\"".utf8)

  /// Returns whether a string, with its quotes, contains a secret.
  private func hides(_ string: Slice<UnsafeRawBufferPointer>, _ isUnderstood: Bool, _ depth: Int) -> Bool {
    if !isUnderstood && string.count > Self.strangeMax { return true }
    if string.contains(UInt8(ascii: "\\")) {
      guard let meant = Self.meant(string), isUnderstood || Self.looksLikeWords(meant) else { return true }
      return meant.withUnsafeBytes { bytes in
        hasMark(Slice(base: bytes, bounds: bytes.indices)) || holdsSecret(bytes, depth)
      }
    }
    return hasMark(string) || !isUnderstood && !Self.looksLikeWords(Array(string.dropFirst().dropLast()))
  }

  /// Returns whether a text has nothing but words, numbers, and short names with a number: no key, hash or password of a
  /// machine's making.
  private static func looksLikeWords(_ text: [UInt8]) -> Bool {
    text.split { !Word.isPart($0) || $0 == UInt8(ascii: "/") }.allSatisfy { Word.isPlain($0) }
  }

  private func hasMark(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    text.indices.contains { index in
      let rest = text[index...]
      if rest.starts(with: Self.mark) { return true }
      return Self.words.contains { word in
        rest.count >= word.count && zip(rest, word).allSatisfy { Self.lower($0) == $1 }
      }
    }
  }

  /// Returns whether the text contains JSON text, alone or after other text, that contains a secret.
  private func holdsSecret(_ text: UnsafeRawBufferPointer, _ depth: Int) -> Bool {
    guard let start = text.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }) else {
      return false
    }
    if depth >= Self.depthMax { return true }
    let inner = UnsafeRawBufferPointer(rebasing: text[start...])
    guard let shown = self.text(inner, isUnderstood: true, depth: depth + 1) else { return false }
    return !shown.utf8.elementsEqual(inner)
  }

  /// Returns the decoded bytes of a string literal with its quotes; nil if it is invalid.
  private static func meant(_ string: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
    let array = [UInt8(ascii: "[")] + Array(string) + [UInt8(ascii: "]")]
    let document = try? JSONDocument.parse(array, sizeMax: array.count)
    return document?.root.elements?.first?.string.map { Array($0.utf8) }
  }

  private static func lower(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// Returns whether a name, with its quotes, is that of a secret. Names with escapes are treated as secret.
  private func isSecret(_ string: Slice<UnsafeRawBufferPointer>) -> Bool {
    if string.contains(UInt8(ascii: "\\")) { return true }
    let letters = string.compactMap { byte -> UInt8? in
      switch byte {
      case Self.quote, UInt8(ascii: "_"), UInt8(ascii: "-"): nil
      default: Self.lower(byte)
      }
    }
    return names.contains(Name(String(decoding: letters, as: UTF8.self)))
      || Self.endings.contains { letters.suffix($0.count).elementsEqual($0) }
  }

  // MARK: Ends of values, in valid JSON

  private static let quote = UInt8(ascii: "\"")

  private static func skip(_ json: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < json.count, [0x20, 0x09, 0x0A, 0x0D].contains(json[index]) { index += 1 }
    return index
  }

  /// Returns the index behind the closing quote of the string that begins at `start`.
  private static func end(ofString start: Int, _ json: UnsafeRawBufferPointer) -> Int {
    var index = start + 1
    while index < json.count, json[index] != quote { index += json[index] == UInt8(ascii: "\\") ? 2 : 1 }
    return min(index + 1, json.count)
  }

  /// Returns the index behind the value that begins at `start`.
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
        // A number ends where its container ends.
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
