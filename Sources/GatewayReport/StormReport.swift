package import GatewayCore
package import GatewayFleet

/// The content of a report, whatever form it takes: a table on the terminal, for instance, a page, JSON.
package struct StormReport: Sendable {
  package let plan: StormPlan
  /// The gateway's address, without a token.
  package let gateway: String
  /// The provider's address, or that there was none.
  package let provider: String
  package let startedAt: WallTime
  /// The name of the run, as the requests had it in `Postern-Storm`; nil if they had none.
  package let run: String?
  package let machine: Machine
  package let result: StormResult
  package let thresholds: [Threshold.Outcome]
  /// What the gateway told of its own settings; nil if it was not asked or told nothing.
  package let settings: GatewayDescription?
  /// What to know before one believes the figures.
  package let caveats: [String]
  /// What jitter would have changed; nil where the wave does not tell.
  package private(set) var forecast: JitterForecast?
  /// What would have kept those who were lost; nil where nobody was, or no simulation tells.
  package private(set) var advice: ReportAdvice?

  package init(
    plan: StormPlan, gateway: String, provider: String, startedAt: WallTime, machine: Machine, result: StormResult,
    thresholds: [Threshold], phaseThresholds: [(phase: String, threshold: Threshold)] = [],
    settings: GatewayDescription? = nil, caveats: [String] = [], failures: [String] = [],
    run: String? = nil
  ) {
    self.run = run
    self.settings = settings
    self.caveats = failures + result.caveats(plan) + caveats
    isAsOrdered = failures.isEmpty
    self.plan = plan
    self.gateway = gateway
    self.provider = provider
    self.startedAt = startedAt
    self.machine = machine
    self.result = result
    forecast = JitterForecast(plan, result)
    self.thresholds =
      thresholds.map { $0.judge(result) }
      + phaseThresholds.map { phase, threshold in
        let found = result.phases?.first { $0.name.utf8.elementsEqual(phase.utf8) }
        return threshold.judge(found?.result, in: phase)
      }
  }

  /// The same report with that advice, which its forecast then agrees with.
  package func advised(_ advice: ReportAdvice) -> StormReport {
    var report = self
    report.advice = advice
    report.forecast = forecast?.agreeing(with: advice)
    return report
  }

  /// Whether the gateway did all that the scenario wanted of it.
  private let isAsOrdered: Bool

  /// Whether every threshold holds, and the storm was not cut short, nor its scenario left out.
  package var passes: Bool {
    !result.wasInterrupted && result.stopped == nil && isAsOrdered && thresholds.allSatisfy(\.holds)
  }

  /// The behaviours that took part, in the order of their names' declaration.
  var behaviours: [(behaviour: Behaviour, tally: StormResult.BehaviourTally)] {
    Behaviour.allCases.compactMap { behaviour in result.behaviours[behaviour].map { (behaviour, $0) } }
  }

  /// The latencies that are shown, with their names.
  var latencies: [(name: String, histogram: LatencyHistogram)] {
    let refreshes = behaviours.map { ("refresh, \($0.behaviour.rawValue)", $0.tally.refreshLatency) }
    var others = [("without a connection", result.latencies.outage)]
    if let overdue = result.latencies.overdue { others.append(("overdue", overdue)) }
    others.append(("provider", result.latencies.provider))
    var rows = [("connect", result.latencies.connect)]
    rows += (refreshes + others).filter { $0.1.count > 0 }
    if let lateness = result.lateness { rows.append(("the storm's own lateness", lateness.late)) }
    return rows
  }

  /// What the clients spoke, and whose habits they had.
  var dialectText: String { plan.sdk.map { "\(plan.dialect), \($0) SDK" } ?? plan.dialect }

  /// Whether clients came back by themselves, or had to.
  var hasReturns: Bool { result.returns.interrupted > 0 || result.returns.attempts > 0 }

  /// The figure of a metric for people, or what stands in its place: a dash, `never`, `not measurable`.
  package func figure(_ name: String) -> String {
    guard let metric = Metric.named(name) else { preconditionFailure("no metric \(name)") }
    return Figure(metric, result).text
  }

  /// The same, and why there is none where that is not plain.
  func explained(_ name: String) -> String {
    let figure = figure(name)
    guard figure != "–", let absence = Metric.named(name)?.absence(result) else { return figure }
    return "\(figure): \(absence.reason)"
  }
}
