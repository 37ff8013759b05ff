import GatewayCore
import GatewayIdentity
import GatewayKit
import GatewayPlain
import GatewayProcess
import GatewayRuntime
import GatewayServer
import GatewaySpace
import GatewayStores
import GatewayWires

/// The flags of `postern serve`, checked together, e.g. that `--tls-key` has its certificate.
struct ServeOptions {
  let settings: GatewaySettings
  let drainWindow: Duration
  let endsWithInput: Bool
  let log: GatewayLog
  /// Whether no given key can mint, so that a random secret signs the tokens of guests and the provider.
  let hasRandomSecret: Bool
  /// The secret that signs if no given key can; it stays the same when the options are reloaded.
  private let ownKey: String
  /// The points that the description of `--wire` leaves open for its clients.
  let wireSilences: [String]

  /// Whether a flag sets the maximum number of connections.
  let namesConnectionsMax: Bool

  private static let usualConnectionsMax = 50_000
  private static let loopback: Set<String> = ["127.0.0.1", "::1", "localhost"]

  /// Reads the flags.
  ///
  /// - Parameters:
  ///   - arguments: The flags of `postern serve`.
  ///   - kept: The secret that an earlier process stored, to sign with if no key is given.
  init(_ arguments: Arguments, kept: String? = nil) throws {
    try self.init(arguments, kept: kept, ownKey: kept ?? TokenKeys.newOwnKey())
  }

  /// Reads the same options again, with every file that they name.
  func readAnew(_ arguments: Arguments, kept: String?) throws -> ServeOptions {
    try ServeOptions(arguments, kept: kept, ownKey: kept ?? ownKey)
  }

  private init(_ arguments: Arguments, kept: String?, ownKey: String) throws {
    self.ownKey = ownKey
    var draft = try ServeDraft()
    try arguments.read(ServeFlags.options, into: &draft)
    var tokenKeys = try TokenKeys(arguments) ?? TokenKeys()
    hasRandomSecret = try tokenKeys.signer() == nil
    if hasRandomSecret { try tokenKeys.addOwnKey(ownKey) }
    var provider = try Self.provider(draft)
    let policy = try TokenPolicyDraft(arguments)
    let verifier = try tokenKeys.verifier(policy.policy)
    var telemetry = try draft.traces.settings("postern")
    let login = try draft.identity.login(besides: verifier, hasCollector: telemetry != nil)
    let introspector = try draft.identity.introspector(of: login, besides: verifier)
    // Anybody could get a token of any user of the login from a provider without a secret.
    provider.isOff = (login != nil || introspector != nil) && provider.secret == nil
    guard let signer = try tokenKeys.signer() else {
      preconditionFailure("a secret of our own can sign")
    }
    draft.configuration.session = try Self.session(draft)
    var own = OwnKeys(
      verifier: verifier, signer: signer, secret: try TokenKeys.secret(arguments) ?? (hasRandomSecret ? kept : nil))
    own.issuerKeys = login
    own.introspector = introspector
    var vendors = try Vendors.all.map { [own] vendor -> any VendorSettings in
      try vendor.settings(arguments, own)
    }
    wireSilences = draft.wire?.silences ?? []
    // Last, so that a vendor's wire has precedence.
    if let wire = draft.wire {
      vendors.append(
        try WireFile.served(wire, secrets: draft.templateSecrets, login?.verifier ?? verifier, own: own))
    }
    var settings = GatewaySettings(
      SpaceSettings(
        configuration: draft.configuration, vendors: vendors,
        issuer: PlainTokenIssuer(signer: signer, issuer: policy.issuer, audience: policy.audience),
        provider: provider))
    settings.space.identity = login
    settings.space.introspector = introspector
    settings.space.hooks = try draft.identity.hookSettings(
      hasOrigins: draft.configuration.allowedOrigins != nil, hasWire: draft.wire != nil)
    telemetry?.tls = try draft.identity.tlsIdentity()
    settings.space.telemetry = telemetry
    settings.space.signals = try draft.identity.signals(of: login, besides: verifier)
    try Self.settle(draft, into: &settings)
    settings.keyFiles = ServeFlags.keyFiles(arguments)
    settings.tls = try draft.tls.files("tls")
    settings.space.isSecure = settings.tls != nil
    settings.limits = draft.limits
    settings.limits.connectionsMax = draft.connectionsMax ?? Self.usualConnectionsMax
    namesConnectionsMax = draft.connectionsMax != nil
    settings.loops = try draft.loopCount
    settings.space.takesFaults = draft.takesFaults
    if draft.keepsJournal || draft.keepsPayloads {
      settings.space.configuration.journalBytes = HostedLimits().journalBytes
    }
    if draft.keepsPayloads { settings.space.configuration.journalPayloadBytes = HostedLimits().journalPayloadBytes }
    settings.store = try draft.redis.applied(to: draft.store, isLoopback: Self.isLoopback)
    settings.setsDamagedAside = draft.setsDamagedAside
    settings.nodeName = draft.nodeName
    guard draft.nodeName == nil || draft.store != .memory else {
      throw UsageError("--node-name is of a store that processes can share: give --store sqlite:FILE or redis://HOST")
    }
    settings.space.seed = draft.seed
    log = OperatorLog(level: draft.logLevel, format: draft.logFormat).gateway
    settings.space.configuration.log = log
    settings.figures = { page in
      page.counter(
        "postern_log_lines_lost_total",
        "Lines of the log that standard error did not take in time.",
        Double(LineWriter.standardError.lost))
    }
    if draft.hostsSpaces {
      let options = SpaceOptions(arguments, folder: draft.spaces.folder.map { SpaceFolder(path: $0) })
      var spaces = SpacesSettings(countMax: draft.spaces.countMax, allowsLowPorts: draft.spaces.allowsLowPorts) {
        try options.read($0)
      }
      spaces.journalBytesMax = draft.spaces.journalMiB << 20
      settings.spaces = spaces
    }
    drainWindow = draft.drainWindow
    endsWithInput = draft.endsWithInput
    self.settings = settings
  }

