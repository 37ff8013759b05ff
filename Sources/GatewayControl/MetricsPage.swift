internal import GatewayCore
package import GatewayRuntime
internal import GatewaySpace

/// The metrics of the gateway and of its process, in the Prometheus text format. Every counter exists from the start,
/// as 0, since a rate needs two readings of it.
package enum MetricsPage {
  /// A function that adds the metrics of other parts of the process.
  package typealias Figures = @Sendable (inout PrometheusText) -> Void

  static func render(_ space: Space, _ figures: Figures) async -> [UInt8] {
    var page = PrometheusText(bytes: 1 << 18)
    let gateway = space.gateway
    let metrics = await gateway.metrics()
    let dialects = metrics.byDialect
    let sorted = dialects.sorted { $0.dialect < $1.dialect }
    page.gauges(
      "postern_connections", "Open connections.", labels: ("dialect", "phase"),
      await gateway.phasesByDialect().sorted { $0.dialect < $1.dialect }.map { dialect, counts in
        (dialect, counts.map { (value: $0.phase.name, count: $0.count) }.sorted { $0.value < $1.value })
      })
    page.gauges(
      "postern_users", "Users who are logged in.", labels: ("dialect", "kind"),
      await gateway.usersByDialect().sorted { $0.dialect < $1.dialect }.map { dialect, counts in
        (dialect, counts.map { (value: $0.kind.rawValue, count: $0.count) }.sorted { $0.value < $1.value })
      })
    await horizon(of: gateway, &page)
    counters(sorted, &page)
    totals(sorted, &page)
    histograms(dialects, &page)
    page.counters(
      "postern_http_requests_total", "HTTP requests answered.", labels: ["dialect", "route", "status"],
      metrics.httpRequests.map { ([$0.dialect, $0.route, String($0.status)], $1) })
    page.histogram("postern_http_request_seconds", "Time from the HTTP request to its answer.", metrics.httpDuration)
    page.histogram(
      "postern_loop_turn_seconds", "How long an event loop was busy at a time, from a wake-up to the next sleep.",
      metrics.turns)
    page.gauges(
      "postern_revocations", "Revocations remembered, of tokens, of users and of sessions at the login.", label: "of",
      await gateway.revocationCounts())
    page.counter(
      "postern_expiries_forgotten_total", "Expiries ordered by an operator that exceeded the memory for them.",
      Double(metrics.expiriesForgotten))
    await space.write(to: &page)
    figures(&page)
    return page.bytes
  }

  /// Writes the cumulative horizon, in the order of the spans.
  private static func horizon(of gateway: Gateway, _ page: inout PrometheusText) async {
    let reading = await gateway.horizon().reading
    page.gauges(
      "postern_tokens_expiring", "Tokens of live sessions that expire within the time of the label.", label: "within",
      HorizonReading.spans.map { (value: "\($0)s", count: UInt64(reading.within($0))) })
    page.gauge(
      "postern_tokens_overdue", "Expired tokens whose sessions have no new token yet.",
      Double(reading.overdue))
  }

  private static let errors = Set(GatewayError.all.map(\.name)).sorted()
  private static let reasons = Set(DialectMetrics.reasons).sorted()

  /// Returns a dialect's counts of a family in the order of `names`, with 0 for names without a count.
  private static func samples(_ values: [String: UInt64], of names: [String]) -> [PrometheusText.Sample] {
    if values.isEmpty { return names.map { ($0, 0) } }
    let samples = names.map { (value: $0, count: values[$0, default: 0]) }
    let others = values.filter { !names.contains($0.key) }.map { (value: $0.key, count: $0.value) }
    return others.isEmpty ? samples : (samples + others).sorted { $0.value < $1.value }
  }

  private static func counters(_ dialects: [DialectMetrics], _ page: inout PrometheusText) {
    typealias Samples = (DialectMetrics) -> [PrometheusText.Sample]
    func every(_ names: [String], _ counter: @escaping (DialectMetrics) -> Counter<String>) -> Samples {
      { samples(counter($0).values, of: names) }
    }
    func named(_ counts: @escaping (DialectMetrics) -> [String: UInt64]) -> Samples {
      { samples(counts($0), of: []) }
    }
    // Closures, since a key path copies all the figures of a dialect.
    let families: [(name: String, help: String, label: String, Samples)] = [
      ("upgrades_refused", "Upgrades refused.", "error", every(errors) { $0.upgradesRefused }),
      ("connections_ended", "Connections ended.", "reason", every(reasons) { $0.connectionsEnded }),
      ("logins", "Accepted logins.", "kind", named { $0.logins.named }),
      ("logins_refused", "Refused logins.", "error", every(errors) { $0.loginsRefused }),
      ("refresh_requests", "Refresh requests sent.", "cause", named { $0.refreshesRequested.named }),
      ("refreshes", "Accepted refreshes.", "origin", named { $0.refreshesAccepted.named }),
      ("refreshes_refused", "Refused refreshes.", "error", every(errors) { $0.refreshesRefused }),
      ("malformed_messages", "Malformed messages.", "error", every(errors) { $0.malformedMessages }),
    ]
    for (name, help, label, samples) in families {
      page.counters(
        "postern_\(name)_total", help, labels: ("dialect", label), dialects.map { ($0.dialect, samples($0)) })
    }
  }

  private static func totals(_ dialects: [DialectMetrics], _ page: inout PrometheusText) {
    let families: [(name: String, help: String, KeyPath<DialectMetrics, UInt64>)] = [
      ("connections_opened", "Connections opened.", \.connectionsOpened),
      ("messages_received", "Messages received.", \.messagesReceived),
      ("messages_sent", "Messages sent.", \.messagesSent),
      ("received_bytes", "Bytes of messages received.", \.bytesReceived),
      ("sent_bytes", "Bytes of messages sent.", \.bytesSent),
    ]
    for (name, help, total) in families {
      page.counters(
        "postern_\(name)_total", help, label: "dialect", dialects.map { ($0.dialect, $0[keyPath: total]) })
    }
  }

  private static func histograms(_ dialects: [DialectMetrics], _ page: inout PrometheusText) {
    let families: [(name: String, help: String, KeyPath<DialectMetrics, Histogram>)] = [
      ("connect", "Time from the accepted connection to the answered upgrade.", \.connectDuration),
      ("login", "Time from the opened WebSocket to the accepted token.", \.loginDuration),
      ("refresh", "Time from the refresh request to the accepted token.", \.refreshDuration),
    ]
    for (name, help, histogram) in families {
      page.histograms(
        "postern_\(name)_seconds", help, label: "dialect", dialects.map { ($0.dialect, $0[keyPath: histogram]) })
    }
  }
}
