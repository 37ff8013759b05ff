import GatewayCore
import GatewayProxy
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import Testing

/// Routes as hosted spaces, in virtual time.
struct HostedRouteTests {
  private let world = SimulatedWorld(loops: 3)
  private let network: SimulatedNetwork
  private let target = TargetSite()
  private let loop: EventLoop

  init() {
    network = SimulatedNetwork(world)
    network.listen(on: ProxyWorld.targetAddress, loops: [world.loops[1]], site: target)
    loop = world.loops[0].eventLoop
  }

  private static func address(_ number: Int) -> DialTarget {
    DialTarget(host: "route-\(number)", port: 80, source: "127.0.0.7")
  }

  /// Makes a route and has it listen.
  private func make(_ number: Int, load: HostLoad? = nil, limits: HostedLimits = HostedLimits()) throws -> HostedSpace {
    let loop = loop
    let space = try loop.asCurrent {
      let load = load ?? HostLoad(.local, on: loop)
      return try HostedSpace(on: loop, limits: limits, clock: nil, whenEnded: {}) { loop in
        let control = ProxyControl(on: loop, bytes: 1 << 16, payloadBytes: nil, seed: 1, log: nil)
        let route = ProxyRoute(
          to: ProxyTarget(ProxyWorld.targetAddress, isLocal: true), by: SimulatedDialer(network, on: world.loops[0]),
          on: loop, load: load, fields: ForwardedFields(via: "1.1 postern-1"), control: control)
        return HostedRoute(
          route, control, to: "ws://target", from: nil, guarding: PageGuard(hosts: ["route-\(number)"], pages: .any))
      }
    }
    network.listen(on: Self.address(number), loops: [world.loops[0]], site: space.site)
    _ = world.ask { try? await space.prepare() }
    return space
  }

  private func connect(_ number: Int, settling: Bool = true) -> SimulatedPeer {
    let peer = SimulatedPeer(
      network, on: world.loops[2], to: Self.address(number), upgrade: HTTPRequest(method: "GET", path: "/"))
    if settling { world.advance(by: .seconds(1)) }
    return peer
  }

  private func end(_ space: HostedSpace) { _ = world.ask { await space.end() } }

  private func kinds(of space: HostedSpace) -> [JournalKind] {
    loop.asCurrent { space.content.controllable.journal?.page(Journal.Query()).lines.map(\.event.kind) ?? [] }
  }

  @Test
  func `a route passes messages on, and at its end both sides are closed with 1001 and nothing is left`() throws {
    var space: HostedSpace? = try make(0)
    weak let journal = space?.content.controllable.journal
    weak let content = space?.content
    let peer = connect(0)
    peer.say("hello")
    world.advance(by: .seconds(1))
    let socket = try #require(target.sockets.first)
    #expect(socket.texts == ["hello"] && space?.connectionCount == 1)
    #expect(space.map(kinds) == [.connectionOpened, .messageIn])
    #expect(space?.content.upstream == "ws://target" && space?.space == nil)
    if let space { end(space) }
    world.advance(by: .seconds(20))
    #expect(peer.events.last?.event == .closed(code: 1001, name: "going_away"))
    #expect(socket.ending == .some(1001))
    network.stopListening(on: Self.address(0))
    space = nil
    world.settle()
    #expect(journal == nil && content == nil)
  }

  @Test
  func `a route that ends answers 503 to a client whose upgrade the target has not answered`() throws {
    let pending = PendingUpgrade {}
    target.admission = { _ in .later(pending) }
    let space = try make(0)
    let peer = connect(0)
    #expect(peer.events.isEmpty && space.connectionCount == 0)
    end(space)
    world.advance(by: .seconds(1))
    #expect(peer.events.last?.event == .refused(.refused(status: 503)))
    #expect(connectionsAreRefused(0))
  }

  private func connectionsAreRefused(_ number: Int) -> Bool {
    connect(number).events.last?.event == .refused(.refused(status: 503))
  }

  @Test
  func `an unused route ends by itself, and one with a client does not`() throws {
    var limits = HostedLimits()
    limits.idleTime = .seconds(10)
    let (used, unused) = (try make(0, limits: limits), try make(1, limits: limits))
    let peer = connect(0)
    world.advance(by: .seconds(30))
    #expect(unused.isEnding && !used.isEnding)
    peer.close()
    world.advance(by: .seconds(30))
    #expect(used.isEnding)
  }

  @Test
  func `the time of a route is the network's, and cannot be moved`() throws {
    let space = try make(0)
    let isRefused = world.ask { () async -> Bool in
      do throws(Advance.Failure) {
        _ = try await space.advance(by: .seconds(60))
        return false
      } catch {
        return error == .timeIsReal
      }
    }
    #expect(isRefused == true)
    #expect(throws: Advance.Failure.timeIsReal) {
      try loop.asCurrent { try space.setWall(to: WallTime(seconds: 0)) }
    }
  }

  @Test
  func `routes to one host share its limits, and the end of a connection makes room for another`() throws {
    let load = loop.asCurrent { HostLoad(ProxyLimits(connections: 1), on: loop) }
    let (one, two) = (try make(0, load: load), try make(1, load: load))
    let first = connect(0)
    #expect(first.events.last?.event == .opened)
    #expect(connect(1).events.last?.event == .refused(.refused(status: 429)))
    first.close()
    world.advance(by: .seconds(20))
    #expect(connect(1).events.last?.event == .opened)
    end(one)
    end(two)
  }
}
