import GatewayCore
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewaySinch

@Suite(.onNodes)
struct SinchAtOnceTests {
  @Test
  func `clients that present one token at once register a user once, over HTTP and by sockets`() throws {
    let gateway = SimulatedSinch()
    let token = gateway.token()
    let peers = (0..<4).map { _ in gateway.connect() }
    for (number, peer) in peers.enumerated() {
      peer.start(device: "s\(number)")
      peer.peer.say(#"{"type":"register","jwt":"\#(token)"}"#)
    }
    let answers = gateway.space.fetch(
      atOnce: (0..<4).map { number in
        HTTPRequest(
          method: "POST", path: "/sinch/v1/applications/app/users/alice/instances",
          headers: [HTTPField("content-type", "application/json")],
          body: Array(#"{"deviceId":"h\#(number)","jwt":"\#(token)"}"#.utf8))
      })
    let registered = peers.count { $0.types.contains("userRegistered") }
    #expect(registered + answers.count { $0?.status == 201 } == 1)
    #expect(answers.allSatisfy { $0?.status == 201 || $0?.status == 401 })
    #expect(peers.allSatisfy { $0.types.contains("userRegistered") || $0.types.contains("userRegistrationFailed") })
    #expect(gateway.instances().count == 1)
  }
}
