package import GatewayRuntime
internal import Glibc

/// The figures of the gateway and of its process, in the Prometheus text format.
package enum MetricsPage {
  /// Adds what other parts of the process count.
  package typealias Figures = nonisolated(nonsending) @Sendable (inout PrometheusText) async -> Void

  static func render(_ gateway: Gateway, _ figures: Figures) async -> String {
    var page = PrometheusText()
    let metrics = await gateway.metrics()
    page.gauges("postern_connections", "Open connections.", label: "phase", await gateway.phases())
    counters(metrics, &page)
    page.histogram("postern_connect_seconds", "Accepted descriptor to answered upgrade.", metrics.connectDuration)
    page.histogram("postern_login_seconds", "Open socket to accepted token.", metrics.loginDuration)
    page.histogram("postern_refresh_seconds", "Refresh request to accepted token.", metrics.refreshDuration)
    page.histogram("postern_http_request_seconds", "HTTP request to answer.", metrics.httpDuration)
    page.gauges(
      "postern_revocations", "Revocations remembered, of single tokens and of users.", label: "of",
      await gateway.revocationCounts())
    page.counter(
      "postern_expiries_forgotten_total", "Tokens an operator let expire that could not be remembered.",
      Double(metrics.expiriesForgotten))
    await figures(&page)
    process(&page)
    return page.text
  }

  private static func counters(_ metrics: LoopMetrics, _ page: inout PrometheusText) {
    page.counters(
      "postern_connections_opened_total", "Connections opened.", label: "dialect", metrics.connectionsOpened.values)
    page.counters(
      "postern_upgrades_refused_total", "Upgrades refused.", label: "error", metrics.upgradesRefused.values)
    page.counters(
      "postern_connections_ended_total", "Connections ended.", label: "reason", metrics.connectionsEnded.values)
    page.counters("postern_logins_total", "Accepted logins.", label: "kind", metrics.logins.values)
    page.counters("postern_logins_refused_total", "Refused logins.", label: "error", metrics.loginsRefused.values)
    page.counters(
      "postern_refresh_requests_total", "Refresh requests sent.", label: "cause", metrics.refreshesRequested.values)
    page.counters("postern_refreshes_total", "Accepted refreshes.", label: "origin", metrics.refreshesAccepted.values)
    page.counters(
      "postern_refreshes_refused_total", "Refused refreshes.", label: "error", metrics.refreshesRefused.values)
    page.counters(
      "postern_malformed_messages_total", "Messages not understood.", label: "error", metrics.malformedMessages.values)
    page.counters(
      "postern_http_requests_total", "HTTP requests by route and status.", label: "route", metrics.httpRequests.values)
    page.counter("postern_messages_received_total", "Messages received.", Double(metrics.messagesReceived))
    page.counter("postern_messages_sent_total", "Messages sent.", Double(metrics.messagesSent))
    page.counter("postern_received_bytes_total", "Bytes of messages received.", Double(metrics.bytesReceived))
    page.counter("postern_sent_bytes_total", "Bytes of messages sent.", Double(metrics.bytesSent))
  }

  private static func process(_ page: inout PrometheusText) {
    let process = ProcessFigures()
    page.counter("process_cpu_seconds_total", "User and system CPU time.", process.cpuSeconds)
    page.gauge("process_resident_memory_bytes", "Resident memory.", Double(process.residentBytes))
    page.gauge("process_open_fds", "Open file descriptors.", Double(process.openDescriptors))
    page.gauge("process_max_fds", "The limit of open file descriptors.", Double(process.descriptorsMax))
  }
}
