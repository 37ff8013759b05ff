import GatewayControl
import GatewayCore
import GatewayJSON
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import Synchronization
import TestSupport

/// The control ports of two gateways, `a` and `b`, on one store and one bus, in virtual time.
struct TwoNodes {
  static let life = NodeBoot(node: 1, boot: 3)

  let gateway: SimulatedGateway
  let second: Space
  let buses: [MemoryBus]
  let sites: [ControlSite]
  let book = Book()

  /// The names of the processes, and the orders.
  final class Book: Sendable {
    let names = Mutex([NodeBoot.first: "a", TwoNodes.life: "b"])
    let drained = Mutex<[String]>([])
  }

  init() throws {
    gateway = try SimulatedGateway(loops: 1, keepsTrace: false, takesFaults: true)
    second = try gateway.space.second(Self.life)
    let (loop, channel, book) = (gateway.world.loops[0].eventLoop, MemoryBus.Channel(), book)
    let spaces = [gateway.space.space, second]
    buses = [NodeBoot.first, Self.life].map { life in MemoryBus(as: life, on: channel) { loop.execute($0) } }
    for (space, bus) in zip(spaces, buses) {
      space.join(bus, names: { book.names.withLock { $0 } }) { _ in }
    }
    sites = spaces.enumerated().map { index, space in
      ControlSite(
        space,
        settings: GatewayDescription(
          dialects: [],
          limits: .init(
            connectionsMax: 1 + index, connectionRate: nil, messageBytesMax: 1, bodyBytesMax: 1, headerBytesMax: 1,
            outboundBytesMax: 1),
          provider: .init(
            latencyS: 0, concurrency: nil, queueMax: 0, failureRate: 0, tokenLifeS: nil, needsSecret: false),
          loops: 1, tls: false),
        secret: nil, hosts: ["gateway.test"], figures: { _ in }, nodes: { [] }, reload: { .failure(.overloaded) },
        drain: { window in
          book.drained.withLock { $0.append("\(index) \(window.map { "\($0.inSeconds)" } ?? "-")") }
        })
    }
  }

  var world: SimulatedWorld { gateway.world }

  /// Connects a client to node 0 or 1.
  func connect(_ user: String, to node: Int, life: Duration = .seconds(3_600)) -> SimulatedPeer {
    let upgrade = HTTPRequest(
      method: "GET", path: gateway.dialect.upgradeTarget,
      headers: [HTTPField("authorization", "Bearer \(gateway.token(user, life: life).token)")])
    let peer = SimulatedPeer(
      gateway.network, on: gateway.space.clients, to: node == 0 ? .gateway : .second, upgrade: upgrade)
    world.settle()
    return peer
  }

  /// Asks the control port of node 0 or 1.
  func ask(
    _ node: Int, _ method: String, _ path: String, _ query: [String: String] = [:], body: String = ""
  ) -> HTTPResponse {
    let request = HTTPRequest(
      method: method, path: path, query: query.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) },
      headers: [HTTPField("host", "gateway.test:8081"), HTTPField("content-type", "application/json")],
      body: Array(body.utf8), peer: "192.0.2.1")
    let (site, loop) = (sites[node], world.loops[0].eventLoop)
    return world.ask(within: .seconds(120)) { await site.respond(to: request, on: loop) } ?? HTTPResponse(status: 0)
  }

  /// Returns the JSON of an answer with status 200.
  func json(
    _ node: Int, _ method: String, _ path: String, _ query: [String: String] = [:], body: String = ""
  ) throws -> JSONView {
    let response = ask(node, method, path, query, body: body)
    guard response.status == 200 else { throw Failed(status: response.status, body: response.text) }
    return try JSONDocument.parse(response.body, sizeMax: 1 << 24).root
  }

  struct Failed: Error {
    let status: Int
    let body: String
  }
}

extension HTTPResponse {
  var text: String { String(decoding: body, as: UTF8.self) }
}

extension JSONView {
  func list(_ name: StaticString, _ member: String) -> [String] {
    self[name]?.elements?.map { $0[member: member]?.string ?? $0[member: member]?.text ?? "-" } ?? []
  }

  var missing: [String] { self["nodes_missing"]?.elements?.compactMap(\.string) ?? [] }
}
