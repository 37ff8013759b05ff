package import GatewayCore

/// The gateway's own port: a socket for each admitted upgrade, the dialects' HTTP routes for other requests.
package struct GatewaySite: Site {
  private let gateway: Gateway
  private let router: any RouteFinding
  private let guarding: PageGuard

  package init(_ gateway: Gateway, routes: [HTTPRoute]) {
    self.init(gateway, finding: HTTPRouter(routes))
  }

  /// - Parameters:
  ///   - gateway: The gateway of this port.
  ///   - router: Finds the dialects' resources.
  package init(_ gateway: Gateway, finding router: any RouteFinding) {
    self.gateway = gateway
    self.router = router
    guarding = PageGuard(
      hosts: gateway.configuration.hosts, takesAddresses: true, origins: gateway.configuration.allowedOrigins ?? [])
  }

  package func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission {
    gateway.admit(upgrade, on: loop)
  }

  package func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    let table = gateway.table(on: loop)
    let start = table.transport.now
    let match = router.match(method: Self.method(of: request), path: request.path)
    let number = gateway.number(owning: request.path)
    let dialect = gateway.bindings[number].dialect.name
    let trail = table.traces.flatMap { match.traced($0, request, dialect) }
    var (response, route) = await answer(request, match)
    trail?.end(answered: response.status)
    let figure = LoopMetrics.HTTPAnswer(dialect: dialect, route: route, status: response.status)
    table.metrics.record(figure, after: table.transport.now - start)
    table.journal?.write(figure, dialect: number)
    if Self.refusals.contains(response.status) {
      table.log.write(
        .info, "request_refused",
        [
          .init("dialect", dialect), .init("route", route), .init("status", String(response.status)),
          .init("peer", request.peer),
        ])
    }
    response.headers += CrossOrigin(match.pages, gateway.configuration)?.fields(for: request) ?? []
    return response
  }

  package func refusal(of error: GatewayError, for request: HTTPRequest) -> HTTPResponse {
    var response = gateway.answer(to: error, by: gateway.dialect(owning: request.path))
    let match = router.match(method: Self.method(of: request), path: request.path)
    response.headers += CrossOrigin(match.pages, gateway.configuration)?.fields(for: request) ?? []
    return response
  }

  package func uploadBytesMax(for request: HTTPRequest) -> Int? {
    guard request.header("content-type")?.lowercased().hasPrefix("multipart/form-data") == true,
      case .found(let route, _) = router.match(method: request.method, path: request.path)
    else { return nil }
    return route.uploadBytesMax
  }

  /// The statuses of refusals that are logged, so that an operator sees attempts to guess credentials.
  private static let refusals: Set<Int> = [401, 403, 429]

  /// The method of the route: for a browser's preflight, the method of the request that follows.
  private static func method(of request: HTTPRequest) -> String {
    let method =
      CrossOrigin.isPreflight(request) ? request.header("access-control-request-method") ?? "" : request.method
    return method == "HEAD" ? "GET" : method
  }

  private func answer(_ request: HTTPRequest, _ match: HTTPRouter.Match) async -> (HTTPResponse, route: String) {
    if CrossOrigin.isPreflight(request) { return (HTTPResponse(status: 204), "preflight") }
    let dialect = gateway.dialect(owning: request.path)
    switch match {
    case .found(let route, let parameters):
      let name = "\(route.method) \(route.pattern)"
      if route.pages == .own, let refusal = guarding.refusal(of: request) {
        return (dialect.response(for: refusal), name)
      }
      return (await route.handler(request, parameters), name)
    case .otherMethods(let methods):
      var response = dialect.response(for: .methodNotAllowed)
      response.headers.append(HTTPField("allow", methods.joined(separator: ", ")))
      return (response, "other")
    case .none:
      if let socketDialect = gateway.bindings.first(where: { $0.dialect.accepts(request) })?.dialect {
        guard Self.method(of: request) == "GET" else {
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

extension HTTPRouter.Match {
  /// Begins the traced operation of a request for a token; nil for another request.
  fileprivate func traced(_ traces: LoopTraces, _ request: HTTPRequest, _ dialect: String) -> TraceOperation? {
    guard case .found(let route, _) = self, route.givesTokens, !CrossOrigin.isPreflight(request) else { return nil }
    return traces.begin("\(route.method) \(route.pattern)", for: request, dialect: dialect)
  }

  /// The pages that may send requests: the pages of the found route, or the named ones if no route is found.
  fileprivate var pages: PageAccess {
    if case .found(let route, _) = self { route.pages } else { .named }
  }
}
