internal import Foundation
internal import GatewayCore
import GatewayFleet

extension StormReport {
  /// The version of the JSON report's schema, `loadtest/report.schema.json`.
  package static let schema = "postern-storm/1"

  /// The report as JSON, keys in order, so that two reports can be compared line by line.
  package func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return Array(try encoder.encode(Document(self))) + [UInt8(ascii: "\n")]
  }

  /// When the storm began, as RFC 3339 has it.
  var startText: String {
    Date(timeIntervalSince1970: startedAt.seconds).formatted(.iso8601)
  }

  private struct Document: Encodable {
    let schema = StormReport.schema
    let startedAt: String
    let gateway: String
    let dialect: String
    let sdk: String?
    let provider: String
    let passes: Bool
    let caveat: String?
    let caveats: [String]
    let thresholds: [Outcome]
    let figures: [String: Figure]
    let plan: StormPlan
    let gatewaySettings: GatewayDescription?
    let machine: Machine
    let result: StormResult

    init(_ report: StormReport) {
      startedAt = report.startText
      gateway = report.gateway
      dialect = report.plan.dialect
      sdk = report.plan.sdk
      provider = report.provider
      passes = report.passes
      caveat = report.caveats.isEmpty ? nil : report.caveats.joined(separator: "; ")
      caveats = report.caveats
      gatewaySettings = report.settings
      thresholds = report.thresholds.map(Outcome.init)
      figures = Dictionary(
        uniqueKeysWithValues: Metric.all.map { ($0.name, Figure($0, report.result)) })
      plan = report.plan
      machine = report.machine
      result = report.result
    }
  }

  private struct Outcome: Encodable {
    let threshold: String
    let holds: Bool
    let actual: String
    let why: String?

    init(_ outcome: Threshold.Outcome) {
      threshold = outcome.threshold
      holds = outcome.holds
      actual = outcome.actual
      why = outcome.why
    }
  }

  /// A metric's value; null where the storm has none, and why.
  private struct Figure: Encodable {
    let value: Double?
    let unit: String
    let why: String?

    init(_ metric: Metric, _ result: StormResult) {
      value = metric.value(result)
      unit = metric.unit.name
      why = metric.absence(result).map { "\($0.word): \($0.reason)" }
    }

    private enum CodingKeys: CodingKey { case value, unit, why }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(value, forKey: .value)
      try container.encode(unit, forKey: .unit)
      try container.encodeIfPresent(why, forKey: .why)
    }
  }
}

extension Metric.Unit {
  /// The unit's name in the JSON report.
  fileprivate var name: String {
    switch self {
    case .count: "count"
    case .share: "share"
    case .ratio: "ratio"
    case .duration: "seconds"
    case .bytes: "bytes"
    }
  }
}
