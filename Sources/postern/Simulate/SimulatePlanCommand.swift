import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import GatewayReport

/// The command `postern simulate plan`: questions about a scenario, answered by bisection.
enum SimulatePlanCommand: Command {
  static let name = "simulate plan"
  static let summary =
    "answer what a scenario needs to keep its thresholds, e.g. how small the provider, how much jitter"
  static let operands = "FILE"
  static let example = "postern simulate plan --ask capacity scenario.json"
  static let sections = [FlagSection("flags", options)]

  private struct Draft: Sendable {
    var ask: String?
    var world = SimulateDraft.World()
    var scale = 100_000
    var printsJSON = false
    var picture: OutputFile?
    var within: Duration?
    var seeds: Int?
  }

  @OptionList<Draft>
  private static var options: [Option<Draft>] {
    Option("ask", words.joined(separator: "|"), "the question to answer") { value, draft in
      guard words.contains(value.text) else { throw UsageError(value.source, value: value.text, oneOf: words) }
      draft.ask = value.text
    }
    SimulateFlags.fleet.map { $0.of(\.world) }
    Option(
      "fidelity", "machines", "what is simulated: the clients' and sessions' states alone", \.world.fidelity, .choice)
    SimulateFlags.thresholds.map { $0.of(\.world) }
    Option(
      "scale", "N", "how many clients the simulations have that search for the answer (default 100000)", \.scale,
      .int(100...WorldSettings.clientsMax))
    SimulateFlags.threads.map { $0.of(\.world) }
    Option("json", "print the answer as JSON instead of the table", \.printsJSON)
    Option("svg", "FILE", "write the grid of --ask stability to this file, as a picture", \.picture, .outputFile)
    Option(
      "within", "DURATION",
      "how long the fleet may take to recover, for --ask verdict, trigger and hysteresis (default 10m)",
      \.within, .duration)
    Option(
      "seeds", "N", "how many seeds the file's own disturbance is tried with, for --ask verdict (default 20)", \.seeds,
      .int(1...1000))
  }

  private static let backoff = "backoff"
  private static let trigger = "trigger"
  private static let rotation = "rotation"
  private static let verdict = "verdict"
  private static let hysteresis = "hysteresis"
  /// The questions about a fleet at rest.
  private static let ofRest = [verdict, trigger, hysteresis]
  private static let words =
    Question.allCases.map(\.rawValue) + [backoff, rotation] + ofRest + ["stability"]
  private static let seedsOfVerdict = 20

  static func run(_ arguments: Arguments) async throws -> Int32 {
    var draft = Draft()
    try arguments.read(options, into: &draft)
    let (scenario, _) = try SimulateOptions.scenario(try arguments.operand(), draft.world)
    guard scenario.fidelity == .machines else {
      throw UsageError("--fidelity: only machines answer questions; a wire's world would take hours")
    }
    guard scenario.fleets.isEmpty else {
      throw UsageError("FILE: questions are about one fleet, and this file has \"fleets\"; postern simulate runs it")
    }
    guard let ask = draft.ask else {
      throw UsageError("--ask is needed: \(words.joined(separator: ", "))")
    }
    let question = Question(rawValue: ask)
    guard draft.picture == nil || ask == "stability" else {
      throw UsageError("--svg: only --ask stability has a picture")
    }
    let within = draft.within
    guard within == nil || ofRest.contains(ask) else {
      throw UsageError("--within: only --ask \(ofRest.joined(separator: ", ")) have it")
    }
    guard draft.seeds == nil || ask == verdict else { throw UsageError("--seeds: only --ask verdict has it") }
    guard within.map({ $0 >= .seconds(1) && $0 <= .seconds(86_400) }) ?? true else {
      throw UsageError("--within: expected a duration from 1s to 24h")
    }
    guard scenario.settings.plan.arrivals == nil else {
      throw UsageError("FILE: questions are about a fleet that comes once; this one has \"arrivals\"")
    }
    let (scale, threads) = (draft.scale, draft.world.threadCount)
    guard scenario.settings.provider.rotation != nil || (question != .grace && ask != rotation) else {
      throw UsageError("--ask \(ask): the provider of FILE has no \"rotation\", so no refresh token is shown again")
    }
    if question != nil || ask == backoff || ask == rotation { try checkThresholds(question, scenario, scale: scale) }
    try checkMemory(question, scenario.settings, scale: scale, threads: threads)
    let progress = PlanProgress(ask)
    let planner = Planner(
      scenario.settings, threads: threads, scale: scale, bytesMax: MemoryFigures.available ?? .max,
      report: { look in progress.show(look, question) },
      judge: { result, share in scenario.keeps(result, ofShare: share) })
    if let question {
      let answer = try await planner.answer(question)
      progress.end()
      Output.line(
        draft.printsJSON
          ? try PlanReport(question, answer, planner, scenario).text
          : PlanText(question, answer, scenario).lines.joined(separator: "\n"))
      return answer.isProven ? 0 : 1
    }
    if ask == backoff {
      let (trials, answer) = try await planner.backoffs()
      progress.end()
      Output.line(
        draft.printsJSON
          ? try PlanReport(trials, answer, planner, scenario).text
          : BackoffText(trials: trials, answer: answer, scenario: scenario).lines.joined(separator: "\n"))
      return answer.isProven ? 0 : 1
    }
    if ask == rotation, let comparison = try await RotationComparison(planner) {
      progress.end()
      Output.line(
        draft.printsJSON
          ? try PlanReport(comparison, planner, scenario).text
          : RotationPlanText(comparison: comparison, scenario: scenario).lines.joined(separator: "\n"))
      return comparison.best == nil ? 1 : 0
    }
    if ofRest.contains(ask) {
      guard scenario.settings.plan.life <= .seconds(7 * 86_400) else {
        throw UsageError("--ask \(ask): a fleet at rest is simulated for one life of its tokens, of at most 7 days")
      }
      return try await tellOfRest(ask, within ?? .seconds(600), draft, planner, scenario, progress)
    }
    guard let grid = try await StabilityGrid(planner, done: { progress.isThrough(of: StabilityGrid.worlds) }) else {
      throw UsageError(
        "--ask stability: the provider has no limit to overload; give it a \"rate\", or \"concurrency\" and \"latency_ms\""
      )
    }
    progress.end()
    Output.line(draft.printsJSON ? try PlanReport(grid, planner, scenario).text : GridText(grid: grid).text)
    try draft.picture?.write(GridText(grid: grid).svg)
    return 0
  }

