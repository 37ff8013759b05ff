package import GatewayCore

/// The names of guests, made by the server: `guest-<uuid>-<what the guest asked for>`.
package enum StreamGuestID {
  private static let prefix = "guest-"
  private static let uuidLength = 36

  /// A name of its own for a guest who wants to be called `wish`, from 128 bits of chance.
  package static func make(wish: String, high: UInt64, low: UInt64) -> UserID {
    UserID("\(prefix)\(uuid(high: high, low: low))-\(wish)")
  }

  /// What the guest of that name asked for; nil if the name is no guest's.
  package static func wish(of name: String) -> Name? {
    guard name.utf8.starts(with: prefix.utf8) else { return nil }
    let rest = name.utf8.dropFirst(prefix.utf8.count)
    guard rest.count > uuidLength, rest.dropFirst(uuidLength).first == UInt8(ascii: "-"),
      rest.prefix(uuidLength).allSatisfy({ $0 == UInt8(ascii: "-") || Character(UnicodeScalar($0)).isHexDigit })
    else { return nil }
    return Name(Substring(rest.dropFirst(uuidLength + 1)))
  }

  /// Whether `named` is what the guest `guest` asked for, or an earlier guest who asked for the same: Swift asks for a
  /// new guest to renew a token, and goes on calling itself by the old name.
  package static func isSameWish(_ named: String, _ guest: UserID) -> Bool {
    guard let wish = wish(of: guest.rawValue) else { return false }
    return Name(named) == wish || self.wish(of: named) == wish
  }

  /// Whether a user who does not exist yet is a guest: one of the gateway's own making, forgotten meanwhile.
  static func isGuest(_ id: UserID) -> Bool { wish(of: id.rawValue) != nil }

  /// A UUID of version 4 (RFC 9562 section 5.4).
  static func uuid(high: UInt64, low: UInt64) -> String {
    let versioned = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let varied = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let digits = Array((hex(versioned) + hex(varied)).utf8)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(decoding: digits[$0], as: UTF8.self) }
      .joined(separator: "-")
  }

  private static func hex(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
