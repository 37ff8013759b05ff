internal import GatewayCore
internal import GatewayRuntime

/// The resources that show sessions, e.g. `GET /sessions?user=ann`.
struct SessionRoutes {
  let gateway: any Controllable

  private static let pageMax = 1000
  /// The query parameters of the list.
  static let listParameters = ["user", "dialect", "expires_from", "expires_before", "limit", "after"]

  var routes: [HTTPRoute] {
    [
      HTTPRoute("GET", "/sessions") { request, _ in await list(request) },
      HTTPRoute("GET", "/sessions/{id}") { _, parameters in await inspect(parameters["id"]) },
    ]
  }

  private func list(_ request: HTTPRequest) async -> HTTPResponse {
    let limitText = request.parameter("limit") ?? "100"
    guard let limit = Int(limitText), (1...Self.pageMax).contains(limit) else {
      return ControlAnswer.error(.invalidParameter.detailed("limit must be 1 to \(Self.pageMax)"))
    }
    let after = request.parameter("after")
    let last = after.flatMap { ConnectionID($0) }
    guard after == nil || last != nil else {
      return ControlAnswer.error(.invalidParameter.detailed("after must be the id of a session"))
    }
    let choice: SessionChoice
    do throws(GatewayError) {
      choice = try self.choice(request)
    } catch {
      return ControlAnswer.error(error)
    }
    let summaries = await gateway.sessions(choice, after: last, limit: limit)
    let next = summaries.count == limit ? summaries.last?.id.description : nil
    return ControlAnswer.json(SessionPage(sessions: summaries.map(SessionBody.init), next: next))
  }

  private func choice(_ request: HTTPRequest) throws(GatewayError) -> SessionChoice {
    let dialect = request.parameter("dialect")
    if let dialect { try HorizonRoutes.checkDialect(dialect, of: gateway) }
    return SessionChoice(
      user: request.parameter("user").map(UserID.init), dialect: dialect,
      from: try Self.time("expires_from", of: request), before: try Self.time("expires_before", of: request))
  }

  private static func time(_ name: String, of request: HTTPRequest) throws(GatewayError) -> WallTime? {
    guard let text = request.parameter(name) else { return nil }
    guard let seconds = Double(text), (0...HorizonRoutes.timeMax).contains(seconds) else {
      throw .invalidParameter.detailed("\(name) must be a time in seconds since 1970")
    }
    return WallTime(seconds: seconds)
  }

  private func inspect(_ id: String) async -> HTTPResponse {
    guard let connection = ConnectionID(id), let summary = await gateway.session(connection) else {
      return ControlAnswer.error(.notFound.detailed("no session has the id '\(id)'; GET /sessions lists them"))
    }
    return ControlAnswer.json(SessionBody(summary))
  }
}
