package import GatewayCore
package import GatewayKit

/// Stream's part of a gateway: its three sockets and its REST API.
package struct StreamVendor: Vendor {
  let directory: StreamDirectory
  package let bindings: [DialectBinding]
  package let issuers: [String: any TokenIssuer]
  private let settings: StreamVideoSettings
  private let calls: StreamCalls
  private let ringer: StreamCallRinger
  private let ground: Ground
  private let limiter: StreamLimiter?
  private let keeper: StreamGuestKeeper

  /// Creates the vendor with its dialects and routes.
  ///
  /// - Throws: `SessionPolicyError` if the delay after an expiry is negative.
  init(_ settings: StreamVideoSettings, on ground: Ground) throws(SessionPolicyError) {
    var settings = settings
    settings.calls.sfu?.isSecure = ground.isSecure
    self.settings = settings
    self.ground = ground
    let applications = settings.applications
    let webhooks = ground.webhooks.map { outlet in
      StreamWebhooks(outlet, newID: { [secrets = ground.secrets] in StreamEventHook.newID(from: secrets) }) {
        key, body in
        (try? applications.application(key))?.webhookSignature(of: body)
      }
    }
    directory = StreamDirectory(
      ground.store, bytesMax: settings.usersBytesMax, settings: settings.app, webhooks: webhooks)
    let callDirectory = StreamCallDirectory(ground.store, limits: settings.callLimits, turns: ground.turns)
    // Only the first message can log in. Stream requests a new token by closing, so never before expiry.
    let session = try SessionPolicy(
      loginTimeout: ground.session.loginTimeout, refreshTimeout: settings.expiry.delay,
      closeTimeout: ground.session.closeTimeout, malformedMax: 1, revocation: ground.session.revocation,
      anyRefreshTimeout: true)
    keeper = StreamGuestKeeper(
      on: ground.executor, directory: directory, limits: settings.guests,
      tally: NodeTally("stream.guests", on: ground))
    let sfu = settings.calls.sfu.map { StreamSFU($0, on: ground.executor, secrets: ground.secrets) }
    calls = StreamCalls(
      services: ground.services, users: directory, directory: callDirectory, policy: settings.calls, sfu: sfu)
    ringer = StreamCallRinger(on: ground.executor, calls: calls)
    limiter = settings.limits.map {
      StreamLimiter(on: ground.executor, limits: $0, tally: NodeTally("stream.requests", on: ground))
    }
    let observer = StreamCallObserver(users: directory, calls: callDirectory, policy: settings.calls, guests: keeper)
    var bindings: [DialectBinding] = []
    for kind in StreamDialect.Kind.allCases {
      bindings.append(
        DialectBinding(
          StreamDialect(kind, expiry: settings.expiry),
          StreamAuthenticator(kind, settings: settings, directory: directory, limiter: limiter),
          session: kind == .chat && settings.admitsAnonymousToChat ? session.admittingAnonymous : session,
          times: TokenTimes(leeway: settings.leeway, grain: .seconds(1), isDatedUp: true), observer: observer,
          home: ground.home))
    }
    if let sfu {
      let sockets = StreamSFUSockets(users: directory, directory: callDirectory, policy: settings.calls, sfu: sfu)
      bindings.append(
        DialectBinding(
          StreamSFUDialect(.protobuf, policy: sfu.policy), StreamSFUAuthenticator(sfu: sfu, users: directory),
          session: sfu.policy.admitsAnonymous ? session.admittingAnonymous : session,
          liveness: .silence(sfu.policy.silenceMax), commands: sockets, observer: sockets, home: ground.home,
          jsonDialect: StreamSFUDialect(.json, policy: sfu.policy)))
    }
    self.bindings = bindings
    issuers =
      settings.applications.usual.map {
        [StreamDialect.Kind.video.rawValue: StreamTokenIssuer(signer: $0.signer)]
      } ?? [:]
  }

  /// Keeps the secret of the SFU's tokens.
  package func prepare(at now: WallTime) async throws(GatewayError) {
    try await calls.sfu?.tokens.keepSecret(in: ground.store, at: now)
    try await learnHooks(at: now)
  }

  /// Reads the hooks of the application.
  private func learnHooks(at now: WallTime) async throws(GatewayError) {
    guard let webhooks = directory.webhooks else { return }
    webhooks.take(try await directory.settings(at: now).eventHooks)
  }

  package func hear(_ note: VendorNote) async {
    if Name(note.topic) == Name(StreamUserRoutes.hooksTopic) { return await missedNotes() }
    // Only for a note of theirs: other vendors hear it after that.
    if keeper.tally.key(of: note) != nil { return await keeper.hear(note, at: ground.services.wallTime) }
    if limiter?.tally.key(of: note) != nil { await limiter?.hear(note, at: ground.services.wallTime) }
  }

  package func missedNotes() async {
    // If the store is unavailable, the hooks that are known stay.
    try? await learnHooks(at: ground.services.wallTime)
  }

  /// Ends participations by connections of dead boots, and rings that were not answered in the meantime.
  package func takeOver(_ dead: DeadBoots, at now: WallTime) async throws(GatewayError) {
    try await ringer.takeOver(dead, at: now)
  }

  package func renewal(by settings: any VendorSettings) throws -> KeyRenewal {
    guard let fresh = settings as? StreamVideoSettings else { return {} }
    return { [applications = self.settings.applications] in applications.takeKeys(of: fresh.applications) }
  }

  package func routes(with provider: TokenProvider) -> [HTTPRoute] {
    let services = ground.services
    let rest = StreamRoutes(
      services: services, directory: directory, settings: settings, secrets: ground.secrets, limiter: limiter)
    let callRoutes = StreamCallRoutes(rest: rest, calls: calls, ringer: ringer)
    let procedures = calls.sfu.map { StreamSFURoutes(tokens: $0.tokens, services: services).routes } ?? []
    let setupRoutes = StreamSetupRoutes(
      rest, setup: StreamSetup(ground.store), calls: calls.directory, types: settings.calls.types,
      secrets: ground.secrets)
    return StreamUserRoutes(rest, guests: keeper).routes + StreamChatRoutes(rest).routes + callRoutes.routes
      + setupRoutes.routes + procedures
  }

  package var controlRoutes: [HTTPRoute] { StreamControlRoutes(calls: calls).routes }

  package var figures: [VendorFigure] {
    get async {
      let guests = await keeper.figures
      return [
        VendorFigure(
          "postern_stream_guests_refused_total", .counter,
          "Stream guests refused, because their address had created too many.",
          Double(guests.refused)),
        VendorFigure(
          "postern_stream_guests_forgotten_total", .counter,
          "Stream guests forgotten, because no connection was theirs.",
          Double(guests.forgotten)),
      ]
    }
  }
}

extension StreamVideoSettings: VendorSettings {
  package func vendor(on ground: Ground) throws -> StreamVendor { try StreamVendor(self, on: ground) }
}
