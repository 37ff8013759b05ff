import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayRuntime

/// The site of the storm's issuer: its discovery document, its keys, and its answers about opaque tokens.
struct IssuerSite: Site {
  let issuer: StormIssuer

  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission {
    .refuse(Self.text(404, "there are no sockets here\n"))
  }

  func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    let methods = isQuestion(request) ? ["POST"] : ["GET", "HEAD"]
    guard methods.contains(request.method) else {
      let allowed = methods.joined(separator: ", ")
      var response = Self.text(405, "use \(allowed)\n")
      response.headers.append(HTTPField("allow", allowed))
      return response
    }
    // A request counts and is judged when it comes, and is answered later.
    guard let response = answer(request, at: loop.wallTime) else {
      return Self.text(404, "there is nothing here but \(IssuerRules.keysPath) and the discovery document\n")
    }
    if issuer.rules.latency > .zero { await loop.sleep(until: loop.now + issuer.rules.latency) }
    return response
  }

  /// Returns whether a request asks about an opaque token.
  private func isQuestion(_ request: HTTPRequest) -> Bool {
    issuer.rules.introspects && request.path == IssuerRules.introspectionPath
  }

  private func answer(_ request: HTTPRequest, at now: WallTime) -> HTTPResponse? {
    if request.path == IssuerRules.keysPath { return keys(request, at: now) }
    if isQuestion(request) { return introspection(request, at: now) }
    guard IssuerRules.discoveryPaths.contains(request.path) else { return nil }
    issuer.discovered()
    return json(document, [])
  }

  private func keys(_ request: HTTPRequest, at now: WallTime) -> HTTPResponse {
    switch issuer.answer(known: request.header("if-none-match"), at: now) {
    case .keys(let set, let tag): return json(set, [HTTPField("etag", tag)])
    case .unchanged(let tag):
      return HTTPResponse(status: 304, headers: [HTTPField("etag", tag)] + freshness)
    case .limited(let advice):
      var response = Self.text(429, "the keys were asked for too often\n")
      switch advice {
      case .after(let wait): response.headers.append(.retryAfter(wait))
      case .usual, .at, .none: break
      }
      return response
    }
  }

  private func introspection(_ request: HTTPRequest, at now: WallTime) -> HTTPResponse {
    guard let form = String(validating: request.body, as: UTF8.self),
      let token = QueryString.parameters(of: form[...])?.first(where: { $0.name == "token" })?.value
    else { return Self.text(400, "the body must be a form with a token\n") }
    return HTTPResponse(
      status: 200,
      headers: [HTTPField("content-type", "application/json"), HTTPField("cache-control", "no-store")],
      body: issuer.introspect(token, at: now))
  }

  private var freshness: [HTTPField] {
    [HTTPField("cache-control", "public, max-age=\(Int64(issuer.rules.maxAge.inSeconds))")]
  }

  /// The discovery document (OpenID Connect Discovery 1.0 section 3), as far as an issuer without logins has one.
  private var document: [UInt8] {
    JSONWriter.object(capacity: 256) { json in
      json.member("issuer", issuer.rules.issuer)
      json.member("jwks_uri", issuer.rules.address + IssuerRules.keysPath)
      if issuer.rules.introspects {
        json.member("introspection_endpoint", issuer.rules.address + IssuerRules.introspectionPath)
      }
      for (name, value) in [
        ("response_types_supported", "id_token"), ("subject_types_supported", "public"),
        ("id_token_signing_alg_values_supported", "ES256"),
      ] {
        json.name(name)
        json.beginArray()
        json.string(value)
        json.endArray()
      }
    }
  }

  private func json(_ body: [UInt8], _ fields: [HTTPField]) -> HTTPResponse {
    HTTPResponse(
      status: 200, headers: [HTTPField("content-type", "application/json")] + fields + freshness, body: body)
  }

  private static func text(_ status: Int, _ text: String) -> HTTPResponse {
    HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", text: text)
  }
}
