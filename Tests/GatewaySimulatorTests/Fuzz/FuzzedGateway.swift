import GatewayCore
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import GatewaySinch
import GatewaySpace
import GatewayStream
import GatewayStreem
import GatewayTokens
import TestSupport

/// A gateway in virtual time that is told anything, with what a client of its dialect must send to get as far as the
/// bodies are read.
struct FuzzedGateway {
  let world: SimulatedWorld
  let network: SimulatedNetwork
  let clients: SimulatedLoop
  let address: DialTarget
  let routes: [HTTPRoute]
  let corpus: FuzzCorpus
  /// Names of what exists, for the places in a path.
  let names: [String]
  /// What callers of several kinds send with a request: header fields, and parameters of the query.
  let callers: [(headers: [HTTPField], query: [HTTPField])]
  /// A socket that is logged in, or is about to be.
  let connect: () -> SimulatedPeer
  /// Upgrades that open a socket on which nobody has logged in; the fuzz changes their parameters.
  let upgrades: [HTTPRequest]

  /// The answer to a request; nil if there was none.
  func fetch(_ request: HTTPRequest) -> HTTPResponse? {
    let dialer = SimulatedDialer(network, on: clients)
    let answer = world.ask(on: clients.eventLoop.index) { [address] in
      await dialer.fetch(request, from: address, timeout: .seconds(30))
    }
    return try? answer?.get()
  }

  func dial(_ upgrade: HTTPRequest) -> SimulatedPeer {
    let peer = SimulatedPeer(network, on: clients, to: address, upgrade: upgrade)
    world.settle()
    return peer
  }
}

/// The dialects that are fuzzed, each with a gateway of its own.
enum FuzzedDialect: String, CaseIterable {
  case plain, streamVideo, streamChat, streamSFU, sendbird, sinch, streem, streemControl

  func gateway() throws -> FuzzedGateway {
    switch self {
    case .plain: try Self.plain()
    case .streamVideo: try Self.stream(.video)
    case .streamChat: try Self.stream(.chat)
    case .streamSFU: try Self.sfu()
    case .sendbird: try Self.sendbird()
    case .sinch: try Self.sinch()
    case .streem: try Self.streem(control: false)
    case .streemControl: try Self.streem(control: true)
    }
  }

  private static func bearer(_ token: String) -> [HTTPField] { [HTTPField("authorization", "Bearer \(token)")] }

  private static var patient: SessionPolicy { get throws { try SessionPolicy(malformedMax: 1_000_000) } }

  private static func plain() throws -> FuzzedGateway {
    let plain = try SimulatedGateway(GatewayConfiguration(session: patient, pingInterval: nil), keepsTrace: false)
    return FuzzedGateway(
      world: plain.world, network: plain.space.network, clients: plain.space.clients, address: DialTarget.gateway,
      routes: plain.space.space.routes, corpus: try FuzzCorpus(folder: "Plain", tests: ["Plain", "Gateway/"]),
      names: ["default", "standup", "ann"],
      callers: [
        (bearer(plain.token("ann", life: nil).token), []), (bearer(plain.token("zoe", .guest, life: nil).token), []),
        ([], []),
      ],
      connect: { plain.connect(plain.token("ann")) },
      upgrades: [HTTPRequest(method: "GET", path: plain.dialect.upgradeTarget)])
  }

