import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

struct AnnouncementOrderTests {
  private func messages(_ peer: SimulatedPeer) -> [String] {
    peer.texts.compactMap { $0.firstMatch(of: #/"content":"(\w+)"/#).map { String($0.1) } }
  }

  @Test(arguments: [1, 2, 3])
  func `messages of members on different loops at one moment arrive in one order everywhere`(loops: Int) throws {
    let gateway = try SimulatedGateway(loops: loops)
    let peers = (0..<6).map { number in
      let peer = gateway.connect(gateway.token("user\(number)"))
      peer.say(#"{"type":"join","cid":"default:x"}"#)
      gateway.world.settle()
      return peer
    }
    let places = gateway.order { await $0.sessions(of: nil, after: nil, limit: 10) }?.map(\.id.loop)
    #expect(Set(places ?? []).count == loops)
    for round in 0..<10 {
      for (number, peer) in peers.enumerated() {
        peer.say(#"{"type":"publish","cid":"default:x","content":"r\#(round)u\#(number)"}"#)
      }
      if round.isMultiple(of: 3) { gateway.world.settle() }
    }
    gateway.world.settle()
    let first = messages(peers[0])
    #expect(first.count == 60)
    for peer in peers { #expect(messages(peer) == first) }
  }

  @Test
  func `announcements of successive commits by several loops arrive in the order of the commits`() throws {
    let gateway = try SimulatedGateway(loops: 3)
    let peers = (0..<3).map { number in
      let peer = gateway.connect(gateway.token("user\(number)"))
      peer.say(#"{"type":"join","cid":"default:x"}"#)
      gateway.world.settle()
      return peer
    }
    let order = gateway.gateway
    let call = try #require(CallID(cid: "default:x"))
    for number in 0..<9 {
      gateway.world.loops[(number * 2) % 3].stage.start {
        let event = CallEvent(call: call, user: UserID("x"), kind: .message(content: #""n\#(number)""#))
        order.announce(event)
      }
    }
    gateway.world.settle()
    let first = messages(peers[0])
    #expect(Set(first).count == 9)
    for peer in peers { #expect(messages(peer) == first) }
  }

  @Test(arguments: [1, 2])
  func `a member is not told of its own joining, and receives nothing after leaving`(loops: Int) throws {
    let gateway = try SimulatedGateway(loops: loops)
    let (ann, bob) = (gateway.connect(gateway.token("ann")), gateway.connect(gateway.token("bob")))
    for peer in [ann, bob] { peer.say(#"{"type":"join","cid":"default:x"}"#) }
    gateway.world.settle()
    ann.say(#"{"type":"publish","cid":"default:x","content":"hello"}"#)
    ann.say(#"{"type":"leave","cid":"default:x"}"#)
    bob.say(#"{"type":"publish","cid":"default:x","content":"late"}"#)
    gateway.world.settle()
    #expect(!ann.texts.contains { $0.contains("member_joined") && $0.contains(#""user_id":"ann""#) })
    #expect(messages(ann) == ["hello"] && messages(bob) == ["hello", "late"])
  }

  @Test
  func `an announcement is encoded for a wire format only once a client has used it`() throws {
    let gateway = try SimulatedGateway(loops: 2)
    func spoken() -> [String]? {
      gateway.order { $0.frames { Frame(text: $0.name) }.map(\.dialect) }
    }
    #expect(spoken() == [])
    let ann = gateway.connect(gateway.token("ann"))
    #expect(spoken() == ["plain"])
    gateway.order { gateway in
      gateway.announce(to: .users([UserID("ann")]), Frame(text: "other"), in: "another")
      gateway.announce(to: .users([UserID("ann")]), Frame(text: "mine"), in: "plain")
    }
    gateway.world.settle()
    #expect(ann.texts.last == "mine" && !ann.texts.contains("other"))
  }
}
