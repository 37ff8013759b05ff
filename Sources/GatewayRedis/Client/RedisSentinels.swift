package import GatewayCore

/// The Sentinels that know which of several Redis servers is the primary, and the name that they have for it.
package struct RedisSentinels: Hashable, Sendable {
  /// The maximum number of Sentinels.
  package static let countMax = 16
  private static let nameBytesMax = 100

  /// The Sentinels, in the order in which they are asked.
  package var targets: [LinkTarget]
  /// The primary's name, e.g. `mymaster`.
  package let name: String
  /// The user of the Sentinels' access list; nil for their default user.
  package var user: String?
  /// The Sentinels' password, which is not the servers'; nil for none.
  package var password: Credentials?
  /// Whether a primary on another machine is accepted without TLS.
  package var allowsPlain = false

  /// Returns nil without a Sentinel, with more than 16, with one twice, or if Sentinel takes no such name: 1 to 100 letters,
  /// digits, `.`, `_` or `-`.
  package init?(_ targets: [LinkTarget], name: String) {
    guard (1...Self.countMax).contains(targets.count), Set(targets).count == targets.count,
      (1...Self.nameBytesMax).contains(name.utf8.count), name.utf8.allSatisfy(Self.mayName)
    else { return nil }
    (self.targets, self.name) = (targets, name)
  }

  private static func mayName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }

  /// Returns the host and port of a reply to `SENTINEL get-master-addr-by-name`; nil if they are none.
  static func address(in reply: RedisReply) -> (host: String, port: Int)? {
    guard case .array(let parts) = reply, parts.count == 2, case .bytes(let host) = parts[0],
      case .bytes(let digits) = parts[1], host.count <= 253, (1...5).contains(digits.count),
      digits.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(String(decoding: digits, as: UTF8.self)),
      (1...65_535).contains(port)
    else { return nil }
    let text = String(decoding: host, as: UTF8.self)
    guard let authority = Authority(host.contains(UInt8(ascii: ":")) ? "[\(text)]" : text), authority.port == nil
    else { return nil }
    return (authority.host, port)
  }
}
