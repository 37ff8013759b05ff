/// An absolute address with a host (RFC 3986), e.g. `wss://gateway.example:8443/ws?x=1`.
package struct WebAddress: Hashable, Sendable {
  /// The scheme in lower case.
  package let scheme: String
  package let authority: Authority
  package let hasUser: Bool
  /// The path as written, percent-encoded; empty if there is none.
  package let path: String
  /// The query as written, percent-encoded, without its `?`; nil if there is none.
  package let query: String?
  package let hasFragment: Bool

  package var host: String { authority.host }
  package var port: Int? { authority.port }

  /// Parses an address. Nil if it has no scheme or no host, or contains a character that RFC 3986 section 2 does not
  /// allow.
  package init?(_ text: String) {
    guard Self.isWritten(text.utf8), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    scheme = text[..<colon].lowercased()
    var rest = text[text.utf8.index(after: colon)...]
    guard Self.isScheme(scheme.utf8), rest.hasPrefix("//") else { return nil }
    rest = rest.dropFirst(2)
    let fragment = rest.firstIndex(of: "#")
    hasFragment = fragment != nil
    rest = rest[..<(fragment ?? rest.endIndex)]
    let question = rest.firstIndex(of: "?")
    query = question.map { String(rest[rest.index(after: $0)...]) }
    rest = rest[..<(question ?? rest.endIndex)]
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    path = String(rest[slash...])
    let at = rest[..<slash].lastIndex(of: "@")
    hasUser = at != nil
    guard let authority = Authority(rest[(at.map { rest.index(after: $0) } ?? rest.startIndex)..<slash]) else {
      return nil
    }
    self.authority = authority
  }

  private static func isScheme(_ text: String.UTF8View) -> Bool {
    guard let first = text.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
    return text.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      default: "+-.".utf8.contains(byte)
      }
    }
  }

  /// Returns whether every byte is allowed in an address, and every `%` is followed by two hexadecimal digits.
  private static func isWritten(_ text: String.UTF8View) -> Bool {
    var digits = 0
    for byte in text {
      guard digits == 0 || byte.isHexDigit else { return false }
      digits = max(0, digits - 1)
      if byte == UInt8(ascii: "%") { digits = 2 }
      guard (0x21...0x7E).contains(byte), !"\"<>\\^`{|}".utf8.contains(byte) else { return false }
    }
    return digits == 0
  }
}
