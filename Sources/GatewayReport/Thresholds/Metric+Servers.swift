internal import GatewayCore
import GatewayFleet

// The storm's requests to the token provider and to the gateway, and all latencies.

extension Metric {
  static let providers = [
    Metric("provider.calls", .count, "requests to the token provider") { Double($0.provider.calls) },
    Metric("provider.granted", .count, "requests to the token provider that brought a token", over: .calls) {
      Double($0.provider.granted)
    },
    Metric(
      "provider.refused", .count, "requests to the token provider that brought no token", better: .lower, over: .calls
    ) {
      Double($0.provider.refused.total)
    },
    Metric(
      "provider.refused.share", .share, "requests that brought no token, as a share of all finished requests",
      better: .lower, over: .calls,
      missing: { _ in .none("no request was over") }
    ) { share(of: $0.provider.refused.total, in: $0.provider.refused.total + $0.provider.granted) },
    Metric("provider.limited", .count, "answers with status 429, as of a rate budget", better: .lower, over: .calls) {
      Double($0.provider.budgets?.limited ?? 0)
    },
    Metric("provider.banned", .count, "answers with status 403, as of a ban", better: .lower, over: .calls) {
      Double($0.provider.budgets?.banned ?? 0)
    },
    Metric(
      "provider.limited.innocent", .count, "answers with 429 or 403 to clients that do not hammer", better: .lower,
      over: .calls
    ) { Double($0.provider.budgets?.innocentAnswers ?? 0) },
    Metric(
      "provider.limited.clients", .count, "clients that do not hammer and got 429 or 403", better: .lower, over: .calls
    ) { Double($0.provider.budgets?.innocentClients ?? 0) },
    Metric(
      "provider.hammering.share", .share, "requests of clients that hammer, as a share of all requests", better: .lower,
      over: .calls
    ) { share(of: $0.provider.calls(of: .hammering), in: $0.provider.calls) },
    Metric(
      "provider.held_back", .count, "requests that a retry budget or a circuit breaker of the clients held back",
      better: .lower, over: .calls
    ) { Double($0.provider.heldBack ?? 0) },
    Metric(
      "provider.unanswered", .count, "requests that were still under way at the end of the storm", better: .lower,
      over: .calls
    ) {
      Double($0.unansweredCalls)
    },
    Metric(
      "provider.wasted", .count, "tokens that came when no client waited for them any more", better: .lower,
      over: .calls
    ) {
      Double($0.provider.wasted)
    },
    Metric(
      "provider.goodput", .count, "tokens that reached a client that waited for them", better: .higher, over: .calls
    ) { Double($0.goodput) },
    Metric(
      "provider.amplification", .ratio, "requests for each token that reached a waiting client", better: .lower,
      over: .calls, missing: { _ in .never("no token reached anybody who waited") }
    ) { $0.amplification },
    Metric(
      "provider.made_for_nobody", .count, "tokens whose callers had disconnected when they were made or came",
      better: .lower,
      missing: unseen
    ) { $0.queue.map { Double($0.madeForNobody) } },
    Metric(
      "provider.queue_peak", .count, "the most requests that waited in the provider at once", better: .lower,
      missing: unseen
    ) {
      $0.queue.map { Double($0.lengthPeak) }
    },
    Metric(
      "provider.queue_wait", .duration, "the longest wait of a request in the provider", better: .lower,
      missing: unseen
    ) { $0.queue.map { Double($0.ages.max() ?? 0) / 1000 } },
    Metric("provider.peak", .count, "the most requests that started in any one second", over: .calls) { result in
      var all = result.bins.providerLogins
      all.merge(result.bins.providerRefreshes)
      return result.bins.peak(all, over: .seconds(1)).map(Double.init)
    },
    Metric("provider.login_peak", .count, "the most requests for logins that started in any one second", over: .calls) {
      peak($0, \.providerLogins, .seconds(1))
    },
    Metric(
      "provider.refresh_peak", .count, "the most requests for refreshes that started in any one second", better: .lower,
      over: .refreshCalls
    ) {
      peak($0, \.providerRefreshes, .seconds(1))
    },
    Metric(
      "provider.refresh_peak_100ms", .count, "the most requests for refreshes that started in any 100 ms",
      better: .lower, over: .refreshCalls,
      missing: coarse
    ) { peak($0, \.providerRefreshes, .milliseconds(100)) },
    Metric(
      "provider.refresh_peak_to_mean", .ratio,
      "provider.refresh_peak over the mean of the time that the wave was given", better: .lower, over: .refreshCalls
    ) { $0.peakToMean(\.providerRefreshes, over: .seconds(1)) },
    Metric(
      "provider.refresh_peak_10s", .count, "the most requests for refreshes that started in any ten seconds",
      better: .lower, over: .refreshCalls
    ) { peak($0, \.providerRefreshes, .seconds(10)) },
    Metric(
      "provider.refresh_peak_to_mean_10s", .ratio,
      "provider.refresh_peak_10s over the mean of the time that the wave was given", better: .lower, over: .refreshCalls
    ) { $0.peakToMean(\.providerRefreshes, over: .seconds(10)) },
    Metric(
      "provider.in_flight", .count, "the most requests under way at once; with several loops, the sum of their peaks",
      over: .calls
    ) { Double($0.provider.inFlightPeak) },
    Metric(
      "provider.calls_per_expiry", .ratio, "requests for each refresh that needed a token", better: .lower,
      over: .refreshCalls
    ) { $0.callsPerExpiry },
    Metric(
      "retry.amplification", .ratio, "requests for each token that was given", better: .lower, over: .calls,
      missing: { _ in .none("no token was given") }
    ) { $0.retryAmplification },
  ]

