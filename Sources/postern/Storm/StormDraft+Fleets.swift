import GatewayFleet
import GatewayKit
import GatewayPlanner

// A scenario of several fleets. The draft has the settings of one of them, as if it were alone.

extension StormDraft {
  /// Takes the settings of a scenario: those of its only fleet, or of one of several.
  mutating func play(_ given: SimulateScenario, source: String) {
    fleets = given.fleets.flatMap(\.parts)
    guard let part = fleets.indices.contains(fleet) ? fleets[fleet] : fleets.last else {
      scenario = Sourced(value: given, source: source)
      plan = given.settings.plan
      return
    }
    several = Sourced(value: given, source: source)
    var own = part.scenario
    own.ownThresholds = given.ownThresholds
    own.phaseThresholds = given.phaseThresholds
    scenario = Sourced(value: own, source: source)
    plan = own.settings.plan
    plan.fleet = part.place
    take(part)
  }

  /// Takes the addresses of a fleet. The flags' addresses take the place of missing ones.
  private mutating func take(_ part: ScenarioFleet.Part) {
    let endpoints = part.endpoints
    home = home ?? urls.first
    func lacks(_ what: String, _ keys: String) -> UsageError {
      UsageError(
        "\(scenarioName ?? "--scenario"): the fleet '\(part.place.group ?? part.place.name)' \(what); add \(keys)")
    }
    if let file = endpoints.wire { wire = file.value }
    if let url = endpoints.url { urls = [url.value] }
    if part.hasOwnGateway, endpoints.url == nil {
      unplaced = lacks("has a \"gateway\" of its own, and nothing says where it is", "\"url\"")
    }
    if let file = endpoints.tokens { tokens = file.value }
    if let address = endpoints.providerURL { provider = address.value }
    guard endpoints.tokens == nil, endpoints.providerURL == nil else { return }
    if part.hasOwnProvider {
      // The provider of the fleet's own gateway, if it has one.
      provider = nil
      home = nil
      guard endpoints.url == nil else { return }
      unplaced = lacks(
        "has a \"provider\" of its own, and nothing says where it is", "\"provider_url\", \"tokens\" or \"url\"")
    } else if home == nil, provider == nil {
      unplaced = lacks(
        "shares its token provider, and nothing says where that is", "--provider, or \"provider_url\" to the fleet")
    }
  }

  /// Sets the number of clients, or that of the fleet that the value names.
  mutating func resize(_ value: Arguments.Value) throws {
    try sizes.add(value, upTo: 1_000_000)
    let file = scenarioName ?? "the storm"
    guard let several else {
      try sizes.check([], in: file)
      if let only = sizes.only { plan.clients = only.clients }
      return
    }
    var given = several.value
    try given.resize(sizes, file: file)
    play(given, source: several.source)
  }

  /// The dialect of one of the fleets; nil for the gateway's own.
  func dialect(of fleet: ScenarioFleet.Part) -> Arguments.Value? {
    fleet.scenario.dialect.map { Arguments.Value(text: $0, source: "\"dialect\" of the fleet '\(fleet.place.name)'") }
  }

  /// The place of a key in the scenario, for errors.
  func place(of key: String) -> String {
    "\"\(key)\" of " + (plan.fleet.map { "the fleet '\($0.group ?? $0.name)'" } ?? "--scenario")
  }
}

extension ScenarioFleet.Endpoints.Text {
  /// The text as a flag has it.
  var value: Arguments.Value { Arguments.Value(text: text, source: source) }
}
