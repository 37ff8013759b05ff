import GatewayFleet
import GatewayKit
import GatewayPlanner
import GatewayReport
import GatewayWires

// A scenario of several fleets: the key `fleets`.

extension SimulateScenario {
  static let fleetsKey = "fleets"
  /// The keys that a scenario of several fleets has in one place, whatever its fleets have.
  private static let keysOfAll = [fleetsKey, "gateway", "provider", "world", "thresholds", "phases"]
  /// The keys that may stand in a fleet and beside the fleets; a fleet's own counts.
  private static let keysOfBoth = ["gateway", "provider"]
  private static let endpointKeys = ["url", "provider_url", "wire", "tokens"]
  /// The keys of one fleet.
  static let fleetKeys =
    ["name"] + keys.filter { key in !keysOfAll.contains { $0.utf8.elementsEqual(key.utf8) } } + ["sdks"] + endpointKeys
    + keysOfBoth + ["thresholds"]

  /// Reads a scenario of several fleets.
  static func several(_ file: Described) throws -> SimulateScenario {
    let top = try file.object(keys + [schemaKey])
    for key in keys where !keysOfAll.contains(where: { $0.utf8.elementsEqual(key.utf8) }) {
      guard let value = top[key] else { continue }
      throw value.error("belongs to a fleet; \"fleets\" is given, so put it there")
    }
    guard let list = top[fleetsKey] else { throw file.error("lacks \"fleets\"") }
    let elements = try list.elements()
    guard (1...FleetPlace.countMax).contains(elements.count) else {
      throw list.error("expected 1 to \(FleetPlace.countMax) fleets, not \(elements.count)")
    }
    var fleets: [ScenarioFleet] = []
    for element in elements {
      let fleet = try self.fleet(element, top)
      guard !fleets.contains(where: { $0.name.utf8.elementsEqual(fleet.name.utf8) }) else {
        throw element.error("two fleets are called '\(fleet.name)'")
      }
      fleets.append(fleet)
    }
    let parts = fleets.reduce(0) { $0 + max(1, $1.sdks.count) }
    guard parts <= FleetPlace.countMax else {
      throw list.error(
        "expected at most \(FleetPlace.countMax) fleets, with one for each SDK of \"sdks\", not \(parts)")
    }
    let clients = fleets.reduce(0) { $0 + $1.scenario.settings.plan.clients }
    guard clients <= WorldSettings.clientsMax else {
      throw list.error(
        "expected at most \(Figures.count(WorldSettings.clientsMax)) clients together, not \(Figures.count(clients))")
    }
    var whole = fleets[0].scenario
    whole.fleets = fleets
    whole.ownThresholds = try thresholds(top["thresholds"], fleets)
    whole.hasUsualThresholds = top["thresholds"] == nil
    whole.join(fleets.map(\.scenario))
    return whole
  }

  /// Returns the thresholds of the whole file, or the usual ones, and those of each fleet.
  private static func thresholds(_ own: Described?, _ fleets: [ScenarioFleet]) throws -> [Threshold] {
    let given = try own.map { try readThresholds($0) }
    let isOpen = fleets.contains { $0.scenario.settings.plan.arrivals != nil }
    let rotates = fleets.contains { $0.scenario.settings.provider.rotation != nil }
    if let own, let given {
      for (element, threshold) in zip(try own.elements(), given) {
        guard let name = threshold.fleet, !isKnown(name, fleets) else { continue }
        throw element.unknown(name, "fleet", among: fleets.map(\.name))
      }
    }
    return (given ?? usual(isOpen: isOpen, rotates: rotates))
      + fleets.flatMap { $0.scenario.ownThresholds ?? [] }
  }

