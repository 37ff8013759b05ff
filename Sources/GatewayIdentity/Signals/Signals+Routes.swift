package import GatewayCore
internal import GatewayJSON
internal import GatewayRuntime
internal import GatewayTokens
internal import Synchronization

// The resources on the gateway's own port.

extension Signals {
  /// The resources, none unless something is configured. Only on the first loop.
  package var routes: [HTTPRoute] {
    var routes: [HTTPRoute] = []
    if let login = settings.login, login.takesLogouts || login.mayChange {
      routes.append(
        route(Self.logoutPath, .logout) { request throws(SignalRefusal) in
          try await self.logOut(request, at: login)
        })
    }
    if let transmitter = settings.transmitter {
      routes.append(
        route(Self.eventsPath, .other, isEvent: true) { request throws(SignalRefusal) in
          try await self.takeEvents(request, of: transmitter)
        })
    }
    if settings.takesRevocations {
      routes.append(
        route("/identity/revoke", .revocation) { request throws(SignalRefusal) in
          try await self.revoke(request)
        })
    }
    return routes
  }

  static let logoutPath = "/identity/logout"
  static let eventsPath = "/identity/events"

  private typealias Handler =
    nonisolated(nonsending) @Sendable (HTTPRequest) async throws(SignalRefusal) -> HTTPResponse

  /// The longest body of a request, in bytes.
  private static let bodyBytesMax = 64 << 10
  /// How old a logout token may be, which its sender makes when it sends it.
  private static let logoutAgeMax = Duration.seconds(300)
  /// The maximum number of events of one token.
  private static let eventsMax = 8

  private func route(
    _ path: String, _ kind: SignalKind, isEvent: Bool = false, _ handler: @escaping Handler
  ) -> HTTPRoute {
    // Without a capture list: a closure that has one leaves its caller's executor.
    HTTPRoute("POST", path) { request, _ in
      do throws(SignalRefusal) {
        try self.checkRate(of: request)
        guard request.body.count <= Self.bodyBytesMax else {
          throw SignalRefusal(.invalidRequest, "the body is longer than \(Self.bodyBytesMax) bytes", status: 413)
        }
        return try await handler(request)
      } catch {
        self.noteRefused(kind, in: request, error)
        return error.response(isEvent: isEvent)
      }
    }
  }

  // MARK: Logout tokens

  /// Back-Channel Logout 1.0, sections 2.5 to 2.8.
  private nonisolated(nonsending) func logOut(
    _ request: HTTPRequest, at logins: LoginIssuers
  ) async throws(SignalRefusal) -> HTTPResponse {
    let token = try Self.parameter("logout_token", of: request)
    // One that names no issuer is held to the first, which says what it lacks.
    let accepting = logins.issuers.filter { !$0.settings.logoutAudiences.isEmpty }
    let named = logins.issuer(of: token)
    guard let login = accepting.first(where: { $0 === named }) ?? accepting.first else {
      throw SignalRefusal(.invalidRequest, "logout tokens of no login are accepted", status: 404)
    }
    let claims = try await claims(of: token, .logout(for: login.settings.logoutAudiences), by: login)
    guard let event = claims["events"]?[member: SignalKind.logoutEvent], event.isObject else {
      throw SignalRefusal(.invalidRequest, "events has no logout: this is no logout token")
    }
    guard claims["nonce"] == nil else { throw SignalRefusal(.invalidRequest, "a nonce: this is no logout token") }
    let (issuedAt, id) = try Self.dated(claims)
    guard issuedAt + Self.logoutAgeMax + login.settings.policy.leeway >= gateway.wallTime else {
      throw SignalRefusal(.invalidRequest, "iat is more than 5 minutes ago")
    }
    var subject = SignalSubject()
    if let sub = claims["sub"] {
      guard let text = sub.string else { throw SignalRefusal(.invalidRequest, "sub must be a string") }
      if login.settings.namesUsersBySub { subject.user = try SignalSubject.user(text, of: login) }
    }
    if let sid = claims["sid"] {
      guard let text = sid.string, SignalSubject.isName(text) else {
        throw SignalRefusal(.invalidRequest, "sid must be a string of 1 to 1024 bytes")
      }
      subject.session = LoginSession(text, at: login.settings.issuer)
    }
    guard let target = target(subject, at: login, before: issuedAt) else {
      throw SignalRefusal(.invalidRequest, "neither sid nor sub, or sub is no user's name here")
    }
    let answer = HTTPResponse(status: 200, headers: [HTTPField("cache-control", "no-store")])
    guard !postpones(token, .logout, about: subject.user, in: request) else { return answer }
    guard !isSeen(id, of: login) else {
      counts.count(.logout, .replayed)
      return answer
    }
    let sessions = try await order(.logout, target)
    markSeen(id, of: login)
    keepCopy(of: token, .logout, about: subject.user, in: request)
    noteTaken(.logout, of: login.settings.name, target, about: subject.user, sessions: sessions, in: request)
    return answer
  }

