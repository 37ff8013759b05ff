internal import GatewayCore
internal import GatewayRuntime

/// The resources that show sessions, e.g. `GET /sessions?user=ann`.
struct SessionRoutes {
  let gateway: Gateway

  private static let pageMax = 1000
  /// The query parameters of the list.
  static let listParameters = ["user", "dialect", "expires_from", "expires_before", "limit", "after"]

  var routes: [HTTPRoute] {
    [
      HTTPRoute("GET", "/sessions") { request, _ in await list(request) },
      HTTPRoute("GET", "/sessions/{id}") { _, parameters in await inspect(parameters["id"]) },
    ]
  }

  private struct Page: Encodable {
    let sessions: [SessionBody]
    /// The value of `after` for the next page; absent on the last.
    let next: String?
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
    return ControlAnswer.json(Page(sessions: summaries.map(SessionBody.init), next: next))
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
    guard let id = ConnectionID(id), let summary = await gateway.session(id) else {
      return ControlAnswer.error(.notFound.detailed("no session has this id"))
    }
    return ControlAnswer.json(SessionBody(summary))
  }
}

/// A session in JSON.
struct SessionBody: Encodable {
  let id: String
  let dialect: String
  let phase: String
  let userID: String?
  let userKind: String?
  let tokenFingerprint: String?
  let expiresInMs: Int64?
  let deadlineInMs: Int64?
  let ageMs: Int64
  let silenceMs: Int64
  let calls: [String]
  let peer: String

  enum CodingKeys: String, CodingKey {
    case id, dialect, phase, calls, peer
    case userID = "user_id"
    case userKind = "user_kind"
    case tokenFingerprint = "token_fingerprint"
    case expiresInMs = "expires_in_ms"
    case deadlineInMs = "deadline_in_ms"
    case ageMs = "age_ms"
    case silenceMs = "silence_ms"
  }

  init(_ summary: SessionSummary) {
    id = summary.id.description
    dialect = summary.dialect
    phase = summary.phase
    userID = summary.user?.rawValue
    userKind = summary.kind?.rawValue
    tokenFingerprint = summary.fingerprint?.description
    expiresInMs = summary.expiresIn?.milliseconds
    deadlineInMs = summary.deadlineIn?.milliseconds
    ageMs = summary.age.milliseconds
    silenceMs = summary.silence.milliseconds
    calls = summary.calls.map(\.cid)
    peer = summary.peer
  }
}
