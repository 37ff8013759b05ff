import GatewayCore
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayStream

/// Two gateways on one store.
struct StreamNodeTests {
  private let stream: SimulatedStream
  private static let other = NodeBoot(node: 1, boot: 0)

  init() throws {
    stream = try SimulatedStream()
  }

  @Test
  func `a second gateway of Stream starts without a write, and no participant of the first leaves`() throws {
    let ann = stream.enter("ann", session: "a")
    let commits = stream.space.store.commitCount
    for boot in 0..<3 { _ = try stream.space.second(NodeBoot(node: 1, boot: boot)) }
    #expect(stream.space.store.commitCount == commits && stream.participants() == ["a"] && ann.isOpen)
  }

  @Test
  func `the SFU token of one gateway is valid at the other and after its restart`() throws {
    let token = try #require(stream.join("bob").flatMap(SimulatedStream.credentials))
    for boot in 0..<2 {
      _ = try stream.space.second(NodeBoot(node: 1, boot: boot))
      let peer = SimulatedPeer(
        stream.space.network, on: stream.space.clients, to: .second,
        upgrade: HTTPRequest(method: "GET", path: StreamSFUDialect.socketPath))
      stream.world.settle()
      peer.say(#"{"joinRequest":{"token":"\#(token)","sessionId":"b\#(boot)","reconnectDetails":{}}}"#)
      stream.world.settle()
      #expect(peer.heard.first == "joinResponse", "\(peer.texts)")
      peer.close(.normal)
      stream.world.settle()
    }
  }

  @Test
  func `the end of a process removes its participants of calls and no others`() throws {
    _ = stream.enter("ann", session: "a")
    let second = try stream.space.second(Self.other)
    let take = { (dead: DeadBoots) in stream.world.ask { (try? await second.takeOver(dead)) != nil } }
    #expect(take(DeadBoots(before: [.first, Self.other.next])) == true && stream.participants() == ["a"])
    #expect(take(DeadBoots(before: [NodeBoot.first.next])) == true && stream.participants() == [])
  }
}
