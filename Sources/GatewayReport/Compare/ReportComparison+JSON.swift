internal import GatewayJSON

extension ReportComparison {
  /// The comparison as JSON, keys in order.
  package func json() throws -> [UInt8] {
    try JSONCoder(names: .snakeCase, layout: .indented).encode(Document(self)) + [UInt8(ascii: "\n")]
  }

  private struct Document: Encodable {
    let schema = "postern-comparison/1"
    let passes: Bool
    let verdict: String
    let caveats: [String]
    let figures: [String: Line]

    init(_ comparison: ReportComparison) {
      passes = comparison.passes
      verdict = comparison.verdict
      caveats = comparison.caveats
      figures = Dictionary(uniqueKeysWithValues: comparison.figures.map { ($0.metric.name, Line($0)) })
    }
  }

  private struct Line: Encodable {
    let baseline: Double?
    let value: Double?
    let unit: Metric.Unit
    let verdict: String
    /// How much worse it might be; absent where it does not decide.
    let tolerance: Double?
    let fails: Bool
    let why: String?

    init(_ figure: ComparedFigure) {
      baseline = figure.base?.value
      value = figure.value?.value
      unit = figure.metric.unit
      verdict = "\(figure.verdict)"
      tolerance = figure.tolerance
      fails = figure.fails
      why = figure.missing
    }
  }
}
