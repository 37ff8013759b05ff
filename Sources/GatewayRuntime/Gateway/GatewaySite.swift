package import GatewayCore

/// The gateway's own port: sockets to those who are admitted, the dialects' HTTP side to the rest.
package struct GatewaySite: Site {
  private let gateway: Gateway
  private let router: HTTPRouter

  package init(_ gateway: Gateway, routes: [HTTPRoute]) {
    self.gateway = gateway
    router = HTTPRouter(routes)
  }

  package func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission {
    gateway.admit(upgrade, on: loop)
  }

  package func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    let table = gateway.table(on: loop)
    let start = loop.now
    var (response, route) = await answer(request)
    let dialect = gateway.dialect(owning: request.path).name
    table.metrics.record(
      LoopMetrics.HTTPAnswer(dialect: dialect, route: route, status: response.status), after: loop.now - start)
    response.headers += CrossOrigin(allowed: gateway.configuration.allowedOrigins).fields(for: request)
    return response
  }

  package func refusal(of error: GatewayError, for request: HTTPRequest) -> HTTPResponse {
    var response = gateway.dialect(owning: request.path).response(for: error)
    response.headers += CrossOrigin(allowed: gateway.configuration.allowedOrigins).fields(for: request)
    return response
  }

  private func answer(_ request: HTTPRequest) async -> (HTTPResponse, route: String) {
    if CrossOrigin.isPreflight(request) { return (HTTPResponse(status: 204), "preflight") }
    let dialect = gateway.dialect(owning: request.path)
    let method = request.method == "HEAD" ? "GET" : request.method
    switch router.match(method: method, path: request.path) {
    case .found(let route, let parameters):
      return (await route.handler(request, parameters), "\(route.method) \(route.pattern)")
    case .otherMethods(let methods):
      var response = dialect.response(for: .methodNotAllowed)
      response.headers.append(HTTPField("allow", methods.joined(separator: ", ")))
      return (response, "other")
    case .none:
      if let socketDialect = gateway.bindings.first(where: { $0.dialect.accepts(request) })?.dialect {
        guard method == "GET" else {
          var response = socketDialect.response(for: .methodNotAllowed)
          response.headers.append(HTTPField("allow", "GET"))
          return (response, "other")
        }
        var response = socketDialect.response(for: .upgradeRequired)
        // RFC 9110 section 15.5.22: says which protocol.
        response.headers.append(HTTPField("upgrade", "websocket"))
        return (response, "other")
      }
      return (dialect.response(for: .notFound), "other")
    }
  }
}
