import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import GatewayTokens
import Synchronization
import TestSupport
import Testing

/// Two gateways on one store, of which each looks at it after every renewal of its lease.
struct NodeRevocationTests {
  /// The part of the token that is revoked after both gateways have accepted it.
  enum Extent: CaseIterable {
    case token, user, everybody
  }

  private let gateway: SimulatedGateway
  private let second: Space
  private var world: SimulatedWorld { gateway.world }

  init() throws {
    try self.init(.refresh)
  }

  private init(_ action: SessionPolicy.RevocationAction) throws {
    gateway = try SimulatedGateway(GatewayConfiguration(session: try SessionPolicy(revocation: action)))
    second = try gateway.space.second(NodeBoot(node: 1, boot: 0))
    for (name, space) in [("a", gateway.space.space), ("b", second)] {
      let (store, loop) = (gateway.store, gateway.world.loops[0].eventLoop)
      let lease = gateway.world.ask { try? await NodeLease.take(name, in: store, on: loop) }
      let keeper = NodeKeeper(try #require(lease ?? nil), on: loop) { _ in }
      keeper.begin()
      gateway.world.ask { await keeper.hear { try await space.learnRevocations() } }
    }
    gateway.world.advance(by: .seconds(5))
  }

  /// Returns a client of the second gateway.
  private func connect(_ token: Credentials) -> SimulatedPeer {
    let upgrade = HTTPRequest(
      method: "GET", path: gateway.dialect.upgradeTarget,
      headers: [HTTPField("authorization", "Bearer \(token.token)")])
    let peer = SimulatedPeer(gateway.network, on: gateway.space.clients, to: .second, upgrade: upgrade)
    world.settle()
    return peer
  }

  private func isIn(_ peer: SimulatedPeer) -> Bool { peer.count("connected") == 1 && peer.count("error") == 0 }

  private func isRefused(_ peer: SimulatedPeer) -> Bool { peer.refusal == .refused(status: 401) }

  /// Revokes on the first gateway. Returns how many of its sessions that takes in.
  private func revoke(_ extent: Extent, _ token: Credentials) -> Int? {
    let now = world.wallTime
    let target: Revocations.Target =
      switch extent {
      case .token: .token(TokenFingerprint(of: token.token))
      case .user: .user(UserID("ann"), issuedBefore: now)
      case .everybody: .everybody(issuedBefore: now)
      }
    return gateway.order { try? await $0.revoke(target) } ?? nil
  }

  @Test(arguments: Extent.allCases)
  func `a revocation asks the sessions of the other gateway once, which also refuses the token and no later one`(
    extent: Extent
  ) throws {
    let token = gateway.token()
    let (here, there) = (gateway.connect(token), (0..<4).map { _ in connect(token) })
    #expect(isIn(here) && there.allSatisfy(isIn))
    let other = connect(gateway.token("bob"))
    world.advance(by: .seconds(2))
    #expect(revoke(extent, token) == 1)
    world.advance(by: .seconds(3))
    #expect((there + [here]).allSatisfy { $0.count("refresh_required") == 1 })
    #expect(other.count("refresh_required") == (extent == .everybody ? 1 : 0))
    #expect(isRefused(connect(token)))
    let later = gateway.token()
    #expect(isIn(connect(later)))
    there[0].say(#"{"type":"refresh","token":"\#(later.token)"}"#)
    world.settle()
    #expect(there[0].count("refreshed") == 1)
    // The same again, and something else, changes the store but nothing for these sessions.
    #expect(revoke(.token, token) != nil && revoke(.token, gateway.token("eve")) == 0)
    world.advance(by: .seconds(20))
    #expect((there + [here]).allSatisfy { $0.count("refresh_required") == 1 })
  }

  /// Whether a process has its lease.
  private final class Lease: Sendable {
    private let state = Mutex(true)

    var isHeld: Bool {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  @Test
  func `a process without its lease takes no token as good on any way, and closes nobody`() throws {
    let lease = Lease()
    gateway.gateway.admit { _ in lease.isHeld }
    let (peer, silent) = (gateway.connect(gateway.token()), gateway.connect())
    #expect(isIn(peer) && silent.refusal == nil)
    let token = gateway.token()
    lease.isHeld = false
    for _ in 0..<20 {
      peer.say(#"{"type":"refresh","token":"\#(token.token)"}"#)
      world.settle()
      #expect(peer.texts.last?.contains("store_unavailable") == true, "\(peer.texts)")
    }
    silent.say(#"{"type":"connect","token":"\#(token.token)"}"#)
    world.settle()
    #expect(silent.texts.last?.contains("store_unavailable") == true && silent.count("connected") == 0)
    #expect(gateway.connect(token).refusal == .refused(status: 503))
    #expect(try #require(gateway.fetch("GET", "/v1/calls/default/a", token: token)).get().status == 503)
    lease.isHeld = true
    peer.say(#"{"type":"refresh","token":"\#(token.token)"}"#)
    world.settle()
    #expect(peer.count("refreshed") == 1 && peer.ending == nil)
  }

  @Test
  func `a revocation closes the sessions of the other gateway if that is configured`() throws {
    let nodes = try Self(.close)
    let token = nodes.gateway.token()
    let peer = nodes.connect(token)
    nodes.world.advance(by: .seconds(2))
    #expect(nodes.isIn(peer) && nodes.revoke(.user, token) == 0)
    nodes.world.advance(by: .seconds(3))
    #expect(peer.ending?.code == 4004)
  }

  @Test
  func `a revocation that the other gateway cannot read is done once the store is back`() throws {
    let token = gateway.token()
    let peer = connect(token)
    world.advance(by: .seconds(2))
    #expect(revoke(.user, token) == 0)
    gateway.store.fault = .away
    world.advance(by: .seconds(30))
    #expect(peer.count("refresh_required") == 0 && isIn(connect(token)))
    gateway.store.fault = nil
    world.advance(by: .seconds(3))
    #expect(peer.count("refresh_required") == 1 && isRefused(connect(token)))
  }

  @Test
  func `many revocations at once reach the other gateway`() throws {
    let tokens = (0..<2_500).map { _ in gateway.token() }
    let peers = [0, 1_234, 2_499].map { connect(tokens[$0]) }
    for token in tokens { #expect(revoke(.token, token) == 0) }
    world.advance(by: .seconds(3))
    #expect(peers.allSatisfy { $0.count("refresh_required") == 1 })
    #expect(isIn(connect(gateway.token())))
  }

  @Test
  func `a token that was let expire is refused by the other gateway`() throws {
    let token = gateway.token()
    let (here, there) = (gateway.connect(token), connect(token))
    #expect(isIn(here) && isIn(there))
    #expect(gateway.order { try? await $0.control(UserID("ann"), .expireNow) } == .some(1))
    world.advance(by: .seconds(3))
    #expect(isRefused(connect(token)))
    #expect(there.count("refresh_required") == 0, "the order was for the sessions of the first")
  }
}
