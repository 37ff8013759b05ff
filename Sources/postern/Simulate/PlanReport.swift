import GatewayFleet
import GatewayJSON
import GatewayPlanner
import GatewayReport

/// The answer to a question in JSON, for `--json`, with the run that proves it.
struct PlanReport: Encodable {
  /// A value on trial, with its figures.
  struct Trial: Encodable {
    let value: Double
    let holds: Bool
    /// The number of seeds that were tried, and of those with which it holds.
    let seeds: Int
    let seedsHolding: Int
    /// The number of clients in the world.
    let clients: Int
    let figures: [String: Figure]

    init(_ trial: Planner.Trial, _ question: Question, _ columns: PlanColumns) {
      // There are only whole clients.
      value = question == .clients ? trial.value.rounded(.down) : trial.value
      holds = trial.passes
      (seeds, seedsHolding) = (trial.seeds, trial.holding)
      clients = trial.result.everybody.clients
      figures = columns.figures(trial.result)
    }
  }

  /// One of several compared ways to ask again.
  struct Row: Encodable {
    let backoff: String
    /// Whether it holds the thresholds with every seed.
    let holds: Bool
    let seeds: Int
    let seedsHolding: Int
    let figures: [String: Figure]
  }

  /// A cell of the grid of stability: a length of the queue and a wait of the clients, both in seconds.
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
  /// Whether there is an answer and the world of full size does not contradict it; nil for a grid, which has no answer.
  let passes: Bool?
  var unit: String?
  /// The answer: the least or the most. If too much fails like too little, `limit` has the other end.
  var answer: Double?
  var limit: Double?
  var isLeast: Bool?
  /// Whether chance decides near the answer. `again` has the trial with further seeds.
  var isChance: Bool?
  var again: Trial?
  /// If no value holds because the logins overload the provider: the value that holds if the clients start with their first
  /// tokens.
  var withTokensInHand: Trial?
  /// The best way to ask again that holds.
  var backoff: String?
  var holds: Trial?
  var fails: Trial?
  var proof: Trial?
  /// The bytes that the world of full size would need, if fewer are available.
  var bytesMissed: UInt64?
  /// The values whose results do not fit the others.
  var exceptions: [Trial]?
  var worlds: Int?
  var rows: [Row]?
  var grid: [Cell]?
  /// The kind of fleet, its renewals a second at rest, and the least push of each kind that tips it.
  var verdict: String?
  var renewalsPerSecond: Double?
  var triggers: [Trigger]?
  /// The file's own disturbance, and what keeps the fleet down after it.
  var own: Own?
  var sustainedBy: SustainedBy?
  /// The loads at which an incident stays, in shares of the capacity, and all that were tried.
  var bandLeast: Double?
  var bandMost: Double?
  var loads: [Load]?
  var rotations: [Rotation]?

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
    _ trials: [(habit: RetryHabit, trial: Planner.Trial)], _ answer: Planner.Answer, _ planner: Planner,
    _ scenario: SimulateScenario
  ) {
    self.init("backoff", planner, scenario, passes: answer.isProven)
    let columns = PlanColumns(scenario)
    rows = trials.map { habit, trial in
      Row(
        backoff: habit.name, holds: trial.passes, seeds: trial.seeds, seedsHolding: trial.holding,
        figures: columns.figures(trial.result))
    }
    backoff = answer.value.flatMap { value in trials.first { $0.trial.value == value.value }?.habit.name }
    bytesMissed = answer.bytesMissed
    worlds = answer.runs
  }

  init(_ answer: TriggerSearch.Answer, _ planner: Planner, _ scenario: SimulateScenario) {
    self.init("trigger", planner, scenario, passes: answer.verdict != .overloaded)
    verdict = answer.verdict.rawValue
    renewalsPerSecond = planner.settings.restingRate
    triggers = answer.rows.map { Trigger($0) }
    worlds = answer.worlds
  }

  init(_ answer: VerdictSearch.Answer, _ planner: Planner, _ scenario: SimulateScenario) {
    self.init("verdict", planner, scenario, passes: answer.verdict == .stable || answer.verdict == .vulnerable)
    verdict = answer.verdict.rawValue
    renewalsPerSecond = planner.settings.restingRate
    triggers = answer.rest?.rows.map { Trigger($0) }
    own = answer.own.map { Own($0) }
    sustainedBy = SustainedBy(answer.sustained)
    worlds = answer.worlds
  }

  init(_ answer: HysteresisSearch.Answer, _ planner: Planner, _ scenario: SimulateScenario) {
    self.init("hysteresis", planner, scenario, passes: answer.band == nil)
    (bandLeast, bandMost) = (answer.band?.lowerBound, answer.band?.upperBound)
    loads = answer.rows.map { Load($0) }
    worlds = answer.worlds
  }

  init(_ comparison: RotationComparison, _ planner: Planner, _ scenario: SimulateScenario) {
    self.init("rotation", planner, scenario, passes: comparison.best != nil)
    rotations = comparison.rows.map { Rotation($0, PlanColumns(scenario)) }
    worlds = comparison.worlds
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
