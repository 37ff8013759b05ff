import GatewayFleet
import GatewayJSON
import GatewayPlanner
import GatewayReport

/// The answer to a question as a machine may read it, with `--json`: that 1,695 tokens a second do, for instance, and what came of
/// the run that proves it.
struct PlanReport: Encodable {
  /// A value that was tried: 1,695 tokens a second, for instance, with which 8 of 10,000 clients are lost.
  struct Trial: Encodable {
    let value: Double
    let holds: Bool
    /// The clients of the world.
    let clients: Int
    let figures: [String: Figure]

    init(_ trial: Planner.Trial, _ question: Question) {
      // There is no part of a client.
      value = question == .clients ? trial.value.rounded(.down) : trial.value
      holds = trial.passes
      clients = trial.result.everybody.clients
      figures = PlanReport.figures(trial.result)
    }
  }

  /// One of several ways that were compared: the back-off called `equal`, for instance.
  struct Row: Encodable {
    let backoff: String
    let figures: [String: Figure]
  }

  /// A cell of the grid of stability: a queue of 8 s and clients that wait 10 s, for instance.
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
  /// Whether there is an answer, and nothing speaks against it at full size.
  let passes: Bool
  var unit: String?
  /// The answer: the least, or the most. And where too much is as bad as too little, the other end.
  var answer: Double?
  var limit: Double?
  var isLeast: Bool?
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

  private init(_ ask: String, _ planner: Planner, _ scenario: SimulateScenario, passes: Bool) {
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
    func trial(_ trial: Planner.Trial?) -> Trial? { trial.map { Trial($0, question) } }
    holds = trial(answer.value)
    fails = trial(answer.margin)
    proof = trial(answer.proof)
    self.answer = holds?.value
    limit = trial(answer.limit)?.value
    bytesMissed = answer.bytesMissed
    exceptions = answer.exceptions.compactMap(trial)
    worlds = answer.runs
  }

  init(backoffs: [(name: String, result: StormResult)], _ planner: Planner, _ scenario: SimulateScenario) {
    self.init("backoff", planner, scenario, passes: true)
    rows = backoffs.map { Row(backoff: $0.name, figures: Self.figures($0.result)) }
  }

  init(_ grid: StabilityGrid, _ planner: Planner, _ scenario: SimulateScenario) {
    self.init("stability", planner, scenario, passes: true)
    self.grid = grid.rows.flatMap { $0 }.map {
      Cell(
        queueS: $0.queueSeconds, fetchTimeoutS: $0.timeOut, recoveredAfterS: $0.recovered, lostShare: $0.lost,
        isBeyondCliff: $0.isBeyondCliff)
    }
  }

  private static func figures(_ result: StormResult) -> [String: Figure] {
    let metrics = PlanText.columns.compactMap(Metric.named)
    return Dictionary(uniqueKeysWithValues: metrics.map { ($0.name, Figure($0, result)) })
  }

  var text: String {
    get throws {
      try JSONCoder(names: .snakeCase, layout: .indented).text(self)
    }
  }
}
