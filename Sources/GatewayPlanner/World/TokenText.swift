internal import GatewayCore

/// A token of a world as text: its expiry in thirteen letters, so that the string needs no heap. The world reads the
/// expiry back when a client presents the token, and checks no signature.
enum TokenText {
  private static let base: UInt8 = 0x40

  static func credentials(expiringAt instant: Int64) -> Credentials {
    var rest = UInt64(bitPattern: instant)
    let text = String(unsafeUninitializedCapacity: 13) { bytes in
      for index in 0..<13 {
        bytes[index] = base | UInt8(rest & 31)
        rest >>= 5
      }
      return 13
    }
    return Credentials(token: text)
  }

  static func expiry(of credentials: Credentials) -> Int64 {
    var instant: UInt64 = 0
    var shift: UInt64 = 0
    for byte in credentials.token.utf8.prefix(13) {
      instant |= UInt64(byte & 31) << shift
      shift += 5
    }
    return Int64(bitPattern: instant)
  }
}
