package import GatewayCore
package import GatewayRuntime
internal import Synchronization

/// A gateway and the loop of its clients, as a test's body sees them in every ``TestPlace``. The body runs on the loop.
package struct TestWorld: Sendable {
  package let place: TestPlace
  /// The gateway, or the first of several.
  package let gateway: Gateway
  package let loop: EventLoop
  private let gateways: [Gateway]
  private let dialer: any Dialer
  private let targets: [DialTarget]
  private let dials = Dials()

  private final class Dials: Sendable {
    let count = Atomic(0)
  }

  init(place: TestPlace, gateway: Gateway, loop: EventLoop, dialer: any Dialer, target: DialTarget) {
    self.init(place: place, gateways: [gateway], loop: loop, dialer: dialer, targets: [target])
  }

  init(place: TestPlace, gateways: [Gateway], loop: EventLoop, dialer: any Dialer, targets: [DialTarget]) {
    self.place = place
    (self.gateways, gateway) = (gateways, gateways[0])
    self.loop = loop
    self.dialer = dialer
    self.targets = targets
  }

  /// The port of the next connection or request: that of each gateway by turns.
  private var target: DialTarget {
    targets[dials.count.wrappingAdd(1, ordering: .relaxed).oldValue % targets.count]
  }

  /// Returns the sessions of the user, or of everybody, of all gateways.
  package func sessions(of user: UserID? = nil) async -> [SessionSummary] {
    var sessions: [SessionSummary] = []
    for gateway in gateways { sessions += await gateway.sessions(of: user, after: nil, limit: 10) }
    return sessions
  }

  // MARK: Time

  package var now: Instant { loop.now }
  package var wallTime: WallTime { loop.wallTime }

  /// The tolerance for late events on a busy machine.
  package var slack: Duration {
    switch place {
    case .virtualTime, .hosted, .cluster: .seconds(1)
    case .sockets: .seconds(10)
    }
  }

  /// The tolerance for early events: each of two loops reads its clock once for each wake-up.
  package var haste: Duration {
    switch place {
    case .virtualTime, .hosted, .cluster: .zero
    case .sockets: .milliseconds(500)
    }
  }

  /// Lets time pass.
  package func pass(_ duration: Duration) async {
    await loop.sleep(until: now + duration)
  }

  /// Lets time pass until the condition holds. Returns false if it does not hold after `limit`.
  package func wait(atMost limit: Duration? = nil, until isSo: () async -> Bool) async -> Bool {
    let end = now + (limit ?? slack)
    let most: Duration = place.isVirtual ? .seconds(5) : .milliseconds(20)
    var glance = Duration.milliseconds(1)
    while await !isSo() {
      guard now < end else { return false }
      await loop.sleep(until: min(end, now + glance))
      glance = min(glance * 2, most)
    }
    return true
  }

  // MARK: Clients

  /// Returns a client whose connection is open, or has been refused.
  package func dial(_ upgrade: ClientUpgrade) async -> TestPeer {
    let peer = TestPeer(in: self)
    dialer.dial(target, upgrade: upgrade.request, subprotocols: upgrade.subprotocols, handler: peer)
    _ = await wait { peer.isOpen || peer.end != nil }
    return peer
  }

  package func dial(_ path: String) async -> TestPeer {
    await dial(ClientUpgrade(HTTPRequest(method: "GET", path: path)))
  }

  /// Returns the answer to an HTTP request.
  package func fetch(
    _ method: String, _ path: String, query: [HTTPField] = [], headers: [HTTPField] = [], body: String = ""
  ) async throws -> HTTPResponse {
    let headers = headers + (body.isEmpty ? [] : [HTTPField("content-type", "application/json")])
    return try await fetch(
      HTTPRequest(method: method, path: path, query: query, headers: headers, body: Array(body.utf8)))
  }

  package func fetch(_ request: HTTPRequest) async throws -> HTTPResponse {
    try await dialer.fetch(request, from: target, timeout: .seconds(30)).get()
  }
}
