import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import GatewayReport

/// The fleets of a simulated storm that has several: each with its place in the world, and the settings of its clients.
struct SimulatedFleets {
  private let fleets: [(place: FleetPlace, settings: WorldSettings)]

  /// Reads the fleets of a scenario. Throws if the machines cannot play one.
  init(_ scenario: SimulateScenario) throws {
    var providers: [String] = []
    var gateways: [String] = []
    /// Returns the number of what a fleet has for itself, or of what the others share.
    func number(of fleet: String?, in numbers: inout [String]) -> Int {
      let name = fleet ?? ""
      if let known = numbers.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) { return known }
      numbers.append(name)
      return numbers.count - 1
    }
    var parts: [(place: FleetPlace, settings: WorldSettings)] = []
    for fleet in scenario.fleets {
      try Self.check(fleet)
      let provider = number(of: fleet.hasOwnProvider ? fleet.name : nil, in: &providers)
      let gateway = number(of: fleet.hasOwnGateway ? fleet.name : nil, in: &gateways)
      for part in fleet.parts {
        var settings = part.scenario.settings
        settings.place.provider = provider
        settings.place.gateway = gateway
        let clients = try SimulatedClients(scheme: part.scenario.dialect, sdk: part.scenario.sdk)
        try clients.set(&settings, for: .machines)
        parts.append((part.place, settings))
      }
    }
    fleets = parts
    for settings in worlds(seed: 0) {
      do {
        try settings.check()
      } catch {
        throw UsageError("the fleet '\(settings.plan.fleet?.name ?? "")': \(error)")
      }
    }
  }

  private static func check(_ fleet: ScenarioFleet) throws {
    let name = fleet.name
    guard fleet.endpoints.wire == nil else {
      throw UsageError(
        "the fleet '\(name)': \"wire\" needs a gateway, and machines have none; postern storm plays it")
    }
    guard fleet.endpoints.tokens == nil && fleet.endpoints.providerURL == nil || fleet.hasModel else {
      throw UsageError(
        "the fleet '\(name)': \(fleet.endpoints.keys.joined(separator: ", ")) means a provider of its own; describe it "
          + "for the simulation in the fleet's \"provider\"")
    }
    guard fleet.scenario.settings.plan.grants == nil || fleet.scenario.settings.provider.rotation != nil else {
      throw UsageError(
        "the fleet '\(name)': \(GrantPlan.keys.joined(separator: ", ")) are for refresh tokens, and its provider rotates "
          + "none; add \"rotation\" to \"provider\"")
    }
  }

  /// Returns the settings of all fleets for a world of that seed.
  func worlds(seed: UInt64) -> [WorldSettings] { WorldSettings.together(fleets, seed: seed) }

  /// The parts of a report, by the outcome of each fleet.
  func reports(_ result: StormResult, seed: UInt64, _ scenario: SimulateScenario) -> [FleetReport] {
    zip(worlds(seed: seed), result.fleets ?? []).map { settings, part in
      FleetReport(
        settings.plan.fleet ?? FleetPlace(name: part.name), plan: settings.plan,
        gateway: SimulateOptions.gatewayText(.machines),
        provider: "simulated: " + settings.provider.text
          + (isShared(settings.place.provider) ? "; shared with other fleets" : ""), result: part.result)
    }
  }

  private func isShared(_ provider: Int) -> Bool { fleets.count { $0.settings.place.provider == provider } > 1 }
}
