import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySinch
import TestSupport
import Testing

@Suite("A run of Sinch's side in virtual time")
struct SinchRepetitionTests {
  /// What a registration and a guest are told, their names, secrets and nonces included.
  private func run() throws -> [String] {
    let sinch = SimulatedSinch()
    let alice = sinch.started(life: .seconds(200_000))
    let guest = try #require(sinch.fetch("POST", "/sinch/v1/applications/app/guests"))
    #expect(alice.registered != nil && guest.status == 201, "\(guest.text)")
    return alice.peer.texts + [guest.text]
  }

  @Test("repeats itself byte for byte, secrets and all")
  func repeats() throws {
    let (one, two) = (try run(), try run())
    #expect(one == two)
  }
}
