internal import GatewayCore
internal import GatewayJSON

/// A copier of texts that puts names in the place of secrets, e.g. `token-1`.
///
/// A text is a secret if its name says so, e.g. `access_token`, or if it does not look like words, a number or a short name. It
/// is found in JSON, in JSON inside a string, in a query and after `Bearer `. A text that was a secret once stays one, even if
/// it is a word.
package struct SecretScrubber: Sendable {
  private var names = Pseudonyms()
  private var found: [NamedToken] = []
  /// Whether a word has been a secret.
  private var hasSecretWords = false

  /// The depth of JSON text inside strings that is read. Deeper text is replaced as a whole.
  private static let depthMax = 4
  /// The maximum number of open objects and arrays whose names are known.
  private static let nestingMax = 256
  /// A longer text with blanks is replaced as a whole.
  private static let sentenceMax = 64
  /// A shorter word that is a secret at one place is none at others.
  private static let secretWordMin = 5
  private static let foundMax = 64

  package init() {}

  /// Returns the JWTs that have been named since the last call.
  package mutating func takeTokens() -> [NamedToken] {
    defer { found = [] }
    return found
  }

  // MARK: Texts

  /// Returns a message or a body without its secrets.
  package mutating func text(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: text(Array(bytes)[...], depth: 0), as: UTF8.self)
  }

  /// Returns the value of a header field or parameter without its secrets.
  package mutating func value(_ text: String, named name: String) -> String {
    let bytes = Array(text.utf8)
    let kind = SecretNames.kind(of: name.utf8)
    if kind == .cookie { return cookies(bytes) }
    return String(decoding: shown(bytes, kind, depth: 0), as: UTF8.self)
  }

  /// Returns a path without its secrets.
  package mutating func path(_ path: String) -> String {
    let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return segments.map { segment in
      let text = PercentEncoding.decode(Substring(segment)) ?? String(Substring(segment))
      return String(decoding: whole(Array(text.utf8)), as: UTF8.self)
    }.joined(separator: "/")
  }

  /// Returns a single text, e.g. a user's name, or its name in this recording.
  package mutating func word(_ text: String) -> String { String(decoding: whole(Array(text.utf8)), as: UTF8.self) }

  private mutating func cookies(_ bytes: [UInt8]) -> String {
    let parts = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { part -> [UInt8] in
      guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return runs(part, isJSON: false, nil) }
      let name = part[...equals].drop { $0 == 0x20 }
      let isAttribute = ["path=", "domain=", "expires=", "max-age=", "samesite="].contains {
        name.map(Word.lower).elementsEqual($0.utf8)
      }
      if isAttribute { return Array(part) }
      return Array(part[...equals]) + secret(part[(equals + 1)...], .cookie)
    }
    return String(decoding: Array(parts.joined(separator: [UInt8(ascii: ";")])), as: UTF8.self)
  }

  // MARK: JSON

  private mutating func text(_ bytes: ArraySlice<UInt8>, depth: Int) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var (plain, index, isBroken) = (bytes.startIndex, bytes.startIndex, false)
    /// The kinds of what is in the open objects and arrays, and of the next value.
    var open: [Pseudonyms.Kind?] = []
    var kind: Pseudonyms.Kind?
    while index < bytes.endIndex {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\""), !isBroken {
        guard let close = Self.end(ofString: index, bytes) else {
          isBroken = true
          continue
        }
        output += runs(bytes[plain..<index], isJSON: true, kind)
        let literal = bytes[(index + 1)..<close]
        (index, plain) = (close + 1, close + 1)
        output.append(byte)
        if Self.isName(close + 1, bytes) {
          kind = SecretNames.kind(of: literal) ?? open.last ?? nil
          output += memberName(literal)
        } else {
          output += string(literal, kind, depth)
        }
        output.append(byte)
        continue
      }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): if open.count < Self.nestingMax { open.append(kind) }
      case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","):
        output += runs(bytes[plain..<index], isJSON: true, kind)
        plain = index
        if byte != UInt8(ascii: ",") { _ = open.popLast() }
        kind = open.last ?? nil
      default: break
      }
      index += 1
    }
    return output + runs(bytes[plain...], isJSON: true, kind)
  }

  /// Returns the index of the closing quote of the string that begins at `start`; nil for none.
  private static func end(ofString start: Int, _ bytes: ArraySlice<UInt8>) -> Int? {
    var index = start + 1
    while index < bytes.endIndex {
      switch bytes[index] {
      case UInt8(ascii: "\""): return index
      case UInt8(ascii: "\\"): index += 2
      default: index += 1
      }
    }
    return nil
  }

  private static func isName(_ start: Int, _ bytes: ArraySlice<UInt8>) -> Bool {
    bytes[start...].first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) } == UInt8(ascii: ":")
  }

  /// Returns the name of a member, which is a secret itself if it looks so.
  private mutating func memberName(_ literal: ArraySlice<UInt8>) -> [UInt8] {
    if MessagePack.isMark(literal) { return Array(literal) }
    return literal.contains(UInt8(ascii: "\\")) ? secret(literal, .id) : whole(Array(literal))
  }

  /// Returns a string, without its quotes.
  private mutating func string(_ literal: ArraySlice<UInt8>, _ kind: Pseudonyms.Kind?, _ depth: Int) -> [UInt8] {
    guard literal.contains(UInt8(ascii: "\\")) else { return shown(Array(literal), kind, depth: depth) }
    guard let meant = Self.meant(literal) else { return secret(literal, kind ?? .text) }
    let shown = shown(meant, kind, depth: depth)
    guard shown != meant else { return Array(literal) }
    var json = JSONWriter(capacity: shown.count + 16)
    json.string(String(decoding: shown, as: UTF8.self))
    return Array(json.bytes.dropFirst().dropLast())
  }

  /// Returns the meaning of a string; nil if it is not valid.
  private static func meant(_ literal: ArraySlice<UInt8>) -> [UInt8]? {
    let array = Array("[\"".utf8) + literal + Array("\"]".utf8)
    let document = try? JSONDocument.parse(array, sizeMax: array.count)
    return document?.root.elements?.first?.string.map { Array($0.utf8) }
  }

  // MARK: Values

  private mutating func shown(_ text: [UInt8], _ kind: Pseudonyms.Kind?, depth: Int) -> [UInt8] {
    if text.isEmpty { return text }
    if let kind { return secret(text[...], kind) }
    if text[0] == UInt8(ascii: "{") || text[0] == UInt8(ascii: "[") {
      return depth < Self.depthMax ? self.text(text[...], depth: depth + 1) : secret(text[...], .text)
    }
    if hasSecretWords || !Word.isPlain(text), let known = names.known(text) { return Array(known.utf8) }
    if text.count > Self.sentenceMax, text.contains(0x20) { return secret(text[...], .text) }
    return runs(text[...], isJSON: false, nil)
  }

  /// Returns the name of a secret, after its scheme, e.g. `Bearer token-1`.
  private mutating func secret(_ text: ArraySlice<UInt8>, _ kind: Pseudonyms.Kind) -> [UInt8] {
    let scheme = SecretNames.scheme(of: text)
    let value = text.dropFirst(scheme)
    if value.isEmpty { return Array(text) }
    if value.count < Self.secretWordMin { return Array(text.prefix(scheme)) + Array("\(kind.rawValue)-short".utf8) }
    if Word.isPlain(value) { hasSecretWords = true }
    return Array(text.prefix(scheme)) + named(value, kind)
  }

  private mutating func named(_ value: ArraySlice<UInt8>, _ kind: Pseudonyms.Kind) -> [UInt8] {
    let isSigned = value.starts(with: "eyJ".utf8)
    let name = names.name(value, isSigned ? .token : kind)
    if name.isNew, isSigned, found.count < Self.foundMax,
      let token = NamedToken(String(decoding: value, as: UTF8.self), name: name.text)
    {
      let user = token.user.map { word($0) }
      found.append(NamedToken(name: token.name, issued: token.issued, end: token.end, user: user))
    }
    return Array(name.text.utf8)
  }

  /// Returns one word, number or token.
  private mutating func whole(_ text: [UInt8]) -> [UInt8] {
    if text.isEmpty { return text }
    let isPlain = Word.isPlain(text)
    if hasSecretWords || !isPlain, let known = names.known(text) { return Array(known.utf8) }
    return isPlain ? text : named(text[...], .id)
  }

  // MARK: Runs

  /// Returns text outside of strings, or a short string: each word, number or token of it alone.
  private mutating func runs(_ text: ArraySlice<UInt8>, isJSON: Bool, _ kind: Pseudonyms.Kind?) -> [UInt8] {
    var (output, index) = ([UInt8](), text.startIndex)
    output.reserveCapacity(text.count)
    /// The kind of the next word, by the name or the scheme before it.
    var next: Pseudonyms.Kind?
    while index < text.endIndex {
      guard Word.isPart(text[index]) else {
        if ![UInt8(ascii: "="), UInt8(ascii: ":"), 0x20].contains(text[index]) { next = nil }
        output.append(text[index])
        index += 1
        continue
      }
      let end = text[index...].firstIndex { !Word.isPart($0) } ?? text.endIndex
      let run = text[index..<end]
      let shown = shown(run, next, ofNumber: isJSON ? kind : nil)
      let isBareNumber = isJSON && next == nil && run.allSatisfy { Word.isDigit($0) || "-.+".utf8.contains($0) }
      let needsQuotes = isBareNumber && shown.first != UInt8(ascii: "\"") && !shown.elementsEqual(run)
      output += needsQuotes ? [UInt8(ascii: "\"")] + shown + [UInt8(ascii: "\"")] : shown
      let after = end < text.endIndex ? text[end] : 0
      let isName = after == UInt8(ascii: "=") || after == UInt8(ascii: ":")
      next = isName ? SecretNames.kind(of: run) : SecretNames.scheme(of: Array(run) + [0x20, 0]) > 0 ? .token : nil
      index = end
    }
    return output
  }

  private mutating func shown(
    _ run: ArraySlice<UInt8>, _ kind: Pseudonyms.Kind?, ofNumber number: Pseudonyms.Kind?
  ) -> [UInt8] {
    if number == .key, run.allSatisfy({ Word.isDigit($0) || "-.+".utf8.contains($0) }) {
      return [UInt8(ascii: "\"")] + secret(run, .key) + [UInt8(ascii: "\"")]
    }
    if let kind { return secret(run, kind) }
    guard run.contains(where: { "/%+".utf8.contains($0) }) else { return whole(Array(run)) }
    if run.contains(UInt8(ascii: "%")), let meant = PercentEncoding.decode(Substring(decoding: run, as: UTF8.self)) {
      return whole(Array(meant.utf8))
    }
    let parts = run.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let isPath = run.first == UInt8(ascii: "/") || parts.allSatisfy(Word.isPlain)
    guard isPath else { return whole(Array(run)) }
    return Array(parts.map { whole(Array($0)) }.joined(separator: [UInt8(ascii: "/")]))
  }
}
