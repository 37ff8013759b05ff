internal import GatewayCore

extension IPAddress {
  /// Whether the address leads into this machine or a network behind it, and not into the internet: loopback, link-local,
  /// private, shared (RFC 6598) and unspecified addresses, and multicast.
  var isInside: Bool {
    guard isIPv4 else {
      if isLoopback || bytes.allSatisfy({ $0 == 0 }) { return true }
      // Translated IPv4 addresses (RFC 6052) lead where those lead.
      if bytes.starts(with: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]) {
        return IPAddress(bytes: bytes.suffix(4))?.isInside ?? true
      }
      return bytes[0] & 0xfe == 0xfc || bytes[0] == 0xff || bytes[0] == 0xfe && bytes[1] & 0x80 != 0
    }
    switch (bytes[0], bytes[1]) {
    case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127), (224...255, _): return true
    default: return false
    }
  }
}
