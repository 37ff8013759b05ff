import GatewayFleet

extension Metric {
  /// Whether a phase of a scenario has the metric. Outcomes of clients are known only at the end of the storm, and
  /// concurrent maxima of one process or loop belong to no phase.
  package var isOfPhases: Bool {
    let families = ["connects.", "refresh.", "return.", "provider.", "connect.", "outage."]
    let words = ["cut_off", "errors", "interrupted", "returned", "retry.amplification"]
    let others = [
      "refresh.given", "refresh.peak_to_mean", "refresh.peak_to_mean_100ms", "provider.refresh_peak_to_mean",
      "provider.in_flight", "provider.unanswered", "refresh.asked_peak_to_mean_10s",
      "provider.refresh_peak_to_mean_10s", "provider.made_for_nobody", "provider.queue_peak", "provider.queue_wait",
    ]
    return (words.contains(name) || families.contains { name.hasPrefix($0) }) && !others.contains(name)
  }
}
