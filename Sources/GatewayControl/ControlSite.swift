package import GatewayCore
package import GatewayFaults
package import GatewayRuntime
package import GatewaySpace

/// The control port: health, metrics, and the orders of an operator, to the gateway and to the spaces that its process
/// hosts. It has no sockets.
package struct ControlSite: Site {
  /// Reads the files of keys and the certificate again, and returns the results.
  package typealias Reload = @Sendable () async -> Result<ReloadAnswer, GatewayError>

  /// Returns the processes that share the store.
  package typealias Nodes = @Sendable () async -> [NodeBody]

  private let router: HTTPRouter
  private let log: OrderLog
  private let spaces: Spaces?
  /// Why there are no spaces, where there are none.
  private let noSpaces: GatewayError
  /// The error for a path that is not there.
  private let noRoute: GatewayError
  /// The orders that a hosted route refuses, with the reasons.
  private let refused: [RefusedOrder]
  private let gate: LoginGate
  private let pages: PageGuard
  /// The other nodes; nil if there can be none.
  private let others: NodeRoutes?
  private let isProxy: Bool

  /// The paths without authentication, which orchestrators probe.
  private static let openPaths: Set<String> = ["/health", "/ready"]

  /// Creates the control port.
  ///
  /// - Parameters:
  ///   - space: The space of the gateway.
  ///   - settings: The gateway's settings, for programs that measure it.
  ///   - secret: The secret that `Authorization: Bearer` must contain; nil for a port bound to loopback, which needs
  ///     none.
  ///   - hosts: The accepted names of a port without a secret, besides loopback's. With a secret any name is accepted:
  ///     no web page knows the secret, and orchestrators probe a pod by its address.
  ///   - figures: Adds the metrics of other parts of the process.
  ///   - spaces: The hosted spaces; nil if the process hosts none.
  ///   - nodes: Returns the processes that share the store.
  ///   - reload: Reads the files of keys and the certificate anew.
  ///   - drain: Drains and then ends the process, over that window or the configured one.
  package init(
    _ space: Space, settings: GatewayDescription, secret: String?, hosts: [String] = [],
    figures: @escaping MetricsPage.Figures, spaces: Spaces? = nil, nodes: @escaping Nodes,
    reload: @escaping Reload,
    drain: @escaping @Sendable (Duration?) -> Void
  ) {
    gate = LoginGate(secret: secret, on: space.gateway.tables[0].loop) { space.newKey() }
    pages = PageGuard(hosts: secret == nil ? hosts : nil)
    self.spaces = spaces
    noSpaces = .notFound.detailed("the gateway hosts no spaces; start it with --spaces")
    noRoute = .notFound
    refused = []
    log = Self.log(of: space.gateway)
    isProxy = false
    others = space.gateway.hasNodes ? NodeRoutes(gateway: space.gateway) : nil
    let routes =
      Self.routes(of: space, settings: settings, figures: figures)
      + DashboardRoutes(space: space, root: "", hasLogin: gate.hasSecret).routes + gate.routes
      + [
        DrainRoute(gateway: space.gateway, drain: drain).route, NodesRoute(nodes: nodes).route,
        ReloadRoute(gateway: space.gateway, reload: reload).route,
      ]
      + (spaces.map { SpaceRoutes(spaces: $0).routes + ClockRoutes(spaces: $0).routes } ?? [])
    router = HTTPRouter(others?.merged(routes) ?? routes)
    guard let others else { return }
    space.gateway.answerNodes { [self] request in
      let caller = OrderCaller(carried: request.caller)
      return await others.answer(request) { inner in await answer(inner, of: caller) }
    }
  }

  /// Creates the control port of a proxy.
  ///
  /// - Parameters:
  ///   - proxy: The proxy's own route; nil if it has none.
  ///   - faults: The faults of that route.
  ///   - refused: The orders that make no sense at a proxy, with the reasons.
  ///   - secret: The secret that `Authorization: Bearer` must contain; nil for a port bound to loopback, which needs none.
  ///   - hosts: The accepted names of a port without a secret, besides loopback's.
  ///   - spaces: The routes that orders make; nil if none may be made.
  ///   - loop: The loop that serves the port.
  ///   - log: The log of orders.
  ///   - newKey: Returns an unpredictable name for a dashboard's session, with 256 bits.
  ///   - drain: Drains and then ends the process, over that window.
  package init(
    proxy: (any Controllable)?, faults: FaultBook?, refusing refused: [RefusedOrder], secret: String?,
    hosts: [String], spaces: Spaces? = nil, on loop: EventLoop, log: @escaping OrderLog,
    newKey: @escaping @Sendable () -> String, drain: @escaping @Sendable (Duration?) -> Void
  ) {
    gate = LoginGate(secret: secret, on: loop, newKey: newKey)
    pages = PageGuard(hosts: secret == nil ? hosts : nil)
    self.spaces = spaces
    self.refused = refused
    self.log = log
    (others, isProxy) = (nil, true)
    noSpaces = .notFound.detailed("this proxy makes no routes; start it with --spaces")
    noRoute =
      proxy == nil
      ? .notFound.detailed("this proxy has no route of its own (--to); name a space, as in /spaces/t17/journal")
      : .notFound
    let own = proxy.map {
      Self.routes(of: $0, faults, refusing: refused)
        + DashboardRoutes(route: $0, root: "", hasLogin: secret != nil).routes
    }
    router = HTTPRouter(
      HealthRoutes.alive + (own ?? []) + gate.routes + [DrainRoute(gateway: nil, drain: drain).route]
        + (spaces.map { SpaceRoutes(spaces: $0).routes + ClockRoutes(spaces: $0).routes } ?? []))
  }

  /// Returns the routes of a proxy's route: its own below `/`, a hosted one's below `/spaces/t17/`.
  private static func routes(
    of route: any Controllable, _ faults: FaultBook?, refusing refused: [RefusedOrder]
  ) -> [HTTPRoute] {
    SessionRoutes(gateway: route).routes + OrderRoutes(gateway: route).routes + SayRoutes(gateway: route).routes
      + JournalRoutes(gateway: route).routes + FaultRoutes(gateway: route, book: faults).routes + refused.map(\.route)
  }

  private static func log(of gateway: any Controllable) -> OrderLog {
    { level, name, fields in gateway.log(level, name, fields) }
  }

  /// Returns the routes of a space: the gateway's own below `/`, a hosted one's below `/spaces/t17/`. A route that is
  /// added here exists in both.
  private static func routes(
    of space: Space, settings: GatewayDescription, figures: @escaping MetricsPage.Figures
  ) -> [HTTPRoute] {
    HealthRoutes(space: space, figures: figures).routes + SessionRoutes(gateway: space.gateway).routes
      + HorizonRoutes(gateway: space.gateway).routes + OrderRoutes(gateway: space.gateway).routes
      + SayRoutes(gateway: space.gateway).routes
      + JournalRoutes(gateway: space.gateway, life: space.gateway.configuration.life).routes
      + FaultRoutes(gateway: space.gateway, book: space.faults).routes + space.controlRoutes + [
        RevocationRoute(gateway: space.gateway).route, SignalRoute(space: space).route,
        SettingsRoute(settings).route,
      ]
  }

  /// Requires `secret` from callers from now on, and ends the dashboard's sessions if it has changed. A port without a
  /// secret stays without.
  package func takeSecret(_ secret: String?) async { await gate.takeSecret(secret) }

  package func uploadBytesMax(for request: HTTPRequest) -> Int? {
    request.path.hasSuffix("/say") ? SayOrder.bodyBytesMax : nil
  }

  package func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission {
    .refuse(ControlAnswer.error(.notFound.detailed("the control port has no sockets")))
  }

  package func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    if let refusal = refusal(of: request) { return ControlAnswer.error(refusal) }
    if Self.openPaths.contains(request.path) { return await answer(request, of: nil) }
    let access = gate.access(of: request)
    let caller = OrderCaller(request, access, hasSecret: gate.hasSecret)
    switch access {
    case .full: return await nodeAnswer(request, of: caller)
    case .dashboard(let session):
      var response = await nodeAnswer(request, of: caller)
      if let stream = response.stream { response.stream = gate.guarded(stream, by: session) }
      return response
    case .refused(let error): return ControlAnswer.error(error)
    case .none:
      var response = gate.loginPage(for: request) ?? ControlAnswer.error(.credentialsMissing)
      response.headers.append(HTTPField("www-authenticate", "Bearer realm=\"postern control\""))
      return response
    }
  }

  /// Returns the answer of the process that the request names, or of all nodes.
  private func nodeAnswer(_ request: HTTPRequest, of caller: OrderCaller) async -> HTTPResponse {
    guard !isProxy, request.parameter(NodeRoutes.parameter) != nil else { return await answer(request, of: caller) }
    guard let others else {
      return ControlAnswer.error(
        .invalidParameter.detailed("node: no other process is asked here; several need --node-name and one Redis"))
    }
    return await others.pass(request, by: caller) { inner in await answer(inner, of: caller) }
  }

  private func answer(_ request: HTTPRequest, of caller: OrderCaller?) async -> HTTPResponse {
    if let response = await Self.answer(request, of: caller, by: router, log) { return response }
    return await spaceAnswer(request, of: caller) ?? ControlAnswer.error(noRoute)
  }

  /// Returns the answer of a route; nil if none of the routes has the path.
  private static func answer(
    _ request: HTTPRequest, of caller: OrderCaller?, by router: HTTPRouter, _ log: OrderLog
  ) async -> HTTPResponse? {
    let method = request.method == "HEAD" ? "GET" : request.method
    switch router.match(method: method, path: request.path) {
    case .found(let route, let parameters):
      if let refusal = refusal(of: request, to: route) { return ControlAnswer.error(refusal) }
      return await OrderCaller.$current.withValue(caller) {
        let response = await route.handler(request, parameters)
        OrderCaller.note(request, to: route, response, in: log)
        return response
      }
    case .otherMethods(let methods):
      var response = ControlAnswer.error(.methodNotAllowed)
      response.headers.append(HTTPField("allow", methods.joined(separator: ", ")))
      return response
    case .none:
      return nil
    }
  }

  // MARK: Hosted spaces

  /// Returns the answer of the hosted space that the request names, on the space's loop; nil if it names none.
  private func spaceAnswer(_ request: HTTPRequest, of caller: OrderCaller?) async -> HTTPResponse? {
    let segments = request.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
    guard segments.first == "spaces" else { return nil }
    guard let spaces else {
      return ControlAnswer.error(noSpaces)
    }
    guard segments.count > 2, let name = PercentEncoding.decode(String(segments[1])), let space = spaces[name],
      !space.hosted.isEnding
    else { return ControlAnswer.error(SpaceRoutes.noSuchSpace) }
    var inner = request
    inner.path = "/" + segments[2]
    let router = router(of: space)
    let log = Self.log(of: space.hosted.content.controllable)
    var response = await space.hosted.perform { [inner, hosted = space.hosted] in
      await Self.answer(inner, of: caller, by: router, log)?.dated(by: hosted.loop)
    }
    if let source = response?.stream { response?.stream = space.hosted.stream(source) }
    return response
  }

  private func router(of space: NamedSpace) -> HTTPRouter {
    if let router = space.controlRouter { return router }
    let router = HTTPRouter(routes(of: space))
    space.controlRouter = router
    return router
  }

  private func routes(of space: NamedSpace) -> [HTTPRoute] {
    let (root, hasLogin, name) = ("../../", gate.hasSecret, space.name.text)
    guard let inner = space.hosted.space, let settings = space.description else {
      let route = space.hosted.content.controllable
      return HealthRoutes.alive + Self.routes(of: route, space.hosted.content.faults, refusing: refused)
        + DashboardRoutes(route: route, root: root, hasLogin: hasLogin, name: name).routes
    }
    return Self.routes(of: inner, settings: settings, figures: { _ in })
      + DashboardRoutes(space: inner, root: root, hasLogin: hasLogin, name: name).routes
  }

  /// The query parameters of lists, by their patterns.
  private static let parameters = JournalRoutes.parameters.merging([
    "/sessions": SessionRoutes.listParameters, "/spaces": SpaceRoutes.listParameters,
  ]) { one, _ in one }

  /// Returns the error for a query with unknown or repeated parameters; nil if it is valid.
  private static func refusal(of request: HTTPRequest, to route: HTTPRoute) -> GatewayError? {
    let names = request.query.map(\.name)
    let known = route.method == "GET" ? parameters[route.pattern] ?? [] : []
    do throws(GatewayError) {
      try ControlAnswer.refuseStrangers(among: names, known: known, "parameter")
    } catch {
      return error
    }
    guard Set(names.map { Name($0) }).count == names.count else {
      return .invalidParameter.detailed("a parameter is given twice")
    }
    return nil
  }

  /// Returns the error for a request that a page of another origin, or a form, may have sent; nil if neither can have.
  private func refusal(of request: HTTPRequest) -> GatewayError? {
    if let refusal = pages.refusal(of: request) { return refusal }
    // A page may send a form or plain text to any origin without a preflight (Fetch standard, section 2.2.2).
    let isJSON = request.header("content-type").map(Self.isJSON)
    guard isJSON ?? request.body.isEmpty else { return .mediaTypeRefused }
    return nil
  }

  private static func isJSON(_ contentType: String) -> Bool {
    let type = contentType.prefix { $0 != ";" }
    return Name(type.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined().lowercased()) == "application/json"
  }
}
