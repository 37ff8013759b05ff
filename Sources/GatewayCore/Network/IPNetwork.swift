/// A range of addresses with a common prefix, e.g. `10.0.0.0/8` or `2001:db8::/32`, or a single address.
package struct IPNetwork: Hashable, Sendable {
  private let address: IPAddress
  private let prefixBits: Int

  /// Parses an address, or an address with a slash and the length of its prefix (RFC 4632 section 3.1). Nil for any
  /// other text, and if a bit behind the prefix is set, since that is a mistake.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = IPAddress(parts[0]) else { return nil }
    let bits = address.bytes.count * 8
    var prefixBits = bits
    if parts.count == 2 {
      guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(parts[1])
      else { return nil }
      // An IPv4 network may be written as the mapped IPv6 network.
      prefixBits = address.isIPv4 && parts[0].contains(":") ? number - 96 : number
      guard (0...bits).contains(prefixBits) else { return nil }
    }
    self.address = address
    self.prefixBits = prefixBits
    guard (prefixBits..<bits).allSatisfy({ !Self.bit($0, of: address) }) else { return nil }
  }

  package func contains(_ other: IPAddress) -> Bool {
    guard other.isIPv4 == address.isIPv4 else { return false }
    let whole = prefixBits / 8
    guard other.bytes[..<whole] == address.bytes[..<whole] else { return false }
    return (whole * 8..<prefixBits).allSatisfy { Self.bit($0, of: other) == Self.bit($0, of: address) }
  }

  private static func bit(_ index: Int, of address: IPAddress) -> Bool {
    address.bytes[index / 8] & (0x80 >> (index % 8)) != 0
  }
}
