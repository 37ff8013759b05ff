internal import GatewayCore

/// The head of a request, read from its bytes (RFC 9112 sections 2 to 5).
struct RequestHead {
  /// The request, without its body and its peer. Repeated fields are joined into one, as RFC 9110 section 5.3 allows.
  private(set) var request: HTTPRequest
  /// The version in the request line, e.g. `HTTP/1.1`.
  let version: String

  enum Reading {
    case head(RequestHead)
    case refused(HTTPResponse)
  }

  /// The maximum number of fields of a head, far above what browsers and proxies send; each name is compared with all
  /// earlier ones.
  private static let fieldsMax = 128

  /// Reads a head. It makes text only of parts that are needed: lines and parts are ranges of `bytes`.
  ///
  /// - Parameters:
  ///   - bytes: The head with its empty line.
  ///   - takesConnect: Whether CONNECT is allowed; its authority becomes the path as it was sent.
  static func read(_ bytes: [UInt8], takesConnect: Bool = false) -> Reading {
    bytes.withUnsafeBufferPointer { read($0, takesConnect: takesConnect) }
  }

  private static func read(_ bytes: UnsafeBufferPointer<UInt8>, takesConnect: Bool) -> Reading {
    let lines = lines(of: bytes)
    guard let first = lines.first else { return .refused(.plain(400, "there is no request line")) }
    guard let parts = requestLine(bytes, first) else {
      return .refused(.plain(400, "the request line is malformed"))
    }
    let versions: [StaticString] = ["HTTP/1.1", "HTTP/1.0"]
    guard let version = versions.first(where: { isEqual(bytes, parts.version, $0) }) else {
      return .refused(.plain(505, "the server speaks HTTP/1.1"))
    }
    let method = text(bytes, parts.method)
    let tunnels = takesConnect && isEqual(bytes, parts.method, "CONNECT")
    guard let target = target(UnsafeBufferPointer(rebasing: bytes[parts.target]), method: method, tunnels: tunnels)
    else {
      return .refused(.plain(400, "the request's target is malformed"))
    }
    guard lines.count <= fieldsMax + 1 else { return .refused(.plain(431, "the request has too many fields")) }
    var head = RequestHead(
      request: HTTPRequest(method: method, path: target.path, query: target.query), version: version.description)
    head.request.rawTarget = target.raw
    head.request.headers.reserveCapacity(lines.count - 1)
    for line in lines.dropFirst() {
      guard head.add(bytes, line) else { return .refused(.plain(400, "a field of the request is malformed")) }
    }
    if let reason = head.settleHost(target.authority) { return .refused(.plain(400, reason)) }
    return .head(head)
  }

  /// Returns the non-empty lines, without their ends, up to the empty line.
  private static func lines(of bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    lines.reserveCapacity(16)
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0a) ?? bytes.count
      if end > start { lines.append(start..<(bytes[end - 1] == 0x0d ? end - 1 : end)) }
      start = end + 1
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  /// Returns the three parts of a request line (RFC 9112 section 3); nil if it is malformed.
  private static func requestLine(
    _ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>
  ) -> (method: Range<Int>, target: Range<Int>, version: Range<Int>)? {
    guard let first = bytes[line].firstIndex(of: 0x20), let last = bytes[line].lastIndex(of: 0x20), first < last,
      !bytes[(first + 1)..<last].contains(0x20)
    else { return nil }
    let parts = (method: line.lowerBound..<first, target: (first + 1)..<last, version: (last + 1)..<line.upperBound)
    guard isToken(bytes[parts.method]), bytes[parts.version].starts(with: "HTTP/".utf8) else { return nil }
    return parts
  }

  private static func isEqual(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ text: StaticString
  ) -> Bool {
    text.withUTF8Buffer { bytes[range].elementsEqual($0) }
  }

