import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewaySinch

struct SinchRepetitionTests {
  /// Returns the messages to a registration and a guest, including names, secrets and nonces.
  private func run() throws -> [String] {
    let sinch = SimulatedSinch()
    let alice = sinch.started(life: .seconds(200_000))
    let guest = try #require(sinch.fetch("POST", "/sinch/v1/applications/app/guests"))
    #expect(alice.registered != nil && guest.status == 201, "\(guest.text)")
    return alice.peer.texts + [guest.text]
  }

  @Test
  func `a run in virtual time repeats itself byte for byte, secrets and all`() throws {
    let (one, two) = (try run(), try run())
    #expect(one == two)
  }
}
