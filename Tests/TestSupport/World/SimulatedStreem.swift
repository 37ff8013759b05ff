package import GatewayCore
package import GatewayRuntime
package import GatewaySimulator
package import GatewayStreem
internal import GatewayTokens

/// A Streem platform in virtual time, with one API key that tests sign with.
package struct SimulatedStreem {
  package static let address = DialTarget(host: "gateway", port: 80)
  package static let control = DialTarget(host: "gateway", port: 81)

  package let world: SimulatedWorld
  package let gateway: Gateway
  package let directory: any StreemDirectory
  package let forge: StreemForge
  package let network: SimulatedNetwork
  /// The loop the clients live on; the gateway has those before it.
  package let clients: SimulatedLoop
  /// Every route of the HTTP side, and of the control port.
  package let routes: [HTTPRoute]
  package let controlRoutes: [HTTPRoute]

  package init(
    _ policy: SessionPolicy = try! SessionPolicy(), loops: Int = 2,
    _ change: (inout StreemSettings) -> Void = { _ in }
  ) throws {
    world = SimulatedWorld(seed: 1, loops: loops + 1, keepsTrace: false)
    network = SimulatedNetwork(world, conditions: LinkConditions())
    let own = Array(world.loops.prefix(loops))
    clients = world.loops[loops]
    let first = own[0].eventLoop
    forge = try StreemForge()
    directory = MemoryStreemDirectory(on: first)
    var settings = StreemSettings()
    settings.apiKeys = [(forge.id, try StreemSecret(forge.secret))]
    change(&settings)
    let platform = StreemPlatform(on: first, directory: directory, settings: settings, session: policy)
    let suite = platform.suite
    let gateway = Gateway(
      configuration: GatewayConfiguration(session: policy, pingInterval: nil), loops: own.map(\.eventLoop),
      bindings: suite.bindings)
    self.gateway = gateway
    routes = suite.routes(gateway)
    controlRoutes = suite.controlRoutes(gateway)
    network.listen(on: Self.address, loops: own, site: GatewaySite(gateway, routes: routes))
    network.listen(on: Self.control, loops: own, site: GatewaySite(gateway, routes: controlRoutes))
    let now = world.wallTime
    _ = world.ask { try? await platform.prepare(at: now) }
  }

  // MARK: Tokens and clients

  /// A good token of the user, with other claims in place of some.
  package func token(
    _ user: String = "ann", sessionLife: Int64 = 14_400, _ changes: [String: String?] = [:]
  ) -> Credentials {
    forge.token(user, at: world.wallTime, sessionLife: sessionLife, changes)
  }

  /// A good token of `ann`, with other claims in place of some.
  package func token(_ changes: [String: String?]) -> Credentials {
    token("ann", changes)
  }

  /// A client whose socket is open.
  package func open() -> SimulatedPeer {
    let peer = SimulatedPeer(
      network, on: clients, to: Self.address, upgrade: HTTPRequest(method: "GET", path: StreemDialect.path))
    world.settle()
    return peer
  }

  /// A client that has sent its identify.
  package func identify(_ token: Credentials, _ members: String = "") -> SimulatedPeer {
    let peer = open()
    say(peer, #"{"type":"identify","token":"\#(token.token)"\#(members)}"#)
    return peer
  }

  /// Lets the client say something, and everybody answer.
  package func say(_ peer: SimulatedPeer, _ text: String) {
    peer.say(text)
    world.settle()
  }

  /// The `type` of everything the client heard.
  package func types(_ peer: SimulatedPeer) -> [String] {
    peer.texts.map { Self.member("type", $0) ?? "?" }
  }

  /// The text of a member of what the client heard last.
  package func last(_ name: String, _ peer: SimulatedPeer) -> String? {
    peer.texts.last.flatMap { Self.member(name, $0) }
  }

  /// The first member of that name whose value is a text, at any depth.
  package static func member(_ name: String, _ json: String) -> String? {
    guard let start = json.firstRange(of: "\"\(name)\":\"")?.upperBound else { return nil }
    return String(json[start...].prefix { $0 != "\"" })
  }

  // MARK: HTTP

  /// The answer to an HTTP request.
  package func fetch(
    _ method: String, _ path: String, query: [HTTPField] = [], token: Credentials? = nil, basic: String? = nil,
    body: String = "", from target: DialTarget = Self.address, source: String? = nil
  ) -> HTTPResponse {
    var headers = [HTTPField("content-type", "application/json")]
    if let token { headers.append(HTTPField("authorization", "Bearer \(token.token)")) }
    if let basic { headers.append(HTTPField("authorization", "Basic \(Base64.encode(Array(basic.utf8)))")) }
    var target = target
    target.source = source
    return fetch(
      HTTPRequest(method: method, path: path, query: query, headers: headers, body: Array(body.utf8)), from: target)
  }

  /// The answer to an HTTP request, whatever it says.
  package func fetch(_ request: HTTPRequest, from target: DialTarget = Self.address) -> HTTPResponse {
    let dialer = SimulatedDialer(network, on: clients)
    let answer = world.ask(on: clients.eventLoop.index) {
      await dialer.fetch(request, from: target, timeout: .seconds(30))
    }
    guard case .success(let response) = answer else {
      preconditionFailure("no answer to \(request.method) \(request.path)")
    }
    return response
  }

  /// What the gateway answers to an order of an operator.
  package func order<Answer: Sendable>(_ body: @escaping @Sendable (Gateway) async -> Answer) -> Answer? {
    let gateway = gateway
    return world.ask { await body(gateway) }
  }
}

extension HTTPResponse {
  /// The body as text.
  package var text: String { String(decoding: body, as: UTF8.self) }
}
