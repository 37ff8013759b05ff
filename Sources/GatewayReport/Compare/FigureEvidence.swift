import GatewayFleet

/// The counts behind a figure. They determine how much two runs of one storm may differ by chance.
enum FigureEvidence: Sendable {
  /// A number of clients, connections or requests that failed.
  case count
  /// A share of the count of the named metric.
  case share(of: String)
  /// Requests per unit of the named metric's count.
  case ratio(over: String)
  /// A quantile of a recorded histogram.
  case quantile(Recording, Double)
  /// A time that ends when the number of connected clients crosses a line, counted in whole seconds.
  case crossing
  /// The gateway's CPU time or memory for each unit that the metric of that name counts. The sum was measured once.
  case cost(over: String)
  /// Something that was measured once in each run: the height of a peak, a longest.
  case single
  /// The storm's own cost.
  case generator

  /// A histogram of a report, with the name of the metrics that are read from it.
  enum Recording: Sendable, CaseIterable {
    case connect, refresh, outage, provider, sinceOnset

    func of(_ report: RecordedReport) -> LatencyHistogram {
      switch self {
      case .connect: report.latencies.connect
      case .refresh: report.refreshLatency
      case .outage: report.latencies.outage
      case .provider: report.latencies.provider
      case .sinceOnset: report.latencies.sinceOnset
      }
    }
  }

  init(of metric: Metric) {
    self = Self.known[metric.name] ?? (metric.name.hasPrefix("storm.") ? .generator : .single)
  }

  /// The default tolerance, as a share of the baseline's figure. One run does not show how far a machine's times
  /// scatter, so only twice the time is worse.
  var usualTolerance: Double {
    switch self {
    case .count, .share, .cost, .single, .generator: 0.1
    case .ratio: 0.25
    case .quantile, .crossing: 1
    }
  }

  private static let known: [String: FigureEvidence] = {
    var known: [String: FigureEvidence] = [
      "lost.share": .share(of: "connects.ok"), "refreshed.share": .share(of: "connects.ok"),
      "connected.dip": .share(of: "connects.ok"), "connects.failed.share": .share(of: "connects.attempted"),
      "provider.refused.share": .share(of: "provider.calls"),
      "provider.amplification": .ratio(over: "provider.goodput"),
      "retry.amplification": .ratio(over: "provider.granted"),
      "provider.calls_per_expiry": .ratio(over: "refresh.asked"),
      "return.attempts_per_client": .ratio(over: "interrupted"),
      "gateway.cpu_per_connect": .cost(over: "connects.ok"), "gateway.cpu_per_refresh": .cost(over: "refresh.accepted"),
      "gateway.bytes_per_connection": .cost(over: "connects.ok"),
      "connected.below_99": .crossing, "connected.below_999": .crossing, "recovered.after": .crossing,
    ]
    for name in [
      "connects.failed", "lost", "overstayed", "unrefreshed", "late", "cut_off", "interrupted", "errors", "ends.early",
      "refresh.refused", "refresh.timed_out",
    ] { known[name] = .count }
    for recording in Recording.allCases where recording != .sinceOnset {
      for (label, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
        known["\(recording).\(label)"] = .quantile(recording, share)
      }
    }
    for percent in [50, 95, 99] { known["time_to_\(percent)"] = .quantile(.sinceOnset, Double(percent) / 100) }
    return known
  }()
}