  // MARK: Security events

  /// Push delivery, RFC 8935 section 2.
  private nonisolated(nonsending) func takeEvents(
    _ request: HTTPRequest, of transmitter: SignalSettings.Transmitter
  ) async throws(SignalRefusal) -> HTTPResponse {
    if let secret = secret.withLock({ $0 }) {
      guard let shown = request.bearerToken, ConstantTime.areEqual(Array(secret.utf8), Array(shown.utf8)) else {
        throw SignalRefusal(.authenticationFailed, "the bearer secret is missing or wrong", status: 401)
      }
    }
    guard Self.mediaType(of: request) == "application/secevent+jwt" else {
      throw SignalRefusal(.invalidRequest, "the content-type must be application/secevent+jwt")
    }
    guard let token = String(validating: request.body, as: UTF8.self) else {
      throw SignalRefusal(.invalidRequest, "the body is no token")
    }
    let issuer = transmitter.issuer
    let claims = try await claims(of: token, .event(for: transmitter.audiences), by: issuer)
    guard let events = claims["events"]?.members, (1...Self.eventsMax).contains(events.count) else {
      throw SignalRefusal(.invalidRequest, "events must have 1 to \(Self.eventsMax) events")
    }
    let (issuedAt, id) = try Self.dated(claims)
    let isReplayed = isSeen(id, of: issuer)
    for (name, event) in events {
      let kind = SignalKind(event: name)
      if isReplayed {
        counts.count(kind, .replayed)
      } else {
        try await take(kind, event, claims, issuedAt, of: transmitter, in: request)
      }
    }
    if !isReplayed {
      let user = claims["sub_id"].flatMap { named in
        (try? SignalSubject(named, by: issuer, logins: settings.login?.issuers ?? []))?.user
      }
      keepCopy(of: token, .event, about: user, in: request)
    }
    markSeen(id, of: issuer)
    return HTTPResponse(status: 202)
  }

  private nonisolated(nonsending) func take(
    _ kind: SignalKind, _ event: JSONView, _ claims: JWTClaims, _ issuedAt: WallTime,
    of transmitter: SignalSettings.Transmitter, in request: HTTPRequest
  ) async throws(SignalRefusal) {
    guard event.isObject else { throw SignalRefusal(.invalidRequest, "an event must be an object") }
    let issuer = transmitter.issuer.settings
    switch kind {
    case .verification: return noteTaken(kind, of: issuer.name, nil, sessions: 0, in: request)
    case .other, .logout, .revocation: return counts.count(kind, .ignored)
    case .sessionRevoked, .credentialChange, .tokenClaimsChange: break
    }
    // Transmitters of the drafts before 1.0 have the subject in the event.
    guard let named = claims["sub_id"] ?? event["subject"] else {
      throw SignalRefusal(.invalidRequest, "sub_id is missing")
    }
    let subject = try SignalSubject(named, by: transmitter.issuer, logins: settings.login?.issuers ?? [])
    // No event is later than the statement about it.
    let eventAt = event["event_timestamp"].flatMap { NumericDate.read($0) }
    guard let target = target(subject, at: subject.login, before: min(eventAt ?? issuedAt, issuedAt)) else {
      return counts.count(kind, .ignored)
    }
    let sessions = try await order(kind, target)
    noteTaken(
      kind, of: issuer.name, target, about: subject.user, sessions: sessions, isWidened: subject.isWidened, in: request)
  }

