/// A host with an optional port, as in the Host field and in origins (RFC 3986 section 3.2, without user information),
/// e.g. `localhost:8080` or `[::1]`.
package struct Authority: Hashable, Sendable {
  /// The name in lower case, or the address without its brackets.
  package let host: String
  /// The port; nil for the scheme's default.
  package let port: Int?

  /// Parses a host with an optional port. Nil for any other text, including an empty one (RFC 9110 section 4.2.1 has no
  /// `http` without a host).
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    var host: ArraySlice<UInt8>
    var rest: ArraySlice<UInt8>
    if bytes.first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      host = bytes[1..<end]
      rest = bytes[(end + 1)...]
      guard host.contains(UInt8(ascii: ":")), IPAddress(String(decoding: host, as: UTF8.self)) != nil,
        !host.contains(UInt8(ascii: "%"))
      else { return nil }
    } else {
      host = bytes.prefix { $0 != UInt8(ascii: ":") }
      rest = bytes[host.endIndex...]
      guard !host.isEmpty, host.allSatisfy(Self.mayName) else { return nil }
    }
    if rest.isEmpty {
      port = nil
    } else {
      rest = rest.dropFirst()
      // The port may be left out behind its colon (RFC 3986 section 3.2.3).
      guard bytes[host.endIndex...].contains(UInt8(ascii: ":")), rest.count <= 5,
        rest.allSatisfy({ (0x30...0x39).contains($0) })
      else { return nil }
      let number = Int(String(decoding: rest, as: UTF8.self))
      guard number ?? 0 <= 65_535 else { return nil }
      port = number
    }
    self.host = String(decoding: host, as: UTF8.self).lowercased()
  }

  /// Returns the scheme and the authority of an `http` or `https` origin or absolute address. Nil for any other, e.g.
  /// `null`.
  package static func ofAddress(_ address: String) -> (scheme: String, authority: Authority)? {
    for scheme in ["http", "https"] {
      let prefix = scheme + "://"
      guard address.utf8.count > prefix.utf8.count,
        String(decoding: address.utf8.prefix(prefix.utf8.count), as: UTF8.self).lowercased() == prefix
      else { continue }
      let rest = String(decoding: address.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
      let text = rest.utf8.prefix { !"/?#".utf8.contains($0) }
      return Authority(String(decoding: text, as: UTF8.self)).map { (scheme, $0) }
    }
    return nil
  }

  /// The host as an IP address; nil for a name.
  package var address: IPAddress? { IPAddress(host) }

  /// Whether the host always means this machine, regardless of any name service: `localhost`, 127.0.0.0/8, ::1.
  package var isLoopback: Bool { Name(host) == "localhost" || address?.isLoopback == true }

  /// Returns whether both are the same host and port, with the default port of `scheme` where none is given.
  package func isSame(as other: Authority, scheme: String) -> Bool {
    let usual = scheme == "https" ? 443 : 80
    return Name(host) == Name(other.host) && (port ?? usual) == (other.port ?? usual)
  }

  /// Returns whether the byte may occur in a registered name (RFC 3986 section 3.2.2): unreserved, sub-delims, escapes.
  private static func mayName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~!$&'()*+,;=%".utf8.contains(byte)
    }
  }
}
