internal import GatewayCore
internal import GatewayFleet

extension WorldSettings {
  /// Returns the settings with another number of clients, and a rate at which they connect in the same time.
  ///
  /// - Parameters:
  ///   - clients: The new number of clients.
  ///   - withProvider: Whether the provider's capacity and queue, and the gateway's rate of connections, are scaled
  ///     too, so that the outcome stays the same.
  package func scaled(toClients clients: Int, withProvider: Bool) -> WorldSettings {
    let factor = Double(clients) / Double(plan.clients)
    var scaled = self
    scaled.plan.clients = clients
    scaled.plan.rate = min(max(plan.rate * factor, 0.001), Double(Self.clientsMax))
    if let points = plan.arrivals?.points {
      scaled.plan.arrivals?.points = points.map { .init(at: $0.at, rate: $0.rate * factor) }
    }
    guard withProvider else { return scaled }
    if let rate = provider.rate { scaled.provider = provider.scaled(toRate: rate * factor) }
    scaled.provider.queue = Int((Double(provider.queue) * factor).rounded())
    scaled.provider.budgets = provider.budgets.map { $0.scaled(by: factor) }
    scaled.plan.retry = plan.retry?.scaled(by: factor)
    scaled.acceptsPerSecond = acceptsPerSecond.map { $0 * factor }
    return scaled
  }
}

extension RequestBudget {
  /// Returns the budget for another number of clients: one for all together grows with them, others stay.
  fileprivate func scaled(by factor: Double) -> RequestBudget {
    guard scope == .all else { return self }
    func scaled(_ number: Int) -> Int {
      Int(min(Double(Self.limits.upperBound), max(1, (Double(number) * factor).rounded())))
    }
    var other = self
    other.limit = scaled(limit)
    if let after = ban?.after { other.ban?.after = scaled(after) }
    return other
  }
}
