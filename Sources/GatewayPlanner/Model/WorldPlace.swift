package import GatewayFleet

/// The provider, the gateway and the plans that a fleet shares with the other fleets of its world.
package struct WorldPlace: Hashable, Sendable {
  /// Fleets with the same number have one provider, and likewise one gateway.
  package var provider = 0
  package var gateway = 0
  /// The plans of the other fleets, which also decide when the phases of the scenario begin.
  package var others: [StormPlan] = []

  package init() {}
}

extension WorldSettings {
  /// Returns the settings of the fleets of one world, each with its place in it.
  ///
  /// - Parameters:
  ///   - fleets: The fleets' places, of which only the names count, and their settings.
  ///   - seed: The seed of the world.
  package static func together(_ fleets: [(place: FleetPlace, settings: WorldSettings)], seed: UInt64)
    -> [WorldSettings]
  {
    let plans = StormPlan.split(fleets.map { ($0.place, $0.settings.plan) }, seed: seed)
    return fleets.indices.map { index in
      var settings = fleets[index].settings
      settings.plan = plans[index]
      settings.place.others = plans.indices.filter { $0 != index }.map { plans[$0] }
      return settings
    }
  }
}
