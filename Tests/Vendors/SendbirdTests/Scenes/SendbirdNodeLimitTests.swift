import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewaySendbird

/// The limit of a user's connections at two gateways of one store and one bus.
struct SendbirdNodeLimitTests {
  private let sendbird: SimulatedSendbird
  private let peers: [SimulatedPeer]

  /// Four connections of ann's, the first and third of them to the first gateway.
  init() throws {
    (sendbird, peers) = try TestPlace.$ofScenes.withValue(.cluster) {
      let sendbird = try SimulatedSendbird { $0.connectionsPerUserMax = 4 }
      return (sendbird, (0..<4).map { _ in sendbird.connect(["user_id": "ann"]) })
    }
  }

  private func isAdmitted() -> Bool {
    TestPlace.$ofScenes.withValue(.cluster) {
      sendbird.connect(["user_id": "ann"]).last("user_id", of: "LOGI") == "ann"
    }
  }

  @Test
  func `a user's connections are counted at both gateways, and those that end make room at both`() {
    #expect(peers.allSatisfy { $0.last("user_id", of: "LOGI") == "ann" })
    #expect(!isAdmitted() && !isAdmitted())
    // Room that the end of a connection to the second gateway makes at the first, and the other way round.
    peers[1].abort()
    sendbird.world.advance(by: .seconds(1))
    #expect(isAdmitted() && !isAdmitted() && !isAdmitted())
    peers[0].abort()
    sendbird.world.advance(by: .seconds(1))
    #expect(isAdmitted() && !isAdmitted())
  }

  @Test
  func `connections of a gateway that is dead do not count`() {
    let dead = DeadBoots(before: [NodeBoot(node: 1, boot: 1)])
    let space = sendbird.space.space
    #expect(sendbird.world.ask { (try? await space.takeOver(dead)) != nil } == true)
    // At the first gateway, which has two of its own; the second one still counts.
    #expect(isAdmitted() && !isAdmitted())
  }

  @Test
  func `after a gap in the news a gateway counts its own connections only, and refuses nobody for what it missed`() {
    let space = sendbird.space.space
    _ = sendbird.world.ask { () async -> Bool in
      for vendor in space.vendors { await vendor.missedNotes() }
      return true
    }
    #expect(isAdmitted() && !isAdmitted() && isAdmitted())
  }
}
