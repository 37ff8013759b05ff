import GatewayCore
import GatewayKit
import GatewayRuntime
import TestSupport
import TestTraits
import Testing

@testable import GatewayPlain

struct PlainGateTests {
  @Test(.long, arguments: GateCase.all(PlainGate(), in: TestPlace.allCases))
  func `the rules of the gate hold in the plain dialect`(gate: GateCase) async throws { try await gate.holds() }

  @Test
  func `the journal shows every event of the gate's rules, and no token`() async throws {
    #expect(try await GateJournal.missing(of: PlainGate()) == [.loggedOut])
  }
}

private struct PlainGate: GateDialect {
  let client: any ClientDialect = PlainClientDialect()
  let operation = #"{"type":"join","cid":"default:lobby"}"#

  func vendor(tokenLife: Duration) -> (any VendorSettings)? { nil }

  func guest(in world: TestWorld) async throws -> GateClient {
    let answer = try await world.fetch("POST", "/v1/guests", body: #"{"name":"zoe"}"#)
    return await GateClient("zoe", with: answer.member("token").map { Credentials(token: $0) }, of: self, in: world)
  }

  func joins(_ guest: GateClient) async -> Bool {
    guest.peer.say(operation)
    return await guest.peer.hears(#""type":"joined""#)
  }
}
