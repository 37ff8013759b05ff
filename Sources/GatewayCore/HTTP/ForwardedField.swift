/// The field `Forwarded` (RFC 7239), and the addresses in it and in `X-Forwarded-For`.
enum ForwardedField {
  /// Returns the `for` value of each element, in order; nil for an element without one. A value that breaks the grammar
  /// counts as one element without a name, since the borders of its elements are unknown.
  static func hops(in value: String) -> [String?] {
    var reader = Reader(bytes: Array(value.utf8))
    return reader.elements() ?? [nil]
  }

  /// Returns the address of a node, which may have a port: `192.0.2.43`, `192.0.2.43:47011`, `[2001:db8::17]:4711`.
  /// Some proxies omit the brackets.
  static func address(of node: String) -> IPAddress? {
    // A zone is meaningful only on the machine that wrote it.
    guard !node.utf8.contains(UInt8(ascii: "%")) else { return nil }
    if let address = IPAddress(node) { return address }
    if let authority = Authority(node) { return authority.address }
    // A port may be obfuscated as well (RFC 7239 section 6.3).
    guard let colon = node.utf8.lastIndex(of: UInt8(ascii: ":")),
      node.utf8[colon...].dropFirst().first == UInt8(ascii: "_")
    else { return nil }
    return Authority(node[..<colon])?.address
  }

  static func trimmed(_ text: Substring) -> String {
    let bytes = Array(text.utf8).drop { $0 == 0x20 || $0 == 0x09 }
    return String(decoding: bytes.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed(), as: UTF8.self)
  }

  private struct Reader {
    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    /// Reads the elements between commas (RFC 9110 section 5.6.1), and skips empty ones. Returns nil if the grammar is
    /// broken.
    mutating func elements() -> [String?]? {
      var hops: [String?] = []
      while true {
        skipBlanks()
        guard index < bytes.count else { return hops }
        if take(",") { continue }
        guard let hop = element() else { return nil }
        hops.append(hop.node)
        skipBlanks()
        guard index == bytes.count || take(",") else { return nil }
      }
    }

    /// Reads the pairs between semicolons.
    private mutating func element() -> (node: String?, Void)? {
      var node: String?
      repeat {
        skipBlanks()
        guard let name = token() else { return nil }
        skipBlanks()
        guard take("=") else { return nil }
        skipBlanks()
        guard let value = take("\"") ? quoted() : token() else { return nil }
        if Self.isFor(name) {
          guard node == nil else { return nil }
          node = value
        }
        skipBlanks()
      } while take(";")
      return (node, ())
    }

    private static func isFor(_ name: String) -> Bool {
      name.utf8.map { $0 | 0x20 } == Array("for".utf8)
    }

    /// Reads a token (RFC 9110 section 5.6.2), or an address that should have been quoted.
    private mutating func token() -> String? {
      let start = index
      while index < bytes.count, bytes[index] > 0x20, bytes[index] < 0x7f, !"\",;=".utf8.contains(bytes[index]) {
        index += 1
      }
      return index == start ? nil : String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Reads the rest of a quoted string (section 5.6.4); returns nil if it does not end.
    private mutating func quoted() -> String? {
      var value: [UInt8] = []
      while index < bytes.count {
        defer { index += 1 }
        switch bytes[index] {
        case UInt8(ascii: "\""):
          return String(decoding: value, as: UTF8.self)
        case UInt8(ascii: "\\"):
          index += 1
          guard index < bytes.count else { return nil }
          value.append(bytes[index])
        case let byte: value.append(byte)
        }
      }
      return nil
    }

    private mutating func skipBlanks() {
      while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
    }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
      guard index < bytes.count, bytes[index] == UInt8(truncatingIfNeeded: sign.value) else { return false }
      index += 1
      return true
    }
  }
}
