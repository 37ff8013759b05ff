package import GatewayCore
package import GatewayFleet

/// The content of a report, independent of its form: a table on the terminal, a page, or JSON.
package struct StormReport: Sendable {
  package let plan: StormPlan
  /// The gateway's address, without a token.
  package let gateway: String
  /// The provider's address, or a note that there was none.
  package let provider: String
  package let startedAt: WallTime
  /// The name of the run, as the requests had it in `Postern-Storm`; nil if they had none.
  package let run: String?
  package let machine: Machine
  package let result: StormResult
  package let thresholds: [Threshold.Outcome]
  /// The gateway's own settings; nil if it was not asked or did not answer.
  package let settings: GatewayDescription?
  /// Restrictions on the figures' reliability.
  package let caveats: [String]
  /// The part of each fleet; empty for a storm of one.
  package let fleets: [FleetReport]
  /// The effect that jitter would have had; nil if the wave allows no forecast.
  package private(set) var forecast: JitterForecast?
  /// The advice that would have kept the lost clients; nil if none were lost, or if no simulation gives any.
  package private(set) var advice: ReportAdvice?

  package init(
    plan: StormPlan, gateway: String, provider: String, startedAt: WallTime, machine: Machine, result: StormResult,
    thresholds: [Threshold], phaseThresholds: [(phase: String, threshold: Threshold)] = [],
    settings: GatewayDescription? = nil, caveats: [String] = [], failures: [String] = [],
    run: String? = nil, fleets: [FleetReport] = []
  ) {
    self.run = run
    self.settings = settings
    self.fleets = fleets
    self.caveats = failures + Self.caveats(of: result, plan, fleets) + caveats
    isAsOrdered = failures.isEmpty
    self.plan = plan
    self.gateway = gateway
    self.provider = provider
    self.startedAt = startedAt
    self.machine = machine
    self.result = result
    // Several fleets have no one wave.
    forecast = fleets.isEmpty ? JitterForecast(plan, result) : nil
    self.thresholds =
      thresholds.map { $0.judge(result) }
      + phaseThresholds.map { phase, threshold in
        let found = result.phases?.first { $0.name.utf8.elementsEqual(phase.utf8) }
        return threshold.judge(found?.result, in: phase)
      }
  }

  /// Returns the restrictions on the figures: of a storm, or of each of its fleets. The lateness of the storm's own loops is
  /// one for all fleets.
  private static func caveats(of result: StormResult, _ plan: StormPlan, _ fleets: [FleetReport]) -> [String] {
    guard !fleets.isEmpty else { return result.caveats(plan) }
    let each = fleets.map { fleet in
      let late = fleet.result.latenessCaveat ?? ""
      let sentences = fleet.result.caveats(fleet.plan).filter { !$0.utf8.elementsEqual(late.utf8) }
      return (name: fleet.name, sentences: sentences)
    }
    return FleetReport.joined(each) + [result.latenessCaveat].compactMap(\.self)
  }

  /// Returns the same report with that advice; its forecast then agrees with the advice.
  package func advised(_ advice: ReportAdvice) -> StormReport {
    var report = self
    report.advice = advice
    report.forecast = forecast?.agreeing(with: advice)
    return report
  }

  /// Whether the gateway carried out all orders of the scenario.
  private let isAsOrdered: Bool

  /// Whether every threshold holds, the storm was complete, and its scenario was carried out.
  package var passes: Bool {
    !result.wasInterrupted && result.stopped == nil && isAsOrdered && thresholds.allSatisfy(\.holds)
  }

  /// The behaviours that took part, in the order of their declaration.
  var behaviours: [(behaviour: Behaviour, tally: StormResult.BehaviourTally)] {
    Behaviour.allCases.compactMap { behaviour in result.behaviours[behaviour].map { (behaviour, $0) } }
  }

  /// The latencies in the report, with their names.
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

  /// The dialect of the clients, and the SDK whose habits they had.
  var dialectText: String { plan.sdk.map { "\(plan.dialect), \($0) SDK" } ?? plan.dialect }

  /// Whether clients came back, by themselves or by the plan.
  var hasReturns: Bool { result.returns.interrupted > 0 || result.returns.attempts > 0 }

  /// Returns the figure of a metric for people, or a substitute: a dash, `never`, `not measurable`.
  package func figure(_ name: String) -> String {
    guard let metric = Metric.named(name) else { preconditionFailure("no metric \(name)") }
    return Figure(metric, result).text
  }

  /// Returns the same, with the reason if the figure is a dash.
  func explained(_ name: String) -> String {
    let figure = figure(name)
    guard figure != "–", let absence = Metric.named(name)?.absence(result) else { return figure }
    return "\(figure): \(absence.reason)"
  }
}
