import GatewayCore
import GatewayKit
import GatewayRuntime
import TestSupport
import Testing

@testable import GatewayStreem

struct StreemRulesTests {
  @Test(arguments: GateCase.all(StreemGate(), in: TestPlace.allCases))
  func `the rules of sessions hold for Streem's clients`(gate: GateCase) async throws { try await gate.holds() }

  @Test
  func `the journal shows every event of the gate's rules, and no token`() async throws {
    #expect(try await GateJournal.missing(of: StreemGate()) == [.refreshRefused])
  }

  @Test
  func `no answer shows a token, nor the code of an invitation`() throws {
    try MarkedMessages.check(
      [
        #"{"type":"identify","token":"a.b.c","isExpert":true,"name":"Ann"}"#, #"{"type":"token","token":"a.b.c"}"#,
        #"{"type":"invitation","id":"1","invitationCode":"123-456-789","url":"https://home.streem.us/i/123456789"}"#,
        #"{"type":"tokenRequired","reason":"expiry","timeoutMs":60000}"#, #"{"type":"token","token":"a.b"#,
      ], secrets: "token|invitationCode|url", by: StreemDialect(home: "home"))
  }
}

private struct StreemGate: GateDialect {
  let client: any ClientDialect = StreemClientDialect()
  let operation = #"{"type":"getRecentlyIdentifiedUsers"}"#
  let exemptions = [GateRule.stranger: "an application changes its user by identifying as another"]

  func vendor(tokenLife: Duration) -> (any VendorSettings)? { StreemSettings() }

  /// Returns a customer that an expert has invited; the expert leaves.
  func guest(in world: TestWorld) async throws -> GateClient {
    let expert = try await expert(in: world)
    expert.peer.say(#"{"type":"createInvitation","toUserName":"Zoe"}"#)
    _ = await expert.peer.hears("invitationCode")
    expert.peer.close()
    _ = await expert.peer.ends()
    let code = expert.peer.texts.lazy.compactMap { SimulatedStreem.member("invitationCode", $0) }.first ?? ""
    let entrance = try await world.fetch("POST", "/streem/v1/invitations/\(code)/login")
    return await GateClient(
      "Zoe", with: SimulatedStreem.member("token", entrance.text).map { Credentials(token: $0) }, of: self, in: world)
  }

  func joins(_ guest: GateClient) async throws -> Bool {
    let expert = try await expert(in: guest.peer.world)
    let id = SimulatedStreem.member("streemUserId", expert.peer.texts.first ?? "") ?? ""
    guest.peer.say(#"{"type":"startRemoteStream","role":"LOCAL_CUSTOMER","remoteUserId":"\#(id)"}"#)
    return await guest.peer.hears("remoteStreamRinging")
  }

  private func expert(in world: TestWorld) async throws -> GateClient {
    let token = try await token(of: "ann", life: .seconds(3_600), in: world)
    let peer = await world.dial(client.upgradeTarget)
    peer.say(#"{"type":"identify","token":"\#(token.token)","isExpert":true}"#)
    return await GateClient("ann", token, peer, of: self)
  }
}
