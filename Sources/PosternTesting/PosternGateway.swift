internal import GatewayCore
internal import GatewayKit
internal import GatewayPlain
internal import GatewayRuntime
internal import GatewaySpace
internal import GatewayTokens

/// A gateway of the plain dialect inside a test process, on free loopback ports: point the client under test at ``url``, let its token expire,
/// and look at what it does.
///
/// ```swift
/// let gateway = try await PosternGateway.start()
/// let client = MyClient(url: gateway.url, token: await gateway.token(for: "ann"))
/// try await client.connect()
/// await gateway.expire(user: "ann")
/// // the client gets refresh_required, and has `refreshTimeout` to answer
/// await gateway.stop()
/// ```
///
/// A package that tests so depends on `.product(name: "PosternTesting", package: "postern")`, and wants on Debian what
/// `Deploy/install-packages build` installs. `Examples/swift-test` is one, client and all.
public final class PosternGateway: Sendable {
  /// What a test may want otherwise.
  public struct Options: Sendable {
    /// How long an unauthenticated socket may stay.
    public var loginTimeout = Duration.seconds(10)
    /// How long a client may take to answer a refresh request; any duration, this is for tests.
    public var refreshTimeout = Duration.seconds(60)
    /// How long before expiry the gateway asks.
    public var refreshLead = Duration.zero
    /// Whether live sessions of a revoked token are closed in place of asked for another.
    public var closesRevoked = false
    /// How long the token provider takes for one token.
    public var providerLatency = Duration.zero
    /// The seed of all chance; nil for the system's.
    public var seed: UInt64?

    /// The defaults: what `postern serve` has too.
    public init() {}
  }

  private let running: RunningGateway
  private let issuer: PlainTokenIssuer

  private init(running: RunningGateway, issuer: PlainTokenIssuer) {
    self.running = running
    self.issuer = issuer
  }

  /// Starts a gateway with a random secret. Throws if an option is out of its range or nothing can listen on loopback.
  public static func start(_ options: Options = Options()) async throws -> PosternGateway {
    let secret = try KeyMaterial.secret(SecureRandom.bytes(32))
    let signer = try JWTSigner(secret)
    let issuer = PlainTokenIssuer(signer: signer)
    let verifier = JWTVerifier(keys: try KeySet([try VerificationKey(secret)]))
    let session = try SessionPolicy(
      loginTimeout: options.loginTimeout, refreshTimeout: options.refreshTimeout, refreshLead: options.refreshLead,
      revocation: options.closesRevoked ? .close : .refresh, anyRefreshTimeout: true)
    var space = SpaceSettings(
      configuration: GatewayConfiguration(session: session), vendors: [PlainSettings(verifier: verifier)],
      issuer: issuer, provider: try TokenProviderPolicy(latency: options.providerLatency))
    space.seed = options.seed
    space.configuration.journalBytes = HostedLimits().journalBytes
    return PosternGateway(running: try await RunningGateway.start(GatewaySettings(space)), issuer: issuer)
  }

  /// Where clients connect, e.g. `ws://127.0.0.1:40123/v1/connect`.
  public var url: String { "ws://127.0.0.1:\(running.port)\(PlainDialect.path)" }

  /// Where the HTTP side and the token provider are, e.g. `http://127.0.0.1:40123`.
  public var httpURL: String { "http://127.0.0.1:\(running.port)" }

  /// Where the control API is, e.g. `http://127.0.0.1:40124`.
  public var controlURL: String { "http://127.0.0.1:\(running.controlPort)" }

  /// What happened: what the client under test has done.
  public var journal: PosternJournal { PosternJournal(gateway: running.gateway) }

  /// A token of `user` that lives as long as `life` from now.
  public func token(for user: String, life: Duration = .seconds(3600)) async -> String {
    let now = await now()
    return issuer.mint(user: UserID(user), kind: .regular, issuedAt: now, expiresAt: now + life, calls: nil).token
  }

  /// Lets the tokens of the user's sessions expire now. Returns how many sessions that reached.
  @discardableResult
  public func expire(user: String) async -> Int {
    // What is kept is kept in memory, which has nothing to refuse.
    (try? await running.gateway.control(UserID(user), .expireNow)) ?? 0
  }

  /// Asks the user's sessions for another token. Returns how many sessions that reached.
  @discardableResult
  public func askForRefresh(user: String) async -> Int {
    (try? await running.gateway.control(UserID(user), .askForRefresh)) ?? 0
  }

  /// Revokes every token of the user issued until now. Returns how many live sessions that took in. Throws if a million
  /// users' tokens have been revoked already: that is how many are remembered.
  @discardableResult
  public func revoke(user: String) async throws -> Int {
    try await running.gateway.revoke(.user(UserID(user), issuedBefore: await now()))
  }

  /// Closes the user's sessions. Returns how many that were; 0 too for a code that no close frame may carry (RFC 6455
  /// section 7.4) or a reason of more than 123 bytes.
  @discardableResult
  public func disconnect(user: String, code: UInt16 = 4005, reason: String = "disconnected") async -> Int {
    guard let reason = CloseReason(code: code, name: reason) else { return 0 }
    return (try? await running.gateway.control(UserID(user), .disconnect(reason))) ?? 0
  }

  /// How many sessions the user has.
  public func sessionCount(user: String) async -> Int {
    await running.gateway.sessions(of: UserID(user), after: nil, limit: 1000).count
  }

  /// How many refreshes the gateway has accepted.
  public func acceptedRefreshCount() async -> Int {
    Int(await running.gateway.metrics().total.refreshesAccepted.total)
  }

  private func now() async -> WallTime {
    await running.gateway.tables[0].perform { $0.loop.wallTime }
  }

  /// Answers the HTTP requests under way, for 10 s at most, and closes everything else at once.
  public func stop() async {
    await running.finishRequests()
    await running.stop()
  }
}
