import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import GatewayReport

/// The flags of `postern simulate`, checked.
struct SimulateOptions {
  var scenario: SimulateScenario
  let clients: SimulatedClients
  /// The fleets of a scenario that has several; nil for one.
  let fleets: SimulatedFleets?
  let seeds: Int
  let threads: Int
  let reportDirectory: String?
  let page: OutputFile?
  let printsJSON: Bool
  let outputs: ReportOutputs

  /// The bounds of a wire's world: its clients take more memory and time.
  private static let wireClientsMax = 100_000
  private static let wireBytesPerClient = 12_000

  init(_ arguments: Arguments) throws {
    var draft = SimulateDraft()
    try arguments.read(SimulateFlags.options, into: &draft)
    (scenario, clients) = try Self.scenario(try arguments.operand(), draft.world)
    fleets =
      scenario.fleets.isEmpty ? nil : try SimulatedFleets(scenario, wireClientsMax: Self.wireClientsMax)
    seeds = draft.seeds
    threads = draft.world.threadCount
    reportDirectory = draft.reportDirectory
    page = draft.page
    printsJSON = draft.printsJSON
    outputs = draft.outputs
    guard !printsJSON || !outputs.printsSummary else {
      throw UsageError("--json and --summary are both given; remove one")
    }
    if fleets == nil, scenario.fidelity == .wire {
      try WireWorld.check(scenario.settings, clientsMax: Self.wireClientsMax)
    }
  }

  /// Reads the operand's scenario, with flags instead of its own values.
  static func scenario(
    _ operand: String?, _ world: SimulateDraft.World
  ) throws -> (SimulateScenario, SimulatedClients) {
    guard let file = operand else { throw UsageError("simulate needs the FILE of a scenario") }
    var scenario = try ScenarioFile(file, of: "FILE").world
    try scenario.resize(world.sizes, file: "FILE")
    if let seed = world.seed { scenario.settings.plan.seed = UInt64(seed) }
    if let fidelity = world.fidelity { scenario.fidelity = fidelity }
    // Of several fleets, each has its own, for which this stands.
    let isOne = scenario.fleets.isEmpty
    let clients = try SimulatedClients(
      scheme: isOne ? scenario.dialect : nil, sdk: isOne ? scenario.sdk : nil)
    do {
      if !world.thresholds.isEmpty {
        scenario.ownThresholds = try world.thresholds.map { try Threshold(parsing: $0) }
      }
      try SimulateScenario.check(scenario.thresholds, scenario.fleets, of: "--threshold")
      guard scenario.fleets.isEmpty else { return (scenario, clients) }
      guard scenario.settings.plan.grants == nil || scenario.settings.provider.rotation != nil else {
        throw UsageError(
          "/client: \(GrantPlan.keys.joined(separator: ", ")) are for refresh tokens, and the provider of FILE rotates "
            + "none; add \"rotation\" to \"provider\"")
      }
      try scenario.settings.check()
      try clients.set(&scenario.settings, for: scenario.fidelity)
    } catch let error as ThresholdError {
      throw UsageError("--threshold: \(error)")
    } catch let error as StormPlanError {
      throw UsageError("\(error)")
    }
    return (scenario, clients)
  }

  /// Throws if the machine has too little memory.
  func checkMemory() throws {
    let worlds = worlds(seed: 0)
    let clients = worlds.reduce(0) { $0 + $1.plan.clients }
    let each =
      scenario.fidelity == .wire ? UInt64(clients * Self.wireBytesPerClient) : MachineWorld.bytes(fleets: worlds)
    let needed = each * UInt64(min(threads, seeds))
    guard let available = MemoryFigures.available, needed > available else { return }
    throw UsageError(
      "--clients: \(Figures.count(clients)) clients\(min(threads, seeds) > 1 ? ", \(min(threads, seeds)) worlds at once," : "") take up to "
        + "\(Figures.count(Int(clamping: needed))) bytes, and \(Figures.count(Int(clamping: available))) are free")
  }

  /// The settings of a world of that seed, for each fleet.
  func worlds(seed: UInt64) -> [WorldSettings] {
    if let fleets { return fleets.worlds(seed: seed) }
    var settings = scenario.settings
    settings.plan.seed = seed
    return [settings]
  }

  /// The same with the wires of the clients.
  func wires(seed: UInt64) -> [(settings: WorldSettings, clients: SimulatedClients)] {
    fleets?.wires(seed: seed) ?? worlds(seed: seed).map { ($0, clients) }
  }

  static func gatewayText(_ fidelity: SimulateScenario.Fidelity) -> String {
    "a simulated gateway (\(fidelity.rawValue))"
  }

  func report(_ result: (seed: UInt64, result: StormResult)) -> StormReport {
    let worlds = worlds(seed: result.seed)
    let parts = fleets?.reports(result.result, seed: result.seed, scenario) ?? []
    let providers = Set(worlds.map(\.place.provider)).count
    return StormReport(
      plan: parts.isEmpty ? worlds[0].plan : .whole(worlds.map(\.plan), seed: result.seed),
      gateway: Self.gatewayText(scenario.fidelity),
      provider: providers > 1 ? "\(providers) simulated providers" : "simulated: " + worlds[0].provider.text,
      startedAt: WallTime(nanoseconds: 0), machine: .current, result: result.result, thresholds: scenario.thresholds,
      phaseThresholds: scenario.phaseThresholds, fleets: parts)
  }
}

extension SimulateDraft.World {
  /// The number of worlds that run at once.
  var threadCount: Int { threads ?? max(1, ProcessEnvironment.cores) }
}

extension ProviderModel {
  /// The model in a few words.
  var text: String {
    let capacity =
      switch capacity {
      case .rate(let rate): "\(Figures.decimal(rate, places: 1)) tokens a second"
      case .places(let places, let latency):
        "\(Figures.count(places)) at once, \(Figures.duration(latency.lowerBound))"
          + (latency.lowerBound < latency.upperBound ? " to \(Figures.duration(latency.upperBound))" : "") + " each"
      case .unbounded: "any number at once"
      }
    let wait = longestWait.map { " (\(Figures.duration($0)))" } ?? ""
    return "\(capacity), \(Figures.count(queue)) may wait\(wait), abandoned requests: \(abandoned.rawValue)"
      + (rotation.map { "; refresh tokens: \($0.text)" } ?? "")
      + (repliesLost > 0 ? "; replies lost: \(Figures.percent(repliesLost))" : "")
      + (budgets.isEmpty ? "" : "; budgets: " + budgets.map(\.text).joined(separator: "; "))
  }
}
