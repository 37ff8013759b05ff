internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// Streem's HTTP API. `Deploy/api/streem-openapi.yaml` describes it.
struct StreemRoutes: Sendable {
  /// The maximum number of users in a list of recent ones.
  static let recentMax = 100

  let services: any GatewayServices
  let directory: StreemDirectory
  let authenticator: StreemAuthenticator
  let inviting: StreemInviting
  let rooms: StreemRooms
  let settings: StreemSettings
  let webhooks: (any WebhookOutlet)?

  var routes: [HTTPRoute] {
    [
      group.route("POST", "/streem/v1/identify") { request, _ throws(StreemFailure) in try await identify(request) },
      group.route("POST", "/streem/v1/logout") { request, _ throws(StreemFailure) in try await logOut(request) },
      group.route("GET", "/streem/v1/recently-identified-users") { request, _ throws(StreemFailure) in
        try await listRecent(request)
      },
      group.route("POST", "/streem/v1/invitations") { request, _ throws(StreemFailure) in try await invite(request) },
      group.route("POST", "/streem/v1/invitations/{code}/login") { request, parameters throws(StreemFailure) in
        try await enter(request, code: parameters["code"])
      },
      // The path of an invitation's link, which a browser opens.
      HTTPRoute("GET", "/i/{code}") { _, parameters in
        StreemInvitationCode(parameters["code"]).map(OpenIDPage.invitation) ?? OpenIDPage.noInvitation()
      },
      // The path of a call's link, which leads to the call's page even after its end.
      HTTPRoute("GET", "/mycalls/{room}") { _, parameters in await callPage(Name(parameters["room"])) },
      // The path of shared details of a call, for anyone with the URL.
      HTTPRoute("GET", "/share/{token}/details/{room}") { _, parameters in
        await sharedPage(StreemShareToken(parameters["token"]), of: Name(parameters["room"]))
      },
    ] + platformRoutes
  }

  var group: RouteGroup<PathParameters, StreemFailure> { RouteGroup { $0.response } }

  // MARK: Users

  private func identify(_ request: HTTPRequest) async throws(StreemFailure) -> HTTPResponse {
    do throws(GatewayError) {
      let (token, details) = try JSONObject.read(request.body) { (body) throws(GatewayError) in
        (try body.streemToken(), try body.streemDetails())
      }
      let credentials = Credentials(token: token, details: Baggage(details))
      let verified = try await authenticator.judge(credentials, at: services.wallTime).verdict.get()
      if verified.kind == .anonymous { throw .anonymousRefused }
      let refusal = await services.refusal(of: verified, shownTo: StreemDialect.name, isRefresh: false)
      if let refusal { throw refusal }
      let answer = JSONWriter.object(capacity: 512) { json in
        json.member("type", "identified")
        json.name("user")
        json.raw(verified.welcome ?? "null")
        json.member("refreshed", false)
        json.name("sessionId")
        json.null()
        json.member("sessionExpiresAt", secondsOf: verified.expiresAt?.nanoseconds)
      }
      return HTTPResponse(status: 200, json: answer)
    } catch {
      throw StreemFailure(error, isOfToken: !error.isSame(as: .malformedRequest))
    }
  }

  /// Logs out all of the user's connections.
  private func logOut(_ request: HTTPRequest) async throws(StreemFailure) -> HTTPResponse {
    do throws(GatewayError) {
      let (user, token) = try await authenticator.caller(request, on: services)
      await Self.logOut(token.user, on: services)
      services.tellOthers(VendorNote(Self.logoutTopic, token.user.rawValue))
      let answer = JSONWriter.object { json in
        json.member("type", "loggedOut")
        json.member("externalUserId", user.externalID.text)
      }
      return HTTPResponse(status: 200, json: answer)
    } catch {
      throw StreemFailure(error)
    }
  }

  /// The topic of notes about users who log out on every node; their text is the user.
  static let logoutTopic = "streem.logout"

  /// Logs out the user's connections to this process.
  static func logOut(_ user: UserID, on services: any GatewayServices) async {
    _ = await services.control(
      SessionFilter(user: user, dialects: [StreemDialect.name]), .received(.logout(request: nil)))
  }

  private func listRecent(_ request: HTTPRequest) async throws(StreemFailure) -> HTTPResponse {
    do throws(GatewayError) {
      let (user, _) = try await authenticator.caller(request, on: services)
      guard let onlyExperts = ["true": true, "false": false][request.parameter("onlyExperts") ?? "false"] else {
        throw .invalidParameter.detailed("onlyExperts must be true or false")
      }
      let now = services.wallTime
      guard let company = try await directory.company(user.company, at: now) else { throw .companyUnknown }
      let users = try await directory.recentlyIdentified(
        company: company.code, onlyExperts: onlyExperts, limit: Self.recentMax, at: now)
      return HTTPResponse(status: 200, json: JSONWriter.object { $0.member("users", users, of: company) })
    } catch {
      throw StreemFailure(error)
    }
  }

  // MARK: Invitations

  private func invite(_ request: HTTPRequest) async throws(StreemFailure) -> HTTPResponse {
    let user: StreemUser
    do throws(GatewayError) {
      user = try await authenticator.caller(request, on: services).user
    } catch {
      throw StreemFailure(error)
    }
    let order = try StreemInvitationOrder(bytes: request.body)
    let made = try await inviting.create(order, by: user, at: services.wallTime)
    return HTTPResponse(status: 201, json: JSONWriter.object(capacity: 512) { made.write(to: &$0) })
  }

  /// Returns a page with the state of the call. Only its two users know its unguessable sid; the page contains no
  /// names.
  private func callPage(_ sid: Name) async -> HTTPResponse {
    do throws(GatewayError) {
      return OpenIDPage.call(try await rooms.room(sid, at: services.wallTime)?.state)
    } catch {
      return OpenIDPage.later()
    }
  }

  /// Returns the call's details for a valid share token. A wrong token gets the same answer as an unknown call.
  private func sharedPage(_ token: StreemShareToken, of sid: Name) async -> HTTPResponse {
    do throws(GatewayError) {
      let found = try await rooms.room(sid, at: services.wallTime)
      guard let room = found, token.opens(room) else { return OpenIDPage.call(nil) }
      return OpenIDPage.details(of: room)
    } catch {
      return OpenIDPage.later()
    }
  }

  private func enter(_ request: HTTPRequest, code: String) async throws(StreemFailure) -> HTTPResponse {
    let version: String?
    do throws(GatewayError) {
      version = try JSONObject.read(request.body, isOptional: true) { (body) throws(GatewayError) in
        _ = try body.truth("isExpert")
        return try body.text("sdkVersion")
      }
    } catch {
      throw StreemFailure(error)
    }
    do throws(GatewayError) {
      try authenticator.checkVersion(version)
    } catch {
      throw StreemFailure(.clientVersionTooOld, status: 426, "the client's version is older than the oldest accepted")
    }
    let entrance = try await inviting.enter(code, from: request.peer, at: services.wallTime)
    var response = HTTPResponse(status: 200, json: entrance.json)
    response.headers.append(HTTPField("cache-control", "no-store"))
    return response
  }

  /// Returns the directory's answer, its errors converted for the client.
  nonisolated(nonsending) func asking<Answer>(
    _ body: nonisolated(nonsending) () async throws(GatewayError) -> Answer
  ) async throws(StreemFailure) -> Answer {
    do throws(GatewayError) { return try await body() } catch { throw StreemFailure(error) }
  }
}
