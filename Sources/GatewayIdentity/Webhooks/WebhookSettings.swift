internal import GatewayCore

/// The hosts that may receive webhooks. Callers of the API choose the addresses, so these settings are the boundary.
package struct WebhookSettings: Sendable {
  /// A host and a port that the operator has allowed.
  package struct Destination: Hashable, Sendable {
    /// In lower case, an IPv6 address without brackets.
    private let host: Name
    private let port: Int

    package init(host: String, port: Int) {
      self.host = Name(host.lowercased())
      self.port = port
    }
  }

  package var destinations: Set<Destination> = []
  /// Whether servers on this machine are allowed too.
  package var allowsLoopback = false

  package init() {}

  /// Returns how the server of an address may be reached; nil if nothing is sent to it.
  func reach(of address: EndpointAddress) -> Endpoint.Reach? {
    if destinations.contains(Destination(host: address.host, port: address.port)) { return .anywhere }
    return allowsLoopback && address.isHere ? .loopback : nil
  }
}
