internal import GatewayCore
internal import GatewayKit
internal import GatewayPlain
internal import GatewayRuntime
internal import GatewayServer
internal import GatewaySpace

/// A gateway of the plain dialect inside a test process, with users, keys and a clock of its own.
///
/// It listens on a free loopback port. Point the client under test at ``url``, let its token expire, and look at what it does.
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
/// All gateways of a process share one thread, and nothing else; one takes about a millisecond to make. One that is
/// neither stopped nor used for an hour ends by itself.
///
/// A package with such tests depends on `.product(name: "PosternTesting", package: "postern")`. On Debian it needs the
/// packages that `Deploy/install-packages build` installs. `Examples/swift-test` is a complete one, with its client.
public final class PosternGateway: Sendable {
  /// The options of a test's gateway, e.g. a refresh timeout of 2 s.
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
    /// Whether no time passes for sessions and tokens but what ``PosternGateway/advance(by:patience:wall:until:)`` moves.
    public var isFrozen = false
    /// The seed of all chance; nil for the system's.
    public var seed: UInt64?

    /// The defaults: what `postern serve` has too.
    public init() {}
  }

  let space: NamedSpace
  private let host: RunningGateway
  private let issuer: PlainTokenIssuer
  private let address: String

  private init(_ space: NamedSpace, on host: RunningGateway, issuer: PlainTokenIssuer) {
    self.space = space
    self.host = host
    self.issuer = issuer
    address = "127.0.0.1:\(space.port.number)"
  }

  /// Starts a gateway with a random secret. Throws if an option is out of its range or nothing can listen on loopback.
  public static func start(_ options: Options = Options()) async throws -> PosternGateway {
    let keys = try PlainKeys()
    var order = SpaceOrder()
    order.isFrozen = options.isFrozen
    order.idleTime = .seconds(3_600)
    order.closingTime = .milliseconds(100)
    let host = try await PosternHost.started()
    let space = try await host.host(try settings(options, keys), order)
    return PosternGateway(space, on: host, issuer: keys.issuer)
  }

  private static func settings(_ options: Options, _ keys: PlainKeys) throws -> GatewaySettings {
    let session = try SessionPolicy(
      loginTimeout: options.loginTimeout, refreshTimeout: options.refreshTimeout, refreshLead: options.refreshLead,
      revocation: options.closesRevoked ? .close : .refresh, anyRefreshTimeout: true)
    var space = SpaceSettings(
      configuration: GatewayConfiguration(session: session), vendors: [PlainSettings(verifier: keys.verifier)],
      issuer: keys.issuer, provider: try TokenProviderPolicy(latency: options.providerLatency))
    space.seed = options.seed
    var settings = GatewaySettings(space)
    settings.limits.connectionsMax = PosternHost.connectionsMax
    return settings
  }

  var gateway: Gateway { space.hosted.space.gateway }

  /// The address for clients, e.g. `ws://127.0.0.1:40123/v1/connect`.
  public var url: String { "ws://\(address)\(PlainDialect.path)" }

  /// The address of the HTTP side and the token provider, e.g. `http://127.0.0.1:40123`.
  public var httpURL: String { "http://\(address)" }

  /// The address of the control API, e.g. `http://127.0.0.1:40124/spaces/s1`.
  public var controlURL: String { "http://127.0.0.1:\(host.controlPort)/spaces/\(space.name.text)" }

  /// What happened: what the client under test has done.
  public var journal: PosternJournal { PosternJournal(gateway: gateway) }

  /// A token of `user` that lives as long as `life` from now.
  public func token(for user: String, life: Duration = .seconds(3600)) async -> String {
    let now = await now()
    return issuer.mint(user: UserID(user), kind: .regular, issuedAt: now, expiresAt: now + life, calls: nil).token
  }

  /// The time of day here.
  func now() async -> WallTime {
    await gateway.tables[0].perform { $0.loop.wallTime }
  }

  /// Answers the HTTP requests under way, whose sleeps are over now, and closes everything else with 1001.
  public func stop() async { await host.end(space) }
}
