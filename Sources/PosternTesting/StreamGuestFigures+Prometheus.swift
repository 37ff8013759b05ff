internal import GatewayRuntime
internal import GatewayStream

extension StreamGuestFigures {
  /// What became of those who wanted to be Stream's guests, on the page of metrics.
  func write(to page: inout PrometheusText) {
    page.counter(
      "postern_stream_guests_refused_total", "Stream's guests refused for too many from one address.", Double(refused))
    page.counter(
      "postern_stream_guests_forgotten_total", "Stream's guests forgotten since nobody was connected as them.",
      Double(forgotten))
  }
}
