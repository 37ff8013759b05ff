import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStreem

struct StreemRepetitionTests {
  /// Returns everything that is sent in a call with an invitation and a reservation before it, except signatures:
  /// OpenSSL 3.0 uses its own random numbers for ES256 signatures.
  private func run(_ forge: StreemForge) throws -> [String] {
    let streem = try SimulatedStreem { $0.apiKeys = [(forge.id, try! StreemSecret(forge.secret))] }
    let now = streem.world.wallTime
    let expert = streem.identify(forge.token("ann", at: now), #","isExpert":true"#)
    let customer = streem.identify(forge.token("bob", at: now))
    streem.say(expert, #"{"type":"createInvitation","toUserName":"Carl"}"#)
    let remote = try #require(SimulatedStreem.member("streemUserId", customer.texts[0]))
    streem.say(expert, #"{"type":"startRemoteStream","role":"REMOTE_PRO","remoteUserId":"\#(remote)"}"#)
    let order = #"{"externalUserId":"bob","queue":true,"priority":1,"reserve_for_seconds":60,"details":[]}"#
    let reserved = streem.fetch(
      "POST", "/v1/companies/postern/groups/support/reservations", basic: forge.basic, body: order)
    #expect(reserved.status == 201 && customer.texts.count == 2 && expert.texts.count == 3)
    return expert.texts + customer.texts + [reserved.text]
  }

  @Test
  func `a run in virtual time repeats itself byte for byte`() throws {
    let forge = try StreemForge()
    let (one, two) = (try run(forge), try run(forge))
    #expect(one == two)
  }
}
