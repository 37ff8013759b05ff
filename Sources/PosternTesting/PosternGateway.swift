internal import GatewayCore
internal import GatewayKit
internal import GatewayPlain
internal import GatewayProcess
internal import GatewayRuntime
internal import GatewayServer
internal import GatewaySpace

/// A gateway of the plain dialect inside a test process, on a free loopback port, with its own users, keys and clock. Connect
/// the client under test to ``url``, let its token expire, and check its reaction.
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
/// All gateways of a process share one thread, and nothing else; starting one takes about a millisecond. A gateway that is
/// neither stopped nor used for an hour ends by itself.
///
/// A package with such tests depends on `.product(name: "PosternTesting", package: "postern")`. On Debian it needs what
/// `Deploy/install-packages build` installs. `Examples/swift-test` is such a package, with a client.
public final class PosternGateway: Sendable {
  /// The options of a gateway for tests.
  public struct Options: Sendable {
    /// The login timeout of an unauthenticated socket.
    public var loginTimeout = Duration.seconds(10)
    /// The timeout for the answer to a refresh request. Any duration is accepted, for tests.
    public var refreshTimeout = Duration.seconds(60)
    /// The lead time before expiry at which the gateway requests another token.
    public var refreshLead = Duration.zero
    /// Whether live sessions of a revoked token are closed, instead of asked for another.
    public var closesRevoked = false
    /// The token provider's latency for one token.
    public var providerLatency = Duration.zero
    /// Whether the time of sessions and tokens is frozen, and moves only by
    /// ``PosternGateway/advance(by:patience:wall:until:)``.
    public var isFrozen = false
    /// The seed of the random numbers; nil for a random one.
    public var seed: UInt64?

    /// Creates the default options, as in `postern serve`.
    public init() {}
  }

  let space: NamedSpace
  let served: Space
  private let host: RunningGateway
  private let issuer: PlainTokenIssuer
  private let address: String

  private init(_ space: NamedSpace, _ served: Space, on host: RunningGateway, issuer: PlainTokenIssuer) {
    self.space = space
    self.served = served
    self.host = host
    self.issuer = issuer
    address = "127.0.0.1:\(space.port.number)"
  }

  /// Starts a gateway with a random secret. Throws if an option is out of range, or it cannot listen on loopback.
  public static func start(_ options: Options = Options()) async throws -> PosternGateway {
    let keys = try PlainKeys()
    var order = SpaceOrder()
    order.isFrozen = options.isFrozen
    order.idleTime = .seconds(3_600)
    order.closingTime = .milliseconds(100)
    let host = try await PosternHost.started()
    let space = try await host.host(try settings(options, keys), order)
    guard let served = space.hosted.space else { throw GatewayError.internalError }
    return PosternGateway(space, served, on: host, issuer: keys.issuer)
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

  var gateway: Gateway { served.gateway }

  /// The address for clients, e.g. `ws://127.0.0.1:40123/v1/connect`.
  public var url: String { "ws://\(address)\(PlainDialect.path)" }

  /// The address of the HTTP side and the token provider, e.g. `http://127.0.0.1:40123`.
  public var httpURL: String { "http://\(address)" }

  /// The address of the control API, e.g. `http://127.0.0.1:40124/spaces/s1`.
  public var controlURL: String { "http://127.0.0.1:\(host.controlPort)/spaces/\(space.name.text)" }

  /// The journal of the events at the gateway, which shows what the client under test has done.
  public var journal: PosternJournal { PosternJournal(gateway: gateway) }

  /// Returns a token of `user` that expires `life` from now.
  public func token(for user: String, life: Duration = .seconds(3600)) async -> String {
    let now = await now()
    return issuer.mint(user: UserID(user), kind: .regular, issuedAt: now, expiresAt: now + life, calls: nil).token
  }

  /// Returns the gateway's time of day.
  func now() async -> WallTime {
    await gateway.tables[0].perform { $0.loop.wallTime }
  }

  /// Stops the gateway. It answers the pending HTTP requests at once, without their delays, and closes all connections with
  /// 1001.
  public func stop() async { await host.end(space) }
}
