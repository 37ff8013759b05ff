import GatewayFleet
import GatewayPlanner

/// One of several fleets of a scenario. It has the settings of a scenario with a single fleet.
struct ScenarioFleet: Sendable {
  /// Addresses and descriptions that the file names for this fleet alone, with their places in the file.
  struct Endpoints: Sendable {
    var url: Text?
    var providerURL: Text?
    var wire: Text?
    var tokens: Text?

    /// A text of the file, and its place.
    struct Text: Sendable {
      let text: String
      /// The key with its place, for errors.
      let source: String
    }

    /// The keys that are given, for a world that has no use for them.
    var keys: [String] {
      [("url", url), ("provider_url", providerURL), ("wire", wire), ("tokens", tokens)].compactMap { key, value in
        value == nil ? nil : key
      }
    }
  }

  let name: String
  /// Its settings, with the gateway, the provider and the world of the whole file unless it has its own.
  var scenario: SimulateScenario
  /// The shares of its clients that each SDK has; empty if all have one.
  let sdks: [(sdk: String, share: Double)]
  let endpoints: Endpoints
  /// Whether its provider is not that of the other fleets, and whether the file has a model of it.
  let hasOwnProvider: Bool
  let hasModel: Bool
  let hasOwnGateway: Bool

  /// A fleet as it is carried out: the clients of one SDK.
  struct Part {
    let place: FleetPlace
    let scenario: SimulateScenario
    let endpoints: Endpoints
    /// Whether it has a provider and a gateway of its own.
    let hasOwnProvider: Bool
    let hasOwnGateway: Bool
  }

  /// The fleets as they are carried out: one for each SDK that has clients.
  var parts: [Part] {
    func part(_ place: FleetPlace, _ scenario: SimulateScenario) -> Part {
      Part(
        place: place, scenario: scenario, endpoints: endpoints, hasOwnProvider: hasOwnProvider,
        hasOwnGateway: hasOwnGateway)
    }
    guard !sdks.isEmpty else { return [part(FleetPlace(name: name), scenario)] }
    let clients = scenario.settings.plan.clients
    var share = 0.0
    var dealt = 0
    return sdks.compactMap { sdk in
      share += sdk.share
      let end = min(clients, Int((Double(clients) * share).rounded()))
      defer { dealt = max(dealt, end) }
      guard end > dealt else { return nil }
      var own = scenario
      own.sdk = sdk.sdk
      own.settings = scenario.settings.scaled(toClients: end - dealt, withProvider: false)
      return part(FleetPlace(name: "\(name).\(sdk.sdk)", group: name), own)
    }
  }
}
