import GatewayCore
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

/// Two gateways on one store and one bus.
struct NodeBusTests {
  private let gateway: SimulatedGateway
  private let second: Space
  private let buses: [MemoryBus]
  private let channel = MemoryBus.Channel()
  private static let call = "default:standup"
  private static let other = NodeBoot(node: 1, boot: 0)
  private var world: SimulatedWorld { gateway.world }

  init() throws {
    gateway = try SimulatedGateway(loops: 2, GatewayConfiguration(session: try SessionPolicy(revocation: .close)))
    second = try gateway.space.second(Self.other)
    let loop = gateway.world.loops[0].eventLoop
    buses = [NodeBoot.first, Self.other].map { [channel] life in
      MemoryBus(as: life, on: channel) { loop.execute($0) }
    }
    for (space, bus) in zip([gateway.space.space, second], buses) {
      space.join(bus, names: { [.first: "a", Self.other: "b"] }) { _ in }
    }
  }

  private func connect(_ user: String, to target: DialTarget) -> SimulatedPeer {
    let upgrade = HTTPRequest(
      method: "GET", path: gateway.dialect.upgradeTarget,
      headers: [HTTPField("authorization", "Bearer \(gateway.token(user).token)")])
    let peer = SimulatedPeer(gateway.network, on: gateway.space.clients, to: target, upgrade: upgrade)
    world.settle()
    peer.say(#"{"type":"join","cid":"\#(Self.call)","id":"j"}"#)
    world.settle()
    return peer
  }

  /// Returns the contents of the messages that a client has received, in order.
  private func contents(_ peer: SimulatedPeer) -> [String] {
    peer.texts.compactMap { text in
      text.firstMatch(of: #/"content":"(m[0-9a-z]+)"/#).map { String($0.1) }
    }
  }

  private func publish(_ content: String, by peer: SimulatedPeer) {
    peer.say(#"{"type":"publish","cid":"\#(Self.call)","content":"\#(content)"}"#)
  }

  @Test
  func `members of a call on two nodes receive each message once, all in one order`() {
    let peers = [DialTarget.gateway, .second, .gateway, .second].enumerated().map { connect("user\($0)", to: $1) }
    #expect(peers[0].count("member_joined") == 3 && peers[1].count("member_joined") == 2)
    for round in 0..<50 {
      for (index, peer) in peers.enumerated() { publish("m\(round)p\(index)", by: peer) }
      if round % 7 == 0 { world.settle() }
    }
    world.settle()
    let first = contents(peers[0])
    #expect(first.count == 200 && Set(first).count == 200)
    #expect(peers.allSatisfy { contents($0) == first })
  }

  @Test
  func `a node without a bus closes no connection, and receives announcements again after it is back`() {
    let (here, there) = (connect("ann", to: .gateway), connect("bob", to: .second))
    buses[1].isAway = true
    publish("mlost", by: here)
    publish("mgone", by: there)
    world.settle()
    buses[1].isAway = false
    publish("mback", by: there)
    world.settle()
    #expect(contents(here) == ["mlost", "mback"] && contents(there) == ["mback"])
    #expect(here.ending == nil && there.ending == nil)
  }

  @Test
  func `garbage among the messages between nodes reaches no client`() {
    let (here, there) = (connect("ann", to: .gateway), connect("bob", to: .second))
    for bytes in [[], [1], Array(repeating: 0xFF, count: 5_000)] as [[UInt8]] { channel.publish(bytes) }
    publish("mafter", by: here)
    world.settle()
    #expect(contents(here) == ["mafter"] && contents(there) == ["mafter"])
  }

  @Test
  func `an order about a user reaches the sessions of both nodes, and no other user's`() {
    let peers = [DialTarget.gateway, .second, .second].map { connect("ann", to: $0) }
    let other = connect("bob", to: .second)
    let reached = gateway.order { try? await $0.reach(.user(UserID("ann")), .disconnect(.disconnected)) } ?? nil
    world.settle()
    #expect(reached == Reached(sessions: 3))
    #expect(peers.allSatisfy { $0.ending?.code == CloseReason.disconnected.code } && other.ending == nil)
  }

  @Test
  func `an order to everybody and one to a connection of another node reach the right sessions`() {
    let (ann, bob) = (connect("ann", to: .gateway), connect("bob", to: .second))
    let second = second.gateway
    let id = world.ask { await second.sessions(of: nil, after: nil, limit: 1).first?.id } ?? nil
    #expect(id?.life == Self.other)
    let asked = gateway.order { gateway -> Reached? in
      guard let id else { return nil }
      return (try? await gateway.reach(.connection(id), .askForRefresh)) ?? nil
    }
    #expect(asked == .some(Reached(sessions: 1)))
    #expect(bob.count("refresh_required") == 1 && ann.count("refresh_required") == 0)
    let nobody = ConnectionID(Self.other, loop: 0, count: 1 << 30)
    let missed = gateway.order { (try? await $0.reach(.connection(nobody), .askForRefresh)) ?? nil }
    #expect(missed == .some(nil))
    #expect(gateway.order { (try? await $0.reach(.everybody, .askForRefresh)) ?? nil } == Reached(sessions: 2))
    #expect(ann.count("refresh_required") == 1)
  }

  @Test
  func `a revocation is answered when both nodes have applied it, at once and in both`() {
    let peers = [DialTarget.gateway, .second].map { connect("ann", to: $0) }
    let now = world.wallTime
    let reached = gateway.order { try? await $0.reach(revoking: .user(UserID("ann"), issuedBefore: now + .seconds(1))) }
    #expect(reached == .some(Reached(sessions: 2)))
    world.settle()
    #expect(peers.allSatisfy { $0.ending?.code == 4004 } && world.wallTime - now < .seconds(1))
    #expect(connect("ann", to: .second).refusal == .refused(status: 401))
  }

  @Test
  func `an answer that lacks a node names it after two seconds, and the order is carried out on this one`() {
    let (here, there) = (connect("ann", to: .gateway), connect("ann", to: .second))
    buses[1].isAway = true
    let begun = world.wallTime
    let reached = gateway.order { (try? await $0.reach(.user(UserID("ann")), .disconnect(.disconnected))) ?? nil }
    #expect(reached == Reached(sessions: 1, missing: ["b"]))
    #expect(world.wallTime - begun < .seconds(4))
    world.settle()
    #expect(here.ending != nil && there.ending == nil)
    // A node that is itself cut off does what it can, and names the others at once.
    let second = second.gateway
    let own = world.ask { (try? await second.reach(.user(UserID("ann")), .disconnect(.disconnected))) ?? nil }
    #expect(own == Reached(sessions: 1, missing: ["a"]))
  }

  @Test
  func `each node knows who is connected to both nodes, and who is in a call`() {
    _ = connect("ann", to: .gateway)
    _ = connect("bob", to: .second)
    let call = CallID(cid: Self.call)!
    let second = second.gateway
    for node in [gateway.gateway, second] {
      #expect(
        world.ask { await node.connected(of: ["ann", "bob", "eve"].map { UserID($0) }) } == [
          UserID("ann"), UserID("bob"),
        ])
      #expect(world.ask { await node.isConnected(UserID("bob")) } == true)
      #expect(world.ask { await node.audience(of: call) } == [UserID("ann"), UserID("bob")])
      #expect(world.ask { await node.hearers(of: call) } == 2)
      #expect(world.ask { await node.sessionCount(of: "plain") } == 2)
    }
    let id = world.ask { await second.sessions(of: nil, after: nil, limit: 1).first?.id } ?? nil
    let owner = gateway.order { gateway -> UserID? in
      guard let id else { return nil }
      return await gateway.user(of: id)
    }
    #expect(owner == .some(UserID("bob")))
  }
}
