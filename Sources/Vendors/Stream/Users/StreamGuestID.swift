internal import GatewayCore

/// The names of guests, created by the server: `guest-<uuid>-<requested name>`.
enum StreamGuestID {
  private static let prefix = "guest-"
  private static let uuidLength = 36

  /// Returns a unique name from 128 random bits, for a guest who asked for `wish`.
  static func make(wish: String, high: UInt64, low: UInt64) -> UserID {
    UserID("\(prefix)\(uuid(high: high, low: low))-\(wish)")
  }

  /// Returns the name that the guest asked for; nil if the name is not a guest's.
  static func wish(of name: String) -> Name? {
    guard name.utf8.starts(with: prefix.utf8) else { return nil }
    let rest = name.utf8.dropFirst(prefix.utf8.count)
    guard rest.count > uuidLength, rest.dropFirst(uuidLength).first == UInt8(ascii: "-"),
      rest.prefix(uuidLength).allSatisfy({ $0 == UInt8(ascii: "-") || Character(UnicodeScalar($0)).isHexDigit })
    else { return nil }
    return Name(Substring(rest.dropFirst(uuidLength + 1)))
  }

  /// Returns whether `named` is what the guest `guest` asked for, or an earlier guest who asked for the same. Swift
  /// creates a new guest to renew a token, and keeps using the old name.
  static func isSameWish(_ named: String, _ guest: UserID) -> Bool {
    guard let wish = wish(of: guest.rawValue) else { return false }
    return Name(named) == wish || self.wish(of: named) == wish
  }

  /// Returns whether a user who does not exist is a guest that the gateway created and has removed since.
  static func isGuest(_ id: UserID) -> Bool { wish(of: id.rawValue) != nil }

  /// Returns a UUID of version 4 (RFC 9562 section 5.4).
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
