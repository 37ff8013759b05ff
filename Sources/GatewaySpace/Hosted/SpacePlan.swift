package import GatewayCore
package import GatewayKit
package import GatewayRuntime

/// A ``SpaceOrder`` with its settings read, and the way in which the space gets a port.
package struct SpacePlan: Sendable {
  package var settings: SpaceSettings
  package var limits = HostedLimits()
  /// The secret that signs its tokens, where it was made for this space.
  package var secret: String?
  package var store: @Sendable (EventLoop) throws -> any Store
  /// Returns the description of the space's settings, with these wire formats.
  package var description: @Sendable ([DialectBinding]) -> GatewayDescription
  /// Has the site listen on a port of its own.
  package var listen: nonisolated(nonsending) @Sendable (any Site) async throws -> SpacePort

  package init(
    settings: SpaceSettings, secret: String?, store: @escaping @Sendable (EventLoop) throws -> any Store,
    description: @escaping @Sendable ([DialectBinding]) -> GatewayDescription,
    listen: nonisolated(nonsending) @escaping @Sendable (any Site) async throws -> SpacePort
  ) {
    self.settings = settings
    self.secret = secret
    self.store = store
    self.description = description
    self.listen = listen
  }
}

/// The address at which a hosted space listens.
package struct SpacePort: Sendable {
  /// As it stands in an address.
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
