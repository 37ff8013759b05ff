internal import Foundation
internal import GatewayCore

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
    let thresholds: [Outcome]
    let figures: [String: Figure]
    let plan: StormPlan
    let machine: Machine
    let result: StormResult

    init(_ report: StormReport) {
      startedAt = report.startText
      gateway = report.gateway
      dialect = report.plan.dialect
      sdk = report.plan.sdk
      provider = report.provider
      passes = report.passes
      caveat = report.caveat
      thresholds = report.thresholds.map(Outcome.init)
      figures = Dictionary(
        uniqueKeysWithValues: Metric.all.map { ($0.name, Figure(value: $0.value(report.result), unit: $0.unit.name)) })
      plan = report.plan
      machine = report.machine
      result = report.result
    }
  }

  private struct Outcome: Encodable {
    let threshold: String
    let holds: Bool
    let actual: String

    init(_ outcome: Threshold.Outcome) {
      threshold = outcome.threshold
      holds = outcome.holds
      actual = outcome.actual
    }
  }

  /// A metric's value; null where the storm has none.
  private struct Figure: Encodable {
    let value: Double?
    let unit: String

    private enum CodingKeys: CodingKey { case value, unit }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(value, forKey: .value)
      try container.encode(unit, forKey: .unit)
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
