import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import GatewayReport

/// The flags of `postern simulate`, checked.
struct SimulateOptions {
  var scenario: SimulateScenario
  let clients: SimulatedClients
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
    (scenario, clients) = try Self.scenario(arguments)
    seeds = try arguments.int("seeds", in: 1...1000) ?? 1
    threads = try Self.threads(arguments)
    reportDirectory = arguments.string("report")
    page = try OutputFile(arguments, "html")
    printsJSON = try arguments.isOn("json")
    outputs = try ReportOutputs(arguments)
    guard !printsJSON || !outputs.printsSummary else {
      throw UsageError("--json and --summary are both given; one of them is meant")
    }
    if scenario.fidelity == .wire { try WireWorld.check(scenario.settings, clientsMax: Self.wireClientsMax) }
  }

  /// Reads the scenario of the operand, with the flags in place of its own values.
  static func scenario(_ arguments: Arguments) throws -> (SimulateScenario, SimulatedClients) {
    guard let file = try arguments.operand() else { throw UsageError("simulate needs the FILE of a scenario") }
    var scenario = try ScenarioFile(file, of: "FILE").world
    if let clients = try arguments.int("clients", in: 1...WorldSettings.clientsMax) {
      scenario.settings = scenario.settings.scaled(toClients: clients, withProvider: false)
    }
    if let seed = try arguments.int("seed", in: 0 ... .max) { scenario.settings.plan.seed = UInt64(seed) }
    if let fidelity = try arguments.choice("fidelity", SimulateScenario.Fidelity.self) { scenario.fidelity = fidelity }
    let clients = try SimulatedClients(scheme: scenario.dialect, sdk: scenario.sdk)
    let thresholds = arguments.strings("threshold")
    do {
      if !thresholds.isEmpty { scenario.ownThresholds = try thresholds.map { try Threshold(parsing: $0) } }
      try scenario.settings.check()
      try clients.set(&scenario.settings, for: scenario.fidelity)
    } catch let error as ThresholdError {
      throw UsageError("--threshold: \(error)")
    } catch let error as StormPlanError {
      throw UsageError("\(error)")
    }
    return (scenario, clients)
  }

  static func threads(_ arguments: Arguments) throws -> Int {
    try arguments.int("threads", in: 1...256) ?? max(1, ProcessEnvironment.cores)
  }

  /// Throws if the machine has too little memory.
  func checkMemory() throws {
    let clients = scenario.settings.plan.clients
    let each =
      scenario.fidelity == .wire ? UInt64(clients * Self.wireBytesPerClient) : MachineWorld.bytes(scenario.settings)
    let needed = each * UInt64(min(threads, seeds))
    guard let available = MemoryFigures.available, needed > available else { return }
    throw UsageError(
      "--clients: \(Figures.count(clients)) clients\(min(threads, seeds) > 1 ? ", \(min(threads, seeds)) worlds at once," : "") take up to "
        + "\(Figures.count(Int(clamping: needed))) bytes, and \(Figures.count(Int(clamping: available))) are free")
  }

  func report(_ result: (seed: UInt64, result: StormResult)) -> StormReport {
    var plan = scenario.settings.plan
    plan.seed = result.seed
    return StormReport(
      plan: plan, gateway: "a simulated gateway (\(scenario.fidelity.rawValue))",
      provider: "simulated: "
        + scenario.settings.provider.text,
      startedAt: WallTime(nanoseconds: 0), machine: .current, result: result.result, thresholds: scenario.thresholds,
      phaseThresholds: scenario.phaseThresholds)
  }
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
  }
}
