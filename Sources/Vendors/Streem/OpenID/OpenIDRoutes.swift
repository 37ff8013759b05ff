internal import GatewayCore
internal import GatewayKit

/// A small OpenID provider with one issuer for each company, e.g. `/streem/oidc/postern`: authorization code with PKCE
/// for public clients, and a login page. `Deploy/api/streem-openapi.yaml` describes it.
struct OpenIDRoutes: Sendable {
  let services: any GatewayServices
  let directory: StreemDirectory
  let keyring: StreemKeyring
  let grants: OpenIDGrants
  let key: OpenIDKey
  let seal: OpenIDSeal
  let settings: StreemSettings

  var openID: OpenIDSettings { settings.openID }

  var routes: [HTTPRoute] {
    let issuer = "\(OpenIDAddresses.folder)/{company}"
    let metadata: Work = { _, place throws(StreemFailure) in HTTPResponse(status: 200, json: place.addresses.metadata) }
    return [
      route("GET", issuer + "/.well-known/openid-configuration", metadata),
      route("GET", issuer + "/.well-known/oauth-authorization-server", metadata),
      // The path that RFC 8414 section 3.1 defines for an issuer with a path.
      route("GET", "/.well-known/oauth-authorization-server" + issuer, metadata),
      route("GET", issuer + "/jwks") { _, _ throws(StreemFailure) in
        HTTPResponse(status: 200, json: try await keys(at: services.wallTime).keySet)
      },
      page("GET", issuer + "/authorize", authorize),
      page("POST", issuer + "/authorize", authorize),
      page("POST", issuer + "/login", logIn),
      route("POST", issuer + "/token", tokens).givingTokens,
      route("GET", issuer + "/userinfo", userInfo),
      route("POST", issuer + "/userinfo", userInfo),
      page("GET", issuer + "/logout", logOut),
      page("POST", issuer + "/logout", logOut),
      route("POST", issuer + "/revoke", revoke),
    ] + exchangeRoutes
  }

  /// The issuer that a request was sent to.
  struct Place {
    let company: StreemCompany
    let addresses: OpenIDAddresses
  }

  private typealias Work =
    nonisolated(nonsending) @Sendable (HTTPRequest, Place) async throws(StreemFailure) -> HTTPResponse

  /// Returns a route for programs.
  private func route(_ method: String, _ pattern: String, _ work: @escaping Work) -> HTTPRoute {
    HTTPRoute(method, pattern) { request, parameters in
      do throws(StreemFailure) {
        guard let place = try await place(request, parameters["company"]) else {
          return StreemFailure(.companyUnknown).response
        }
        return try await work(request, place)
      } catch {
        return error.response
      }
    }
  }

  /// Returns a route for browsers.
  private func page(_ method: String, _ pattern: String, _ work: @escaping Work) -> HTTPRoute {
    HTTPRoute(method, pattern, pages: .shown) { request, parameters in
      do throws(StreemFailure) {
        guard let place = try await place(request, parameters["company"]) else { return OpenIDPage.companyUnknown() }
        return try await work(request, place)
      } catch {
        return OpenIDPage.failure(error)
      }
    }
  }

  func place(_ request: HTTPRequest, _ code: String) async throws(StreemFailure) -> Place? {
    let now = services.wallTime
    let known = try await asking { () async throws(GatewayError) in try await directory.company(Name(code), at: now) }
    guard let company = known, company.isActive,
      let addresses = OpenIDAddresses(request, company: company.code, settings: openID)
    else { return nil }
    return Place(company: company, addresses: addresses)
  }

  /// Returns the platform's data about the user. A user who has never identified is shown by the login name.
  func profile(of user: Name, company: Name) async throws(StreemFailure) -> OpenIDProfile {
    let now = services.wallTime
    let known = try await asking { () async throws(GatewayError) in
      try await directory.user(company: company, externalID: user, at: now)
    }
    return OpenIDProfile(name: known?.name ?? user.text, picture: known?.avatarURL)
  }

  /// Returns the keys that sign ID tokens.
  func keys(at now: WallTime) async throws(StreemFailure) -> OpenIDKey.Keys {
    try await asking { () async throws(GatewayError) in try await key.keys(at: now) }
  }

  /// Returns the directory's answer. It refuses nothing here, so any error means that it is unavailable.
  nonisolated(nonsending) func asking<Answer>(
    _ body: nonisolated(nonsending) () async throws(GatewayError) -> Answer
  ) async throws(StreemFailure) -> Answer {
    do throws(GatewayError) { return try await body() } catch { throw StreemFailure(.unavailable(error.name)) }
  }
}
