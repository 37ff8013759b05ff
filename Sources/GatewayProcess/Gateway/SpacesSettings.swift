internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime
internal import GatewayServer
package import GatewaySpace
internal import GatewayStores

/// The settings of a process that hosts spaces for tests.
package struct SpacesSettings: Sendable {
  /// The settings that an order contains.
  package struct Reading: Sendable {
    /// The settings of a gateway; its loops and control port are not used here.
    package var settings: GatewaySettings
    /// The secret that signs the space's tokens, if it was made for this space.
    package var secret: String?
    /// The maximum number of connections; nil for the usual one.
    package var connectionsMax: Int?

    package init(_ settings: GatewaySettings, secret: String?, connectionsMax: Int?) {
      self.settings = settings
      self.secret = secret
      self.connectionsMax = connectionsMax
    }
  }

  /// The maximum number of spaces.
  package var countMax: Int
  /// The maximum size of the journals of all spaces, in bytes.
  package var journalBytesMax = Spaces.usualJournalBytesMax
  /// Whether an order may choose a port below 1024, where system services listen.
  package var allowsLowPorts: Bool
  /// Reads the settings of an order. Throws the error in them.
  package var read: @Sendable ([SpaceOrder.Setting]) throws -> Reading

  package init(
    countMax: Int, allowsLowPorts: Bool = false,
    read: @escaping @Sendable ([SpaceOrder.Setting]) throws -> Reading
  ) {
    self.countMax = countMax
    self.allowsLowPorts = allowsLowPorts
    self.read = read
  }

  /// Returns the function that makes plans of orders, for spaces on that loop.
  func planner(_ loop: SocketLoop, _ refusals: TransportRefusals) -> Spaces.Planner {
    { [read, allowsLowPorts] order, name in
      guard order.upstream == nil else {
        throw GatewayError.invalidParameter.detailed(
          "upstream is of a route; serve has gateways of its own, postern proxy --spaces has routes to others")
      }
      try SpaceListening.checkPort(of: order, allowsLow: allowsLowPorts)
      let reading = try read(order.settings)
      var settings = reading.settings
      settings.port = order.port
      settings.loops = 1
      settings.space.seed = order.seed ?? settings.space.seed
      // Browsers may also use the space's name as the host.
      settings.space.configuration.hosts = settings.hosts + ["\(name).localhost"]
      settings.space.configuration.log = settings.space.configuration.log.map { log in
        GatewayLog(level: log.level) { event in
          var event = event
          event.fields.insert(.init("space", name.text), at: 0)
          log.write(event)
        }
      }
      var limits = HostedLimits()
      if let idleTime = order.idleTime { limits.idleTime = idleTime }
      if let closingTime = order.closingTime { limits.closingTime = closingTime }
      if let connectionsMax = reading.connectionsMax { limits.connectionsMax = connectionsMax }
      settings.limits.connectionsMax = limits.connectionsMax
      return Self.plan(settings, limits, secret: reading.secret, loop, refusals)
    }
  }

  /// Returns the plan of a space with these settings.
  private static func plan(
    _ settings: GatewaySettings, _ limits: HostedLimits, secret: String?, _ loop: SocketLoop,
    _ refusals: TransportRefusals
  ) -> SpacePlan {
    var plan = SpacePlan(
      settings: settings.space, secret: secret, store: { MemoryStore(on: $0) },
      description: { settings.description(of: $0) },
      listen: { site in
        let listeners = try await SpaceListening.listen(onPort: settings.port) {
          try await RunningGateway.listen(settings, site, refusals, on: [loop])
        }
        let host = settings.hosts[0]
        return SpacePort(
          host: host.contains(":") ? "[\(host)]" : host, number: listeners[0].port, isSecure: settings.tls != nil,
          end: { for listener in listeners { await listener.end() } })
      })
    plan.limits = limits
    return plan
  }
}
