import GatewayCore
import GatewayKit
import GatewayRuntime
import TestSupport
import Testing

@testable import GatewaySinch

struct SinchRulesTests {
  @Test(arguments: GateCase.all(SinchGate(), in: TestPlace.allCases))
  func `the rules of sessions hold for Sinch's clients`(gate: GateCase) async throws { try await gate.holds() }

  @Test
  func `the journal shows every event of the gate's rules, and no token`() async throws {
    #expect(try await GateJournal.missing(of: SinchGate()) == [.loggedOut, .tokenExpired])
  }

  @Test
  func `no answer shows a token, a signature, a ticket or an instance's secret`() throws {
    try MarkedMessages.check(
      [
        #"{"type":"start","applicationKey":"app","userId":"ann","deviceId":"phone","jwt":"a.b.c"}"#,
        #"{"type":"start","applicationKey":"app","instance":{"id":"i","timestamp":"t","signature":"c2lnbmVk"}}"#,
        #"{"type":"register","ticket":"dGlja2V0"}"#,
        #"{"type":"register","signature":"c2ln","sequence":18446744073709551615}"#,
        #"{"type":"userRegistered","instance":{"id":"i","secret":"c2VjcmV0","expiresAt":1}}"#,
        #"{"type":"register","jwt":"a.b.c"#,
      ], secrets: "jwt|signature|ticket|secret", by: SinchDialect(SinchSettings(applications: SinchApplications([]))))
  }
}

private struct SinchGate: GateDialect {
  let client: any ClientDialect = SinchClientDialect(application: SimulatedSinch.application)
  let operation = #"{"type":"joinCall","callId":"default:lobby"}"#

  func vendor(tokenLife: Duration) -> (any VendorSettings)? {
    var settings = SinchSettings(applications: SimulatedSinch.applications)
    settings.tokens.instanceLifeMin = tokenLife
    return settings
  }

  func guest(in world: TestWorld) async throws -> GateClient {
    let answer = try await world.fetch("POST", "/sinch/v1/applications/\(SimulatedSinch.application)/guests")
    let token = answer.member("jwt").map { Credentials(token: $0) }
    return await GateClient(answer.member("userId") ?? "", with: token, of: self, in: world)
  }

  func joins(_ guest: GateClient) async -> Bool {
    guest.peer.say(operation)
    return await guest.peer.hears(#""type":"callJoined""#)
  }
}
