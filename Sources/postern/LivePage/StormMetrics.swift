import GatewayCore
import GatewayFleet
import GatewayRuntime

/// The figures of a storm while it runs, for Prometheus.
///
/// No label's value comes from a peer, so that the number of series is constant: about fifty, and twelve for each fleet.
struct StormMetrics: Sendable {
  /// The name of the run, as the storm's requests have it; empty if they have none.
  let run: String
  /// The name of the scenario's file without its folder; empty if there is none.
  let scenario: String
  /// The dialect of the clients.
  let dialect: String
  /// The number of clients of the plan.
  let clients: Int
  /// The fleets of a storm that has several, and the number of clients of each.
  var fleets: [(name: String, clients: Int)] = []

  /// The content type of the page, version 0.0.4 of the text format.
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// Returns the page.
  ///
  /// - Parameters:
  ///   - result: The counts so far.
  ///   - isOver: Whether they are final.
  func page(_ result: StormResult, isOver: Bool) -> [UInt8] {
    var text = PrometheusText(bytes: 8_192)
    text.gauges(
      "postern_storm_info", "The storm: the name of its run, its scenario, its clients' dialect.",
      labels: ["run", "scenario", "dialect"], [(values: [run, scenario, dialect], count: 1)])
    text.gauge("postern_storm_seconds", "How long the storm has lasted, in seconds.", result.seconds)
    text.gauge("postern_storm_over", "1 if the figures are final, else 0.", isOver ? 1 : 0)
    addClients(result, to: &text)
    addRefreshes(result, to: &text)
    addCalls(result, to: &text)
    addLateness(result, to: &text)
    if !fleets.isEmpty { addFleets(result, to: &text) }
    return text.bytes
  }

  private static func count(_ number: Int) -> UInt64 { UInt64(max(0, number)) }

  /// Returns how many of that many clients are in each state.
  private static func states(of result: StormResult, _ clients: Int) -> [PrometheusText.Sample] {
    let arrived = result.behaviours.values.reduce(0) { $0 + $1.clients }
    let begun = min(max(0, arrived - (result.arrivals?.left ?? 0)), clients)
    let connected = min(max(0, result.series.connects.total - result.series.ends.total), begun)
    return [
      (value: "away", count: count(begun - connected)), (value: "connected", count: count(connected)),
      (value: "not_started", count: count(clients - begun)),
    ]
  }

  /// Adds the figures of each fleet. The families above are the sums of all.
  private func addFleets(_ result: StormResult, to text: inout PrometheusText) {
    typealias Group = (value: String, samples: [PrometheusText.Sample])
    let parts = fleets.map { fleet in
      let part = result.fleets?.first { $0.name.utf8.elementsEqual(fleet.name.utf8) }?.result ?? StormResult()
      return (fleet: fleet, result: part)
    }
    func groups(_ samples: (StormResult) -> [PrometheusText.Sample]) -> [Group] {
      parts.map { (value: $0.fleet.name, samples: samples($0.result)) }
    }
    text.gauges(
      "postern_storm_fleet_clients", "Clients of each fleet by state.", labels: ("fleet", "state"),
      parts.map { (value: $0.fleet.name, samples: Self.states(of: $0.result, $0.fleet.clients)) })
    text.counters(
      "postern_storm_fleet_logins_total", "Attempts of each fleet to log in that ended, by outcome.",
      labels: ("fleet", "outcome"),
      groups { result in
        [
          (value: "accepted", count: Self.count(result.connects.accepted)),
          (value: "failed", count: Self.count(result.connects.failed.total)),
        ]
      })
    text.counters(
      "postern_storm_fleet_refreshes_total", "Refresh requests to each fleet by what became of them.",
      labels: ("fleet", "outcome"),
      groups { result in
        [
          (value: "accepted", count: Self.count(result.refreshes.accepted)),
          (value: "given_up", count: Self.count(result.refreshes.givenUp.total)),
          (value: "refused", count: Self.count(result.refreshes.refused.total)),
          (value: "timed_out", count: Self.count(result.refreshes.timedOut)),
        ]
      })
    text.counters(
      "postern_storm_fleet_provider_calls_total", "Requests of each fleet to its token provider, by what they brought.",
      labels: ("fleet", "outcome"),
      groups { result in
        [
          (value: "granted", count: Self.count(result.provider.granted)),
          (value: "refused", count: Self.count(result.provider.refused.total)),
        ]
      })
    text.counters(
      "postern_storm_fleet_signed_out_total", "Devices of each fleet whose refresh token was refused.", label: "fleet",
      parts.map { (value: $0.fleet.name, count: Self.count($0.result.signOuts?.total ?? 0)) })
  }

