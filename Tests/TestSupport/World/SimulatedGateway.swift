package import GatewayCore
internal import GatewayKit
package import GatewayPlain
package import GatewayRuntime
package import GatewaySimulator
internal import GatewayTokens

/// The whole gateway in virtual time, with real tokens: what the tests of connections talk to.
package struct SimulatedGateway {
  package let space: TestSpace<TimedVendor>
  package let issuer: PlainTokenIssuer
  package let dialect = PlainClientDialect()
  /// Whence tokens come that the gateway has not made itself: no seed of a gateway's.
  private let chance = Secrets(seed: .max)

  /// The dialect of its sockets, its tokens judged by the one, what it does later done on the other.
  package typealias Binding = @Sendable (any Authenticator, any (SerialExecutor & TaskExecutor)) -> DialectBinding

  /// - Parameters:
  ///   - loops: How many loops the gateway has.
  ///   - judgement: How long the judgement of a token takes; nil for at once.
  ///   - bind: Who does the commands, where it is not the plain dialect.
  package init(
    seed: UInt64 = 1, loops: Int = 2, conditions: LinkConditions = LinkConditions(),
    _ configuration: GatewayConfiguration = GatewayConfiguration(session: try! SessionPolicy()),
    judgement: Duration? = nil, keepsTrace: Bool = true, takesFaults: Bool = false,
    bind: @escaping Binding = { PlainDialect.binding($0, on: $1) }
  ) throws {
    let secret = try KeyMaterial.secret(Array("a secret of thirty-two bytes, or more".utf8))
    issuer = PlainTokenIssuer(signer: try JWTSigner(secret))
    let plain = PlainSettings(verifier: JWTVerifier(keys: try KeySet([VerificationKey(secret)])))
    space = try TestSpace(
      TimedSettings(plain: plain, judgement: judgement, bind: bind), configuration, seed: seed, loops: loops,
      conditions: conditions, keepsTrace: keepsTrace, issuer: issuer, takesFaults: takesFaults)
  }

  package var world: SimulatedWorld { space.world }
  package var network: SimulatedNetwork { space.network }
  package var store: FaultyStore { space.store }
  package var gateway: Gateway { space.gateway }
  package var directory: PlainDirectory { space.vendor.plain.directory }

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
    let (token, hash) = AccessToken.mint(from: chance)
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
    space.dial(HTTPRequest(method: "GET", path: dialect.upgradeTarget, query: query, headers: headers))
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
    return space.fetch(HTTPRequest(method: method, path: path, headers: headers, body: Array(body.utf8)))
  }

  // MARK: Orders

  /// What the gateway answers to an order of an operator.
  package func order<Answer: Sendable>(
    _ body: @escaping @Sendable (Gateway) async -> Answer
  ) -> Answer? {
    space.order(body)
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
