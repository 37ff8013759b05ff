/// The load that a proxy lets through to its target.
package struct ProxyLimits: Hashable, Sendable {
  /// The maximum number of WebSockets at once.
  package var connections: Int
  /// The maximum number of upgrades a second, and the largest burst; nil for no limit.
  package var dialsPerSecond: Double?
  /// The maximum number of other requests a second, and the largest burst; nil for no limit.
  package var requestsPerSecond: Double?
  /// The maximum number of bytes a second of messages and bodies to the target; nil for no limit.
  package var bytesPerSecond: Double?

  package init(
    connections: Int, dialsPerSecond: Double? = nil, requestsPerSecond: Double? = nil, bytesPerSecond: Double? = nil
  ) {
    self.connections = connections
    self.dialsPerSecond = dialsPerSecond
    self.requestsPerSecond = requestsPerSecond
    self.bytesPerSecond = bytesPerSecond
  }

  /// Returns a limit a second for people, e.g. `20` or `0.5`.
  package static func text(_ limit: Double?) -> String {
    let limit = limit ?? 0
    return limit == limit.rounded() && limit.magnitude < 1e15 ? String(Int(limit)) : String(limit)
  }

  /// The limits for a target on this machine.
  package static let local = ProxyLimits(connections: 1000)
  /// The limits for any other target, which others may need.
  package static let careful = ProxyLimits(
    connections: 50, dialsPerSecond: 10, requestsPerSecond: 20, bytesPerSecond: 1_048_576)
}
