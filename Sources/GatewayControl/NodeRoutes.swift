internal import GatewayCore
internal import GatewayJSON
internal import GatewayRuntime

/// The control port of a gateway with several nodes.
///
/// A request is passed on to the node that it names. Answers that every node has a part of are put together.
struct NodeRoutes: Sendable {
  typealias Own = nonisolated(nonsending) @Sendable (HTTPRequest) async -> HTTPResponse

  /// The query parameter that names the process which alone answers.
  static let parameter = "node"

  let gateway: Gateway
  private let journals: MergedJournalRoutes

  init(gateway: Gateway) {
    self.gateway = gateway
    journals = MergedJournalRoutes(gateway: gateway)
  }

  private var life: NodeBoot { gateway.configuration.life }

  // MARK: One node

  /// Has the node with that name answer the request. A request to this process is answered by `own`.
  nonisolated(nonsending) func pass(
    _ request: HTTPRequest, by caller: OrderCaller?, own: Own
  ) async -> HTTPResponse {
    var inner = request
    inner.query.removeAll { $0.name == Self.parameter }
    let names = request.query.filter { $0.name == Self.parameter }
    let known = gateway.nodeNames
    guard names.count == 1 else { return ControlAnswer.error(.invalidParameter.detailed("a parameter is given twice")) }
    guard let target = known.first(where: { Name($0.value) == Name(names[0].value) })?.key else {
      let all = known.values.sorted { Name($0) < Name($1) }.joined(separator: ", ")
      return ControlAnswer.error(
        .notFound.detailed("no process is called '\(names[0].value.prefix(64))'; there is \(all)"))
    }
    if target == life { return await NodeScope.$isHere.withValue(true) { await own(inner) } }
    let responses = await gateway.ask(
      NodeRequest(
        to: target, inner.method, inner.path, query: inner.query, contentType: inner.header("content-type"),
        body: inner.body, caller: caller?.carried ?? []))
    return responses.answers.first.map { HTTPResponse($0.response) } ?? Self.silent(names[0].value)
  }

  private static func silent(_ name: String) -> HTTPResponse {
    ControlAnswer.error(
      .overloaded.detailed("the process '\(name)' did not answer within 2 s; what it was asked it may do late"))
  }

  /// The lists whose pages are shortened until they fit into a message.
  private static let lists: Set<String> = ["/journal", "/sessions", "/spaces"]

  /// Answers a request that another node has passed on. Nil if there is no answer that may be sent.
  nonisolated(nonsending) func answer(_ request: NodeRequest, own: Own) async -> NodeResponse? {
    var inner = HTTPRequest(
      method: request.method, path: request.path, query: request.query,
      headers: request.contentType.map { [HTTPField("content-type", $0)] } ?? [], body: request.body,
      peer: OrderCaller(carried: request.caller)?.address ?? "")
    while true {
      let response = await NodeScope.$isHere.withValue(true) { await own(inner) }
      guard response.stream == nil else {
        return NodeResponse(
          ControlAnswer.error(.invalidParameter.detailed("node: a stream is read from the process itself")))
      }
      if response.body.count <= NodeResponse.bodyBytesMax { return NodeResponse(response) }
      guard Self.lists.contains(inner.path), let limit = Int(inner.parameter("limit") ?? "100"), limit > 1 else {
        return nil
      }
      inner.query.removeAll { $0.name == "limit" }
      inner.query.append(HTTPField("limit", String(limit / 2)))
    }
  }

  // MARK: All nodes

  /// Returns the same routes, with answers of all nodes where each has a part.
  func merged(_ routes: [HTTPRoute]) -> [HTTPRoute] {
    let page = routes.first { $0.method == "GET" && $0.pattern == "/journal" }
    let expect = ExpectOfNodes(gateway: gateway)
    return routes.map { route in
      switch (route.method, route.pattern) {
      case ("GET", "/sessions"): answered(route) { request, own in await sessions(request, own) }
      case ("GET", "/sessions/{id}"): answered(route) { request, own in await session(request, own) }
      case ("POST", "/journal/expect"):
        answered(route) { request, own in
          await expect.answer(request, own: own) { await page?.handler($0, .none) ?? HTTPResponse(status: 404) }
        }
      case (_, let pattern) where MergedJournalRoutes.patterns.contains(pattern):
        answered(route) { [journals] request, own in
          await journals.answer(request, to: pattern) { inner in
            guard inner.path == "/journal", let page else { return await own(inner) }
            return await page.handler(inner, .none)
          }
        }
      default: route
      }
    }
  }

  /// Returns the route with another answer, unless only this process is asked.
  private func answered(
    _ route: HTTPRoute,
    _ answer: nonisolated(nonsending) @escaping @Sendable (HTTPRequest, @escaping Own) async -> HTTPResponse
  ) -> HTTPRoute {
    let own = route.handler
    return route.answered { request, parameters in
      if NodeScope.isHere { return await own(request, parameters) }
      return await answer(request) { await own($0, parameters) }
    }
  }

  private nonisolated(nonsending) func sessions(_ request: HTTPRequest, _ own: Own) async -> HTTPResponse {
    let response = await own(request)
    guard response.status == 200, let limit = Int(request.parameter("limit") ?? "100") else { return response }
    let others = await gateway.ask(NodeRequest("GET", request.path, query: request.query))
    var missing = others.missing
    var pages: [(life: NodeBoot, name: String, page: SessionPage)] = []
    func add(_ body: [UInt8], _ life: NodeBoot, _ name: String) {
      if let page = try? JSONCoder().decode(SessionPage.self, from: body) {
        pages.append((life, name, page))
      } else {
        missing.append(name)
      }
    }
    add(response.body, life, gateway.nodeNames[life] ?? life.description)
    for answer in others.answers { add(answer.response.body, answer.life, answer.name) }
    pages.sort { ($0.life.node, $0.life.boot) < ($1.life.node, $1.life.boot) }
    var merged = SessionPage(sessions: [], next: nil)
    for (_, name, page) in pages {
      // Ids are in the order of the nodes, so that all of one come before all of the next.
      for var session in page.sessions where merged.sessions.count < limit {
        session.node = name
        merged.sessions.append(session)
      }
      guard merged.sessions.count < limit, page.next == nil else { break }
    }
    let isWhole = merged.sessions.count < limit && !pages.contains { $0.page.next != nil }
    merged.next = isWhole ? nil : merged.sessions.last?.id
    merged.nodesMissing = missing.isEmpty ? nil : missing.sorted { Name($0) < Name($1) }
    return ControlAnswer.json(merged)
  }

  private nonisolated(nonsending) func session(_ request: HTTPRequest, _ own: Own) async -> HTTPResponse {
    let id = request.path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) }
    guard let owner = id.flatMap({ ConnectionID($0) })?.life, let name = gateway.nodeNames[owner] else {
      return await own(request)
    }
    var response: HTTPResponse
    if owner == life {
      response = await own(request)
    } else {
      let responses = await gateway.ask(NodeRequest(to: owner, "GET", request.path))
      guard let answer = responses.answers.first else { return Self.silent(name) }
      response = HTTPResponse(answer.response)
    }
    guard response.status == 200, var session = try? JSONCoder().decode(SessionBody.self, from: response.body) else {
      return response
    }
    session.node = name
    return ControlAnswer.json(session)
  }
}

extension HTTPResponse {
  fileprivate init(_ response: NodeResponse) {
    self.init(status: response.status, headers: response.headers, body: response.body)
  }
}

extension NodeResponse {
  fileprivate init(_ response: HTTPResponse) {
    self.init(status: response.status, headers: response.headers, body: response.body)
  }
}
