import FoundationEssentials
import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import GatewayReport

/// The command `postern simulate plan`: questions about a scenario, answered by bisection; how few tokens a second do,
/// for instance.
enum SimulatePlanCommand: Command {
  static let name = "simulate plan"
  static let summary =
    "what a scenario needs to keep its thresholds: how little provider, how much jitter, does it recover"
  static let operands = "FILE"
  static let example = "postern simulate plan --ask capacity scenario.json"
  static let sections = [
    FlagSection(
      "flags",
      [
        Flag("ask", Self.words.joined(separator: "|"), "what is asked"),
        Flag("clients", "N", "how many clients, in place of the file's"),
        Flag("seed", "N", "the seed of all chance, in place of the file's"),
        Flag("fidelity", "machines", "what plays it: the machines alone"),
        Flag("threshold", "EXPR", "as postern storm has it, in place of the file's", repeats: true),
        Flag("scale", "N", "how many clients the worlds have that look for the answer (default 100000)"),
        Flag("threads", "N", "how many worlds run at once (default: one for each core)"),
        Flag("svg", "FILE", "write the grid of stability there, as a picture"),
      ])
  ]

  private static let words = Question.allCases.map(\.rawValue) + ["backoff", "stability"]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let (scenario, _) = try SimulateOptions.scenario(arguments)
    guard scenario.fidelity == .machines else {
      throw UsageError("--fidelity: only machines answer questions; a wire's world would take hours")
    }
    guard let ask = arguments.value("ask") else {
      throw UsageError("--ask is needed: \(words.joined(separator: ", "))")
    }
    let picture = try OutputFile(arguments, "svg")
    let scale = try arguments.int("scale", in: 100...WorldSettings.clientsMax) ?? 100_000
    let threads = try SimulateOptions.threads(arguments)
    try checkMemory(ask.text, scenario.settings.plan.clients, scale: scale, threads: threads)
    let planner = Planner(
      scenario.settings, threads: threads, scale: scale, bytesMax: MemoryFigures.available ?? .max
    ) { [thresholds = scenario.thresholds] result in
      !result.wasInterrupted && thresholds.allSatisfy { $0.judge(result).holds }
    }
    if let question = Question(rawValue: ask.text) {
      let answer = try await planner.answer(question)
      Output.line(PlanText(question, answer, scenario).lines.joined(separator: "\n"))
      return answer.value != nil && answer.proof?.passes != false && answer.bytesMissed == nil ? 0 : 1
    }
    switch ask.text {
    case "backoff": try await tellBackoffs(planner)
    case "stability":
      guard let grid = try await StabilityGrid(planner) else {
        throw UsageError("--ask stability: the provider needs a rate, or places and a latency, to have a cliff")
      }
      Output.line(GridText(grid: grid).text)
      try picture?.write(GridText(grid: grid).svg)
    default:
      throw UsageError(ask.source, value: ask.text, expected: "one of \(words.joined(separator: ", "))")
    }
    return 0
  }

  /// Refuses what the machine has no memory for.
  ///
  /// - Parameters:
  ///   - ask: The question.
  ///   - clients: How many clients the scenario has.
  ///   - scale: How many the worlds have at the most that look for the answer.
  ///   - threads: How many of those run at once.
  private static func checkMemory(_ ask: String, _ clients: Int, scale: Int, threads: Int) throws {
    // A question's worlds run a seed beside the other, and comparisons all they compare.
    let atOnce = Question(rawValue: ask) == nil ? threads : min(threads, Int(Planner.seeds))
    // How many clients it bears may be more than the file has.
    let small = MachineWorld.bytes(clients: ask == Question.clients.rawValue ? scale : min(scale, clients))
    let needed = small * UInt64(atOnce)
    guard let available = MemoryFigures.available, needed > available else { return }
    throw UsageError(
      "--scale: \(atOnce) worlds at once take up to \(Figures.count(Int(clamping: needed))) bytes, and "
        + "\(Figures.count(Int(clamping: available))) are free")
  }

  /// All ways of waiting, with the same seed.
  private static func tellBackoffs(_ planner: Planner) async throws {
    let all = Backoff.Kind.allCases.map { kind in
      var settings = planner.settings
      settings.plan.backoff.kind = kind
      return settings
    }
    let results = try await planner.compare(all)
    let rows = zip(Backoff.Kind.allCases, results).map { [$0.0.rawValue] + PlanText.figures($0.1) }
    Output.line(TextTable.columns([["back-off"] + PlanText.columns] + rows).joined(separator: "\n"))
  }
}
