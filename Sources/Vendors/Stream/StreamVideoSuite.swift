package import GatewayCore

/// Stream put together: its three sockets and its REST side.
package struct StreamVideoSuite: Sendable {
  private let settings: StreamVideoSettings
  private let directory: any StreamDirectory
  private let calls: any StreamCallDirectory
  private let executor: any (SerialExecutor & TaskExecutor)
  private let session: SessionPolicy
  private let limiter: StreamLimiter?
  private let keeper: StreamGuestKeeper
  /// Nil where the SFU is elsewhere.
  private let sfu: StreamSFU?

  /// - Parameters:
  ///   - session: The gateway's times, of which those that Stream's wire has no place for are not kept.
  ///   - executor: Where requests are counted and rings waited for: a loop of the gateway.
  /// - Throws: `SessionPolicyError` if the delay after an expiry is negative.
  package init(
    _ settings: StreamVideoSettings, directory: any StreamDirectory, calls: any StreamCallDirectory,
    session: SessionPolicy, on executor: any (SerialExecutor & TaskExecutor)
  ) throws(SessionPolicyError) {
    self.settings = settings
    self.directory = directory
    self.calls = calls
    self.executor = executor
    // The first message logs in or nothing does. Stream asks for another token by closing, so never ahead of expiry.
    self.session = try SessionPolicy(
      loginTimeout: session.loginTimeout, refreshTimeout: settings.expiry.delay, closeTimeout: session.closeTimeout,
      malformedMax: 1, revocation: session.revocation, anyRefreshTimeout: true)
    keeper = StreamGuestKeeper(on: executor, directory: directory, limits: settings.guests)
    sfu = settings.calls.sfu.map { StreamSFU($0, on: executor) }
    limiter = settings.limits.map { StreamLimiter(on: executor, limits: $0) }
  }

  /// What became of those who wanted to be guests.
  package var guestFigures: StreamGuestFigures {
    get async { await keeper.figures }
  }

  /// The sockets and the routes, as a gateway takes them.
  package var dialects: DialectSuite {
    let observer = StreamCallObserver(users: directory, calls: calls, policy: settings.calls, guests: keeper)
    var bindings = StreamDialect.Kind.allCases.map { kind in
      DialectBinding(
        StreamDialect(kind, expiry: settings.expiry),
        StreamAuthenticator(kind, settings: settings, directory: directory, limiter: limiter),
        session: kind == .chat && settings.admitsAnonymousToChat ? session.admittingAnonymous : session,
        observer: observer)
    }
    if let sfu { bindings.append(binding(sfu)) }
    let issuers = settings.applications.usual.map {
      [StreamDialect.Kind.video.rawValue: StreamTokenIssuer(signer: $0.signer)]
    }
    return DialectSuite(bindings, issuers: issuers ?? [:]) { services in routes(services) }
  }

  private func binding(_ sfu: StreamSFU) -> DialectBinding {
    let sockets = StreamSFUSockets(users: directory, directory: calls, policy: settings.calls, sfu: sfu)
    return DialectBinding(
      StreamSFUDialect(.protobuf, policy: sfu.policy), StreamSFUAuthenticator(sfu: sfu, users: directory),
      session: sfu.policy.admitsAnonymous ? session.admittingAnonymous : session,
      liveness: .silence(sfu.policy.silenceMax), operations: sockets, observer: sockets,
      jsonDialect: StreamSFUDialect(.json, policy: sfu.policy))
  }

  private func routes(_ services: any GatewayServices) -> [HTTPRoute] {
    let rest = StreamRoutes(services: services, directory: directory, settings: settings, limiter: limiter)
    let calls = StreamCalls(
      services: services, users: directory, directory: calls, policy: settings.calls, sfu: sfu)
    let callRoutes = StreamCallRoutes(rest: rest, calls: calls, ringer: StreamCallRinger(on: executor, calls: calls))
    let procedures = sfu.map { StreamSFURoutes(tokens: $0.tokens, services: services).routes } ?? []
    return StreamUserRoutes(rest, guests: keeper).routes + StreamChatRoutes(rest).routes + callRoutes.routes
      + procedures
  }
}
