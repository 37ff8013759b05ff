/// An IPv4 or IPv6 address as a number, e.g. `203.0.113.7` or `2001:db8::7`.
///
/// Two texts of one address are one value. An IPv4 address mapped into IPv6 (RFC 4291 section 2.5.5.2) is stored as the
/// IPv4 address. A zone (`%eth0`) is dropped.
package struct IPAddress: Hashable, Sendable {
  /// The 4 or 16 bytes, most significant first.
  package let bytes: [UInt8]

  /// Creates an address from 4 or 16 bytes; nil for any other count.
  package init?(bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
    self.bytes = bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
  }

  /// Parses four decimal numbers, or the groups of RFC 4291 section 2.2, without brackets and without a port.
  package init?(_ text: some StringProtocol) {
    let text = text.utf8.prefix(64)
    let bytes = text.contains(UInt8(ascii: ":")) ? Self.sixteen(Array(text)) : Self.four(text)
    guard let bytes, let address = IPAddress(bytes: bytes) else { return nil }
    self = address
  }

  package var isIPv4: Bool { bytes.count == 4 }

  /// Whether the address is a loopback address: 127.0.0.0/8 or ::1.
  package var isLoopback: Bool {
    isIPv4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
  }

  // MARK: Reading

  private static func four(_ text: some Collection<UInt8>) -> [UInt8]? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bytes: [UInt8] = []
    for part in parts {
      // Some readers take a leading zero for octal, so it is rejected.
      guard (1...3).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }),
        part.count == 1 || part.first != 0x30, let number = UInt8(String(decoding: part, as: UTF8.self))
      else { return nil }
      bytes.append(number)
    }
    return bytes
  }

  private static func sixteen(_ text: [UInt8]) -> [UInt8]? {
    let colon = UInt8(ascii: ":")
    let bare = text.prefix { $0 != UInt8(ascii: "%") }
    guard let gap = zip(bare.indices, bare.dropFirst().indices).first(where: { bare[$0] == colon && bare[$1] == colon })
    else { return groups(bare).flatMap { $0.count == 16 ? $0 : nil } }
    let (left, right) = (bare[..<gap.0], bare[(gap.1 + 1)...])
    guard let before = left.isEmpty ? [] : groups(left, mayEndInIPv4: false),
      let after = right.isEmpty ? [] : groups(right), before.count + after.count <= 14
    else { return nil }
    return before + [UInt8](repeating: 0, count: 16 - before.count - after.count) + after
  }

  /// Returns the bytes of the groups between colons, of which the last may be an IPv4 address. Nil if a group is empty
  /// or malformed.
  private static func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool = true) -> [UInt8]? {
    var bytes: [UInt8] = []
    let groups = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    for (index, group) in groups.enumerated() {
      if mayEndInIPv4, index == groups.count - 1, group.contains(UInt8(ascii: ".")) {
        guard let four = four(group) else { return nil }
        bytes += four
      } else {
        guard (1...4).contains(group.count), group.allSatisfy(\.isHexDigit),
          let number = UInt16(String(decoding: group, as: UTF8.self), radix: 16)
        else { return nil }
        bytes += [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
      }
    }
    return bytes
  }
}

extension IPAddress: CustomStringConvertible {
  /// The text by RFC 5952: lower case, no leading zeros, `::` for the longest run of two or more zero groups.
  package var description: String {
    if isIPv4 { return bytes.map { String($0) }.joined(separator: ".") }
    let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    var longest = 0..<0
    var start = 0
    while start < 8 {
      let end = groups[start...].firstIndex { $0 != 0 } ?? 8
      if end - start >= 2 && end - start > longest.count { longest = start..<end }
      start = max(end, start) + 1
    }
    func text(_ groups: ArraySlice<UInt16>) -> String { groups.map { String($0, radix: 16) }.joined(separator: ":") }
    if longest.isEmpty { return text(groups[...]) }
    return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
  }
}
