import GatewayCore
import GatewayKit
import GatewayPlain
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

struct CrowdTests {
  /// Returns a member of `default:x`.
  private func join(_ gateway: SimulatedGateway, _ number: Int) -> SimulatedPeer {
    let peer = gateway.connect(gateway.token("user\(number)"))
    peer.say(#"{"type":"join","cid":"default:x"}"#)
    return peer
  }

  private func arrivals(_ peer: SimulatedPeer) -> Int { peer.texts.count { $0.contains(#""member_joined""#) } }
  private func departures(_ peer: SimulatedPeer) -> Int { peer.texts.count { $0.contains(#""member_left""#) } }
  private func counts(_ peer: SimulatedPeer) -> [Int] {
    peer.texts.compactMap {
      $0.firstMatch(of: #/"members_changed","cid":"default:x","members":(\d+)}/#).flatMap { Int($0.1) }
    }
  }

  @Test(.long, arguments: [1, 3])
  func `a crowd in a call is told its size once a second, and not each join and leave`(loops: Int) throws {
    let gateway = try SimulatedGateway(loops: loops) {
      DialectBinding(PlainDialect(), $0, commands: CallCommands(PlainDialect(), on: $1, crowdMin: 20))
    }
    let limit = 20 * loops
    let first = join(gateway, 0)
    gateway.world.settle()
    let others = (1...limit + 39).map { join(gateway, $0) }
    gateway.world.settle()
    #expect(arrivals(first) == limit - 1)
    #expect(counts(first) == [])
    gateway.world.advance(by: CallCommands.countInterval)
    #expect(counts(first) == [limit + 40])
    #expect(others.allSatisfy { counts($0) == [limit + 40] })
    gateway.world.advance(by: .seconds(60))
    #expect(counts(first).count == 1, "nobody came or went")

    // All members still receive messages.
    first.say(#"{"type":"publish","cid":"default:x","content":1}"#)
    gateway.world.settle()
    #expect(others.allSatisfy { $0.texts.contains { $0.contains(#""content":1"#) } })

    // Some leave, some disconnect; when it is no crowd any more each one is announced again.
    for peer in others.suffix(10) { peer.say(#"{"type":"leave","cid":"default:x"}"#) }
    for peer in others.dropLast(10).suffix(10) { peer.abort() }
    gateway.world.settle()
    #expect(departures(first) == 0)
    gateway.world.advance(by: CallCommands.countInterval)
    #expect(counts(first) == [limit + 40, limit + 20])
    for peer in others.prefix(limit / 2 + 20) { peer.abort() }
    gateway.world.settle()
    #expect((1...limit / 2 + 20).contains(departures(first)))
    gateway.world.advance(by: CallCommands.countInterval)
    #expect(counts(first).last == limit / 2)
    let before = arrivals(first)
    _ = join(gateway, 10_000)
    gateway.world.settle()
    #expect(arrivals(first) == before + 1)
  }
}
