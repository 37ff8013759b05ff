internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Requests of Streem's SDK beyond OpenID: the provider's address, and a Streem Token for an access token.

extension OpenIDRoutes {
  var exchangeRoutes: [HTTPRoute] {
    [
      HTTPRoute("GET", "/streem/v1/companies/{code}/openid-configuration") { request, parameters in
        do throws(StreemFailure) {
          guard let place = try await place(request, parameters["code"]) else {
            return StreemFailure(.companyUnknown).response
          }
          return configuration(place)
        } catch {
          return StreemFailure(.storeUnavailable).response
        }
      },
      HTTPRoute("POST", "/streem/v1/streem-token") { request, _ in
        do throws(StreemFailure) {
          return try await exchange(request)
        } catch {
          return error.response
        }
      },
    ]
  }

  /// Returns the configuration, without issuer and discovery address, which the SDK does not expect.
  private func configuration(_ place: Place) -> HTTPResponse {
    let answer = JSONWriter.object(capacity: 512) { json in
      json.member("clientId", openID.clients.first?.id.text ?? "")
      json.member("tokenEndpoint", place.addresses.token)
      json.member("authorizationEndpoint", place.addresses.authorization)
      json.member("logoutEndpoint", place.addresses.logout)
    }
    return HTTPResponse(status: 200, json: answer)
  }

  /// Returns the answer of the grants' store, which can only fail by being unavailable.
  private nonisolated(nonsending) func reached<Answer>(
    _ body: nonisolated(nonsending) () async throws(StreemFailure) -> Answer
  ) async throws(StreemFailure) -> Answer {
    do throws(StreemFailure) { return try await body() } catch { throw StreemFailure(.storeUnavailable) }
  }

  private func exchange(_ request: HTTPRequest) async throws(StreemFailure) -> HTTPResponse {
    let now = services.wallTime
    guard let token = request.bearerToken else {
      var failure = StreemFailure(.credentialsMissing)
      failure.message = "send an access token as Authorization: Bearer"
      throw failure
    }
    let known = try await reached { () async throws(StreemFailure) in try await grants.grant(of: token, at: now) }
    guard let grant = known else {
      var failure = StreemFailure(.credentialsMissing)
      failure.reason = OpenIDCode.invalidToken.rawValue
      failure.message = "the access token is unknown, expired, or revoked"
      failure.headers = [HTTPField("www-authenticate", #"Bearer realm="postern", error="invalid_token""#)]
      throw failure
    }
    do throws(GatewayError) {
      let wanted = try JSONObject.read(request.body, isOptional: true) { (body) throws(GatewayError) in
        try body.text("companyCode").map { Name($0) }
      }
      if let wanted, try await directory.company(wanted, at: now) == nil { throw .companyUnknown }
      guard let company = try await directory.company(grant.company, at: now), company.isActive,
        wanted == nil || wanted == company.code
      else { throw .companyForbidden }
      let known = try await directory.user(company: company.code, externalID: grant.user, at: now)
      let profile = OpenIDProfile(name: known?.name ?? grant.user.text, picture: known?.avatarURL)
      let issuer = try await keyring.issuer(for: company.code, at: now)
      let minted = issuer.mint(grant.user, issuedAt: now, name: profile.name, picture: profile.picture)
      let answer = JSONWriter.object(capacity: 768) { json in
        json.member("streemToken", minted.token)
        json.member("expiresAt", secondsOf: (now + settings.tokenLife).nanoseconds)
      }
      var response = HTTPResponse(status: 200, json: answer)
      response.headers.append(HTTPField("cache-control", "no-store"))
      return response
    } catch {
      throw StreemFailure(error)
    }
  }
}
