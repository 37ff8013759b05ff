package import GatewayCore
internal import GatewayKit
import GatewayRuntime
package import GatewaySimulator
import GatewaySpace

/// A gateway in virtual time that is told anything, with what a client of its dialect must send to get as far as the
/// bodies are read: registration tokens, for instance.
package struct FuzzedGateway {
  let world: SimulatedWorld
  private let network: SimulatedNetwork
  private let clients: SimulatedLoop
  private let address: DialTarget
  let routes: [HTTPRoute]
  let corpus: FuzzCorpus
  /// Names of what exists, for the places in a path.
  let names: [String]
  /// What callers of several kinds send with a request.
  let callers: [Caller]
  /// A socket that is logged in, or is about to be.
  let connect: () -> SimulatedPeer
  /// An upgrade that opens a socket on which nobody has logged in; the fuzz changes its parameters, and knows some.
  let upgrade: HTTPRequest
  let parameters: [String]

  /// What a caller sends with a request: header fields, and parameters of the query.
  package typealias Caller = (headers: [HTTPField], query: [HTTPField])

  /// The gateway of a space, with all its routes unless some are named; at its control port if `control`.
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

  /// What a fuzzed gateway's sessions are held to: nobody is sent away for messages that are not understood.
  package static var patient: SessionPolicy { get throws { try SessionPolicy(malformedMax: 1_000_000) } }

  /// The header field of a caller with a token.
  package static func bearer(_ token: String) -> [HTTPField] { [HTTPField("authorization", "Bearer \(token)")] }

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
