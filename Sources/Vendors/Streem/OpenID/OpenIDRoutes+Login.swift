internal import GatewayCore

// Authorization: the request, the login page, and the redirect to the client.

extension OpenIDRoutes {
  func authorize(_ request: HTTPRequest, _ place: Place) async throws(StreemFailure) -> HTTPResponse {
    let parameters = try OpenIDParameters(request)
    let answer = try OpenIDAuthorization.answer(parameters, issuer: place.addresses.issuer, settings: openID)
    let authorization: OpenIDAuthorization
    do throws(StreemFailure) {
      authorization = try OpenIDAuthorization(parameters, company: place.company.code, answer: answer)
    } catch {
      return Self.redirect(answer.address(error))
    }
    guard let sealed = seal.seal(authorization, until: services.wallTime + openID.requestLife) else {
      return Self.redirect(answering: authorization, StreemFailure(.invalidRequest, "the request is too long"))
    }
    return loginPage(sealed, place, name: authorization.loginHint)
  }

  /// Handles a submitted login form.
  func logIn(_ request: HTTPRequest, _ place: Place) async throws(StreemFailure) -> HTTPResponse {
    let form = try OpenIDParameters(request)
    try form.check()
    let now = services.wallTime
    guard let sealed = form["request"], let authorization = seal.open(sealed, at: now),
      authorization.company == place.company.code
    else {
      throw StreemFailure(.invalidRequest, "this page is too old; log in again from the application")
    }
    if form["cancel"] != nil {
      return Self.redirect(answering: authorization, StreemFailure(.accessDenied, "the user gave up"))
    }
    let name = form["username"]
    let account = OpenIDAccount(company: place.company.code, user: Name(name ?? ""))
    let isRight = try await admits(account, password: form["password"] ?? "")
    let home = settings.homeCompany.code
    let admission = try await grants.admit(
      account, to: authorization, isRight: isRight, isKnown: openID.user(account, home: home) != nil,
      from: request.peer, at: now)
    switch admission {
    case .admitted(let code): return Self.redirect(authorization.answer.address(code: code))
    case .wrong: return loginPage(sealed, place, name: name, problem: .wrong)
    case .wait(let wait): return loginPage(sealed, place, name: name, problem: .tooManyTries(wait))
    }
  }

  /// Returns whether the account and password are right. Invited customers have no password, so no client can log in as
  /// one.
  private func admits(_ account: OpenIDAccount, password: String) async throws(StreemFailure) -> Bool {
    guard openID.admits(account, password: password, home: settings.homeCompany.code) else { return false }
    let now = services.wallTime
    let known = try await asking { () async throws(GatewayError) in
      try await directory.user(company: account.company, externalID: account.user, at: now)
    }
    return known?.isInvited != true
  }

  private func loginPage(
    _ sealed: String, _ place: Place, name: String?, problem: OpenIDPage.Problem? = nil
  ) -> HTTPResponse {
    OpenIDPage.login(
      sealed, company: place.company, action: place.addresses.issuer + "/login", name: name, problem: problem)
  }

  private static func redirect(answering authorization: OpenIDAuthorization, _ error: StreemFailure) -> HTTPResponse {
    redirect(authorization.answer.address(error))
  }

  /// Returns a redirect with status 303, so that a browser never sends the form on to the client (RFC 9700 section
  /// 4.12).
  static func redirect(_ address: String) -> HTTPResponse {
    HTTPResponse(
      status: 303,
      headers: [
        HTTPField("location", address), HTTPField("cache-control", "no-store"),
        HTTPField("referrer-policy", "no-referrer"),
      ])
  }
}
