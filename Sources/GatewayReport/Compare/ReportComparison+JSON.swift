internal import GatewayJSON

extension ReportComparison {
  /// Returns the comparison as JSON with sorted keys.
  package func json() throws -> [UInt8] {
    try JSONCoder(names: .snakeCase, layout: .indented).encode(Document(self)) + [UInt8(ascii: "\n")]
  }

  private struct Document: Encodable {
    let schema = "postern-comparison/1"
    let passes: Bool
    let outcome: String
    let verdict: String
    let caveats: [String]
    /// The differences between the storms' plans.
    let differences: [String]
    let figures: [String: Line]
    /// The same for each fleet, by its name.
    let fleets: [String: [String: Line]]?

    init(_ comparison: ReportComparison) {
      passes = comparison.passes
      outcome = comparison.outcome.rawValue
      verdict = comparison.verdict
      differences = comparison.differences
      caveats = comparison.caveats
      figures = Self.lines(comparison.figures)
      let parts = comparison.fleets.map { ($0.name, Self.lines($0.figures)) }
      fleets = parts.isEmpty ? nil : Dictionary(uniqueKeysWithValues: parts)
    }

    private static func lines(_ figures: [ComparedFigure]) -> [String: Line] {
      Dictionary(uniqueKeysWithValues: figures.map { ($0.metric.name, Line($0)) })
    }
  }

  private struct Line: Encodable {
    /// The baseline's value, or the median of several.
    let baseline: Double?
    /// The values of all baselines, in order, if there are several.
    let baselines: [Double]?
    let value: Double?
    let unit: Metric.Unit
    let verdict: String
    /// How much worse it might be; absent if it does not decide.
    let tolerance: Double?
    let fails: Bool
    /// Whether it differs by more than the tolerance, but by no more than chance.
    let isChance: Bool
    let why: String?

    init(_ figure: ComparedFigure) {
      baseline = figure.base?.value
      baselines = figure.bases.count > 1 ? figure.bases : nil
      value = figure.value?.value
      unit = figure.metric.unit
      verdict = "\(figure.verdict)"
      tolerance = figure.tolerance
      fails = figure.fails
      isChance = figure.isChance
      why = figure.missing
    }
  }
}
