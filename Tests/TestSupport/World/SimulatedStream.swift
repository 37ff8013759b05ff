package import GatewayCore
package import GatewayRuntime
package import GatewaySimulator
package import GatewayStream
internal import GatewayTokens

/// A gateway that plays Stream in virtual time, with one application: the key `key`, and a secret of its own.
package struct SimulatedStream {
  package static let address = DialTarget(host: "stream", port: 80)
  package static let key = "key"
  package static let secret = "a short one"

  package let world: SimulatedWorld
  package let directory: MemoryStreamDirectory
  package let gateway: Gateway
  package let network: SimulatedNetwork
  package let clients: SimulatedLoop
  /// Every route of the HTTP side.
  package let routes: [HTTPRoute]
  private let issuer: StreamTokenIssuer
  private let signer: JWTSigner

  /// - Parameters:
  ///   - session: The gateway's times.
  ///   - adjust: Changes the settings from what they are by default.
  package init(
    session: SessionPolicy = try! SessionPolicy(), _ adjust: (inout StreamVideoSettings) -> Void = { _ in }
  ) throws {
    world = SimulatedWorld(seed: 1, loops: 3, keepsTrace: true)
    network = SimulatedNetwork(world, conditions: LinkConditions())
    let own = Array(world.loops.prefix(2))
    clients = world.loops[2]
    let application = try StreamApplication(secret: Self.secret)
    signer = application.signer
    issuer = StreamTokenIssuer(signer: signer)
    var settings = StreamVideoSettings(applications: StreamApplications([Name(Self.key): application]))
    adjust(&settings)
    directory = MemoryStreamDirectory(on: own[0].eventLoop, settings: settings.app)
    let calls = MemoryStreamCallDirectory(on: own[0].eventLoop)
    let suite = try StreamVideoSuite(
      settings, directory: directory, calls: calls, session: session, on: own[0].eventLoop
    ).dialects
    gateway = Gateway(
      configuration: GatewayConfiguration(session: session), loops: own.map(\.eventLoop), bindings: suite.bindings)
    routes = suite.routes(gateway)
    network.listen(on: Self.address, loops: own, site: GatewaySite(gateway, routes: routes))
  }

  // MARK: Tokens

  /// A token of the user, issued now, that lives for `life`; for ever if nil.
  package func token(_ user: String = "ann", life: Duration? = .seconds(3600), calls: [String]? = nil) -> String {
    let now = world.wallTime
    return issuer.mint(
      user: UserID(user), kind: .regular, issuedAt: now, expiresAt: life.map { now + $0 },
      calls: calls?.map { CallID(cid: $0)! }
    ).token
  }

  /// A signed token of these claims.
  package func token(claims: String) -> String { signer.sign(Array(claims.utf8)) }

  package var serverToken: String { token(claims: "{}") }

  // MARK: Clients

  /// A client that has opened a socket.
  package func open(
    _ kind: StreamDialect.Kind, query: [HTTPField] = [], headers: [HTTPField] = [], key: String? = SimulatedStream.key
  ) -> SimulatedPeer {
    let fields = key.map { [HTTPField("api_key", $0)] } ?? []
    let peer = SimulatedPeer(
      network, on: clients, to: Self.address,
      upgrade: HTTPRequest(method: "GET", path: kind.path, query: fields + query, headers: headers))
    world.settle()
    return peer
  }

  /// A client that has opened a socket and said who it is.
  package func connect(
    _ token: String, as user: String = "ann", on kind: StreamDialect.Kind = .video
  ) -> SimulatedPeer {
    if kind == .chat {
      return open(
        .chat,
        query: [
          HTTPField("authorization", token), HTTPField("stream-auth-type", "jwt"),
          HTTPField("json", #"{"user_id":"\#(user)","user_details":{"id":"\#(user)"}}"#),
        ])
    }
    let peer = open(kind, query: [HTTPField("stream-auth-type", "jwt")])
    peer.say(#"{"token":"\#(token)","user_details":{"id":"\#(user)"}}"#)
    world.settle()
    return peer
  }

  /// The answer to a REST request with that token; without one it is anonymous.
  package func fetch(
    _ method: String, _ path: String, token: String? = nil, query: [HTTPField] = [], body: String = "",
    headers: [HTTPField]? = nil, key: String? = SimulatedStream.key
  ) -> HTTPResponse? {
    let sender =
      headers
      ?? (token.map { [HTTPField("authorization", $0), HTTPField("stream-auth-type", "jwt")] }
        ?? [HTTPField("stream-auth-type", "anonymous")])
    let fields = key.map { [HTTPField("api_key", $0)] } ?? []
    let request = HTTPRequest(
      method: method, path: path, query: fields + query, headers: sender, body: Array(body.utf8))
    let dialer = SimulatedDialer(network, on: clients)
    let answer = world.ask(on: clients.eventLoop.index) {
      await dialer.fetch(request, from: Self.address, timeout: .seconds(30))
    }
    return try? answer?.get()
  }

  /// Gives the user's sessions an event. Returns how many those were.
  package func control(_ user: String, _ event: SessionEvent) -> Int? {
    let gateway = gateway
    return world.ask { await gateway.control(UserID(user), event) }
  }
}
