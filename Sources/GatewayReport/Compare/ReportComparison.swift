/// A comparison of a storm's report with its baselines: reports of earlier runs of the same storm.
package struct ReportComparison: Sendable {
  /// The outcome of a comparison.
  package enum Outcome: String, Hashable, Sendable {
    case noWorse = "no worse"
    case worse
    /// The storms were not the same, so that the gateway cannot be judged.
    case different
    /// No report has a figure that the user named.
    case undecided
  }

  /// The baselines, at least one.
  package let baselines: [RecordedReport]
  package let value: RecordedReport
  /// Every metric that one of the reports has, in the order of the documentation.
  package let figures: [ComparedFigure]
  /// The same for each fleet that all reports have.
  package let fleets: [Fleet]
  /// Restrictions on the verdict's reliability.
  package let caveats: [String]
  /// The differences between the storms' plans.
  package let differences: [String]
  /// Whether the user named the deciding figures, and the named ones that no report has.
  private let isAsked: Bool
  private let unmeasured: [String]

  /// The comparison of one fleet of storms that have several.
  package struct Fleet: Sendable {
    package let name: String
    package let figures: [ComparedFigure]
  }

  package init(base: RecordedReport, value: RecordedReport, _ rule: ComparisonRule = ComparisonRule()) {
    self.init(first: base, more: [], value: value, rule)
  }

  /// Creates a comparison.
  ///
  /// - Parameters:
  ///   - first: The first baseline.
  ///   - more: Further baselines, whose scatter is the tolerance.
  ///   - value: The new run.
  ///   - rule: The metrics that decide, and their tolerances.
  ///   - notes: Restrictions that the reports themselves do not show, e.g. how the baselines were chosen.
  package init(
    first: RecordedReport, more: [RecordedReport], value: RecordedReport, _ rule: ComparisonRule, notes: [String] = []
  ) {
    let baselines = [first] + more
    self.baselines = baselines
    self.value = value
    figures = Metric.all.map { ComparedFigure($0, baselines, value, rule) }
      .filter { $0.base?.value != nil || $0.value?.value != nil || rule.asksFor($0.metric) }
    fleets = value.fleets.compactMap { fleet in
      let bases = baselines.compactMap { $0.fleet(named: fleet.name) }
      guard bases.count == baselines.count else { return nil }
      let rule = rule.of(fleet: fleet.name)
      // The gateway and the machine serve all fleets: their figures are the whole storm's.
      return Fleet(
        name: fleet.name,
        figures: Metric.all.map { ComparedFigure($0, bases, fleet.report, rule) }
          .filter { $0.base?.value != nil || $0.value?.value != nil })
    }
    let named = baselines.enumerated().map {
      (baselines.count > 1 ? "baseline \($0.offset + 1)" : "baseline", $0.element)
    }
    var differences: [PlanDifference] = []
    for report in more + [value] {
      differences += PlanDifference.all(first, report).filter { !differences.contains($0) }
    }
    self.differences = differences.filter(\.isOfThePlan).map(\.text)
    caveats =
      notes
      + (named + [("new run", value)]).flatMap { whose, report in report.caveats.map { "\(whose): \($0)" } }
      + differences.map(\.text)
    isAsked = !rule.asked.isEmpty
    let (whole, parts) = (figures, fleets)
    unmeasured = rule.asked.compactMap { asked in
      let scope = asked.fleet.map { name in parts.first { $0.name.utf8.elementsEqual(name.utf8) }?.figures ?? [] }
      let figure = (scope ?? whole).first { $0.metric.name.utf8.elementsEqual(asked.metric.name.utf8) }
      let isThere = figure.map { $0.base?.value != nil || $0.value?.value != nil || $0.verdict != .undecided } ?? false
      return isThere ? nil : "\(asked.fleet.map { "\($0):" } ?? "")\(asked.metric.name)"
    }
  }

  package var outcome: Outcome {
    // An incomplete storm proves nothing.
    if shortcoming != nil { return .worse }
    if !differences.isEmpty && !isAsked { return .different }
    if judged.contains(where: \.figure.fails) { return .worse }
    return unmeasured.isEmpty ? .noWorse : .undecided
  }

  /// All figures with their names: those of the whole storm, and those of each fleet with its name before them.
  var judged: [(name: String, figure: ComparedFigure)] {
    figures.map { ($0.metric.name, $0) }
      + fleets.flatMap { fleet in fleet.figures.map { ("\(fleet.name):\($0.metric.name)", $0) } }
  }

  /// The number of baselines from which on their scatter is well known.
  package static let manyBaselines = Significance.manyRuns

  /// Whether the new run is no worse in the figures that decide.
  package var passes: Bool { outcome == .noWorse }

  /// Why the new run is worse regardless of its figures.
  var shortcoming: String? {
    if let cutShort = value.cutShort { return "the new run is no whole storm, \(cutShort)" }
    guard value.ranOutOfTime, !baselines.contains(where: \.ranOutOfTime) else { return nil }
    return "the new run ran out of time: not every client was refreshed or cut off by the end"
  }

  /// The comparison in a sentence.
  package var verdict: String {
    if let shortcoming { return "worse: \(shortcoming)" }
    switch outcome {
    case .different:
      return
        "different: these are not runs of one storm: \(differences.joined(separator: "; ")); run the same plan, or "
        + "name with --metric what shall decide"
    case .undecided: return "undecided: no report has \(unmeasured.joined(separator: ", "))"
    case .noWorse:
      let judged = judged.map(\.figure).filter { $0.tolerance != nil && $0.verdict != .undecided }
      let better = judged.count { $0.verdict == .better }
      let chance = judged.count(where: \.isChance)
      return "no worse: of \(judged.count) figures \(judged.count - better) are alike and \(better) better"
        + (chance > 0 ? "; \(chance) differ by no more than chance" : "")
    case .worse:
      let named = judged.filter(\.figure.fails).map { name, figure in
        figure.verdict == .worse
          ? "\(name) \(figure.baseText) -> \(figure.value?.text ?? "–")" : "\(name) is missing"
      }
      return "worse: " + named.joined(separator: ", ")
    }
  }
}
