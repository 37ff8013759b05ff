/// A comparison of one metric of a new run with the baselines, by the tolerance and by chance.
struct FigureJudge {
  private let metric: Metric
  private let evidence: FigureEvidence
  private let baselines: [RecordedReport]
  private let report: RecordedReport
  private let tolerance: Double
  private let isAsked: Bool

  init(_ metric: Metric, _ baselines: [RecordedReport], _ report: RecordedReport, _ rule: ComparisonRule) {
    self.metric = metric
    evidence = FigureEvidence(of: metric)
    self.baselines = baselines
    self.report = report
    tolerance = rule.tolerance(of: metric, baselines: baselines.count)
    isAsked = rule.asksFor(metric)
  }

  /// Returns the verdict on the new run's figure, and whether its difference is chance.
  ///
  /// - Parameters:
  ///   - bases: The baselines' values, in order.
  ///   - base: The figure of the median baseline.
  ///   - value: The figure of the new run.
  func verdict(
    _ bases: [Double], _ base: Figure?, _ value: Figure?
  ) -> (verdict: ComparedFigure.Verdict, isChance: Bool) {
    guard metric.better != nil, let base, let value else { return (.undecided, false) }
    switch (base.value, value.value) {
    case (let old?, let new?):
      // If there are several baselines, their scatter is the tolerance.
      let scatter = Significance.reach(of: bases.map { ComparisonRule.shortcoming($0, metric) })
      let worse = ComparisonRule.isWorse(new, than: old, metric, tolerance: tolerance)
      let better = ComparisonRule.isWorse(old, than: new, metric, tolerance: tolerance)
      guard worse || better else { return (.alike, false) }
      let isFar = isBeyondScatter(new, scatter) && isBeyondChance(new, old, isWorse: worse, isOfSeveral: scatter != nil)
      return isFar ? (worse ? .worse : .better, false) : (.alike, true)
    // If another baseline has no value either, that is part of their scatter.
    case (_?, nil):
      let isUsual = baselines.contains { $0.figures[metric.name]?.isNever ?? false }
      return (value.isNever ? (isUsual ? .alike : .worse) : .undecided, value.isNever && isUsual)
    case (nil, _?): return (base.isNever ? .better : .undecided, false)
    case (nil, nil): return (base.isNever && value.isNever ? .alike : .undecided, false)
    }
  }

  private func isBeyondScatter(_ value: Double, _ scatter: (middle: Double, reach: Double)?) -> Bool {
    guard let scatter else { return true }
    return abs(ComparisonRule.shortcoming(value, metric) - scatter.middle) > scatter.reach
  }

  /// Returns whether the counts behind the figures make the difference more than chance.
  private func isBeyondChance(_ value: Double, _ base: Double, isWorse: Bool, isOfSeveral: Bool) -> Bool {
    let (value, base) = (ComparisonRule.shortcoming(value, metric), ComparisonRule.shortcoming(base, metric))
    // The test is symmetric: a difference that is no worse by chance is no better by chance either.
    let (more, less) = (max(value, base), min(value, base))
    switch evidence {
    case .count:
      return isFromNothing(less) || Significance.isBeyondChance(more, over: less, fleet: counted("connects.ok"))
    case .share(let whole):
      let count = counted(whole)
      return isFromNothing(less) || Significance.isBeyondChance(more * count, over: less * count, fleet: count)
    case .ratio(let whole):
      return Significance.isBeyondChance(ratio: more, of: counted(whole), over: less, of: countedBefore(whole))
    case .quantile(let recording, let share):
      return isApart(recording, share, isWorse: isWorse) && more - less > timeFloor(isOfSeveral: isOfSeveral)
    case .cost(let whole):
      let floor = metric.unit == .bytes ? Significance.memoryFloor : Significance.cpuFloor
      return (more - less) * counted(whole) > floor
    case .crossing:
      // Near the line a single client decides.
      return isAsked || ((isOfSeveral || isDip) && more - less > Significance.crossingFloor)
    case .generator: return true
    case .single:
      if metric.unit == .duration { return more - less > timeFloor(isOfSeveral: isOfSeveral) }
      guard metric.unit == .count else { return true }
      return isFromNothing(less) || Significance.isBeyondChance(more, over: less, fleet: 0)
    }
  }

  /// The scatter of several baselines has what a machine usually adds, but seldom a pause.
  private func timeFloor(isOfSeveral: Bool) -> Double {
    max(isAsked || isOfSeveral ? Significance.askedTimeFloor : Significance.timeFloor, machinePause)
  }

  /// How much a busy machine may add to a latency, in seconds, 1 at most. All clients of one moment share a pause. The storm
  /// measures its own pauses; the gateway and the token endpoint may have one as long each, one after the other, in either run.
  private var machinePause: Double {
    func late(_ report: RecordedReport) -> Double { report.figures["generator.late.max"]?.value ?? 0 }
    let before = baselines.map(late)
    // One late run among many does not widen the tolerance.
    let usual = before.count >= Significance.manyRuns ? Significance.median(before) : before.max() ?? 0
    let longest = max(late(report), usual)
    return 4 * min(longest, Significance.machinePauseMax)
  }

  /// Returns whether a requested metric is no longer 0: no increase from 0 is chance then.
  private func isFromNothing(_ less: Double) -> Bool { isAsked && less == 0 }

  private func isApart(_ recording: FigureEvidence.Recording, _ share: Double, isWorse: Bool) -> Bool {
    // A figure that was asked for is compared with the scatter of many runs only. Of many figures a few may be bad by
    // chance.
    let isMany = baselines.count >= Significance.manyRuns
    guard !(isMany && isAsked), let range = Significance.range(share, of: recording.of(report)) else { return true }
    let before = baselines.compactMap { Significance.range(share, of: recording.of($0)) }
    let apart = before.count { isWorse ? range.lowerBound > $0.upperBound : range.upperBound < $0.lowerBound }
    return isMany ? 2 * apart >= before.count : apart == before.count
  }

  /// Whether both fleets were clearly smaller for a while.
  private var isDip: Bool {
    ([report] + baselines).allSatisfy { ($0.figures["connected.dip"]?.value ?? 1) < 0.99 }
  }

  private func counted(_ name: String) -> Double { report.figures[name]?.value ?? 0 }

  private func countedBefore(_ name: String) -> Double {
    baselines.compactMap { $0.figures[name]?.value }.min() ?? 0
  }
}
