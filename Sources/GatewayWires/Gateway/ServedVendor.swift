package import GatewayCore
package import GatewayKit
internal import GatewayTokens

/// A described wire played by a gateway: its sockets, and the request before the upgrade. Its tokens are the gateway's
/// own.
package struct ServedVendor: Vendor {
  package let bindings: [DialectBinding]
  let served: ServedWire
  let dialect: ServedDialect
  let authenticator: any Authenticator
  let services: any GatewayServices
  let secrets: Secrets
  /// The signer of tokens that the gateway gives by itself.
  let issuer: any TokenIssuer

  package init(_ settings: ServedSettings, on ground: Ground) throws {
    let wire = settings.wire
    served = try ServedWire(wire)
    dialect = ServedDialect(served, secrets: settings.secrets)
    services = ground.services
    secrets = ground.secrets
    issuer = ground.issuer
    authenticator = settings.authenticator(ground)
    let judge = Self.judge(of: served, authenticator)
    let liveness = wire.serving.pingInterval.map { Liveness.ping(after: $0, timeout: $0) }
    bindings = [
      DialectBinding(dialect, judge, session: try Self.session(of: served, on: ground.session), liveness: liveness)
    ]
    if served.pushed != nil { dialect.links.set(Self.push(issuer, ground)) }
  }

  /// Returns the judge of its tokens, by how clients renew and whether ends are enforced.
  private static func judge(of served: ServedWire, _ inner: any Authenticator) -> any Authenticator {
    let habit = served.wire.habits.refresh
    guard served.wire.renewing.endsAreEnforced, habit.how != .none else { return LastingAuthenticator(inner: inner) }
    if served.asksClients { return inner }
    let strict = StrictAuthenticator(inner: inner)
    return served.pushed == nil ? strict : PushingAuthenticator(inner: strict, lead: habit.lead ?? usualPushLead)
  }

  /// Returns the times of its sessions; nil for the gateway's own. A client that renews by a timer is closed if it has
  /// not renewed within the grace period; one that reconnects with a new token is closed as soon as its token expires.
  private static func session(of served: ServedWire, on usual: SessionPolicy) throws -> SessionPolicy? {
    let wire = served.wire
    let serving = wire.serving
    let isUsual = served.asksClients
    guard !isUsual || serving.endsAtRefusedRenewal || serving.loginTimeout != nil else { return nil }
    var policy = try times(of: wire, isUsual: isUsual, usual)
    if served.pushed != nil { policy = policy.countingTimeoutFromExpiry }
    if serving.end == .stay { return policy.keepingSocketAtEnd }
    return serving.endsAtRefusedRenewal ? policy.endingAtRefusedRefresh : policy
  }

  private static func times(
    of wire: WireDescription, isUsual: Bool, _ usual: SessionPolicy
  ) throws -> SessionPolicy {
    let habit = wire.habits.refresh
    let loginTimeout = wire.serving.loginTimeout ?? usual.loginTimeout
    guard !isUsual else {
      return try SessionPolicy(
        loginTimeout: loginTimeout, refreshTimeout: usual.refreshTimeout, refreshLead: usual.refreshLead,
        refreshSpread: usual.refreshSpread, refusalLinger: usual.refusalLinger, closeTimeout: usual.closeTimeout,
        refusedRefreshesMax: usual.refusedRefreshesMax, malformedMax: usual.malformedMax,
        revocation: usual.revocation, anyRefreshTimeout: true)
    }
    return try SessionPolicy(
      loginTimeout: loginTimeout,
      refreshTimeout: [.timer, .http, .pushed].contains(habit.how) ? habit.grace : .zero,
      revocation: usual.revocation, anyRefreshTimeout: true)
  }

  package func renewal(by settings: any VendorSettings) throws -> KeyRenewal {
    guard let fresh = settings as? ServedSettings else { return {} }
    return { [dialect] in dialect.takeSecrets(fresh.secrets) }
  }

  package var namesItsRoutes: Bool { true }

  package func routes(with provider: TokenProvider) -> [HTTPRoute] {
    var routes: [HTTPRoute] = []
    if let before = served.wire.before, let path = before.servedPath {
      routes.append(HTTPRoute(before.method, path) { request, _ in await answer(request) }.givingTokens)
    }
    if let renewal = served.wire.renewing.request, let path = renewal.servedPath {
      routes.append(HTTPRoute(renewal.method, path) { request, _ in await renew(by: request, renewal) }.givingTokens)
    }
    return routes
  }

  /// Returns the answer to the request before the upgrade.
  private nonisolated(nonsending) func answer(_ request: HTTPRequest) async -> HTTPResponse {
    guard let before = served.wire.before else { return dialect.response(for: .notFound) }
    let now = services.wallTime
    if before.showsToken {
      let token = before.bindings(of: request).token ?? ""
      if case .failure(let error) = await authenticator.judge(Credentials(token: token), at: now).verdict {
        return dialect.response(for: error)
      }
    }
    return HTTPResponse(status: 200, json: before.answer(naming: Base64URL.encode(secrets.bytes(12)), at: now))
  }
}

/// The settings for playing a description: the description, its secrets, and the keys of its clients' tokens.
package struct ServedSettings: VendorSettings {
  package var wire: WireDescription
  /// The values for `{{secret.NAME}}`.
  package var secrets: [String: String]
  package var authenticator: @Sendable (Ground) -> any Authenticator

  /// Creates settings. Throws a ``DescriptionError`` if the description lacks something that a gateway must send.
  package init(
    _ wire: WireDescription, secrets: [String: String] = [:],
    authenticator: @escaping @Sendable (Ground) -> any Authenticator
  ) throws(DescriptionError) {
    _ = try ServedWire(wire)
    self.wire = wire
    self.secrets = secrets
    self.authenticator = authenticator
  }

  package func vendor(on ground: Ground) throws -> ServedVendor { try ServedVendor(self, on: ground) }
}

/// An authenticator of a wire without refresh requests. It refuses expired tokens even within the clock tolerance,
/// since their users would be closed a moment later.
struct StrictAuthenticator: Authenticator {
  let inner: any Authenticator

  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    switch inner.judge(credentials, of: bearer, at: now) {
    case .decided(let verdict): .decided(Self.strict(verdict, at: now))
    case .pending(let question): .pending { Self.strict(await question(), at: now) }
    }
  }

  private static func strict(_ verdict: Verdict, at now: WallTime) -> Verdict {
    verdict.flatMap { token in
      token.expiresAt.map { $0 <= now } ?? false ? .failure(.tokenExpired) : .success(token)
    }
  }
}

/// An authenticator of a wire whose sessions outlive their tokens.
struct LastingAuthenticator: Authenticator {
  let inner: any Authenticator

  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    switch inner.judge(credentials, of: bearer, at: now) {
    case .decided(let verdict): .decided(Self.lasting(verdict))
    case .pending(let question): .pending { Self.lasting(await question()) }
    }
  }

  private static func lasting(_ verdict: Verdict) -> Verdict {
    verdict.map { token in
      var token = token
      token.expiresAt = nil
      return token
    }
  }
}