  // MARK: Revocation of one token

  /// RFC 7009 section 2. Whoever has a token may revoke it.
  private nonisolated(nonsending) func revoke(_ request: HTTPRequest) async throws(SignalRefusal) -> HTTPResponse {
    let token = try Self.parameter("token", of: request)
    let answer = HTTPResponse(status: 200, headers: [HTTPField("cache-control", "no-store")])
    if settings.takesOpaqueTokens, !AccessToken.isOne(token), !JWTForm.isOne(token) { throw Self.notOurs }
    let judged = gateway.bindings[0].authenticator.judge(Credentials(token: token), at: gateway.wallTime)
    switch await judged.verdict {
    case .success(let verified):
      if let login = settings.login, login.verifier.isOfFetchedKey(token, at: gateway.wallTime) {
        throw Self.notOurs
      }
      let target = Revocations.Target.token(verified.fingerprint, expiresAt: verified.expiresAt)
      let sessions = try await revocation(target)
      noteTaken(.revocation, of: request.peer, target, sessions: sessions, in: request)
    case .failure(let error):
      if error.isUnjudged { throw SignalRefusal(unavailable: error) }
      counts.count(.revocation, .ignored)
    }
    return answer
  }

  private static let notOurs = SignalRefusal(
    .unsupportedTokenType, "the token is of the application's login; revoke it there")

  private nonisolated(nonsending) func revocation(_ target: Revocations.Target) async throws(SignalRefusal) -> Int {
    do throws(GatewayError) {
      return try await gateway.revoke(target)
    } catch {
      throw SignalRefusal(unavailable: error)
    }
  }

  // MARK: Parts

  private nonisolated(nonsending) func order(
    _ kind: SignalKind, _ target: Revocations.Target
  ) async throws(SignalRefusal) -> Int {
    do throws(GatewayError) {
      return try await carryOut(kind, target).sessions
    } catch {
      throw SignalRefusal(unavailable: error)
    }
  }

  private func isSeen(_ id: String, of issuer: FetchedIssuer) -> Bool {
    seen.withLock { $0.contains(id, of: issuer.settings.issuer) }
  }

  private func markSeen(_ id: String, of issuer: FetchedIssuer) {
    seen.withLock { $0.insert(id, of: issuer.settings.issuer) }
  }

  /// Returns `iat` and `jti`, both of which a statement must have.
  private static func dated(_ claims: JWTClaims) throws(SignalRefusal) -> (WallTime, String) {
    guard let issuedAt = claims.issuedAt else { throw SignalRefusal(.claimMissing("iat")) }
    guard let id = claims["jti"]?.string, !id.isEmpty else { throw SignalRefusal(.claimMissing("jti")) }
    return (issuedAt, id)
  }

  private static func mediaType(of request: HTTPRequest) -> String? {
    request.header("content-type")?.prefix { $0 != ";" && $0 != " " }.lowercased()
  }

  /// Returns the one value of a form's parameter.
  private static func parameter(_ name: Name, of request: HTTPRequest) throws(SignalRefusal) -> String {
    guard mediaType(of: request) == "application/x-www-form-urlencoded" else {
      throw SignalRefusal(.invalidRequest, "the content-type must be application/x-www-form-urlencoded")
    }
    guard let text = String(validating: request.body, as: UTF8.self),
      let fields = QueryString.parameters(of: Substring(text))
    else { throw SignalRefusal(.invalidRequest, "the form is not UTF-8") }
    let values = fields.filter { Name($0.name) == name }
    guard values.count == 1, !values[0].value.isEmpty else {
      throw SignalRefusal(.invalidRequest, "\(name) must be there once")
    }
    return values[0].value
  }
}
