internal import GatewayCore
import GatewayFleet
internal import GatewayJSON

extension StormReport {
  /// The version of the JSON report's schema, `Deploy/reports/report.schema.json`.
  package static let schema = "postern-storm/1"

  /// Returns the report as JSON with sorted keys, so that two reports can be compared line by line.
  package func json() throws -> [UInt8] {
    try JSONCoder(names: .snakeCase, layout: .indented).encode(Document(self)) + [UInt8(ascii: "\n")]
  }

  /// The start of the storm in the format of RFC 3339.
  var startText: String {
    startedAt.rfc3339()
  }

  private struct Document: Encodable {
    let schema = StormReport.schema
    let startedAt: String
    let run: String?
    let gateway: String
    let source: String?
    let dialect: String
    let sdk: String?
    let provider: String
    let passes: Bool
    let caveat: String?
    let caveats: [String]
    let thresholds: [Threshold.Outcome]
    let figures: [String: Figure]
    let plan: StormPlan
    let gatewaySettings: GatewayDescription?
    let jitterForecast: JitterForecast?
    let advice: ReportAdvice?
    let phases: [Phase]?
    let fleets: [Fleet]?
    let machine: Machine
    let result: StormResult

    init(_ report: StormReport) {
      startedAt = report.startText
      run = report.run
      gateway = report.gateway
      source = report.result.source
      dialect = report.plan.dialect
      sdk = report.plan.sdk
      provider = report.provider
      passes = report.passes
      caveat = report.caveats.isEmpty ? nil : report.caveats.joined(separator: "; ")
      caveats = report.caveats
      gatewaySettings = report.settings
      thresholds = report.thresholds
      figures = Dictionary(
        uniqueKeysWithValues: Metric.all.map { ($0.name, Figure($0, report.result)) })
      plan = report.plan
      jitterForecast = report.forecast
      advice = report.advice
      machine = report.machine
      phases = report.result.phases?.map(Phase.init)
      var whole = report.result
      whole.phases = nil
      whole.fleets = nil
      fleets = report.fleets.isEmpty ? nil : report.fleets.map(Fleet.init)
      whole.source = nil
      result = whole
    }
  }

  /// A fleet of a storm that has several, with all its metrics.
  private struct Fleet: Encodable {
    let name: String
    let group: String?
    let gateway: String
    let dialect: String
    let sdk: String?
    let provider: String
    let figures: [String: Figure]
    let plan: StormPlan
    let phases: [Phase]?
    let result: StormResult

    init(_ fleet: FleetReport) {
      name = fleet.name
      group = fleet.group
      gateway = fleet.gateway
      dialect = fleet.plan.dialect
      sdk = fleet.plan.sdk
      provider = fleet.provider
      figures = Dictionary(uniqueKeysWithValues: Metric.all.map { ($0.name, Figure($0, fleet.result)) })
      plan = fleet.plan
      phases = fleet.result.phases?.map(Phase.init)
      var own = fleet.result
      own.phases = nil
      own.source = nil
      result = own
    }
  }

  /// A phase of the storm's scenario, with the metrics that phases have.
  private struct Phase: Encodable {
    let name: String
    let fromS: Double
    let toS: Double
    let figures: [String: Figure]

    init(_ phase: PhaseResult) {
      name = phase.name
      fromS = phase.from
      toS = phase.to
      figures = Dictionary(
        uniqueKeysWithValues: Metric.all.filter(\.isOfPhases).map { ($0.name, Figure($0, phase.result)) })
    }
  }
}
