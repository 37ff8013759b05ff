package import GatewayCore
package import GatewayTokens

/// What clients ask about their sessions over HTTP: another key, and a login without a socket.
package struct SendbirdSessionRoutes: Sendable {
  private let sessions: SendbirdSessions
  private let verifier: JWTVerifier
  private let gate: SendbirdGate
  private let services: any GatewayServices

  package init(
    sessions: SendbirdSessions, verifier: JWTVerifier, gate: SendbirdGate, services: any GatewayServices
  ) {
    self.sessions = sessions
    self.verifier = verifier
    self.gate = gate
    self.services = services
  }

  package var routes: [HTTPRoute] {
    [
      route("/v3/users/{user_id}/session_key") { request, user throws(SendbirdError) in
        try await refresh(request, user)
      },
      route("/v3/sdk/users/{user_id}/authentication") { request, user throws(SendbirdError) in
        try await logIn(request, user)
      },
      route("/v3/users/{user_id}/login") { request, user throws(SendbirdError) in
        try await logIn(request, user)
      },
    ]
  }

  private typealias Work =
    nonisolated(nonsending) @Sendable (HTTPRequest, UserID) async throws(SendbirdError) -> HTTPResponse

  private func route(_ pattern: String, _ work: @escaping Work) -> HTTPRoute {
    HTTPRoute("POST", pattern) { request, parameters in
      do throws(SendbirdError) {
        try gate.checkApplication(of: request)
        return try await work(request, UserID(parameters["user_id"]))
      } catch {
        return error.response
      }
    }
  }

  /// A new key for the sessions of the user, their live connections among them.
  private func refresh(_ request: HTTPRequest, _ user: UserID) async throws(SendbirdError) -> HTTPResponse {
    let now = services.wallTime
    let (token, isExpiring, _) = try presented(request, at: now)
    do throws(GatewayError) {
      let refresh = try await sessions.refreshOverHTTP(user, token, isExpiring: isExpiring, at: now)
      if await services.isRevoked(refresh.token) { throw GatewayError.tokenRevoked }
      if !refresh.connections.isEmpty {
        _ = await services.renew(refresh.token) { refresh.connections.contains($0.connection) }
      }
      let answer = JSONWriter.object { $0.member("key", refresh.token.welcome ?? "") }
      return HTTPResponse(status: 200, json: answer)
    } catch {
      throw SendbirdError(error)
    }
  }

  /// The answer that a login over the socket has in its frame, and a key that is good without a socket.
  private func logIn(_ request: HTTPRequest, _ user: UserID) async throws(SendbirdError) -> HTTPResponse {
    let now = services.wallTime
    let (token, isExpiring, application) = try presented(request, at: now)
    let named = request.header("app-id") ?? application ?? sessions.settings.applicationID
    let login = SendbirdLogin(user: user, token: token, applicationID: named, isExpiring: isExpiring)
    do throws(GatewayError) {
      let verified = try await sessions.logIn(login, at: now).get()
      if await services.isRevoked(verified) { throw GatewayError.tokenRevoked }
      return HTTPResponse(status: 200, json: Array((verified.welcome ?? "{}").utf8))
    } catch {
      throw SendbirdError(error)
    }
  }

  /// The token, of the header or of the body, whether the client can refresh, and the application the body names.
  private func presented(
    _ request: HTTPRequest, at now: WallTime
  ) throws(SendbirdError) -> (SendbirdPresentedToken, isExpiring: Bool, application: String?) {
    let body = request.body.isEmpty ? Array("{}".utf8) : request.body
    let (written, isExpiring, application) = try body.span.bytes.withUnsafeBytes { (bytes) throws(SendbirdError) in
      guard let object = try? JSONObject(bytes) else { throw SendbirdError.bodyNotJSON }
      return (
        try? object.string("token"), object.flag("expiring_session") ?? false,
        SendbirdDialect.meant(try? object.string("app_id"))
      )
    }
    let token = SendbirdDialect.meant(request.header("access-token")) ?? SendbirdDialect.meant(written)
    return (SendbirdPresentedToken(token ?? "", verifier: verifier, at: now), isExpiring, application)
  }
}
