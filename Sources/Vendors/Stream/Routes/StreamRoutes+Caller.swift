internal import GatewayCore

// The sender of a request.

extension StreamRoutes {
  /// Returns the sender of `request`, if `access` allows such senders.
  func caller(of request: HTTPRequest, _ access: Access) async throws(StreamError) -> StreamCaller {
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

  /// Returns the token of `Authorization`. Stream sends it without a scheme; `Bearer` is accepted.
  static func authorization(_ request: HTTPRequest) -> String? {
    guard let value = request.header("authorization"), !value.isEmpty, value != "undefined" else { return nil }
    return request.bearerToken ?? value
  }

  /// Reads an anonymous user, with the calls of the call token if there is one.
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
    caller.record = user
    caller.kind = user.role == StreamRole.guest.name ? .guest : .user
  }

  /// Returns the user with that id, and creates them if necessary: every user in a valid token is a user of the
  /// application.
  func user(_ id: UserID, at now: WallTime) async throws(StreamError) -> StreamUser {
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
  /// Returns the kind of socket whose clients use that path.
  fileprivate init(pathOfResource path: String) {
    self = path.hasPrefix("/api/v2/") ? .v2 : path.hasPrefix("/video/") ? .video : .chat
  }
}

extension StreamToken {
  /// Throws if the token was revoked, or is unsigned where a signature is required.
  func checkRevocation(
    _ user: StreamUser?, _ app: StreamAppSettings, key: String
  ) throws(StreamError) {
    if isDevelopment && !app.disablesAuthChecks { throw .signatureInvalid(key: key) }
    for limit in [app.revokesTokensIssuedBefore, user?.revokesTokensIssuedBefore] {
      if let limit, Self.isIssued(issuedAt, before: limit) { throw .tokenRevoked }
    }
  }

  /// Returns whether a token with that issue date, or without one, was issued before `limit`: in whole seconds, as
  /// tokens are dated.
  static func isIssued(_ issuedAt: WallTime?, before limit: WallTime) -> Bool {
    issuedAt.map { $0 < startOfSecond(limit) } ?? true
  }

  /// Returns the last whole second that is not later.
  static func startOfSecond(_ time: WallTime) -> WallTime {
    let second: Int64 = 1_000_000_000
    let past = time.nanoseconds % second
    return time - .nanoseconds(past < 0 ? past + second : past)
  }
}
