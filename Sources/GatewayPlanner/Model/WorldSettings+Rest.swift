internal import GatewayCore
internal import GatewayFleet

extension WorldSettings {
  /// Returns the same fleet at rest: its clients came evenly over one life of their tokens, so that they ask evenly for
  /// ever. Nothing disturbs it but the given disturbance.
  ///
  /// - Parameters:
  ///   - disturbance: The disturbance once the fleet asks evenly; nil for none.
  ///   - after: How long the world goes on after that.
  package func atRest(_ disturbance: Disturbance?, andAfter after: Duration) -> WorldSettings {
    var rest = self
    rest.plan.expiry = .own
    rest.plan.expireAfter = nil
    rest.plan.arrivals = nil
    rest.plan.ramp = .zero
    rest.plan.rate = min(Double(WorldSettings.clientsMax), Double(plan.clients) / plan.life.inSeconds)
    rest.plan.waves = 1000
    rest.provider.pauses = []
    rest.scenario = nil
    rest.disturbance = disturbance
    rest.runsToItsEnd = true
    if let disturbance, disturbance.kind == .outage {
      rest.provider.pauses = [.init(at: disturbance.at, length: disturbance.length)]
    }
    rest.duration = min((disturbance?.end ?? pushAt) + after, Self.longest)
    return rest
  }

  /// When a fleet at rest is disturbed: soon after its last client has come.
  package var pushAt: Duration { plan.life + .seconds(60) }

  /// The renewals a second of a fleet at rest.
  package var restingRate: Double { Double(plan.clients) / plan.life.inSeconds }
}