  @Sendable private static func unseen(_ result: StormResult) -> Absence {
    .unmeasurable("only a simulated world sees the provider from inside")
  }

  static let gateways = [
    Metric(
      "gateway.cpu_per_connect", .duration,
      "the gateway's CPU time for each client's login, from the beginning to the wave, with its own provider's share",
      better: .lower,
      missing: { .none($0.probes.isEmpty ? "no gateway's figures were read" : $0.whyCPUIsUnknown) }
    ) {
      $0.gatewayCPUPerConnect?.inSeconds
    },
    Metric(
      "gateway.cpu_per_refresh", .duration,
      "the gateway's CPU time for each accepted refresh, with its own provider's share", better: .lower,
      missing: { .none($0.whyCPUIsUnknown) }
    ) {
      $0.gatewayCPUPerRefresh?.inSeconds
    },
    Metric(
      "gateway.bytes_per_connection", .bytes, "the gateway's memory for each idle connection, without its code",
      better: .lower,
      missing: { .unmeasurable($0.whyMemoryIsUnknown ?? "") }
    ) {
      $0.gatewayBytesPerConnection
    },
    Metric(
      "storm.cpu_per_connect", .duration, "the storm's own CPU time for each client's login", better: .lower,
      missing: { _ in .none("nobody was connected, or the storm's own figures were not read") }
    ) {
      $0.generatorCPUPerConnect?.inSeconds
    },
    Metric(
      "storm.cpu_per_refresh", .duration, "the storm's own CPU time for each accepted refresh", better: .lower,
      missing: { _ in .none("nothing was refreshed, or the storm's own figures were not read") }
    ) {
      $0.generatorCPUPerRefresh?.inSeconds
    },
  ]

  static let latencies: [Metric] =
    quantiles("connect", .connect, "from the start of a connection to the login") { $0.latencies.connect }
    + quantiles("refresh", .refresh, "from asked to refreshed, well-behaved clients") {
      $0.behaviours[.wellBehaved]?.refreshLatency ?? LatencyHistogram()
    }
    + quantiles(
      "overdue", .overdue,
      "from the latest moment at which the gateway was to ask, by the token's end and the lead, to refreshed"
    ) { $0.latencies.overdue ?? LatencyHistogram() }
    + quantiles("outage", .outage, "time without a connection, clients that came back") { $0.latencies.outage }
    + quantiles("provider", .provider, "from the wish for a token to its arrival") { $0.latencies.provider }

  private static func quantiles(
    _ name: String, _ timed: StormResult.Timed, _ meaning: String,
    _ histogram: @escaping @Sendable (StormResult) -> LatencyHistogram
  ) -> [Metric] {
    let shares = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)]
    return shares.map { label, share in
      Metric(
        "\(name).\(label)", .duration, "\(meaning), \(label)", better: .lower,
        least: { $0.least(timed)?.quantile(share)?.inSeconds }
      ) {
        histogram($0).quantile(share)?.inSeconds
      }
    } + [
      Metric(
        "\(name).max", .duration, "\(meaning), the longest", better: .lower,
        least: { $0.least(timed)?.maximum?.inSeconds }
      ) {
        histogram($0).maximum?.inSeconds
      }
    ]
  }
}
