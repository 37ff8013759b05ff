import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import GatewayReport

/// The fleets of a simulated storm that has several: each with its place in the world, and the settings of its clients.
struct SimulatedFleets {
  private let fleets: [(place: FleetPlace, settings: WorldSettings)]
  private let clients: [SimulatedClients]
  private let fidelity: SimulateScenario.Fidelity

  /// Reads the fleets of a scenario. Throws if the simulation cannot play one.
  ///
  /// - Parameters:
  ///   - scenario: The scenario.
  ///   - clientsMax: The maximum number of clients over simulated wires.
  init(_ scenario: SimulateScenario, wireClientsMax clientsMax: Int) throws {
    fidelity = scenario.fidelity
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
    var clients: [SimulatedClients] = []
    for fleet in scenario.fleets {
      try Self.check(fleet)
      let provider = number(of: fleet.hasOwnProvider ? fleet.name : nil, in: &providers)
      let gateway = number(of: fleet.hasOwnGateway ? fleet.name : nil, in: &gateways)
      for part in fleet.parts {
        var settings = part.scenario.settings
        settings.place.provider = provider
        settings.place.gateway = gateway
        let own = try SimulatedClients(scheme: part.scenario.dialect, sdk: part.scenario.sdk)
        try own.set(&settings, for: scenario.fidelity)
        parts.append((part.place, settings))
        clients.append(own)
      }
    }
    fleets = parts
    self.clients = clients
    for settings in worlds(seed: 0) {
      do {
        try settings.check()
        if fidelity == .wire { try WireWorld.check(settings, clientsMax: clientsMax) }
      } catch {
        throw UsageError("the fleet '\(settings.plan.fleet?.name ?? "")': \(error)")
      }
    }
    if fidelity == .wire { try checkWire(clientsMax, providers: providers.count, gateways: gateways.count) }
  }

  /// Throws if a wire's world cannot play the fleets together.
  private func checkWire(_ clientsMax: Int, providers: Int, gateways: Int) throws {
    guard providers == 1, gateways == 1 else {
      throw UsageError(
        "--fidelity wire: all fleets have one gateway and one provider there; --fidelity machines has more")
    }
    let all = fleets.reduce(0) { $0 + $1.settings.plan.clients }
    guard all <= clientsMax else {
      throw UsageError(
        "--fidelity wire: at most \(Figures.count(clientsMax)) clients together, not \(Figures.count(all)); "
          + "--fidelity machines has more")
    }
  }

  private static func check(_ fleet: ScenarioFleet) throws {
    let name = fleet.name
    guard fleet.endpoints.wire == nil else {
      throw UsageError(
        "the fleet '\(name)': \"wire\" needs a gateway, and a simulation has only the vendors' wires; postern storm plays it"
      )
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

  /// Returns the same with the wires of the clients.
  func wires(seed: UInt64) -> [(settings: WorldSettings, clients: SimulatedClients)] {
    Array(zip(worlds(seed: seed), clients)).map { ($0, $1) }
  }

  /// The parts of a report, by the outcome of each fleet.
  func reports(_ result: StormResult, seed: UInt64, _ scenario: SimulateScenario) -> [FleetReport] {
    zip(worlds(seed: seed), result.fleets ?? []).map { settings, part in
      FleetReport(
        settings.plan.fleet ?? FleetPlace(name: part.name), plan: settings.plan,
        gateway: SimulateOptions.gatewayText(fidelity),
        provider: "simulated: " + settings.provider.text
          + (isShared(settings.place.provider) ? "; shared with other fleets" : ""), result: part.result)
    }
  }

  private func isShared(_ provider: Int) -> Bool { fleets.count { $0.settings.place.provider == provider } > 1 }
}