  /// Checks and completes the Host field: exactly one, with a valid host; only HTTP/1.0 may omit it (RFC 9112 section 3.2). A
  /// target in the absolute form replaces the host (section 3.2.2). Returns the fault, if any.
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
    /// Path and query as they were sent.
    let raw: String
    /// The host of the absolute form, as it was sent; nil in the other forms.
    let authority: String?
  }

  /// Splits a request target (RFC 9112 section 3.2); nil if it is malformed.
  private static func target(
    _ bytes: UnsafeBufferPointer<UInt8>, method: String, tunnels: Bool
  ) -> Target? {
    guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f }), let text = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    // The authority form, which the gate of the tunnels reads.
    if tunnels { return Target(path: text, query: [], raw: text, authority: nil) }
    if bytes.first == UInt8(ascii: "/"), !bytes.contains(UInt8(ascii: "?")) {
      return Target(path: text, query: [], raw: text, authority: nil)
    }
    var rest = text[...]
    var authority: String?
    if let scheme = ["http://", "https://"].first(where: { lower(text.prefix(8)).hasPrefix($0) }) {
      // The absolute form, which a server must accept too.
      rest = rest.dropFirst(scheme.count)
      let host = rest.prefix { $0 != "/" && $0 != "?" }
      authority = String(host)
      rest = rest[host.endIndex...]
      if rest.first != "/" { rest = "/" + rest }
    }
    guard rest.utf8.first == UInt8(ascii: "/") || (rest == "*" && method == "OPTIONS") else { return nil }
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let query = QueryString.parameters(of: parts.count == 2 ? parts[1] : "") else { return nil }
    let raw = authority == nil ? text : String(rest)
    return Target(path: String(parts[0]), query: query, raw: raw, authority: authority)
  }

  /// Adds a line's field. Returns false if the line is no field. A name followed by a space, or a line that continues the
  /// previous one, allows smuggling; RFC 9112 section 5 requires their rejection.
  private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> Bool {
    guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")),
      Self.isToken(bytes[line.lowerBound..<colon])
    else { return false }
    var value = (colon + 1)..<line.upperBound
    while let first = value.first, Self.isBlank(bytes[first]) { value.removeFirst() }
    while let last = value.last, Self.isBlank(bytes[last]) { value.removeLast() }
    guard bytes[value].allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else { return false }
    let name = Self.name(bytes, line.lowerBound..<colon)
    let text = Self.text(bytes, value)
    guard let index = request.headers.firstIndex(where: { $0.name == name }) else {
      request.headers.append(HTTPField(name, text))
      return true
    }
    // Two hosts are an attack (RFC 9112 section 3.2).
    guard name != "host" else { return false }
    request.headers[index].value += (name == "cookie" ? "; " : ", ") + text
    return true
  }

  /// The names of every upgrade request that are too long for the inline storage of a `String`, so that they allocate no
  /// memory.
  private static let upgradeNames = [
    "sec-websocket-key", "sec-websocket-version", "sec-websocket-protocol", "sec-websocket-extensions",
  ]

  /// Returns a field's name in lower case.
  private static func name(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> String {
    let lowered = bytes[range].lazy.map(lower)
    if range.count > 15, let known = upgradeNames.first(where: { $0.utf8.elementsEqual(lowered) }) { return known }
    return String(unsafeUninitializedCapacity: range.count) { name in
      _ = name.initialize(from: lowered)
      return range.count
    }
  }

  /// Returns the bytes as UTF-8, or else as ISO-8859-1, the former charset of fields.
  private static func text(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> String {
    let slice = UnsafeBufferPointer(rebasing: bytes[range])
    if let text = String(validating: slice, as: UTF8.self) { return text }
    var text = ""
    text.unicodeScalars.append(contentsOf: slice.map { Unicode.Scalar($0) })
    return text
  }

  /// Returns the text with ASCII capitals in lower case. Swift's own conversion can turn other scripts' capitals into ASCII
  /// letters.
  static func lower(_ text: some StringProtocol) -> String {
    String(decoding: text.utf8.map(lower), as: UTF8.self)
  }

  /// Returns the byte, or the lower case of an ASCII capital.
  static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Returns whether it is a token (RFC 9110 section 5.6.2): a method, a field's name, a subprotocol.
  static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(isTokenByte)
  }

  /// Returns whether the byte is a letter, a digit or one of `!#$%&'*+-.^_`|~`, by a bit mask.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    let bits: UInt64 = byte < 64 ? 0x03ff_6cfa_0000_0000 : byte < 128 ? 0x57ff_ffff_c7ff_fffe : 0
    return bits >> UInt64(byte & 63) & 1 == 1
  }
}
