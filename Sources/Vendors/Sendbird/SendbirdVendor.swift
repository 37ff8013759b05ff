package import GatewayCore
package import GatewayKit
internal import GatewayTokens

/// Sendbird's part of a gateway: one application with its sessions, users, channels and messages.
package struct SendbirdVendor: Vendor {
  let directory: SendbirdDirectory
  package let bindings: [DialectBinding]
  /// The signer of session tokens.
  let signer: JWTSigner
  private let settings: SendbirdSettings
  private let sessions: SendbirdSessions
  private let verifier: JWTVerifier
  private let channels: SendbirdChannels
  private let preferences: SendbirdPreferences
  private let devices: SendbirdDevices
  private let friends: SendbirdFriends
  private let storage: SendbirdStorage
  private let reports: SendbirdReports
  private let bots: SendbirdBots
  private let commands: SendbirdCommands
  private let announcer: SendbirdAnnouncer
  private let scheduler: SendbirdScheduler
  private let rates: SendbirdRates?
  private let services: any GatewayServices
  private let secrets: Secrets
  private let isSecure: Bool
  private let webhooks: SendbirdWebhooks

  /// Creates the vendor with its dialect and routes.
  ///
  /// - Throws: `KeyError` if the Api-Token cannot sign, `SessionPolicyError` if the gateway's times are impossible on
  ///   this wire.
  init(_ settings: SendbirdSettings, on ground: Ground) throws {
    self.settings = settings
    services = ground.services
    secrets = ground.secrets
    isSecure = ground.isSecure
    webhooks = SendbirdWebhooks(
      ground.webhooks, store: ground.store, secret: settings.secret, applicationID: settings.applicationID?.text ?? "")
    directory = SendbirdDirectory(ground.store, on: ground.executor, webhooks: webhooks)
    channels = SendbirdChannels(
      ground.store, on: ground.executor, limits: SendbirdChannelLimits(messageBytes: settings.messageBytesMax),
      turns: ground.turns, life: ground.life
    ) { [services = ground.services, hasNodes = ground.turns != nil] news in
      if hasNodes { services.tellOthers(news.note) }
    }
    preferences = SendbirdPreferences(ground.store)
    devices = SendbirdDevices(ground.store)
    friends = SendbirdFriends(ground.store)
    storage = SendbirdStorage(
      SendbirdFiles(ground.store, on: ground.executor, bytesMax: settings.fileBytesMax), isSecure: ground.isSecure,
      secrets: ground.secrets)
    bots = SendbirdBots(ground.store)
    announcer = SendbirdAnnouncer(
      SendbirdAnnouncements(ground.store, life: ground.life), on: ground.executor, services: ground.services,
      directory: directory,
      channels: channels)
    reports = SendbirdReports(ground.store, on: ground.executor)
    scheduler = SendbirdScheduler(
      SendbirdSchedule(ground.store, on: ground.executor), on: ground.executor, services: ground.services,
      directory: directory, channels: channels)
    (signer, verifier) = try Self.keys(settings)
    sessions = SendbirdSessions(
      ground.store, on: ground.executor, settings: settings, directory: directory, channels: channels, signer: signer,
      services: ground.services, generator: SeededGenerator(seed: ground.seed),
      tallies: SendbirdLoginTallies(on: ground))
    rates =
      settings.limitsRates
      ? SendbirdRates(on: ground.executor, tally: NodeTally("sendbird.requests", on: ground)) : nil
    commands = SendbirdCommands(directory: directory, channels: channels, rates: rates)
    bindings = [
      DialectBinding(
        SendbirdDialect(settings), SendbirdAuthenticator(sessions: sessions, verifier: verifier),
        session: try Self.policy(ground.session), liveness: .silence(settings.silenceMax),
        times: TokenTimes(leeway: .zero, sessionLife: settings.sessionLife, lead: settings.expiryLead),
        commands: commands, observer: SendbirdConnections(sessions: sessions, next: commands), home: ground.home)
    ]
  }

  private static func keys(_ settings: SendbirdSettings) throws -> (JWTSigner, JWTVerifier) {
    let key = try KeyMaterial.secret(Array(settings.apiToken.token.utf8))
    return (
      try JWTSigner(key, algorithm: .hs256, allowingShortSecret: true),
      JWTVerifier(keys: try KeySet([VerificationKey(key, allowingShortSecret: true)]))
    )
  }

  /// Replaces the Api-Token. Session keys are valid as long as their Api-Token: a new one ends them over HTTP, and open
  /// sockets stay.
  package func renewal(by settings: any VendorSettings) throws -> KeyRenewal {
    guard let fresh = settings as? SendbirdSettings, !fresh.hasRandomSecret else { return {} }
    let keys = try Self.keys(fresh)
    return { [signer, verifier, secret = self.settings.secret] in
      signer.takeKey(of: keys.0)
      verifier.takeKeys(of: keys.1)
      secret.replace(with: fresh.apiToken)
    }
  }

  package var issuers: [String: any TokenIssuer] { ["sendbird": SendbirdTokenIssuer(signer: signer)] }

  /// Reads where the application's server wants its events.
  package func prepare(at now: WallTime) async throws(GatewayError) { try await webhooks.learn(at: now) }

  /// Removes the connections of dead boots from open channels, finishes the announcements that they had begun, and sends the
  /// messages and announcements that became due while no process ran.
  package func takeOver(_ dead: DeadBoots, at now: WallTime) async throws(GatewayError) {
    await sessions.forgetOthers(of: dead)
    try await commands.endConnections(of: dead, at: now, on: services)
    await scheduler.look()
    try await announcer.takeOver(dead, at: now)
  }

  package func hear(_ note: VendorNote) async {
    if note.topic.utf8.elementsEqual(SendbirdRoomNews.topic.utf8) {
      guard let news = SendbirdRoomNews(note) else { return await channels.memberships.forgetAll() }
      return await channels.memberships.hear(news)
    }
    // If the store is unavailable, the settings that are known stay.
    if note.topic == SendbirdWebhookRoutes.topic { return (try? await webhooks.learn(at: services.wallTime)) ?? () }
    guard let (id, user) = SendbirdHTTPRefresh.session(of: note) else {
      await sessions.hear(note, at: services.wallTime)
      await rates?.hear(note, at: services.wallTime)
      return
    }
    let refresh = await services.insist { () async throws(GatewayError) in
      try await sessions.follow(refreshOf: id, of: user, at: services.wallTime)
    }
    if case let refresh?? = refresh { await refresh.renew(on: services) }
  }

  package func missedNotes() async {
    try? await webhooks.learn(at: services.wallTime)
    await channels.memberships.forgetAll()
    await sessions.forgetOthers()
  }

  package func routes(with provider: TokenProvider) -> [HTTPRoute] {
    let gate = SendbirdGate(settings: settings, sessions: sessions, services: services)
    let channelRoutes = SendbirdChannelRoutes(
      gate: gate, services: services, directory: directory, channels: channels, preferences: preferences,
      storage: storage, rates: rates)
    var routes = SendbirdSessionRoutes(sessions: sessions, verifier: verifier, gate: gate, services: services).routes
    routes +=
      SendbirdUserRoutes(
        gate: gate, services: services, directory: directory, channels: channels, preferences: preferences,
        devices: devices, friends: friends, storage: storage, signer: signer, secrets: secrets, rates: rates
      ).routes
    routes += SendbirdEmojiRoutes(gate: gate, services: services, isSecure: isSecure, rates: rates).routes
    routes += SendbirdStorageRoutes(gate: gate, services: services, storage: storage, rates: rates).routes
    routes += SendbirdReportRoutes(reports: reports, channels: channelRoutes).routes
    routes += SendbirdScheduleRoutes(scheduler: scheduler, channels: channelRoutes).routes
    routes += SendbirdPollRoutes(channels: channelRoutes).routes
    routes += SendbirdBotRoutes(bots: bots, channels: channelRoutes, secrets: secrets).routes
    routes += SendbirdAnnouncementRoutes(announcer: announcer, channels: channelRoutes).routes
    routes += SendbirdStatisticsRoutes(gate: gate, services: services, directory: directory, rates: rates).routes
    routes += SendbirdKitRoutes(gate: gate, services: services, rates: rates).routes
    routes += SendbirdWebhookRoutes(gate: gate, services: services, webhooks: webhooks, rates: rates).routes
    routes += channelRoutes.routes
    // Requests with a file may be larger, since a photograph is larger than other bodies.
    for index in routes.indices
    where SendbirdStorage.uploads.contains("\(routes[index].method) \(routes[index].pattern)") {
      routes[index].uploadBytesMax = settings.uploadBytesMax
    }
    return routes
  }

  /// Figures about memory, and about what was refused to save it.
  package var figures: [VendorFigure] {
    get async {
      let refused = VendorFigure(
        "postern_sendbird_new_users_refused_total", .counter,
        "Sendbird users not created, because their address had created too many.",
        Double(await sessions.newUsersRefused))
      guard let usage = await channels.usage else { return [refused] }
      return [
        refused,
        VendorFigure("postern_sendbird_channels", .gauge, "Kept Sendbird channels.", Double(usage.channels)),
        VendorFigure(
          "postern_sendbird_channel_bytes", .gauge, "Bytes of the kept Sendbird channels.", Double(usage.channelBytes)),
        VendorFigure("postern_sendbird_messages", .gauge, "Kept Sendbird messages.", Double(usage.messages)),
        VendorFigure(
          "postern_sendbird_message_bytes", .gauge, "Bytes of the kept Sendbird messages.", Double(usage.messageBytes)),
        VendorFigure(
          "postern_sendbird_messages_displaced_total", .counter,
          "Sendbird messages dropped to make room for newer ones.",
          Double(usage.messagesDisplaced)),
      ]
    }
  }

  /// Returns the session policy. A refused client reads the error and disconnects by itself, or is closed soon after:
  /// JavaScript's third generation reconnects only then. A client whose refresh is refused stays until the timeout,
  /// since its application may have another token.
  private static func policy(_ gateway: SessionPolicy) throws(SessionPolicyError) -> SessionPolicy {
    try SessionPolicy(
      loginTimeout: gateway.loginTimeout, refreshTimeout: gateway.refreshTimeout, refreshLead: gateway.refreshLead,
      refreshSpread: gateway.refreshSpread, refusalLinger: .seconds(1), closeTimeout: gateway.closeTimeout,
      refusedRefreshesMax: 100, malformedMax: gateway.malformedMax, revocation: gateway.revocation,
      anyRefreshTimeout: true)
  }
}

extension SendbirdSettings: VendorSettings {
  package func vendor(on ground: Ground) throws -> SendbirdVendor { try SendbirdVendor(self, on: ground) }
}
