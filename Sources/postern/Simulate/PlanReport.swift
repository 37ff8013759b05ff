import GatewayFleet
import GatewayJSON
import GatewayPlanner
import GatewayReport

/// The answer to a question as a machine may read it, with `--json`, and what came of the run that proves it.
struct PlanReport: Encodable {
  /// A tried value with its result, e.g. that 1,695 tokens a second lose 8 of 10,000 clients.
  struct Trial: Encodable {
    let value: Double
    let holds: Bool
    /// With how many seeds it was tried, and with how many it holds.
    let seeds: Int
    let seedsHolding: Int
    /// The clients of the world.
    let clients: Int
    let figures: [String: Figure]

    init(_ trial: Planner.Trial, _ question: Question, _ columns: PlanColumns) {
      // There is no part of a client.
      value = question == .clients ? trial.value.rounded(.down) : trial.value
      holds = trial.passes
      (seeds, seedsHolding) = (trial.seeds, trial.holding)
      clients = trial.result.everybody.clients
      figures = columns.figures(trial.result)
    }
  }

  /// One of several compared ways, e.g. the backoff called `equal`.
  struct Row: Encodable {
    let backoff: String
    /// Whether it keeps the thresholds with every seed.
    let holds: Bool
    let seeds: Int
    let seedsHolding: Int
    let figures: [String: Figure]
  }

  /// A cell of the grid of stability, e.g. a queue of 8 s and clients that wait 10 s.
  struct Cell: Encodable {
    let queueS: Double
    let fetchTimeoutS: Double
    let recoveredAfterS: Double?
    let lostShare: Double?
    let isBeyondCliff: Bool
  }

  var schema = "postern-plan/1"
  let ask: String
  let clients: Int
  let scale: Int
  let seed: UInt64
  let thresholds: [String]
  /// Whether there is an answer, and nothing speaks against it at full size; absent of a grid, which answers nothing.
  let passes: Bool?
  var unit: String?
  /// The answer: the least, or the most. And where too much is as bad as too little, the other end.
  var answer: Double?
  var limit: Double?
  var isLeast: Bool?
  /// Whether chance decides near the answer, and how often the answer holds with further seeds.
  var isChance: Bool?
  var again: Trial?
  /// The value that holds if the clients have their first tokens at the start; set if no value holds, since the logins swamp
  /// the provider.
  var withTokensInHand: Trial?
  /// Of the ways to wait, the best that holds.
  var backoff: String?
  var holds: Trial?
  var fails: Trial?
  var proof: Trial?
  /// How many bytes the world of full size would take, where there are fewer.
  var bytesMissed: UInt64?
  /// Values that do not do as the others have it.
  var exceptions: [Trial]?
  var worlds: Int?
  var rows: [Row]?
  var grid: [Cell]?

  private init(_ ask: String, _ planner: Planner, _ scenario: SimulateScenario, passes: Bool?) {
    self.ask = ask
    clients = planner.settings.plan.clients
    scale = planner.scale
    seed = planner.settings.plan.seed
    thresholds = scenario.wishes
    self.passes = passes
  }

  init(_ question: Question, _ answer: Planner.Answer, _ planner: Planner, _ scenario: SimulateScenario) {
    self.init(question.rawValue, planner, scenario, passes: answer.isProven)
    unit = question.unit
    isLeast = question.wantsLeast
    let columns = PlanColumns(scenario)
    func trial(_ trial: Planner.Trial?) -> Trial? { trial.map { Trial($0, question, columns) } }
    isChance = answer.isChance
    again = trial(answer.again)
    withTokensInHand = trial(answer.withTokens)
    holds = trial(answer.value)
    fails = trial(answer.margin)
    proof = trial(answer.proof)
    self.answer = holds?.value
    limit = trial(answer.limit)?.value
    bytesMissed = answer.bytesMissed
    exceptions = answer.exceptions.compactMap(trial)
    worlds = answer.runs
  }

  init(
    _ trials: [(kind: Backoff.Kind, trial: Planner.Trial)], _ answer: Planner.Answer, _ planner: Planner,
    _ scenario: SimulateScenario
  ) {
    self.init("backoff", planner, scenario, passes: answer.isProven)
    let columns = PlanColumns(scenario)
    rows = trials.map { kind, trial in
      Row(
        backoff: kind.rawValue, holds: trial.passes, seeds: trial.seeds, seedsHolding: trial.holding,
        figures: columns.figures(trial.result))
    }
    backoff = answer.value.flatMap { value in trials.first { $0.trial.value == value.value }?.kind.rawValue }
    bytesMissed = answer.bytesMissed
    worlds = answer.runs
  }

  init(_ grid: StabilityGrid, _ planner: Planner, _ scenario: SimulateScenario) {
    self.init("stability", planner, scenario, passes: nil)
    self.grid = grid.rows.flatMap { $0 }.map {
      Cell(
        queueS: $0.queueSeconds, fetchTimeoutS: $0.timeOut, recoveredAfterS: $0.recovered, lostShare: $0.lost,
        isBeyondCliff: $0.isBeyondCliff)
    }
  }

  var text: String {
    get throws {
      try JSONCoder(names: .snakeCase, layout: .indented).text(self)
    }
  }
}
