import GatewayControl
import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport

/// The control port of a gateway in virtual time, with requests on the gateway's loop.
struct ControlPort {
  let gateway: SimulatedGateway
  let site: ControlSite

  static let secret = "open sesame, and be quick about it"
  /// The header fields with which a browser sends the requests of the dashboard's own script.
  static let own = [
    HTTPField("origin", "http://gateway.test:8081"), HTTPField("x-postern-dashboard", "1"),
    HTTPField("content-type", "application/json"),
  ]

  init(secret: String?, loops: Int = 2) throws {
    gateway = try SimulatedGateway(loops: loops, keepsTrace: false)
    site = ControlSite(
      gateway.space.space,
      settings: GatewayDescription(
        dialects: [],
        limits: .init(
          connectionsMax: 1, connectionRate: nil, messageBytesMax: 1, bodyBytesMax: 1, headerBytesMax: 1,
          outboundBytesMax: 1),
        provider: .init(
          latencyS: 0, concurrency: nil, queueMax: 0, failureRate: 0, tokenLifeS: nil, needsSecret: false),
        loops: loops, tls: false),
      secret: secret, hosts: ["gateway.test"], figures: { _ in },
      nodes: { [] }, reload: { .failure(.overloaded) }, drain: { _ in })
  }

  var world: SimulatedWorld { gateway.world }

  func ask(
    _ method: String, _ path: String, _ fields: [HTTPField] = [], cookie: String? = nil, body: String = "",
    from peer: String = "192.0.2.1"
  ) -> HTTPResponse {
    let cookies = cookie.map { [HTTPField("cookie", $0)] } ?? []
    let request = HTTPRequest(
      method: method, path: path, headers: [HTTPField("host", "gateway.test:8081")] + fields + cookies,
      body: Array(body.utf8), peer: peer)
    let site = site
    let loop = world.loops[0].eventLoop
    return world.ask { await site.respond(to: request, on: loop) } ?? HTTPResponse(status: 0)
  }

  func logIn(_ secret: String = secret, _ fields: [HTTPField] = own, from peer: String = "192.0.2.1") -> HTTPResponse {
    ask("POST", "/dashboard/login", fields, body: #"{"secret": "\#(secret)"}"#, from: peer)
  }

  /// Returns the cookie of a new session, as a browser sends it back.
  func cookie() -> String {
    String(logIn().header("set-cookie")?.prefix { $0 != ";" } ?? "none")
  }

  /// Returns a reader of a feed from now on.
  func read(_ stream: HTTPStream) -> FeedReader { FeedReader(stream, on: world.loops[0], in: world) }
}

/// A reader of a feed on a loop of a simulated world, without delay.
///
/// `@unchecked Sendable`: used only by the thread that runs the world.
final class FeedReader: @unchecked Sendable {
  private(set) var pieces: [String] = []
  private(set) var times: [Instant] = []
  private(set) var hasEnded = false
  private var task: Task<Void, Never>?
  private let world: SimulatedWorld

  init(_ stream: HTTPStream, on loop: SimulatedLoop, in world: SimulatedWorld) {
    self.world = world
    task = loop.eventLoop.asCurrent {
      loop.stage.begin { [self] in
        while let piece = await stream.next() {
          pieces.append(String(decoding: piece, as: UTF8.self))
          times.append(world.now)
          await loop.eventLoop.sleep(until: world.now)
        }
        hasEnded = true
      }
    }
    world.settle()
  }

  /// Stops reading, like a browser that closes the page.
  func go() {
    task?.cancel()
    world.settle()
  }

  /// The last reading.
  var last: String { pieces.last ?? "" }
}
