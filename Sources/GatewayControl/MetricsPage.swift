internal import GatewayCore
package import GatewayRuntime
internal import GatewaySpace

/// The figures of the gateway and of its process, in the Prometheus text format. Whatever can be counted is there from the
/// start, as 0: a rate needs two readings of it.
package enum MetricsPage {
  /// Adds what other parts of the process count.
  package typealias Figures = @Sendable (inout PrometheusText) -> Void

  static func render(_ space: Space, _ figures: Figures) async -> String {
    var page = PrometheusText()
    let gateway = space.gateway
    let metrics = await gateway.metrics()
    let dialects = metrics.byDialect
    page.gauges(
      "postern_connections", "Open connections.", labels: ["dialect", "phase"],
      await gateway.phasesByDialect().map { ([$0.dialect, $0.phase.name], $0.count) })
    counters(dialects, &page)
    totals(dialects, &page)
    histograms(dialects, &page)
    page.counters(
      "postern_http_requests_total", "HTTP requests answered.", labels: ["dialect", "route", "status"],
      metrics.httpRequests.map { ([$0.dialect, $0.route, String($0.status)], $1) })
    page.histogram("postern_http_request_seconds", "HTTP request to answer.", metrics.httpDuration)
    page.gauges(
      "postern_revocations", "Revocations remembered, of single tokens and of users.", label: "of",
      await gateway.revocationCounts())
    page.counter(
      "postern_expiries_forgotten_total", "Tokens an operator let expire that could not be remembered.",
      Double(metrics.expiriesForgotten))
    await space.write(to: &page)
    figures(&page)
    return page.text
  }

  private static func counters(_ dialects: [DialectMetrics], _ page: inout PrometheusText) {
    let errors = GatewayError.all.map(\.name)
    let kinds = UserKind.allCases.map(\.rawValue)
    let causes = RefreshCause.allCases.map(\.rawValue)
    let families: [(name: String, help: String, label: String, values: [String], KeyPath<DialectMetrics, Counter>)] = [
      ("upgrades_refused", "Upgrades refused.", "error", errors, \.upgradesRefused),
      ("connections_ended", "Connections ended.", "reason", DialectMetrics.reasons, \.connectionsEnded),
      ("logins", "Accepted logins.", "kind", kinds, \.logins),
      ("logins_refused", "Refused logins.", "error", errors, \.loginsRefused),
      ("refresh_requests", "Refresh requests sent.", "cause", causes, \.refreshesRequested),
      ("refreshes", "Accepted refreshes.", "origin", DialectMetrics.origins, \.refreshesAccepted),
      ("refreshes_refused", "Refused refreshes.", "error", errors, \.refreshesRefused),
      ("malformed_messages", "Messages not understood.", "error", errors, \.malformedMessages),
    ]
    for (name, help, label, values, counter) in families {
      let samples = dialects.flatMap { dialect in
        let counts = dialect[keyPath: counter].values
        return Set(values).union(counts.keys).map { ([dialect.dialect, $0], counts[$0, default: 0]) }
      }
      page.counters("postern_\(name)_total", help, labels: ["dialect", label], samples)
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
        "postern_\(name)_total", help, labels: ["dialect"], dialects.map { ([$0.dialect], $0[keyPath: total]) })
    }
  }

  private static func histograms(_ dialects: [DialectMetrics], _ page: inout PrometheusText) {
    let families: [(name: String, help: String, KeyPath<DialectMetrics, Histogram>)] = [
      ("connect", "Accepted descriptor to answered upgrade.", \.connectDuration),
      ("login", "Open socket to accepted token.", \.loginDuration),
      ("refresh", "Refresh request to accepted token.", \.refreshDuration),
    ]
    for (name, help, histogram) in families {
      page.histograms(
        "postern_\(name)_seconds", help, label: "dialect", dialects.map { ($0.dialect, $0[keyPath: histogram]) })
    }
  }
}
