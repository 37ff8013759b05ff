package import GatewayRuntime

/// The server that a proxy connects to, the same for every client.
package struct ProxyTarget: Sendable {
  package let dial: DialTarget
  /// Whether it is on this machine, where no care is needed.
  package let isLocal: Bool

  package init(_ dial: DialTarget, isLocal: Bool) {
    self.dial = dial
    self.isLocal = isLocal
  }

  /// The host and the port, with the pinned address, e.g. `realtime.example:443 (192.0.2.7)`.
  package var text: String {
    let host = dial.host.contains(":") ? "[\(dial.host)]" : dial.host
    let address = dial.addresses.first.map { $0 == dial.host ? "" : " (\($0))" } ?? ""
    return "\(host):\(dial.port)\(address)"
  }
}