  /// Throws if one of the thresholds names none of the fleets. `source` names it in errors.
  static func check(_ thresholds: [Threshold], _ fleets: [ScenarioFleet], of source: String) throws {
    for threshold in thresholds {
      guard let name = threshold.fleet, !isKnown(name, fleets) else { continue }
      let known =
        fleets.isEmpty
        ? "there is one fleet, without a name" : "there are \(fleets.map(\.name).joined(separator: ", "))"
      throw UsageError("\(source) '\(threshold)': there is no fleet '\(name)'; \(known)")
    }
  }

  /// Returns whether a name is that of a fleet, or of its part with one SDK.
  static func isKnown(_ name: String, _ fleets: [ScenarioFleet]) -> Bool {
    fleets.contains { fleet in
      fleet.name.utf8.elementsEqual(name.utf8)
        || fleet.sdks.contains { "\(fleet.name).\($0.sdk)".utf8.elementsEqual(name.utf8) }
    }
  }

  private static func fleet(_ element: Described, _ top: DescribedObject) throws -> ScenarioFleet {
    let own = try element.object(fleetKeys)
    let named = try own.required("name", example: "\"web\"")
    let name = try named.text()
    guard FleetPlace.isName(name) else {
      throw named.error(
        "'\(name)' is no name of a fleet; expected 1 to \(FleetPlace.nameMax) letters, digits, - and _")
    }
    var scenario = try SimulateScenario(own.adding(keysOfBoth + ["world"], of: top))
    if let thresholds = own["thresholds"] {
      scenario.ownThresholds = try zip(thresholds.elements(), scenario.ownThresholds ?? []).map { element, threshold in
        do {
          return try threshold.of(fleet: name)
        } catch let error as ThresholdError {
          throw element.error("\(error)")
        }
      }
    }
    func text(_ key: String) throws -> ScenarioFleet.Endpoints.Text? {
      try own[key].map { .init(text: try $0.text(), source: "\"\(key)\" of the fleet '\(name)'") }
    }
    if let wire = own["wire"], own["dialect"] != nil || own["sdk"] != nil || own["sdks"] != nil {
      throw wire.error("a wire takes the place of \"dialect\", \"sdk\" and \"sdks\"; remove it or them")
    }
    return ScenarioFleet(
      name: name, scenario: scenario, sdks: try sdks(own, of: scenario.dialect),
      endpoints: .init(
        url: try text("url"), providerURL: try text("provider_url"), wire: try text("wire"),
        tokens: try text("tokens")),
      hasOwnProvider: own["provider"] != nil || own["tokens"] != nil || own["provider_url"] != nil,
      hasModel: own["provider"] != nil, hasOwnGateway: own["gateway"] != nil || own["url"] != nil)
  }

  /// Returns the SDK. Throws an error with its place if the file's dialect has no such SDK.
  static func sdk(_ name: String, of dialect: String?, at place: Described) throws -> String {
    guard let dialect,
      let sdks = Vendors.all.first(where: { $0.scheme.utf8.elementsEqual(dialect.utf8) })?.clients.sdks, !sdks.isEmpty
    else { return name }
    guard sdks.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
      throw place.error("\(dialect) has no SDK '\(name)'; expected one of \(sdks.joined(separator: ", "))")
    }
    return name
  }

  private static func sdks(_ fleet: DescribedObject, of dialect: String?) throws -> [(sdk: String, share: Double)] {
    guard let given = fleet["sdks"] else { return [] }
    guard fleet["sdk"] == nil else { throw given.error("\"sdk\" is one for all; give it or \"sdks\", not both") }
    var shares: [(sdk: String, share: Double)] = []
    for member in try given.members() {
      let sdk = try Self.sdk(member.name, of: dialect, at: member.value)
      shares.append((sdk: sdk, share: try member.value.number(in: 0...1)))
    }
    let sum = shares.reduce(0) { $0 + $1.share }
    guard !shares.isEmpty, abs(sum - 1) <= 0.001 else {
      throw given.error(
        "expected the share of each SDK, as {\"swift\": 0.6, \"android\": 0.4}, which come to 1, not "
          + Figures.decimal(sum, places: 3))
    }
    return shares
  }
}
