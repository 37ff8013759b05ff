internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// The plain dialect's HTTP API: guests, calls, and the token provider at `POST /v1/tokens`. `Deploy/api/openapi.yaml`
/// describes it.
struct PlainRoutes: Sendable {
  let services: any GatewayServices
  let directory: PlainDirectory
  let authenticator: any Authenticator
  let issuer: any TokenIssuer
  let provider: TokenProvider
  let secrets: Secrets

  var routes: [HTTPRoute] {
    let group = RouteGroup(words: refusal)
    return [
      // Anybody may be a guest, as with the vendors, so any page may request one.
      group.route("POST", "/v1/guests") { request, _ throws(GatewayError) in try await makeGuest(request) }
        .givingTokens,
      group.route("POST", "/v1/tokens", pages: provider.pages) { request, _ throws(GatewayError) in
        try await makeToken(request)
      }.givingTokens,
      group.route("POST", "/v1/calls/{type}/{id}") { request, parameters throws(GatewayError) in
        try await getOrCreate(request, Self.call(parameters))
      },
      group.route("GET", "/v1/calls/{type}/{id}") { request, parameters throws(GatewayError) in
        try await get(request, Self.call(parameters))
      },
      group.route("POST", "/v1/calls/{type}/{id}/join") { request, parameters throws(GatewayError) in
        try await join(request, Self.call(parameters))
      },
      group.route("POST", "/v1/calls/{type}/{id}/events") { request, parameters throws(GatewayError) in
        try await publish(request, Self.call(parameters))
      },
    ]
  }

  func refusal(_ error: GatewayError) -> HTTPResponse {
    var response = PlainDialect().response(for: error)
    if response.status == 503 {
      response.headers.append(HTTPField("retry-after", String(provider.policy.retryAfter)))
    }
    return response
  }

  private static func call(_ parameters: PathParameters) throws(GatewayError) -> CallID {
    guard let call = CallID(cid: "\(parameters["type"]):\(parameters["id"])") else {
      throw .invalidParameter.detailed(
        "type and id of a call must be of letters, digits, _, - and !, \(CallID.lengthMax - 1) bytes together at most")
    }
    return call
  }
}
