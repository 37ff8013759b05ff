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
    let metadata: Work = { _, place throws(OpenIDError) in HTTPResponse(status: 200, json: place.addresses.metadata) }
    return [
      route("GET", issuer + "/.well-known/openid-configuration", metadata),
      route("GET", issuer + "/.well-known/oauth-authorization-server", metadata),
      // The path that RFC 8414 section 3.1 defines for an issuer with a path.
      route("GET", "/.well-known/oauth-authorization-server" + issuer, metadata),
      route("GET", issuer + "/jwks") { _, _ throws(OpenIDError) in
        HTTPResponse(status: 200, json: try await keys(at: services.wallTime).keySet)
      },
      page("GET", issuer + "/authorize") { request, place throws(OpenIDError) in await authorize(request, place) },
      page("POST", issuer + "/authorize") { request, place throws(OpenIDError) in await authorize(request, place) },
      page("POST", issuer + "/login") { request, place throws(OpenIDError) in try await logIn(request, place) },
      route("POST", issuer + "/token") { request, place throws(OpenIDError) in try await tokens(request, place) },
      route("GET", issuer + "/userinfo") { request, place throws(OpenIDError) in try await userInfo(request, place) },
      route("POST", issuer + "/userinfo") { request, place throws(OpenIDError) in try await userInfo(request, place) },
      page("GET", issuer + "/logout") { request, place throws(OpenIDError) in try await logOut(request, place) },
      page("POST", issuer + "/logout") { request, place throws(OpenIDError) in try await logOut(request, place) },
      route("POST", issuer + "/revoke") { request, place throws(OpenIDError) in try await revoke(request, place) },
    ] + exchangeRoutes
  }

  /// The issuer that a request was sent to.
  struct Place {
    let company: StreemCompany
    let addresses: OpenIDAddresses
  }

  private typealias Work =
    nonisolated(nonsending) @Sendable (HTTPRequest, Place) async throws(OpenIDError) -> HTTPResponse
  private typealias PageWork =
    nonisolated(nonsending) @Sendable (HTTPRequest, Place) async throws(OpenIDError) -> HTTPResponse

  /// Returns a route for programs.
  private func route(_ method: String, _ pattern: String, _ work: @escaping Work) -> HTTPRoute {
    HTTPRoute(method, pattern) { request, parameters in
      do throws(OpenIDError) {
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
  private func page(_ method: String, _ pattern: String, _ work: @escaping PageWork) -> HTTPRoute {
    HTTPRoute(method, pattern, pages: .shown) { request, parameters in
      do throws(OpenIDError) {
        guard let place = try await place(request, parameters["company"]) else { return OpenIDPage.companyUnknown() }
        return try await work(request, place)
      } catch {
        return OpenIDPage.failure(error)
      }
    }
  }

  func place(_ request: HTTPRequest, _ code: String) async throws(OpenIDError) -> Place? {
    let now = services.wallTime
    let known = try await asking { () async throws(GatewayError) in try await directory.company(Name(code), at: now) }
    guard let company = known, company.isActive,
      let addresses = OpenIDAddresses(request, company: company.code, settings: openID)
    else { return nil }
    return Place(company: company, addresses: addresses)
  }

  /// Returns the platform's data about the user. A user who has never identified is shown by the login name.
  func profile(of user: Name, company: Name) async throws(OpenIDError) -> OpenIDProfile {
    let now = services.wallTime
    let known = try await asking { () async throws(GatewayError) in
      try await directory.user(company: company, externalID: user, at: now)
    }
    return OpenIDProfile(name: known?.name ?? user.text, picture: known?.avatarURL)
  }

  /// Returns the keys that sign ID tokens.
  func keys(at now: WallTime) async throws(OpenIDError) -> OpenIDKey.Keys {
    try await asking { () async throws(GatewayError) in try await key.keys(at: now) }
  }

  /// Returns the directory's answer. It refuses nothing here, so any error means that it is unavailable.
  nonisolated(nonsending) func asking<Answer>(
    _ body: nonisolated(nonsending) () async throws(GatewayError) -> Answer
  ) async throws(OpenIDError) -> Answer {
    do throws(GatewayError) { return try await body() } catch { throw OpenIDError(.unavailable(error.name)) }
  }
}
