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
    // Whatever can be counted, and how often it was.
    typealias Counts = (DialectMetrics) -> [String: UInt64]
    func every(_ names: [String], _ counter: @escaping (DialectMetrics) -> Counter<String>) -> Counts {
      { dialect in
        counter(dialect).values.merging(names.map { ($0, 0) }) { count, _ in count }
      }
    }
    let families: [(name: String, help: String, label: String, Counts)] = [
      ("upgrades_refused", "Upgrades refused.", "error", every(errors, \.upgradesRefused)),
      ("connections_ended", "Connections ended.", "reason", every(DialectMetrics.reasons, \.connectionsEnded)),
      ("logins", "Accepted logins.", "kind", \.logins.named),
      ("logins_refused", "Refused logins.", "error", every(errors, \.loginsRefused)),
      ("refresh_requests", "Refresh requests sent.", "cause", \.refreshesRequested.named),
      ("refreshes", "Accepted refreshes.", "origin", \.refreshesAccepted.named),
      ("refreshes_refused", "Refused refreshes.", "error", every(errors, \.refreshesRefused)),
      ("malformed_messages", "Messages not understood.", "error", every(errors, \.malformedMessages)),
    ]
    for (name, help, label, counts) in families {
      page.counters(
        "postern_\(name)_total", help, labels: ["dialect", label],
        dialects.flatMap { dialect in counts(dialect).map { ([dialect.dialect, $0], $1) } })
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
