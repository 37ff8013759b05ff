internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// The token endpoint, and the endpoints that its tokens open.

extension OpenIDRoutes {
  func tokens(_ request: HTTPRequest, _ place: Place) async throws(StreemFailure) -> HTTPResponse {
    let form = try OpenIDParameters(request)
    try form.check()
    let client = try client(of: request, form)
    let now = services.wallTime
    guard let kind = form["grant_type"] else { throw StreemFailure(.invalidRequest, "grant_type is missing") }
    let tokens: OpenIDTokens
    switch kind {
    case "authorization_code":
      guard let code = form["code"] else { throw StreemFailure(.invalidRequest, "code is missing") }
      guard let verifier = form["code_verifier"] else {
        throw StreemFailure(.invalidRequest, "code_verifier is missing")
      }
      tokens = try await grants.redeem(
        code, client: client.id, company: place.company.code, redirect: form["redirect_uri"].map { Name($0) },
        verifier: verifier,
        at: now)
    case "refresh_token":
      guard let token = form["refresh_token"] else { throw StreemFailure(.invalidRequest, "refresh_token is missing") }
      tokens = try await grants.refresh(
        token, client: client.id, company: place.company.code, scope: form["scope"], at: now)
    default:
      throw StreemFailure(.unsupportedGrantType, "grant_type must be authorization_code or refresh_token")
    }
    return try await answer(tokens, at: now)
  }

  private func answer(_ tokens: OpenIDTokens, at now: WallTime) async throws(StreemFailure) -> HTTPResponse {
    let profile = try await profile(of: tokens.grant.user, company: tokens.grant.company)
    let keys = try await keys(at: now)
    let body = JSONWriter.object(capacity: 1024) { json in
      json.member("access_token", tokens.access)
      json.member("token_type", "Bearer")
      json.member("expires_in", (tokens.expiresAt - now).components.seconds)
      json.member("scope", tokens.grant.scopes.map(\.text).joined(separator: " "))
      if let refresh = tokens.refresh { json.member("refresh_token", refresh) }
      let signing = openID.client(tokens.grant.client)?.signing ?? .rs256
      json.member("id_token", keys.idToken(tokens, profile, by: signing, at: now))
    }
    var response = HTTPResponse(status: 200, json: body)
    response.headers += [HTTPField("cache-control", "no-store"), HTTPField("pragma", "no-cache")]
    return response
  }

  /// Returns the public client that asks: by `client_id`, or by HTTP Basic with an empty password as some libraries do.
  private func client(of request: HTTPRequest, _ form: OpenIDParameters) throws(StreemFailure) -> OpenIDClient {
    var id = form["client_id"].map { Name($0) }
    if request.header("authorization") != nil {
      guard let (user, secret) = StreemRequest.basic(request), secret.isEmpty,
        let name = PercentEncoding.decode(user).map({ Name($0) }),
        id == nil || id == name
      else { throw StreemFailure(.invalidClient, "clients are public: send client_id, and no secret") }
      id = name
    }
    guard form["client_secret"] == nil else {
      throw StreemFailure(.invalidClient, "clients are public: send client_id, and no secret")
    }
    guard let client = id.flatMap({ openID.client($0) }) else {
      throw StreemFailure(.invalidClient, "client_id is missing, or names no registered client")
    }
    return client
  }

  /// Returns the claims about the user (OpenID Connect Core section 5.3).
  func userInfo(_ request: HTTPRequest, _ place: Place) async throws(StreemFailure) -> HTTPResponse {
    guard let token = try Self.accessToken(request) else {
      var failure = StreemFailure(
        .invalidToken, "send an access token as Authorization: Bearer, or as access_token in a form")
      // A request without a token gets only the challenge, without an error (RFC 6750 section 3.1).
      failure.headers = [
        HTTPField("cache-control", "no-store"), HTTPField("www-authenticate", #"Bearer realm="postern""#),
      ]
      throw failure
    }
    guard let grant = try await grants.grant(of: token, at: services.wallTime), grant.company == place.company.code
    else {
      throw StreemFailure(.invalidToken, "the access token is unknown, expired, or revoked")
    }
    let profile = try await profile(of: grant.user, company: grant.company)
    let body = JSONWriter.object(capacity: 256) { json in
      json.member("sub", grant.user.text)
      profile.write(to: &json, grant)
    }
    var response = HTTPResponse(status: 200, json: body)
    response.headers.append(HTTPField("cache-control", "no-store"))
    return response
  }

  /// Returns the access token in the header or in the form (RFC 6750 sections 2.1 and 2.2), but not in both; nil if
  /// there is none.
  private static func accessToken(_ request: HTTPRequest) throws(StreemFailure) -> String? {
    guard request.method == "POST", OpenIDParameters.isForm(request) else { return request.bearerToken }
    let form = try OpenIDParameters(request)
    try form.check()
    guard let token = form["access_token"] else { return request.bearerToken }
    guard request.header("authorization") == nil else {
      throw StreemFailure(.invalidRequest, "send the access token in one way only")
    }
    return token
  }

  /// Revokes a token. Returns 200 even if there was nothing to revoke (RFC 7009 section 2.2).
  func revoke(_ request: HTTPRequest, _ place: Place) async throws(StreemFailure) -> HTTPResponse {
    let form = try OpenIDParameters(request)
    try form.check()
    let client = try client(of: request, form)
    guard let token = form["token"] else { throw StreemFailure(.invalidRequest, "token is missing") }
    try await grants.revoke(token, client: client.id, company: place.company.code, at: services.wallTime)
    return HTTPResponse(status: 200, headers: [HTTPField("cache-control", "no-store")])
  }

  // MARK: Logout

  /// Ends the grants of the ID token's login (OpenID Connect RP-Initiated Logout section 2). Redirects only to a
  /// registered URL of a client that the hint or the client id identifies.
  func logOut(_ request: HTTPRequest, _ place: Place) async throws(StreemFailure) -> HTTPResponse {
    let parameters = try OpenIDParameters(request)
    try parameters.check()
    let now = services.wallTime
    var id = parameters["client_id"].map { Name($0) }
    var ended: Name?
    if let token = parameters["id_token_hint"] {
      let keys = try await keys(at: now)
      guard let hint = keys.hint(token, company: place.company.code, at: now), id == nil || id == hint.client else {
        throw StreemFailure(.invalidRequest, "id_token_hint is not an ID token of this provider for this client")
      }
      id = hint.client
      ended = hint.sid
    }
    var address: String?
    if let redirect = parameters["post_logout_redirect_uri"] {
      guard let client = id.flatMap({ openID.client($0) }), client.mayLogOut(to: Name(redirect)) else {
        throw StreemFailure(.invalidRequest, "post_logout_redirect_uri is not registered for this client")
      }
      let state = parameters["state"].map { [HTTPField("state", $0)] } ?? []
      address = OpenIDAnswer.address(redirect, state)
    }
    if let ended { try await grants.end(ended, at: now) }
    return address.map(Self.redirect) ?? OpenIDPage.loggedOut()
  }
}
