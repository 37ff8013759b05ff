internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// Sinch's HTTP API. `Deploy/api/sinch-openapi.yaml` describes it.
struct SinchRoutes: Sendable {
  let registrar: SinchRegistrar
  let services: any GatewayServices
  let gate: SinchGate
  let errors: SinchErrorWords
  let limits: SinchLimits

  init(registrar: SinchRegistrar, services: any GatewayServices, limits: SinchLimits) {
    self.registrar = registrar
    self.services = services
    self.limits = limits
    gate = SinchGate(registrar: registrar)
    errors = SinchErrorWords(explains: registrar.settings.explains)
  }

  var settings: SinchSettings { registrar.settings }
  var directory: SinchDirectory { registrar.directory }

  var routes: [HTTPRoute] {
    let instances = "/sinch/v1/applications/{application}/users/{user}/instances"
    let group = RouteGroup { refusal($0, .current) }
    let mobile = RouteGroup { refusal($0, .mobile) }
    let web = RouteGroup { refusal($0, .web) }
    let current = [
      group.route("POST", instances, register), group.route("GET", instances, list),
      group.route("GET", instances + "/{instance}", show), group.route("DELETE", instances + "/{instance}", delete),
      group.route("POST", "/sinch/v1/applications/{application}/guests", makeGuest).givingTokens,
      group.route("PUT", "/ocra/v1/users/{user}/instances/{instance}/pushProfile", putPushProfile),
    ]
    guard settings.offersLegacy else { return current }
    return current + [
      mobile.route("POST", "/V2/Instance", registerMobile),
      web.route("GET", "/timestamp", timestamp),
      web.route("POST", "/instance", registerWeb),
      web.route("PUT", "/instances/id/{instance}/authorization", renewWeb),
      web.route("GET", "/configuration/user", configuration),
      web.route("GET", "/user/profile", profile),
      web.route("POST", "/users/username/{name}/authentication", authenticate),
      web.route("GET", "/time/0", networkTime),
      web.route("GET", "/subscribe/{subscribe_key}/{channels}/0/{time}", subscribe),
      web.route("GET", "/v2/presence/sub_key/{subscribe_key}/channel/{channels}/leave", leaveChannel),
    ]
  }

  /// The generation of SDKs that uses a path.
  enum Generation {
    case current, mobile, web
  }

  private func refusal(_ error: GatewayError, _ generation: Generation) -> HTTPResponse {
    var response = errors.response(error, isLegacyWeb: generation == .web)
    guard generation == .mobile else { return response }
    // The numbers that clients of that generation log.
    let numbers = SinchErrorWords.numbers(of: error)
    response.body = JSONWriter.object { json in
      json.member("errorCode", Int64(numbers.code))
      json.member("message", errors.message(error, numbers))
      json.member("Message", errors.message(error, numbers))
      if let reason = errors.reason(error) { json.member("reason", reason) }
    }
    return response
  }

  /// Runs `body`, and converts its refusals to gateway errors.
  nonisolated(nonsending) func asking<Answer>(
    _ body: nonisolated(nonsending) () async throws(SinchRefusal) -> Answer
  ) async throws(GatewayError) -> Answer {
    do throws(SinchRefusal) {
      return try await body()
    } catch {
      throw error.gatewayError
    }
  }

  /// Registers, unless the credentials were revoked.
  nonisolated(nonsending) func register(
    _ device: SinchDevice, _ proof: SinchProof, extending id: Name? = nil, at now: WallTime
  ) async throws(GatewayError) -> SinchRegistrar.Registered {
    try await registrar.register(
      device, proof, extending: id,
      unless: { [services] in
        await services.refusal(of: $0, shownTo: SinchDialect.name, isRefresh: id != nil)
      }, at: now)
  }

  /// Returns the authenticated instance; throws if its registration was revoked.
  nonisolated(nonsending) func caller(_ request: HTTPRequest, at now: WallTime) async throws(GatewayError)
    -> SinchInstance
  {
    let instance = try await asking { () async throws(SinchRefusal) in try await gate.instance(request, at: now) }
    if let refusal = await services.refusal(of: SinchRegistrar.token(of: instance)) { throw refusal }
    return instance
  }

  /// Returns the instance with that id if a registration may extend it: valid and not revoked. A client that was told
  /// that its instance is unknown has dropped its secret, and needs a new one.
  nonisolated(nonsending) func extensible(_ id: Name, at now: WallTime) async throws(GatewayError) -> SinchInstance? {
    guard let instance = try await known(id, at: now),
      await services.refusal(of: SinchRegistrar.token(of: instance)) == nil
    else { return nil }
    return instance
  }

  /// Returns the instance with that id, revoked or not.
  nonisolated(nonsending) func known(_ id: Name, at now: WallTime) async throws(GatewayError) -> SinchInstance? {
    try await asking { () async throws(SinchRefusal) in try await directory.instance(id, at: now) }
  }

  /// Returns the result of `read` for the body, which must be a JSON object, or may be absent if everything in it is
  /// optional.
  static func body<Content>(
    _ request: HTTPRequest, isOptional: Bool = false, _ read: (JSONObject) throws(GatewayError) -> Content
  ) throws(GatewayError) -> Content {
    try JSONObject.read(request.body, isOptional: isOptional, integersOfAnySize: true, read)
  }
}
