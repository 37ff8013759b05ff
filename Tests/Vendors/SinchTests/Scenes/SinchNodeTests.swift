import GatewayCore
import TestSupport
import Testing

/// Two gateways on one store.
struct SinchNodeTests {
  @Test
  func `a second gateway of Sinch starts without a write`() throws {
    let sinch = SimulatedSinch()
    let commits = sinch.space.store.commitCount
    for boot in 0..<3 { _ = try sinch.space.second(NodeBoot(node: 1, boot: boot)) }
    #expect(sinch.space.store.commitCount == commits)
  }
}
