internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

// Guests, and the token provider.

extension PlainRoutes {
  func makeGuest(_ request: HTTPRequest) async throws(GatewayError) -> HTTPResponse {
    let wish = try JSONObject.read(request.body, isOptional: true) { (body) throws(GatewayError) in
      try body.string("name", bytes: 1...UserID.lengthMax)
    }
    let user = try await directory.makeGuest(wish: wish, at: services.wallTime)
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
    try provider.admit(request)
    let address = request.peer.isEmpty ? nil : AddressQuota.key(of: request.peer)
    let shown = provider.policy.rotation == nil ? nil : Self.refreshToken(request)
    var renewed: TokenOrder?
    if let shown { renewed = await provider.order(refreshing: shown) }
    do throws(TokenRefusal) {
      if !provider.policy.budgets.isEmpty {
        try await provider.spend(
          user: shown == nil ? Self.user(request) : renewed?.user.name, address: address,
          isRenewal: provider.policy.rotation.map { _ in shown != nil })
      }
      if shown != nil, renewed == nil { throw await provider.deny() }
    } catch {
      return error.response(refusal)
    }
    let (order, isOpaque) = try JSONObject.read(request.body) { [renewed] (body) throws(GatewayError) in
      var order = try TokenOrder(body, policy: provider.policy, now: services.wallTime, renewing: renewed)
      order.scheme = try scheme(body) ?? order.scheme
      order.address = address
      return (order, try Self.isOpaque(body, order))
    }
    var token: MintedToken
    do throws(TokenRefusal) {
      token = try await provider.mint(order)
    } catch {
      return error.response(refusal)
    }
    if isOpaque && !token.isAsItIs { token.credentials = try await storeOpaque(token, order) }
    let answer = JSONWriter.object(capacity: 512) { json in
      json.member("user_id", order.user.rawValue)
      json.member("token", token.credentials.token)
      json.member("expires_at", secondsOf: token.expiresAt?.nanoseconds)
      json.member("expires_in_s", secondsOf: token.expiresAt.map { ($0 - token.issuedAt).nanoseconds })
      if let refreshToken = token.refreshToken { json.member("refresh_token", refreshToken.token) }
    }
    var response = HTTPResponse(status: 200, json: answer)
    if let time = token.providerTime { response.headers.append(.date(time)) }
    return response
  }

  /// Returns the refresh token of a request; nil if it has none.
  private static func refreshToken(_ request: HTTPRequest) -> Credentials? {
    let text = try? JSONObject.read(request.body) { (body) throws(GatewayError) in
      try body.string("refresh_token", bytes: 0...Int.max)
    }
    return text.map { Credentials(token: $0) }
  }

  /// Returns the user that a request names, whether or not there can be such a user; nil if it names none.
  private static func user(_ request: HTTPRequest) -> Name? {
    let text = try? JSONObject.read(request.body) { (body) throws(GatewayError) in
      try body.string("user_id", bytes: 0...Int.max)
    }
    return text.map { Name($0) }
  }

  /// Returns the requested token scheme; nil for the gateway's own.
  private func scheme(_ body: JSONObject) throws(GatewayError) -> String? {
    guard let scheme = try body.string("scheme", bytes: 1...32), scheme != provider.schemes[0] else { return nil }
    guard provider.schemes.contains(scheme) else {
      throw .invalidParameter.detailed("scheme must be one of \(provider.schemes.joined(separator: ", "))")
    }
    return scheme
  }

  /// Returns whether the body requests an opaque access token instead of a JWT.
  private static func isOpaque(_ body: JSONObject, _ order: TokenOrder) throws(GatewayError) -> Bool {
    switch try body.string("format", bytes: 1...16) {
    case nil, "jwt": return false
    case "opaque":
      // The directory stores the user of an access token, but not the calls of a call token.
      guard order.scheme == nil else { throw .invalidParameter.detailed("format is of the plain scheme only") }
      guard order.kind != .anonymous else { throw .invalidParameter.detailed("a call token is a JWT") }
      return true
    default: throw .invalidParameter.detailed("format must be jwt or opaque")
    }
  }

  /// Stores an access token with the content of the issued JWT, under its hash.
  private func storeOpaque(_ token: MintedToken, _ order: TokenOrder) async throws(GatewayError) -> Credentials {
    let (opaque, hash) = AccessToken.mint(from: secrets)
    let record = AccessTokenRecord(
      user: order.user, kind: order.kind, issuedAt: token.issuedAt, expiresAt: token.expiresAt)
    try await directory.storeAccessToken(hash: hash, record)
    return Credentials(token: opaque)
  }
}
