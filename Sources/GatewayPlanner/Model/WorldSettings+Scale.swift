internal import GatewayCore
internal import GatewayFleet

extension WorldSettings {
  /// The same with another number of clients, who connect at a rate that takes as long.
  ///
  /// - Parameters:
  ///   - clients: How many there are then.
  ///   - withProvider: Whether the provider's capacity and queue, and the connections that the gateway takes, change alike, so
  ///     that nothing that matters does.
  package func scaled(toClients clients: Int, withProvider: Bool) -> WorldSettings {
    let factor = Double(clients) / Double(plan.clients)
    var scaled = self
    scaled.plan.clients = clients
    scaled.plan.rate = min(max(plan.rate * factor, 0.001), Double(Self.clientsMax))
    guard withProvider else { return scaled }
    if let rate = provider.rate { scaled.provider = provider.scaled(toRate: rate * factor) }
    scaled.provider.queue = Int((Double(provider.queue) * factor).rounded())
    scaled.acceptsPerSecond = acceptsPerSecond.map { $0 * factor }
    return scaled
  }
}
