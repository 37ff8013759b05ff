import GatewayCore
import GatewayRuntime

/// A host with the addresses that a storm keeps to, whatever its name service says later.
///
/// A name that is redirected during a storm would have it hit a host that the user has not named.
struct PinnedHost: Hashable, Codable {
  let host: String
  let addresses: [String]

  /// Bounds for what another process says.
  var isOne: Bool {
    !host.isEmpty && host.utf8.count <= 255 && (1...16).contains(addresses.count)
      && addresses.allSatisfy { IPAddress($0) != nil }
  }

  /// A host as it is compared: case says nothing (RFC 4343), nor does the dot of the root.
  static func plain(_ host: String) -> String {
    let host = String(decoding: host.utf8.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    return host.hasSuffix(".") ? String(host.dropLast()) : host
  }

  /// For people: `staging.example is 192.0.2.7`.
  var text: String { "\(host) is \(addresses.joined(separator: ", "))" }

  /// Whether it says more than the host itself.
  var isName: Bool { IPAddress(host) == nil }
}

extension DialTarget {
  /// The target with the addresses of its host, if they are among these.
  func pinned(to hosts: [PinnedHost]) -> DialTarget {
    let own = PinnedHost.plain(host)
    guard let pinned = hosts.first(where: { Name($0.host) == Name(own) }) else { return self }
    var target = self
    target.addresses = pinned.addresses
    return target
  }
}
