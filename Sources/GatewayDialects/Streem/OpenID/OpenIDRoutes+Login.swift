internal import GatewayCore

// Authorization: the request, the page, and the way back to the client.

extension OpenIDRoutes {
  func authorize(_ request: HTTPRequest, _ place: Place) async -> HTTPResponse {
    let authorization: OpenIDAuthorization
    do throws(OpenIDError) {
      let parameters = try OpenIDParameters(request)
      do throws(OpenIDAuthorization.Refusal) {
        authorization = try OpenIDAuthorization(
          parameters, company: place.company.code, issuer: place.addresses.issuer, settings: openID)
      } catch {
        switch error {
        case .shown(let error): return OpenIDPage.failure(error)
        case .answered(let error, let answer): return Self.redirect(answer.address(error))
        }
      }
      let name = try await grants.begin(authorization, at: services.wallTime)
      return loginPage(name, authorization, place, isRetry: false)
    } catch {
      return OpenIDPage.failure(error)
    }
  }

  /// The page's form comes back.
  func logIn(_ request: HTTPRequest, _ place: Place) async -> HTTPResponse {
    do throws(OpenIDError) {
      let form = try OpenIDParameters(request)
      try form.check()
      let now = services.wallTime
      guard let name = form["request"], let authorization = await grants.pending(name, at: now),
        authorization.company == place.company.code
      else { throw Self.used() }
      if form["cancel"] != nil {
        await grants.cancel(name)
        return Self.redirect(answering: authorization, OpenIDError(.accessDenied, "the user gave up"))
      }
      let user = form["username"] ?? ""
      guard await admits(user, password: form["password"] ?? "", company: place.company.code) else {
        guard await grants.countWrongPassword(name, at: now) else {
          return Self.redirect(answering: authorization, OpenIDError(.accessDenied, "too many wrong passwords"))
        }
        return loginPage(name, authorization, place, isRetry: true)
      }
      guard let code = try await grants.admit(user, to: name, at: now) else {
        throw Self.used()
      }
      return Self.redirect(authorization.answer.address(code: code))
    } catch {
      return OpenIDPage.failure(error)
    }
  }

  private static func used() -> OpenIDError {
    OpenIDError(.invalidRequest, "this page is too old, or was used; log in again from the application")
  }

  /// Invited customers have no password: nobody logs in as one of them.
  private func admits(_ user: String, password: String, company: String) async -> Bool {
    guard openID.admits(user, password: password, company: company, home: settings.homeCompany.code) else {
      return false
    }
    return await directory.user(company: company, externalID: user)?.isInvited != true
  }

  private func loginPage(
    _ name: String, _ authorization: OpenIDAuthorization, _ place: Place, isRetry: Bool
  ) -> HTTPResponse {
    OpenIDPage.login(
      name, company: place.company, action: place.addresses.issuer + "/login", hint: authorization.loginHint,
      isRetry: isRetry)
  }

  private static func redirect(answering authorization: OpenIDAuthorization, _ error: OpenIDError) -> HTTPResponse {
    redirect(authorization.answer.address(error))
  }

  /// 303, so that a browser never sends a form on to the client (RFC 9700 section 4.12).
  static func redirect(_ address: String) -> HTTPResponse {
    HTTPResponse(
      status: 303,
      headers: [
        HTTPField("location", address), HTTPField("cache-control", "no-store"),
        HTTPField("referrer-policy", "no-referrer"),
      ])
  }
}
