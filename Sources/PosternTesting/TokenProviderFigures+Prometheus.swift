internal import GatewayKit
internal import GatewayRuntime

extension TokenProviderFigures {
  /// What the provider has done, on the page of metrics.
  func write(to page: inout PrometheusText) {
    page.gauge("postern_provider_in_flight", "Tokens in the making.", Double(inFlight))
    page.gauge("postern_provider_in_flight_peak", "The most tokens ever in the making.", Double(inFlightPeak))
    page.gauge("postern_provider_queued", "Token requests that wait for a turn.", Double(queued))
    page.gauge("postern_provider_queued_peak", "The most that ever waited.", Double(queuedPeak))
    page.counters(
      "postern_provider_requests_total", "Token requests by result.", label: "result",
      ["minted": minted, "failed": failed, "overloaded": overloaded])
  }
}