  private static func stream(_ kind: StreamDialect.Kind) throws -> FuzzedGateway {
    let stream = try SimulatedStream(session: patient)
    func fields(_ token: String) -> [HTTPField] {
      [HTTPField("authorization", token), HTTPField("stream-auth-type", "jwt")]
    }
    let key = HTTPField("api_key", SimulatedStream.key)
    for user in ["ann", "bob"] {
      _ = stream.fetch(
        "POST", "/api/v2/users", token: stream.serverToken, body: #"{"users":{"\#(user)":{"id":"\#(user)"}}}"#)
    }
    _ = stream.fetch("POST", "/video/call/default/c1", token: stream.token("ann", life: nil), body: "{}")
    return FuzzedGateway(
      world: stream.world, network: stream.space.network, clients: stream.space.clients, address: DialTarget.gateway,
      routes: stream.space.space.routes, corpus: try FuzzCorpus(folder: "Stream", tests: ["Stream"]),
      names: ["default", "c1", "ann", "bob", "livestream"],
      callers: [
        (fields(stream.token("ann", life: nil)), [key]), (fields(stream.serverToken), [key]),
        ([HTTPField("stream-auth-type", "anonymous")], [key]), ([], []),
      ],
      connect: { stream.connect(stream.token("ann"), on: kind) },
      upgrades: [HTTPRequest(method: "GET", path: kind.path, query: [key])])
  }

  private static func sfu() throws -> FuzzedGateway {
    let stream = try SimulatedStream(session: patient)
    let token = stream.join("ann").flatMap(SimulatedStream.credentials) ?? ""
    let procedures = stream.space.space.routes.filter { $0.pattern.hasPrefix(StreamSFUDialect.folder) }
    return FuzzedGateway(
      world: stream.world, network: stream.space.network, clients: stream.space.clients, address: DialTarget.gateway,
      routes: procedures, corpus: try FuzzCorpus(folder: "Stream/SFU", tests: ["SFU"]), names: ["ann", "a"],
      callers: [(bearer(token), []), ([HTTPField("authorization", token)], []), ([], [])],
      connect: { stream.enter("ann", session: "a", credentials: token, details: #"{"strategy":2}"#) },
      upgrades: [HTTPRequest(method: "GET", path: StreamSFUDialect.socketPath)])
  }

  private static func sendbird() throws -> FuzzedGateway {
    let sendbird = try SimulatedSendbird(policy: patient)
    for user in ["ann", "bob"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)","nickname":"x"}"#) }
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"lobby"}"#)
    let key = sendbird.connect(["user_id": "ann"]).sessionKey
    return FuzzedGateway(
      world: sendbird.world, network: sendbird.space.network, clients: sendbird.space.clients,
      address: DialTarget.gateway,
      routes: sendbird.space.space.routes, corpus: try FuzzCorpus(folder: "Sendbird", tests: ["Sendbird", "sendbird"]),
      names: ["ann", "bob", "talk", "lobby", "1"],
      callers: [
        ([HTTPField("api-token", SimulatedSendbird.apiToken)], []), ([HTTPField("session-key", key)], []), ([], []),
      ],
      connect: { sendbird.connect(["user_id": "ann"]) },
      upgrades: [HTTPRequest(method: "GET", path: "/", query: [HTTPField("ai", "APP")])])
  }

  private static func sinch() throws -> FuzzedGateway {
    let sinch = SimulatedSinch(try patient)
    return FuzzedGateway(
      world: sinch.world, network: sinch.space.network, clients: sinch.space.clients, address: DialTarget.gateway,
      routes: sinch.space.space.routes, corpus: try FuzzCorpus(folder: "Sinch", tests: ["Sinch"]),
      names: ["app", "alice", "d1"],
      callers: [(bearer(sinch.token("alice")), []), ([HTTPField("authorization", "instance a:b")], []), ([], [])],
      connect: { sinch.started().peer },
      upgrades: [HTTPRequest(method: "GET", path: SinchDialect.path)])
  }

  private static func streem(control: Bool) throws -> FuzzedGateway {
    let streem = try SimulatedStreem(patient)
    let server = Base64.encode(Array("\(streem.forge.id):\(streem.forge.secret)".utf8))
    // Its operations over HTTP want the user to be connected.
    _ = streem.identify(streem.token())
    return FuzzedGateway(
      world: streem.world, network: streem.space.network, clients: streem.space.clients,
      address: control ? DialTarget.control : DialTarget.gateway,
      routes: control ? streem.space.space.controlRoutes : streem.space.space.routes,
      corpus: try FuzzCorpus(folder: "Streem", tests: ["Streem", "openid"]),
      names: ["postern", "ann", streem.forge.id.text],
      callers: [
        (bearer(streem.token("ann").token), []), ([HTTPField("authorization", "Basic \(server)")], []), ([], []),
      ],
      connect: { streem.identify(streem.token()) },
      upgrades: [HTTPRequest(method: "GET", path: StreemDialect.path)])
  }
}
