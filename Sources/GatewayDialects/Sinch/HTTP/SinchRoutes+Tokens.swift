package import GatewayCore
internal import GatewayTokens

// The built-in token provider, in the place of an application's own server. Ours: the vendor has nothing like it.

extension SinchRoutes {
  func makeToken(_ request: HTTPRequest, _ parameters: PathParameters) async throws(GatewayError) -> HTTPResponse {
    try checkProviderSecret(request)
    let user = parameters["user"]
    guard SinchUserName.isCurrent(user) else { throw SinchRefusal.userIDInvalid.gatewayError }
    return try await mint(for: UserID(user), .regular, request, parameters)
  }

  /// A guest: a user made on the spot, who may connect and join calls.
  func makeGuest(_ request: HTTPRequest, _ parameters: PathParameters) async throws(GatewayError) -> HTTPResponse {
    try await mint(for: UserID("guest-" + SinchIdentifier.random()), .guest, request, parameters)
  }

  private func checkProviderSecret(_ request: HTTPRequest) throws(GatewayError) {
    guard let secret = provider.policy.secret else { return }
    guard ConstantTime.areEqual(Array(secret.token.utf8), Array((request.bearerToken ?? "").utf8)) else {
      throw .credentialsMissing.detailed("the token provider wants its secret as Authorization: Bearer")
    }
  }

  private func mint(
    for user: UserID, _ kind: UserKind, _ request: HTTPRequest, _ parameters: PathParameters
  ) async throws(GatewayError) -> HTTPResponse {
    guard let application = settings.applications[parameters["application"]] else {
      throw SinchRefusal.unknownApplication.gatewayError
    }
    let life = try Self.body(request, isOptional: true) { (body) throws(GatewayError) in
      try Self.life(body, provider.policy, at: services.wallTime)
    }
    let turn = try await provider.mint(TokenOrder(user: user, kind: kind, life: life, calls: nil))
    let issuer = SinchTokenIssuer(application: application.key, secret: application.secrets[0])
    let end = life == nil ? nil : turn.expiresAt
    let token = issuer.mint(user: user, kind: kind, issuedAt: turn.issuedAt, expiresAt: end, calls: nil)
    let answer = JSONWriter.object(capacity: 512) { json in
      json.member("userId", user.rawValue)
      json.member("jwt", token.token)
      json.member("instanceExpiresAt", secondsOf: end?.nanoseconds)
    }
    return HTTPResponse(status: kind == .guest ? 201 : 200, json: answer)
  }

  /// How long the registration is to last; nil for no end.
  private static func life(
    _ body: JSONObject, _ policy: TokenProviderPolicy, at now: WallTime
  ) throws(GatewayError) -> TokenLife? {
    let lasting = try body.number("instanceExpiresIn")
    let until = try body.number("instanceExpiresAt")
    let life: Duration
    switch (lasting, until) {
    case (nil, nil): return nil
    case (_?, _?): throw .invalidParameter.detailed("give instanceExpiresIn or instanceExpiresAt, not both")
    case (let seconds?, nil): life = .nanoseconds(WallTime(seconds: seconds).nanoseconds)
    case (nil, let seconds?): life = WallTime(seconds: seconds) - now
    }
    guard policy.lives.contains(life) else {
      let (least, most) = (policy.lives.lowerBound.inSeconds, policy.lives.upperBound.inSeconds)
      throw .invalidParameter.detailed("a registration lasts \(least) to \(most) s from now")
    }
    return .until(now + life)
  }
}

/// Takes a turn at the provider and signs nothing: the application whose secret signs is known to the route only.
package struct SinchTurnIssuer: TokenIssuer {
  package init() {}

  package func mint(
    user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?
  ) -> Credentials {
    Credentials(token: "")
  }
}