  /// Sets the addresses and the trusted proxies.
  private static func settle(_ draft: ServeDraft, into settings: inout GatewaySettings) throws {
    settings.hosts = draft.hosts.isEmpty ? ["127.0.0.1", "::1"] : draft.hosts
    settings.skipsMissingHosts = draft.hosts.isEmpty
    settings.port = draft.port
    settings.controlHost = draft.controlHost
    settings.controlPort = draft.controlPort
    settings.controlSecret = draft.controlSecret
    settings.controlAllowedHosts = draft.controlAllowedHosts
    settings.space.isLocal = settings.hosts.allSatisfy(isLoopback)
    settings.proxies = TrustedProxies(draft.proxies)
    // Behind a proxy a gateway on loopback has callers from elsewhere.
    settings.space.webhooks = draft.identity.webhookSettings(
      isLocal: settings.space.isLocal && draft.proxies.isEmpty)
    settings.speaksProxyProtocol = draft.speaksProxyProtocol
    guard settings.controlSecret != nil || isLoopback(settings.controlHost) else {
      throw UsageError(
        "--control-host \(settings.controlHost) is not loopback; give --control-secret-file")
    }
    guard settings.space.provider.secret != nil || settings.space.provider.isOff || settings.space.isLocal else {
      throw UsageError(
        "the gateway is not on loopback, where its token provider would mint for anybody; give --provider-secret-file")
    }
    guard !draft.speaksProxyProtocol || !draft.proxies.isEmpty else {
      throw UsageError("--proxy-protocol believes named proxies only: give a --trusted-proxy")
    }
  }

  private static func isLoopback(_ host: String) -> Bool {
    loopback.contains(host)
      || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
  }

  private static func session(_ draft: ServeDraft) throws -> SessionPolicy {
    do {
      return try SessionPolicy(
        loginTimeout: draft.loginTimeout, refreshTimeout: draft.refreshTimeout,
        refreshLead: draft.refreshLead,
        refreshSpread: draft.refreshSpread, revocation: draft.revocation,
        anyRefreshTimeout: draft.takesAnyRefreshTimeout)
    } catch {
      throw UsageError(
        "\(error) (--login-timeout, --refresh-timeout, --refresh-lead, --any-refresh-timeout)")
    }
  }

  private static func provider(_ draft: ServeDraft) throws -> TokenProviderPolicy {
    do {
      return try TokenProviderPolicy(
        latency: draft.providerLatency, concurrency: draft.providerConcurrency,
        queueMax: draft.providerQueueMax, abandoned: draft.providerAbandoned,
        failureRate: draft.providerFailureRate, budgets: draft.providerBudgets,
        rotation: draft.providerRotation, repliesLost: draft.providerRepliesLost, defaultLife: draft.tokenLife,
        secret: draft.providerSecret)
    } catch {
      throw UsageError("\(error) (--token-life and the --provider flags)")
    }
  }
}
