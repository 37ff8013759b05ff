internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// The routes for clients' sessions: a new key, and a login without a socket.
struct SendbirdSessionRoutes: Sendable {
  private let sessions: SendbirdSessions
  private let verifier: JWTVerifier
  private let gate: SendbirdGate
  private let services: any GatewayServices

  init(
    sessions: SendbirdSessions, verifier: JWTVerifier, gate: SendbirdGate, services: any GatewayServices
  ) {
    self.sessions = sessions
    self.verifier = verifier
    self.gate = gate
    self.services = services
  }

  var routes: [HTTPRoute] {
    let group = RouteGroup<UserID, SendbirdError>(words: { $0.response }) {
      [gate] request, parameters throws(SendbirdError) in
      try gate.checkApplication(of: request)
      return UserID(parameters["user_id"])
    }
    return [
      group.route("POST", "/v3/users/{user_id}/session_key") { request, user throws(SendbirdError) in
        try await refresh(request, user)
      },
      group.route("POST", "/v3/sdk/users/{user_id}/authentication") { request, user throws(SendbirdError) in
        try await logIn(request, user)
      },
      group.route("POST", "/v3/users/{user_id}/login") { request, user throws(SendbirdError) in
        try await logIn(request, user)
      },
    ]
  }

  /// Issues a new key for the user's sessions, including those with live connections.
  private func refresh(_ request: HTTPRequest, _ user: UserID) async throws(SendbirdError) -> HTTPResponse {
    let now = services.wallTime
    let presented = try presented(request, at: now)
    do throws(GatewayError) {
      let refresh = try await sessions.refreshOverHTTP(
        user, presented.token, isExpiring: presented.isExpiring, from: request.peer, at: now)
      services.tellOthers(refresh.note)
      await refresh.renew(on: services)
      let answer = JSONWriter.object { json in
        json.member("key", refresh.key)
        // iOS considers an answer without them a failure.
        json.member("services", strings: presented.services)
      }
      return HTTPResponse(status: 200, json: answer)
    } catch {
      throw SendbirdError(error)
    }
  }

  /// Returns the answer that a login over the socket gets in its frame, with a key that is valid without a socket.
  private func logIn(_ request: HTTPRequest, _ user: UserID) async throws(SendbirdError) -> HTTPResponse {
    let now = services.wallTime
    let presented = try presented(request, at: now)
    let named = request.header("app-id") ?? presented.application ?? sessions.settings.applicationID?.text
    let login = SendbirdLogin(
      user: user, token: presented.token, applicationID: named, isExpiring: presented.isExpiring, address: request.peer)
    do throws(GatewayError) {
      let verified = try await sessions.logIn(login, at: now).get()
      return HTTPResponse(status: 200, json: Array((verified.welcome ?? "{}").utf8))
    } catch {
      throw SendbirdError(error)
    }
  }

  /// The data with which a client asks for a key.
  private struct Presented {
    /// The token of the header, or else of the body.
    let token: SendbirdPresentedToken
    /// Whether the client can refresh.
    let isExpiring: Bool
    let application: String?
    /// The services of the key: the ones in the body, or chat.
    let services: [String]
  }

  private func presented(_ request: HTTPRequest, at now: WallTime) throws(SendbirdError) -> Presented {
    let body = request.body.isEmpty ? Array("{}".utf8) : request.body
    return try body.span.bytes.withUnsafeBytes { (bytes) throws(SendbirdError) in
      guard let object = try? JSONObject(bytes) else { throw SendbirdError.bodyNotJSON }
      let token =
        SendbirdWire.meant(request.header("access-token")) ?? SendbirdWire.meant(try? object.string("token"))
      return Presented(
        token: SendbirdPresentedToken(token ?? "", verifier: verifier, at: now),
        isExpiring: object.flag("expiring_session") ?? false,
        application: SendbirdWire.meant(try? object.string("app_id")),
        services: (try? object.strings("services", count: 1...20)) ?? ["chat"])
    }
  }
}