  private func addClients(_ result: StormResult, to text: inout PrometheusText) {
    text.gauges(
      "postern_storm_clients", "Clients by state: not started, connected, or away (never let in, lost, coming back).",
      label: "state", Self.states(of: result, clients))
    text.counters(
      "postern_storm_logins_total",
      "Attempts to log in that ended, by outcome. The last two are of clients that come back.",
      label: "outcome",
      [
        (value: "accepted", count: Self.count(result.connects.accepted)),
        (value: "failed", count: Self.count(result.connects.failed.total)),
        (value: "return_failed", count: Self.count(result.returns.failed.total)),
        (value: "return_refused", count: Self.count(result.returns.refused.total)),
      ])
    text.counter(
      "postern_storm_arrivals_not_started_total",
      "Arrivals that found the most clients there; nobody waits for a place.",
      Double(result.arrivals?.notStarted ?? 0))
    text.counter(
      "postern_storm_arrivals_unfinished_total",
      "Arrivals that had neither logged in nor failed when the storm ended.",
      Double(result.arrivals?.unfinished ?? 0))
    text.counter(
      "postern_storm_connections_ended_total", "Connections that ended before the storm ended them.",
      Double(result.disconnects.total))
  }

  private func addRefreshes(_ result: StormResult, to text: inout PrometheusText) {
    text.counter(
      "postern_storm_refresh_requests_total", "Refresh requests of the gateway.", Double(result.refreshes.asked))
    text.counters(
      "postern_storm_refreshes_total", "Refresh requests by what became of them.", label: "outcome",
      [
        (value: "accepted", count: Self.count(result.refreshes.accepted)),
        (value: "given_up", count: Self.count(result.refreshes.givenUp.total)),
        (value: "refused", count: Self.count(result.refreshes.refused.total)),
        (value: "timed_out", count: Self.count(result.refreshes.timedOut)),
      ])
    let latency = result.behaviours[.wellBehaved]?.refreshLatency ?? LatencyHistogram()
    let upTo = latency.counts(upTo: Self.bounds)
    text.histogram(
      "postern_storm_refresh_seconds", "From the refresh request to the accepted refresh, of well-behaved clients.",
      Array(zip(Self.bounds, upTo)), count: latency.count, sum: latency.sumSeconds)
  }

  private func addCalls(_ result: StormResult, to text: inout PrometheusText) {
    let parts = [("login", result.tokens.login), ("refresh", result.tokens.refresh)]
    text.counters(
      "postern_storm_provider_calls_total", "Answered requests to the token provider, by purpose and outcome.",
      labels: ("purpose", "outcome"),
      parts.map { purpose, calls in
        (
          value: purpose,
          samples: [
            (value: "busy", count: Self.count(calls.busy)), (value: "failed", count: Self.count(calls.failed.total)),
            (value: "granted", count: Self.count(calls.granted)),
            (value: "refused", count: Self.count(calls.refused.total)),
          ]
        )
      })
    if let signOuts = result.signOuts {
      text.counters(
        "postern_storm_signed_out_total", "Devices whose refresh token was refused, by cause.", label: "cause",
        TokenJar.Cause.allCases.map { (value: $0.rawValue, count: Self.count(signOuts.causes[$0] ?? 0)) })
    }
    let open = result.provider.calls - result.provider.granted - result.provider.refused.total
    text.gauge(
      "postern_storm_provider_calls_in_flight", "Requests to the token provider that wait for an answer.",
      Double(max(0, open)))
  }

  private func addLateness(_ result: StormResult, to text: inout PrometheusText) {
    guard let late = result.lateness?.late else { return }
    text.histogram(
      "postern_storm_generator_late_seconds", "How late the storm's own loops were with due work, sampled.",
      Array(zip(Self.lateBounds, late.counts(upTo: Self.lateBounds))), count: late.count, sum: late.sumSeconds)
  }

  private static let bounds = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600,
    7200,
  ]
  private static let lateBounds = [0.02, 0.1, 0.5, 2]
}
