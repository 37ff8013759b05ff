package import GatewayCore

// Who sends a request.

extension StreamRoutes {
  /// The sender of `request`, if those are among whom `access` lets ask.
  package func caller(of request: HTTPRequest, _ access: Access) async throws(StreamError) -> StreamCaller {
    let key = request.parameter("api_key")
    let application = try settings.applications.application(key)
    guard let key else { throw .accessKey("api_key not provided") }
    let client = request.header("x-stream-client") ?? request.parameter("X-Stream-Client")
    var caller = StreamCaller(
      apiKey: key, kind: .anonymous, user: .anonymous, platform: StreamPlatform(client: client, isServer: false))
    if access == .open { return caller }
    switch request.header("stream-auth-type") ?? request.parameter("stream-auth-type") {
    case "anonymous":
      try await readAnonymous(request, application, into: &caller)
    case "jwt":
      guard let text = Self.authorization(request) else {
        throw .authenticationMissing("JWTAuth error: token is missing; send it as Authorization")
      }
      try await read(text, application, for: StreamDialect.Kind(pathOfResource: request.path), into: &caller)
    default:
      throw .authenticationMissing("stream-auth-type missing or invalid")
    }
    switch (access, caller.kind) {
    case (.server, .user), (.server, .guest), (.server, .anonymous):
      throw .notAllowed("only a server may do this")
    case (.user, .anonymous):
      throw .notAllowed("anonymous users may not do this")
    default:
      break
    }
    caller.connection = await connection(request, caller)
    return caller
  }

  /// The token of `Authorization`: Stream sends it bare; a `Bearer` before it is forgiven.
  static func authorization(_ request: HTTPRequest) -> String? {
    guard let value = request.header("authorization"), !value.isEmpty, value != "undefined" else { return nil }
    return request.bearerToken ?? value
  }

  /// An anonymous user: nobody, with the calls of the call token if there is one.
  private func readAnonymous(
    _ request: HTTPRequest, _ application: StreamApplication, into caller: inout StreamCaller
  ) async throws(StreamError) {
    guard let text = Self.authorization(request) else {
      caller.calls = []
      return
    }
    try await read(text, application, for: StreamDialect.Kind(pathOfResource: request.path), into: &caller)
    guard caller.kind == .anonymous else {
      throw .authentication("stream-auth-type anonymous does not go with a token of a user")
    }
  }

  private func read(
    _ text: String, _ application: StreamApplication, for dialect: StreamDialect.Kind, into caller: inout StreamCaller
  ) async throws(StreamError) {
    let now = services.wallTime
    let token = try StreamToken(text, of: application, key: caller.apiKey, at: now, leeway: settings.leeway)
    caller.calls = token.calls
    caller.role = token.role
    guard let id = token.user else {
      if token.isDevelopment { throw .signatureInvalid(key: caller.apiKey) }
      caller.kind = .server
      caller.user = nil
      caller.platform = .server
      return
    }
    caller.user = id
    let (known, app) = try await lookUp(id)
    try token.checkRevocation(known, app, key: caller.apiKey)
    let verified = VerifiedToken(
      user: id, kind: .regular, fingerprint: token.fingerprint, issuedAt: token.issuedAt,
      expiresAt: token.expiresAt, calls: token.calls)
    let shown = await services.refusal(of: verified, shownTo: dialect.rawValue, isRefresh: false)
    if let shown { throw StreamError(shown) }
    if id == .anonymous {
      caller.kind = .anonymous
      if caller.calls == nil { caller.calls = [] }
      return
    }
    let user = if let known { known } else { try await user(id, at: now) }
    do throws(GatewayError) {
      try user.checkStanding()
      caller.isBanned = try await directory.withoutPastBans([user], at: now)[0].isBanned
    } catch {
      throw StreamError(error)
    }
    caller.kind = user.role == StreamRole.guest.name ? .guest : .user
  }

  /// The user of that name, made now if need be: whom the application's token names is one of its users.
  package func user(_ id: UserID, at now: WallTime) async throws(StreamError) -> StreamUser {
    try await update(id, creates: true, at: now) { _, _ in }
  }

  private func connection(_ request: HTTPRequest, _ caller: StreamCaller) async -> ConnectionID? {
    guard let user = caller.user, caller.kind != .anonymous, let text = request.parameter("connection_id"),
      let connection = StreamConnectionID.read(text), await services.user(of: connection) == user
    else { return nil }
    return connection
  }
}

extension StreamDialect.Kind {
  /// The kind of the sockets whose clients ask for resources of that path.
  fileprivate init(pathOfResource path: String) {
    self = path.hasPrefix("/api/v2/") ? .v2 : path.hasPrefix("/video/") ? .video : .chat
  }
}

extension StreamToken {
  /// Throws if a revocation takes in the token, or nobody signed it where somebody must have.
  package func checkRevocation(
    _ user: StreamUser?, _ app: StreamAppSettings, key: String
  ) throws(StreamError) {
    if isDevelopment && !app.disablesAuthChecks { throw .signatureInvalid(key: key) }
    for limit in [app.revokesTokensIssuedBefore, user?.revokesTokensIssuedBefore] {
      if let limit, Self.isIssued(issuedAt, before: limit) { throw .tokenRevoked }
    }
  }

  /// Whether a token of that issue date, or without one, was issued before `limit`: in whole seconds, as tokens are dated.
  static func isIssued(_ issuedAt: WallTime?, before limit: WallTime) -> Bool {
    issuedAt.map { $0 < startOfSecond(limit) } ?? true
  }

  /// The last whole second that is not later.
  static func startOfSecond(_ time: WallTime) -> WallTime {
    let second: Int64 = 1_000_000_000
    let past = time.nanoseconds % second
    return time - .nanoseconds(past < 0 ? past + second : past)
  }
}
