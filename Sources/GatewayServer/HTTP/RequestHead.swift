internal import GatewayCore

/// The head of a request, read from its bytes (RFC 9112 sections 2 to 5): `GET /v1/connect HTTP/1.1` with its fields,
/// for instance.
struct RequestHead {
  /// The request, without its body and its peer. Fields that came several times are one, joined as RFC 9110 section 5.3
  /// allows.
  private(set) var request: HTTPRequest
  /// That of the request line, e.g. `HTTP/1.1`.
  let version: String

  enum Reading {
    case head(RequestHead)
    case refused(HTTPResponse)
  }

  /// Far above what browsers and proxies send; each name is looked up among those before it.
  private static let fieldsMax = 128

  /// - Parameter bytes: the head with its empty line.
  static func read(_ bytes: [UInt8]) -> Reading {
    var lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: true).map { line in
      line.last == 0x0d ? line.dropLast() : line
    }
    // The empty line.
    while lines.last?.isEmpty == true { lines.removeLast() }
    guard let first = lines.first else { return .refused(.plain(400, "there is no request line")) }
    let parts = first.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3, isToken(parts[0]), parts[2].starts(with: "HTTP/".utf8) else {
      return .refused(.plain(400, "the request line is malformed"))
    }
    guard parts[2] == Array("HTTP/1.1".utf8)[...] || parts[2] == Array("HTTP/1.0".utf8)[...] else {
      return .refused(.plain(505, "the server speaks HTTP/1.1"))
    }
    let method = String(decoding: parts[0], as: UTF8.self)
    guard let target = target(parts[1], method: method) else {
      return .refused(.plain(400, "the request's target is malformed"))
    }
    guard lines.count <= fieldsMax + 1 else { return .refused(.plain(431, "the request has too many fields")) }
    var head = RequestHead(
      request: HTTPRequest(method: method, path: target.path, query: target.query),
      version: String(decoding: parts[2], as: UTF8.self))
    for line in lines.dropFirst() {
      guard head.add(line) else { return .refused(.plain(400, "a field of the request is malformed")) }
    }
    if let reason = head.settleHost(target.authority) { return .refused(.plain(400, reason)) }
    return .head(head)
  }

  /// Sees to the Host field: one, and a host, which only HTTP/1.0 may do without (RFC 9112 section 3.2). A target in the
  /// absolute form says the host in its place (section 3.2.2). Returns what is wrong with it.
  private mutating func settleHost(_ authority: String?) -> String? {
    let index = request.headers.firstIndex { $0.name == "host" }
    guard index != nil || version == "HTTP/1.0" else { return "the Host field is missing" }
    if let index, Authority(request.headers[index].value) == nil { return "the Host field is no host" }
    guard let authority else { return nil }
    guard Authority(authority) != nil else { return "the target's host is none" }
    if let index {
      request.headers[index].value = authority
    } else {
      request.headers.append(HTTPField("host", authority))
    }
    return nil
  }

  private struct Target {
    let path: String
    let query: [HTTPField]
    /// That of the absolute form, as it came; nil in the others.
    let authority: String?
  }

  /// A request target taken apart (RFC 9112 section 3.2); nil if it is none.
  private static func target(_ bytes: ArraySlice<UInt8>, method: String) -> Target? {
    guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f }), let text = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    var rest = text[...]
    var authority: String?
    if let scheme = ["http://", "https://"].first(where: { lower(text.prefix(8)).hasPrefix($0) }) {
      // The absolute form, which a server must take too.
      rest = rest.dropFirst(scheme.count)
      let host = rest.prefix { $0 != "/" && $0 != "?" }
      authority = String(host)
      rest = rest[host.endIndex...]
      if rest.first != "/" { rest = "/" + rest }
    }
    guard rest.utf8.first == UInt8(ascii: "/") || (rest == "*" && method == "OPTIONS") else { return nil }
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let query = QueryString.parameters(of: parts.count == 2 ? parts[1] : "") else { return nil }
    return Target(path: String(parts[0]), query: query, authority: authority)
  }

  /// False if the line is no field. A name with a space behind it, and a line that continues the one before, are what
  /// smuggling is made of; RFC 9112 section 5 has them refused.
  private mutating func add(_ line: ArraySlice<UInt8>) -> Bool {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), Self.isToken(line[..<colon]) else { return false }
    var value = line[(colon + 1)...].drop(while: Self.isBlank)
    while let last = value.last, Self.isBlank(last) { value.removeLast() }
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else { return false }
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
    let text = Self.text(value)
    guard let index = request.headers.firstIndex(where: { $0.name == name }) else {
      request.headers.append(HTTPField(name, text))
      return true
    }
    // Two hosts are an attack (RFC 9112 section 3.2).
    guard name != "host" else { return false }
    request.headers[index].value += (name == "cookie" ? "; " : ", ") + text
    return true
  }

  /// The bytes as UTF-8, or else as the ISO-8859-1 that fields once were in.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    text.unicodeScalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
    return text
  }

  /// The text with small letters for the capital ones of ASCII; other scripts' capitals may become letters of ASCII in
  /// Swift's own.
  static func lower(_ text: some StringProtocol) -> String {
    String(decoding: text.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Whether it is a token (RFC 9110 section 5.6.2): a method, a field's name, a subprotocol.
  static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty
      && bytes.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}
