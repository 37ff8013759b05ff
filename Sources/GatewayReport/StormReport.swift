package import GatewayCore
package import GatewayFleet

/// All that a report says, whatever form it takes.
package struct StormReport: Sendable {
  package let plan: StormPlan
  /// The gateway's address, without a token.
  package let gateway: String
  /// The provider's address, or that there was none.
  package let provider: String
  package let startedAt: WallTime
  package let machine: Machine
  package let result: StormResult
  package let thresholds: [Threshold.Outcome]
  /// What the gateway told of its own settings; nil if it was not asked or told nothing.
  package let settings: GatewayDescription?
  /// What to know before one believes the figures.
  package let caveats: [String]

  package init(
    plan: StormPlan, gateway: String, provider: String, startedAt: WallTime, machine: Machine, result: StormResult,
    thresholds: [Threshold], settings: GatewayDescription? = nil, caveats: [String] = []
  ) {
    self.settings = settings
    self.caveats = result.caveats(plan) + caveats
    self.plan = plan
    self.gateway = gateway
    self.provider = provider
    self.startedAt = startedAt
    self.machine = machine
    self.result = result
    self.thresholds = thresholds.map { $0.judge(result) }
  }

  /// Whether every threshold holds, and the storm was not cut short.
  package var passes: Bool {
    !result.wasInterrupted && thresholds.allSatisfy(\.holds)
  }

  /// The behaviours that took part, in the order of their names' declaration.
  var behaviours: [(behaviour: Behaviour, tally: StormResult.BehaviourTally)] {
    Behaviour.allCases.compactMap { behaviour in result.behaviours[behaviour].map { (behaviour, $0) } }
  }

  /// The latencies that are shown, with their names.
  var latencies: [(name: String, histogram: LatencyHistogram)] {
    [("connect", result.latencies.connect)]
      + behaviours.filter { $0.tally.refreshLatency.count > 0 }.map {
        ("refresh, \($0.behaviour.rawValue)", $0.tally.refreshLatency)
      }
      + [("without a connection", result.latencies.outage)].filter { $0.1.count > 0 }
      + [("provider", result.latencies.provider)].filter { $0.1.count > 0 }
  }

  /// What the clients spoke, and whose habits they had.
  var dialectText: String { plan.sdk.map { "\(plan.dialect), \($0) SDK" } ?? plan.dialect }

  /// Whether clients came back by themselves, or had to.
  var hasReturns: Bool { result.returns.interrupted > 0 || result.returns.attempts > 0 }

  /// The figure of a metric for people, or what stands in its place: a dash, `never`, `not measurable`.
  func figure(_ name: String) -> String {
    guard let metric = Metric.named(name) else { preconditionFailure("no metric \(name)") }
    guard let absence = metric.absence(result) else { return metric.value(result).map { metric.unit.text($0) } ?? "–" }
    return absence.word == "none" ? "–" : absence.word
  }

  /// The same, and why there is none where that is not plain.
  func explained(_ name: String) -> String {
    let figure = figure(name)
    guard figure != "–", let absence = Metric.named(name)?.absence(result) else { return figure }
    return "\(figure): \(absence.reason)"
  }
}
