import GatewayFleet

// The arrivals of clients that come and go.

extension Metric {
  static let arrivals = [
    Metric("arrivals.planned", .count, "clients that were due to arrive", over: .open) {
      $0.arrivals.map { Double($0.planned) }
    },
    Metric("arrivals.started", .count, "arrivals that found a place", over: .open) {
      $0.arrivals.map { Double($0.started) }
    },
    Metric(
      "arrivals.not_started", .count, "arrivals that found all `clients` places taken; they do not wait",
      better: .lower, over: .open
    ) { $0.arrivals.map { Double($0.notStarted) } },
    Metric(
      "arrivals.not_started.share", .share, "arrivals that found no place, as a share of all planned arrivals",
      better: .lower, over: .open,
      missing: { _ in .none("nobody's time had come") }
    ) { result in result.arrivals.flatMap { share(of: $0.notStarted, in: $0.planned) } },
    Metric(
      "arrivals.unfinished", .count, "clients that were still on their way to their first login when the storm ended",
      over: .open
    ) { $0.arrivals.map { Double($0.unfinished ?? 0) } },
    Metric("arrivals.left", .count, "clients that left before the end of the storm", over: .open) {
      $0.arrivals.map { Double($0.left) }
    },
    Metric("arrivals.present_peak", .count, "the most clients at one time, as a sum over loops", over: .open) {
      $0.arrivals.map { Double($0.presentPeak) }
    },
  ]
}
