package import GatewayFleet

/// The value of a metric in a report.
package struct Figure: Hashable, Sendable, Codable {
  /// The value in the unit; nil if the storm has none.
  package let value: Double?
  package let unit: Metric.Unit
  /// Why there is no value: ``Metric/Absence/word``, a colon, the reason.
  package let why: String?

  package init(_ metric: Metric, _ result: StormResult) {
    value = metric.value(result)
    unit = metric.unit
    why = metric.absence(result).map { "\($0.word): \($0.reason)" }
  }

  /// Whether the timed event never happened, which is worse than any time.
  package var isNever: Bool { value == nil && (why?.hasPrefix("never") ?? false) }

  /// The value for people, or a substitute: a dash, `never`, `not measurable`.
  package var text: String {
    if let value { return unit.text(value) }
    let word = why?.prefix { $0 != ":" }
    return word.map { $0 == "none" ? "–" : String($0) } ?? "–"
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(value, forKey: .value)
    try container.encode(unit, forKey: .unit)
    try container.encodeIfPresent(why, forKey: .why)
  }
}
