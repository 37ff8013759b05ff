internal import GatewayCore
import GatewayRuntime
internal import GatewaySpace

/// The resources for orchestrators and Prometheus. `/ready` answers 503 while the gateway drains, its store accepts no
/// writes, or the keys of the application's own login are not there yet.
struct HealthRoutes {
  let space: Space
  let figures: MetricsPage.Figures

  private struct Health: Encodable {
    let status: String
    var issuers: [String]?
  }

  /// The resources of a process that is ready as soon as it answers.
  static var alive: [HTTPRoute] {
    [
      health, HTTPRoute("GET", "/ready") { _, _ in ControlAnswer.json(Health(status: "ready")) },
    ]
  }

  private static var health: HTTPRoute {
    HTTPRoute("GET", "/health") { _, _ in ControlAnswer.json(Health(status: "ok")) }
  }

  var routes: [HTTPRoute] {
    [
      Self.health,
      HTTPRoute("GET", "/ready") { [space] _, _ in
        if space.gateway.isDraining { return ControlAnswer.json(Health(status: "draining"), status: 503) }
        guard await space.takesWrites() else {
          return ControlAnswer.json(Health(status: "store_unavailable"), status: 503)
        }
        let issuers = space.issuersWithoutKeys
        guard issuers.isEmpty else {
          return ControlAnswer.json(Health(status: "no_keys", issuers: issuers), status: 503)
        }
        return ControlAnswer.json(Health(status: "ready"))
      },
      HTTPRoute("GET", "/metrics") { [space, figures] _, _ in
        HTTPResponse(
          status: 200, headers: [HTTPField("content-type", "text/plain; version=0.0.4; charset=utf-8")],
          body: await MetricsPage.render(space, figures))
      },
    ]
  }
}
