internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// The platform's routes on the control port, by which an operator creates companies, issues API keys and revokes them.
/// `Deploy/api/control.yaml` describes them.
struct StreemControlRoutes: Sendable {
  let services: any GatewayServices
  let directory: StreemDirectory
  let settings: StreemSettings
  let secrets: Secrets

  private static let nameBytesMax = 200

  var routes: [HTTPRoute] {
    // Errors have the control API's own format, not the dialect's.
    let group = RouteGroup { (error: GatewayError) in
      var answer = HTTPResponse(status: error.httpStatus, json: JSONWriter.object { $0.member("error", error) })
      if answer.status == 503 { answer.headers.append(.retryAfter(.seconds(5))) }
      return answer
    }
    return [
      group.route("POST", "/streem/companies") { request, _ throws(GatewayError) in try await putCompany(request) },
      group.route("POST", "/streem/api-keys") { request, _ throws(GatewayError) in try await makeKey(request) },
      group.route("GET", "/streem/api-keys") { _, _ throws(GatewayError) in try await listKeys() },
      group.route("POST", "/streem/api-keys/{id}/revoke") { request, parameters throws(GatewayError) in
        try refuseStrangers(in: request, known: [])
        return try await revokeKey(Name(parameters["id"]))
      },
    ]
  }

  /// Throws if the request has a member that is not in `known`, with its name.
  private func refuseStrangers(in request: HTTPRequest, known: [Name]) throws(GatewayError) {
    guard !request.body.isEmpty, let document = try? JSONDocument.parse(request.body) else { return }
    guard let stranger = document.root.members?.first(where: { !known.contains(Name($0.name)) }) else { return }
    let choice = known.isEmpty ? "there is none" : "there is \(known.map(\.text).joined(separator: ", "))"
    throw .invalidParameter.detailed("no member is called '\(stranger.name.prefix(64))'; \(choice)")
  }

  private func putCompany(_ request: HTTPRequest) async throws(GatewayError) -> HTTPResponse {
    try refuseStrangers(in: request, known: ["code", "name", "logo_url", "active"])
    let order = try JSONObject.read(request.body) { (body) throws(GatewayError) in
      (
        code: try body.text("code") ?? "", name: try body.text("name"), logo: try body.text("logo_url"),
        isActive: try body.truth("active")
      )
    }
    guard StreemCompany.isCode(order.code) else {
      throw .invalidParameter.detailed(
        "code must be 1 to \(StreemCompany.codeLengthMax) small letters, digits and -, not - first")
    }
    guard order.name?.utf8.count ?? 0 <= Self.nameBytesMax else {
      throw .invalidParameter.detailed("name must be 1 to \(Self.nameBytesMax) bytes")
    }
    let code = Name(order.code)
    let fresh = StreemCompany(code: code, sid: StreemID.make("co", from: secrets), name: order.name ?? order.code)
    var company = fresh
    let known = try await directory.changeCompany(code, at: services.wallTime) { known in
      company = known ?? fresh
      company.name = order.name ?? company.name
      company.logoURL = order.logo ?? company.logoURL
      company.isActive = order.isActive ?? company.isActive
      return company
    }
    let answer = JSONWriter.object { $0.member("company", company) }
    return HTTPResponse(status: known == nil ? 201 : 200, json: answer)
  }

  /// Creates a key. Only this answer contains the secret.
  private func makeKey(_ request: HTTPRequest) async throws(GatewayError) -> HTTPResponse {
    try refuseStrangers(in: request, known: ["company_code"])
    let company = try JSONObject.read(request.body, isOptional: true) { (body) throws(GatewayError) in
      try body.text("company_code").map { Name($0) } ?? settings.homeCompany.code
    }
    let (key, secret, hash) = StreemSecret.make()
    let record = StreemAPIKey(
      id: Name(StreemID.make("api", from: secrets)), publicKey: key.jwk, company: company, secretHash: hash,
      createdAt: services.wallTime)
    try await directory.addAPIKey(record, at: services.wallTime)
    let answer = JSONWriter.object(capacity: 768) { json in
      json.member("id", record.id.text)
      json.member("secret", secret)
      json.member("company_code", company.text)
      json.member("environment", settings.environment)
      json.member("thumbprint", key.thumbprint)
    }
    var response = HTTPResponse(status: 201, json: answer)
    response.headers.append(HTTPField("cache-control", "no-store"))
    return response
  }

  private func listKeys() async throws(GatewayError) -> HTTPResponse {
    let keys = try await directory.apiKeys(at: services.wallTime)
    let answer = JSONWriter.object(capacity: 256 * keys.count + 32) { json in
      json.member("api_keys", objects: keys) { key, json in
        json.member("id", key.id.text)
        json.member("company_code", key.company.text)
        json.member("thumbprint", orNull: (try? P256PublicKey(jwk: key.publicKey))?.thumbprint)
        json.member("revoked", key.isRevoked)
        json.member("created_at", secondsOf: key.createdAt.nanoseconds)
      }
    }
    return HTTPResponse(status: 200, json: answer)
  }

  /// Revokes a key. Its sessions are asked for another token, or closed, as configured.
  private func revokeKey(_ id: Name) async throws(GatewayError) -> HTTPResponse {
    _ = try await directory.revokeAPIKey(id, at: services.wallTime)
    let sessions = await services.control(
      SessionFilter(dialects: [StreemDialect.name], issuer: id), .revoked)
    return HTTPResponse(status: 200, json: JSONWriter.object { $0.member("sessions", Int64(sessions)) })
  }
}
