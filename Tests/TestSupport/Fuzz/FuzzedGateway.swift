package import GatewayCore
internal import GatewayKit
import GatewayRuntime
package import GatewaySimulator
import GatewaySpace

/// A gateway in virtual time that gets hostile input, with the requests that a client of its dialect must send before
/// bodies are read.
package struct FuzzedGateway {
  let world: SimulatedWorld
  private let network: SimulatedNetwork
  private let clients: SimulatedLoop
  private let address: DialTarget
  let routes: [HTTPRoute]
  let corpus: FuzzCorpus
  /// Names of existing objects, for the parameters of a path.
  let names: [String]
  /// The credentials of several kinds of callers.
  let callers: [Caller]
  /// A function that returns a socket which is logged in, or is about to be.
  let connect: () -> SimulatedPeer
  /// An upgrade that opens a socket without a login; the fuzz test changes its parameters.
  let upgrade: HTTPRequest
  let parameters: [String]

  /// A caller's credentials: header fields, and parameters of the query.
  package typealias Caller = (headers: [HTTPField], query: [HTTPField])

  /// Creates the gateway of a space, by default with all its routes, or with the control port's routes if `control`.
  package init<Played>(
    _ space: TestSpace<Played>, corpus: FuzzCorpus, control: Bool = false, routes: [HTTPRoute]? = nil, names: [String],
    callers: [Caller], upgrade: HTTPRequest, parameters: [String] = [], connect: @escaping () -> SimulatedPeer
  ) {
    world = space.world
    network = space.network
    clients = space.clients
    address = control ? .control : .gateway
    self.routes = routes ?? (control ? space.space.controlRoutes : space.space.routes)
    self.corpus = corpus
    self.names = names
    self.callers = callers
    self.connect = connect
    self.upgrade = upgrade
    self.parameters = parameters
  }

  /// The session policy of a fuzzed gateway, which closes no session for malformed messages.
  package static var patient: SessionPolicy { get throws { try SessionPolicy(malformedMax: 1_000_000) } }

  /// Returns the header field of a caller with a token.
  package static func bearer(_ token: String) -> [HTTPField] { [HTTPField("authorization", "Bearer \(token)")] }

  /// Returns the answer to a request; nil if there was none.
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
