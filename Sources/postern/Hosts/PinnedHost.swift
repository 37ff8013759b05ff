import GatewayCore
import GatewayRuntime

/// A host with the addresses that a command uses to its end, whatever the name service returns later.
///
/// If a name were redirected in between, a storm or a proxy would reach servers that the user has not named.
struct PinnedHost: Hashable, Codable {
  let host: String
  let addresses: [String]

  /// Whether it is within the bounds for input from another process.
  var isOne: Bool {
    !host.isEmpty && host.utf8.count <= 255 && (1...16).contains(addresses.count)
      && addresses.allSatisfy { IPAddress($0) != nil }
  }

  /// Returns a host in the form for comparison: in lower case (RFC 4343), without the dot of the root.
  static func plain(_ host: String) -> String {
    let host = String(decoding: host.utf8.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    return host.hasSuffix(".") ? String(host.dropLast()) : host
  }

  /// Returns whether the host is the loopback, by address or by its reserved name (RFC 6761 section 6.3).
  static func isThisMachine(_ host: String) -> Bool {
    Name(host) == "localhost" || isBelowLocalhost(host) || IPAddress(host)?.isLoopback == true
  }

  /// Returns whether the name is below `.localhost`, and so means this machine whatever a name service returns.
  static func isBelowLocalhost(_ host: String) -> Bool {
    host.utf8.reversed().starts(with: ".localhost".utf8.reversed())
  }

  /// The text for people: `staging.example is 192.0.2.7`.
  var text: String { "\(host) is \(addresses.joined(separator: ", "))" }

  /// Whether the host is a name, and no address.
  var isName: Bool { IPAddress(host) == nil }
}

extension DialTarget {
  /// Returns the target with the pinned addresses of its host, if it has any.
  func pinned(to hosts: [PinnedHost]) -> DialTarget {
    let own = PinnedHost.plain(host)
    guard let pinned = hosts.first(where: { Name($0.host) == Name(own) }) else { return self }
    var target = self
    target.addresses = pinned.addresses
    return target
  }
}
