internal import GatewayCore
internal import GatewayIdentity
internal import GatewayKit
package import GatewayRuntime
internal import GatewayTelemetry

extension Space {
  /// Writes the figures of the token provider and the vendors to the page of metrics.
  package func write(to page: inout PrometheusText) async {
    await provider.figures.write(to: &page)
    signals.write(to: &page)
    caller.write(to: &page)
    Introspector.write(introspector, to: &page)
    Hooks.write(hooks, to: &page)
    WebhookSender.write(webhooks, to: &page)
    spanCounts.write(to: &page)
    FetchedIssuer.write(issuers, at: await gateway.tables[0].perform { $0.loop.transport.now }, to: &page)
    for vendor in vendors {
      for figure in await vendor.figures {
        switch figure.kind {
        case .counter: page.counter(figure.name, figure.help, figure.value)
        case .gauge: page.gauge(figure.name, figure.help, figure.value)
        }
      }
    }
  }
}

extension Space {
  /// Returns the figures of the token provider, by name.
  package func providerCounts() async -> [(String, UInt64)] {
    let figures = await provider.figures
    return [
      ("in_flight", UInt64(clamping: figures.inFlight)), ("queued", UInt64(clamping: figures.queued)),
      ("minted", figures.minted), ("failed", figures.failed), ("overloaded", figures.overloaded),
    ]
  }
}

extension TokenProviderFigures {
  fileprivate func write(to page: inout PrometheusText) {
    page.gauge("postern_provider_in_flight", "Tokens that the token provider is making now.", Double(inFlight))
    page.gauge(
      "postern_provider_in_flight_peak", "The most tokens that the token provider ever made at once.",
      Double(inFlightPeak))
    page.gauge("postern_provider_queued", "Requests that wait in the token provider's queue.", Double(queued))
    page.gauge(
      "postern_provider_queued_peak", "The most requests that ever waited in the token provider's queue.",
      Double(queuedPeak))
    page.counters(
      "postern_provider_requests_total", "Token requests by result.", label: "result",
      [
        "minted": minted, "failed": failed, "overloaded": overloaded, "limited": limited, "banned": banned,
        "denied": denied,
      ])
    guard let rotation else { return }
    page.counters(
      "postern_provider_refresh_replays_total", "Refresh tokens that were shown again, by result.", label: "result",
      ["forgiven": UInt64(rotation.forgiven), "refused": UInt64(rotation.replays - rotation.forgiven)])
    page.counter(
      "postern_provider_families_revoked_total", "Logins that ended because a refresh token was taken for stolen.",
      Double(rotation.familiesRevoked))
    page.counter(
      "postern_provider_replies_lost_total", "Tokens whose answers were lost on purpose.", Double(rotation.repliesLost))
  }
}