  /// Answers a question about a fleet at rest. Returns the exit status.
  private static func tellOfRest(
    _ ask: String, _ limit: Duration, _ draft: Draft, _ planner: Planner, _ scenario: SimulateScenario,
    _ progress: PlanProgress
  ) async throws -> Int32 {
    let (settings, scale, threads) = (scenario.settings, planner.scale, planner.threads)
    func tell(_ report: PlanReport, _ lines: [String]) throws {
      progress.end()
      Output.line(draft.printsJSON ? try report.text : lines.joined(separator: "\n"))
    }
    if ask == verdict {
      let seeds = draft.seeds ?? seedsOfVerdict
      let search = VerdictSearch(settings, within: limit, seeds: seeds, scale: scale, threads: threads) {
        progress.isThrough(of: VerdictSearch.worldsMax(seeds: seeds))
      }
      let answer = try await search.run()
      try tell(
        PlanReport(answer, planner, scenario),
        VerdictText(answer: answer, settings: settings, within: limit.inSeconds).lines)
      return [.overloaded, .metastable].contains(answer.verdict) ? 1 : 0
    }
    if ask == hysteresis {
      let search = HysteresisSearch(settings, within: limit, scale: scale, threads: threads) {
        progress.isThrough(of: HysteresisSearch.worlds)
      }
      guard let search else {
        throw UsageError("--ask hysteresis: the provider needs a rate, or places and a latency, to have a load")
      }
      let answer = try await search.run()
      try tell(PlanReport(answer, planner, scenario), HysteresisText(answer: answer, settings: settings).lines)
      return answer.band == nil ? 0 : 1
    }
    let search = TriggerSearch(settings, within: limit, scale: scale, threads: threads) {
      progress.isThrough(of: TriggerSearch.worldsMax)
    }
    let answer = try await search.run()
    try tell(
      PlanReport(answer, planner, scenario),
      TriggerText(answer: answer, settings: settings, within: limit.inSeconds).lines)
    return answer.verdict == .overloaded ? 1 : 0
  }

  /// Rejects thresholds that cannot be scaled to a smaller fleet, if smaller fleets are used to find the answer.
  private static func checkThresholds(_ question: Question?, _ scenario: SimulateScenario, scale: Int) throws {
    guard !scenario.wishes.isEmpty else {
      throw UsageError("a question wants a threshold: the scenario has none, and --threshold is not given")
    }
    guard question == .clients || scenario.settings.plan.clients > scale else { return }
    let all = scenario.thresholds + scenario.phaseThresholds.map(\.threshold)
    guard let whole = all.first(where: { !$0.isDivisible }) else { return }
    throw UsageError(
      "the threshold '\(whole)' says nothing of the smaller fleets that look for the answer; write it with <= or >="
        + (question == .clients ? "" : ", or raise --scale to the number of clients"))
  }

  /// Throws if the machine has too little memory.
  ///
  /// - Parameters:
  ///   - question: The question; nil for a comparison.
  ///   - settings: The world that is asked about.
  ///   - scale: The maximum number of clients in the worlds that find the answer.
  ///   - threads: The number of worlds that run at once.
  private static func checkMemory(
    _ question: Question?, _ settings: WorldSettings, scale: Int, threads: Int
  ) throws {
    // A question runs the seeds of one value side by side; a comparison runs all its worlds.
    let atOnce = question == nil ? threads : min(threads, Int(max(Planner.seeds, Planner.seedsAgain)))
    // The answer for clients may exceed the number in the file.
    let clients = question == .clients ? scale : min(scale, settings.plan.clients)
    let small = MachineWorld.bytes(settings.scaled(toClients: clients, withProvider: true))
    let needed = small * UInt64(atOnce)
    guard let available = MemoryFigures.available, needed > available else { return }
    throw UsageError(
      "--scale: \(atOnce) worlds at once take up to \(Figures.count(Int(clamping: needed))) bytes, and "
        + "\(Figures.count(Int(clamping: available))) are free")
  }
}
