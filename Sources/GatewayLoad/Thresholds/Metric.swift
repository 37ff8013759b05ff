internal import GatewayCore

/// A figure of a storm that a threshold may name.
package struct Metric: Sendable {
  /// What its values are measured in.
  package enum Unit: Hashable, Sendable {
    case count
    /// Values are shares, written as percentages.
    case share
    case ratio
    /// Values are seconds.
    case duration
    case bytes
  }

  package let name: String
  package let unit: Unit
  /// One line for the documentation.
  package let meaning: String
  /// The value, in the unit; nil if the storm has none.
  package let value: @Sendable (StormResult) -> Double?

  private init(
    _ name: String, _ unit: Unit, _ meaning: String, _ value: @escaping @Sendable (StormResult) -> Double?
  ) {
    self.name = name
    self.unit = unit
    self.meaning = meaning
    self.value = value
  }

  /// The metric of that name.
  package static func named(_ name: String) -> Metric? { all.first { $0.name == name } }

  /// All there are, in the order of the documentation.
  package static let all: [Metric] = connects + refreshes + losses + returns + providers + gateways + latencies

  private static let connects = [
    Metric("connects.attempted", .count, "connections begun") { Double($0.connects.attempted) },
    Metric("connects.ok", .count, "logins accepted") { Double($0.connects.accepted) },
    Metric("connects.failed", .count, "clients' first connections that came to no login") {
      Double($0.connects.failed.total)
    },
    Metric("connects.peak", .count, "the most logins in one second") { Double($0.series.connects.peak) },
  ]

  private static let refreshes = [
    Metric("refresh.asked", .count, "refresh requests") { Double($0.refreshes.asked) },
    Metric("refresh.answered", .count, "answers to them") { Double($0.refreshes.answered) },
    Metric("refresh.accepted", .count, "answers the gateway accepted") { Double($0.refreshes.accepted) },
    Metric("refresh.refused", .count, "answers the gateway refused") { Double($0.refreshes.refused.total) },
    Metric("refresh.timed_out", .count, "requests that ended with the connection") {
      Double($0.refreshes.timedOut)
    },
    Metric("refresh.peak", .count, "the most accepted in one second") { Double($0.series.accepted.peak) },
    Metric("refresh.peak_to_mean", .ratio, "that, over the mean while there were any") {
      $0.series.accepted.peakToMean
    },
    Metric("refreshed.share", .share, "of the clients that should be refreshed, those that were and stayed") {
      $0.refreshedShare
    },
    Metric("time_to_50", .duration, "until half of them were refreshed, from the expiry") {
      $0.timeUntil(share: 0.50)?.inSeconds
    },
    Metric("time_to_95", .duration, "until 95 % were") { $0.timeUntil(share: 0.95)?.inSeconds },
    Metric("time_to_99", .duration, "until 99 % were") { $0.timeUntil(share: 0.99)?.inSeconds },
  ]

  private static let losses = [
    Metric("lost", .count, "clients cut off that should not have been") { Double($0.everybody.lostUnexpectedly) },
    Metric("lost.expected", .count, "clients cut off as they should be") { Double($0.everybody.lostExpectedly) },
    Metric("overstayed", .count, "clients that should have been cut off and were not") {
      Double($0.everybody.overstayed)
    },
    Metric("unrefreshed", .count, "clients still connected with their refresh missing") {
      Double($0.everybody.unrefreshed)
    },
    Metric("late", .count, "clients connected only after the common expiry") { Double($0.everybody.late) },
    Metric("errors", .count, "errors of the gateway that answered neither a login nor a refresh") {
      Double($0.errors.total)
    },
  ]

  private static let returns = [
    Metric("interrupted", .count, "connections that ended while their client meant to stay") {
      Double($0.returns.interrupted)
    },
    Metric("returned", .count, "clients that were back after that") { Double($0.returns.returned) },
    Metric("return.attempts", .count, "attempts to connect again") { Double($0.returns.attempts) },
    Metric("return.attempts_per_client", .ratio, "those, for each connection that ended") { $0.attemptsPerReturn },
    Metric("return.refused", .count, "attempts that the gateway refused") { Double($0.returns.refused.total) },
    Metric("return.refused_old", .count, "those of them with the token of before") {
      Double($0.returns.refusedWithOldToken)
    },
    Metric("return.failed", .count, "attempts that failed otherwise") { Double($0.returns.failed.total) },
  ]

  private static let providers = [
    Metric("provider.calls", .count, "requests to the token provider") { Double($0.provider.calls) },
    Metric("provider.refused", .count, "those that brought no token") { Double($0.provider.refused.total) },
    Metric("provider.peak", .count, "the most requests begun in one second") {
      Double($0.series.providerCalls.peak)
    },
    Metric("provider.in_flight", .count, "the most requests under way at once") { Double($0.provider.inFlightPeak) },
    Metric("provider.calls_per_expiry", .ratio, "requests for each refresh they were made for") {
      $0.callsPerExpiry
    },
    Metric("retry.amplification", .ratio, "requests for each token that was given") { $0.retryAmplification },
  ]

  private static let gateways = [
    Metric(
      "gateway.cpu_per_refresh", .duration,
      "the gateway's CPU time for each accepted refresh, with its own provider's share"
    ) {
      $0.gatewayCPUPerRefresh?.inSeconds
    },
    Metric("gateway.bytes_per_connection", .bytes, "the gateway's resident memory for each idle connection") {
      $0.gatewayBytesPerConnection
    },
  ]

  private static let latencies: [Metric] =
    quantiles("connect", "from the start of a connection to the login") { $0.latencies.connect }
    + quantiles("refresh", "from asked to refreshed, well-behaved clients") {
      $0.behaviours[.wellBehaved]?.refreshLatency ?? LatencyHistogram()
    }
    + quantiles("outage", "time without a connection, clients that came back by themselves") { $0.latencies.outage }
    + quantiles("provider", "from the wish for a token to its arrival") { $0.latencies.provider }

  private static func quantiles(
    _ name: String, _ meaning: String, _ histogram: @escaping @Sendable (StormResult) -> LatencyHistogram
  ) -> [Metric] {
    let shares = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)]
    return shares.map { label, share in
      Metric("\(name).\(label)", .duration, "\(meaning), \(label)") { histogram($0).quantile(share)?.inSeconds }
    } + [Metric("\(name).max", .duration, "\(meaning), the longest") { histogram($0).maximum?.inSeconds }]
  }
}
