internal import GatewayCore
internal import GatewayTokens

// Guests, and the token provider.

extension PlainRoutes {
  func makeGuest(_ request: HTTPRequest) async throws(GatewayError) -> HTTPResponse {
    let wish = try Self.body(request, isOptional: true) { (body) throws(GatewayError) in
      try body.string("name", bytes: 1...UserID.lengthMax)
    }
    let user = try await directory.makeGuest(wish: wish)
    let life = provider.policy.guestLife
    let order = TokenOrder(user: user, kind: .guest, life: .lasting(life), calls: nil)
    let token = issuer.mint(order, at: services.wallTime, defaultLife: nil)
    let answer = JSONWriter.object(capacity: 512) { json in
      json.member("user_id", user.rawValue)
      json.member("token", token.credentials.token)
      json.member("expires_in_s", secondsOf: life.nanoseconds)
    }
    return HTTPResponse(status: 201, json: answer)
  }

  func makeToken(_ request: HTTPRequest) async throws(GatewayError) -> HTTPResponse {
    if let secret = provider.policy.secret {
      let presented = Array((request.bearerToken ?? "").utf8)
      guard ConstantTime.areEqual(Array(secret.token.utf8), presented) else {
        throw .credentialsMissing.detailed("the token provider wants its secret as Authorization: Bearer")
      }
    }
    let order = try Self.body(request) { (body) throws(GatewayError) in
      try TokenOrder(body, policy: provider.policy, now: services.wallTime)
    }
    let token = try await provider.mint(order)
    let answer = JSONWriter.object(capacity: 512) { json in
      json.member("user_id", order.user.rawValue)
      json.member("token", token.credentials.token)
      json.member("expires_at", secondsOf: token.expiresAt?.nanoseconds)
      json.member("expires_in_s", secondsOf: token.expiresAt.map { ($0 - token.issuedAt).nanoseconds })
    }
    return HTTPResponse(status: 200, json: answer)
  }
}
