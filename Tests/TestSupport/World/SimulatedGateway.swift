package import GatewayCore
internal import GatewayKit
package import GatewayPlain
package import GatewayRuntime
package import GatewaySimulator
internal import GatewayTokens

/// The whole gateway in virtual time with real tokens, for the tests of connections.
package struct SimulatedGateway {
  package let space: TestSpace<TimedVendor>
  package let issuer: PlainTokenIssuer
  package let dialect = PlainClientDialect()
  /// The random source of tokens that the gateway has not issued; no gateway has this seed.
  private let chance = Secrets(seed: .max)

  /// A function that returns the binding of its sockets: the first argument verifies tokens, the second runs later
  /// work.
  package typealias Binding = @Sendable (any Authenticator, any (SerialExecutor & TaskExecutor)) -> DialectBinding

  /// Creates the gateway.
  ///
  /// - Parameters:
  ///   - loops: The number of the gateway's loops.
  ///   - judgement: The duration of a token's verification; nil for at once.
  ///   - bind: Returns the binding, if it is not the plain dialect's.
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

  /// Returns a token of the user that lives for `life` from now; without an end if nil.
  package func token(
    _ user: String = "ann", _ kind: UserKind = .regular, life: Duration? = .seconds(3_600), calls: [String]? = nil
  ) -> Credentials {
    let now = world.wallTime
    return issuer.mint(
      user: UserID(user), kind: kind, issuedAt: now, expiresAt: life.map { now + $0 },
      calls: calls?.map { CallID(cid: $0)! })
  }

  /// Returns an opaque token for the user, stored in the directory.
  package func opaqueToken(_ user: UserID, _ kind: UserKind, life: Duration) -> Credentials {
    let (token, hash) = AccessToken.mint(from: chance)
    let now = world.wallTime
    let record = AccessTokenRecord(user: user, kind: kind, issuedAt: now, expiresAt: now + life)
    let directory = directory
    _ = world.ask { try? await directory.storeAccessToken(hash: hash, record) }
    return Credentials(token: token)
  }

  // MARK: Clients

  /// Returns a client that connects with the token in `Authorization`, or without one, and has received the immediate
  /// messages.
  package func connect(_ token: Credentials? = nil) -> SimulatedPeer {
    dial(headers: token.map { [HTTPField("authorization", "Bearer \($0.token)")] } ?? [])
  }

  /// Returns a client that connects with these fields and parameters.
  package func dial(headers: [HTTPField] = [], query: [HTTPField] = []) -> SimulatedPeer {
    space.dial(HTTPRequest(method: "GET", path: dialect.upgradeTarget, query: query, headers: headers))
  }

  /// Returns the meanings of the client's received messages, without times.
  package func notices(_ peer: SimulatedPeer) -> [ServerNotice] {
    peer.notices(in: dialect).map(\.notice)
  }

  /// Returns the answer to an HTTP request.
  package func fetch(
    _ method: String, _ path: String, token: Credentials? = nil, headers: [HTTPField] = [], body: String = ""
  ) -> Result<HTTPResponse, DialFailure>? {
    var headers = headers + [HTTPField("content-type", "application/json")]
    if let token { headers.append(HTTPField("authorization", "Bearer \(token.token)")) }
    return space.fetch(HTTPRequest(method: method, path: path, headers: headers, body: Array(body.utf8)))
  }

  // MARK: Operator's orders

  /// Returns the gateway's answer to an operator's order.
  package func order<Answer: Sendable>(
    _ body: @escaping @Sendable (Gateway) async -> Answer
  ) -> Answer? {
    space.order(body)
  }

  /// The number of the gateway's connections.
  package var connectionCount: Int {
    order { gateway in
      var count = 0
      for table in gateway.tables { count += await table.perform { $0.connections.count } }
      return count
    } ?? 0
  }
}
