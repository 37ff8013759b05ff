package import GatewayCore
package import GatewayKit
package import GatewayRuntime

/// A ``SpaceOrder`` with its settings read, and the way in which the space gets a port.
package struct SpacePlan: Sendable {
  /// Makes the space, on that loop and with those limits. The closure is called when the space has ended.
  package typealias Maker =
    @Sendable (SpaceOrder, EventLoop, HostedLimits, @escaping @Sendable () -> Void) throws -> HostedSpace

  package var limits = HostedLimits()
  /// The secret that signs its tokens, where it was made for this space.
  package var secret: String?
  let make: Maker
  /// Returns the description of the gateway's settings, with these wire formats; nil for a route.
  package var description: (@Sendable ([DialectBinding]) -> GatewayDescription)?
  /// Makes the site listen on its own port.
  package var listen: nonisolated(nonsending) @Sendable (any Site) async throws -> SpacePort

  /// The plan of a gateway.
  package init(
    settings: SpaceSettings, secret: String?, store: @escaping @Sendable (EventLoop) throws -> any Store,
    description: @escaping @Sendable ([DialectBinding]) -> GatewayDescription,
    listen: nonisolated(nonsending) @escaping @Sendable (any Site) async throws -> SpacePort
  ) {
    self.secret = secret
    self.description = description
    self.listen = listen
    make = { order, host, limits, whenEnded in
      try HostedSpace(
        settings, on: host, limits: limits, isFrozen: order.isFrozen, wall: order.wall, store: store,
        whenEnded: whenEnded)
    }
  }

  /// The plan of something that keeps the time of the network, e.g. a proxy's route.
  package init(
    content: @escaping @Sendable (EventLoop, HostedLimits) throws -> any HostedContent,
    listen: nonisolated(nonsending) @escaping @Sendable (any Site) async throws -> SpacePort
  ) {
    self.listen = listen
    make = { _, host, limits, whenEnded in
      try HostedSpace(on: host, limits: limits, clock: nil, whenEnded: whenEnded) { try content($0, limits) }
    }
  }
}

/// The address at which a hosted space listens.
package struct SpacePort: Sendable {
  /// The host in its URL form.
  package let host: String
  package let number: Int
  package let isSecure: Bool
  /// Closes it, with what is connected there.
  package let end: nonisolated(nonsending) @Sendable () async -> Void

  package init(
    host: String, number: Int, isSecure: Bool, end: nonisolated(nonsending) @escaping @Sendable () async -> Void
  ) {
    self.host = host
    self.number = number
    self.isSecure = isSecure
    self.end = end
  }
}
