package import GatewayCore
internal import GatewayKit
package import GatewayPlain
package import GatewayRuntime
package import GatewaySimulator
internal import GatewayTokens

/// The whole gateway in virtual time, with real tokens: what the tests of connections talk to.
package struct SimulatedGateway {
  package static let address = DialTarget(host: "gateway", port: 80)

  package let world: SimulatedWorld
  package let network: SimulatedNetwork
  package let gateway: Gateway
  package let directory: MemoryDirectory
  package let issuer: PlainTokenIssuer
  package let dialect = PlainClientDialect()
  /// The loop the clients live on; the gateway has those before it.
  package let clients: SimulatedLoop
  /// Every route of the HTTP side.
  package let routes: [HTTPRoute]

  /// - Parameters:
  ///   - loops: How many loops the gateway has.
  ///   - judgement: How long the judgement of a token takes; nil for at once.
  ///   - bind: Who does the commands, where it is not the plain dialect.
  package init(
    seed: UInt64 = 1, loops: Int = 2, conditions: LinkConditions = LinkConditions(),
    _ configuration: GatewayConfiguration = GatewayConfiguration(session: try! SessionPolicy()),
    judgement: Duration? = nil, keepsTrace: Bool = true,
    bind: (any Authenticator) -> DialectBinding = { PlainDialect.binding($0) }
  ) throws {
    world = SimulatedWorld(seed: seed, loops: loops + 1, keepsTrace: keepsTrace)
    network = SimulatedNetwork(world, conditions: conditions)
    let own = Array(world.loops.prefix(loops))
    clients = world.loops[loops]
    let secret = try KeyMaterial.secret(Array("a secret of thirty-two bytes, or more".utf8))
    issuer = PlainTokenIssuer(signer: try JWTSigner(secret))
    directory = MemoryDirectory(on: own[0].eventLoop, generator: SeededGenerator(seed: seed))
    let verifier = JWTVerifier(keys: try KeySet([VerificationKey(secret)]))
    var authenticator: any Authenticator = PlainAuthenticator(verifier: verifier, directory: directory)
    if let judgement { authenticator = SlowAuthenticator(authenticator, takes: judgement) }
    gateway = Gateway(
      configuration: configuration, loops: own.map(\.eventLoop),
      bindings: [bind(authenticator)])
    let provider = TokenProvider(
      on: own[0].eventLoop, policy: try TokenProviderPolicy(), services: gateway, issuer: issuer)
    routes =
      PlainRoutes(
        services: gateway, directory: directory, authenticator: authenticator, issuer: issuer, provider: provider
      ).routes
    network.listen(on: Self.address, loops: own, site: GatewaySite(gateway, routes: routes))
  }

  // MARK: Tokens

  /// A token of the user that lives for `life` from now; for ever if nil.
  package func token(
    _ user: String = "ann", _ kind: UserKind = .regular, life: Duration? = .seconds(3_600), calls: [String]? = nil
  ) -> Credentials {
    let now = world.wallTime
    return issuer.mint(
      user: UserID(user), kind: kind, issuedAt: now, expiresAt: life.map { now + $0 },
      calls: calls?.map { CallID(cid: $0)! })
  }

  /// An opaque token for the user, as the directory keeps it.
  package func opaqueToken(_ user: UserID, _ kind: UserKind, life: Duration) -> Credentials {
    let (token, hash) = AccessToken.mint()
    let now = world.wallTime
    let record = AccessTokenRecord(user: user, kind: kind, issuedAt: now, expiresAt: now + life)
    let directory = directory
    _ = world.ask { try? await directory.storeAccessToken(hash: hash, record) }
    return Credentials(token: token)
  }

  // MARK: Clients

  /// A client that dials with the token in `Authorization`, or without one, and has got what it gets at once.
  package func connect(_ token: Credentials? = nil) -> SimulatedPeer {
    dial(headers: token.map { [HTTPField("authorization", "Bearer \($0.token)")] } ?? [])
  }

  /// A client that dials with these fields and parameters.
  package func dial(headers: [HTTPField] = [], query: [HTTPField] = []) -> SimulatedPeer {
    let peer = SimulatedPeer(
      network, on: clients, to: Self.address,
      upgrade: HTTPRequest(method: "GET", path: dialect.upgradeTarget, query: query, headers: headers))
    world.settle()
    return peer
  }

  /// What the client heard that it needs to understand, without the times.
  package func notices(_ peer: SimulatedPeer) -> [ServerNotice] {
    peer.notices(in: dialect).map(\.notice)
  }

  /// The answer to an HTTP request.
  package func fetch(
    _ method: String, _ path: String, token: Credentials? = nil, headers: [HTTPField] = [], body: String = ""
  ) -> Result<HTTPResponse, DialFailure>? {
    var headers = headers + [HTTPField("content-type", "application/json")]
    if let token { headers.append(HTTPField("authorization", "Bearer \(token.token)")) }
    let request = HTTPRequest(method: method, path: path, headers: headers, body: Array(body.utf8))
    let dialer = SimulatedDialer(network, on: clients)
    return world.ask(on: clients.eventLoop.index) {
      await dialer.fetch(request, from: Self.address, timeout: .seconds(30))
    }
  }

  // MARK: Orders

  /// What the gateway answers to an order of an operator.
  package func order<Answer: Sendable>(
    _ body: @escaping @Sendable (Gateway) async -> Answer
  ) -> Answer? {
    let gateway = gateway
    return world.ask { await body(gateway) }
  }

  /// How many connections the gateway knows of.
  package var connectionCount: Int {
    order { gateway in
      var count = 0
      for table in gateway.tables { count += await table.perform { $0.connections.count } }
      return count
    } ?? 0
  }
}

/// An authenticator that takes its time, as one that asks a store does.
private struct SlowAuthenticator: Authenticator {
  private let inner: any Authenticator
  private let duration: Duration

  init(_ inner: any Authenticator, takes duration: Duration) {
    self.inner = inner
    self.duration = duration
  }

  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    .pending {
      if let loop = EventLoop.current { await loop.sleep(until: loop.now + duration) }
      return await inner.judge(credentials, of: bearer, at: now).verdict
    }
  }
}
