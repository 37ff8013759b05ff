import GatewayCore
import GatewayProxy
import GatewayRuntime
import GatewaySimulator
import GatewayWires

/// A client, a proxy and its target in virtual time: three loops, so that each message takes the latency twice.
struct ProxyWorld {
  let world = SimulatedWorld(loops: 3)
  let network: SimulatedNetwork
  let route: ProxyRoute
  let site: TargetSite
  /// The other target, to which the first may send clients.
  let otherSite = TargetSite()
  /// The journal and the faults; nil unless asked for.
  let control: ProxyControl?

  static let address = DialTarget(host: "proxy", port: 80, source: "127.0.0.7")
  static let targetAddress = DialTarget(host: "target", port: 80)
  static let otherAddress = DialTarget(host: "other", port: 8080)

  init(
    _ site: TargetSite = TargetSite(), limits: ProxyLimits = .local, isLocal: Bool = true,
    conditions: LinkConditions = LinkConditions(), guarding: PageGuard = PageGuard(hosts: ["proxy"], pages: .any),
    isControlled: Bool = false, wire: ProxyWire? = nil, tokens: TokenWatch? = nil, hasOther: Bool = false
  ) {
    self.site = site
    network = SimulatedNetwork(world, conditions: conditions)
    network.listen(on: Self.targetAddress, loops: [world.loops[1]], site: site)
    network.listen(on: Self.otherAddress, loops: [world.loops[1]], site: otherSite)
    let loop = world.loops[0]
    let network = network
    let control = isControlled ? loop.eventLoop.asCurrent { Self.control(on: loop.eventLoop, wire, tokens) } : nil
    self.control = control
    route = loop.eventLoop.asCurrent {
      ProxyRoute(
        to: ProxyTarget(Self.targetAddress, isLocal: isLocal), by: SimulatedDialer(network, on: loop),
        on: loop.eventLoop, load: HostLoad(limits, on: loop.eventLoop),
        fields: ForwardedFields(via: "1.1 postern-1", replacing: [HTTPField("x-key", "new")]), control: control,
        others: hasOther
          ? [(ProxyTarget(Self.otherAddress, isLocal: isLocal), HostLoad(limits, on: loop.eventLoop))] : [])
    }
    network.listen(on: Self.address, loops: [loop], site: ProxySite(route, guarding: guarding))
  }

  private static func control(on loop: EventLoop, _ wire: ProxyWire?, _ tokens: TokenWatch?) -> ProxyControl {
    ProxyControl(
      on: loop, wire: wire, tokens: tokens.map { TokenSightings($0, on: loop) }, payloadBytes: 1 << 20, seed: 1,
      log: nil)
  }

  func connect(_ upgrade: HTTPRequest = HTTPRequest(method: "GET", path: "/"), settling: Bool = true) -> SimulatedPeer {
    let peer = SimulatedPeer(network, on: world.loops[2], to: Self.address, upgrade: upgrade)
    if settling { world.advance(by: .seconds(1)) }
    return peer
  }
}

/// The target: it keeps what it hears, and its sockets.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
final class TargetSite: Site, @unchecked Sendable {
  var admission: ((HTTPRequest) -> Admission)?
  var answer: ((HTTPRequest) -> HTTPResponse)?
  private(set) var upgrades: [HTTPRequest] = []
  private(set) var requests: [HTTPRequest] = []
  private(set) var sockets: [TargetSocket] = []

  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission {
    upgrades.append(upgrade)
    if let admission { return admission(upgrade) }
    sockets.append(TargetSocket(on: loop))
    return .accept(sockets[sockets.count - 1], subprotocol: nil)
  }

  nonisolated(nonsending) func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    requests.append(request)
    if let answer { return answer(request) }
    var response = HTTPResponse(status: 201, contentType: "text/plain", text: "made")
    response.headers += [HTTPField("connection", "x-own"), HTTPField("x-own", "1"), HTTPField("set-cookie", "a=1")]
    return response
  }
}

/// The target's side of one connection.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
final class TargetSocket: SocketHandler, @unchecked Sendable {
  private let loop: EventLoop
  private(set) var socket: (any Socket)?
  private(set) var texts: [String] = []
  private(set) var pings: [[UInt8]] = []
  private(set) var pongs: [[UInt8]] = []
  private(set) var goodbye: String?
  /// The code of the end; nil inside for an end without a close frame.
  private(set) var ending: UInt16??

  init(on loop: EventLoop) { self.loop = loop }

  /// Does something with the socket, on its loop.
  func act(_ body: (any Socket) -> Void) {
    loop.asCurrent { if let socket { body(socket) } }
  }

  func socketOpened(_ socket: any Socket) { self.socket = socket }
  func socketRefused(_ failure: DialFailure) {}
  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    texts.append(String(decoding: payload, as: UTF8.self))
  }
  func socketReceivedPing() {}
  func socketReceivedPong() {}
  func socketReceivedPing(_ payload: UnsafeRawBufferPointer) { pings.append(Array(payload)) }
  func socketReceivedPong(_ payload: UnsafeRawBufferPointer) { pongs.append(Array(payload)) }
  func socketViolated(_ reason: CloseReason) {}
  func socketHeardGoodbye(_ text: String) { goodbye = text }
  func socketClosed(_ peerCode: UInt16?) {
    socket = nil
    ending = .some(peerCode)
  }
}
