import GatewayCore
import GatewayKit
import GatewayRuntime
import TestSupport
import Testing

@testable import GatewaySendbird

struct SendbirdRulesTests {
  @Test(arguments: GateCase.all(SendbirdGate(.javascript), SendbirdGate(.unity), in: TestPlace.allCases))
  func `the rules of sessions hold for Sendbird's clients`(gate: GateCase) async throws { try await gate.holds() }

  /// Servers issue its tokens, and malformed messages are answered as commands.
  private static let missing: Set<JournalKind> = [.providerAsked, .providerMinted, .malformed, .loggedOut]

  @Test
  func `the journal shows every event of the gate's rules, and no token`() async throws {
    #expect(try await GateJournal.missing(of: SendbirdGate(.javascript)) == Self.missing)
  }
}

private struct SendbirdGate: GateDialect {
  let kind: SendbirdSDK
  let client: any ClientDialect
  let operation = ""
  let exemptions = [GateRule.loginTimeout: "the upgrade logs in, or is refused"]

  init(_ kind: SendbirdSDK) {
    self.kind = kind
    client = SendbirdClientDialect(
      kind, applicationID: "APP", apiToken: Credentials(token: SimulatedSendbird.apiToken))
  }

  var name: String { "sendbird (\(kind.rawValue))" }

  func vendor(tokenLife: Duration) -> (any VendorSettings)? {
    var settings = SendbirdSettings(apiToken: Credentials(token: SimulatedSendbird.apiToken))
    settings.usersWithoutToken = .readOnly
    // At the vendor a valid key works without a socket; the rule holds if the setting requires a connection.
    settings.needsConnectionOverHTTP = true
    // The refresh is requested at the end, as in the other dialects.
    settings.expiryLead = .zero
    // Otherwise the session ends before the token, and silent clients are closed.
    settings.sessionLife = tokenLife * 2
    settings.pingInterval = .seconds(1_000_000)
    return settings
  }

  func prepare(_ world: TestWorld) async throws {
    _ = try await world.fetch(
      "POST", "/v3/open_channels", headers: [HTTPField("api-token", SimulatedSendbird.apiToken)],
      body: #"{"channel_url":"lobby","name":"Lobby"}"#)
  }

  /// Returns a client without a name and a key, which is anonymous.
  func anonymous(in world: TestWorld) async -> GateClient {
    await GateClient("", nil, await world.dial("/?ai=APP"), of: self)
  }

  /// Returns a user who was never issued a token, and may log in by name to read.
  func guest(in world: TestWorld) async -> GateClient {
    await GateClient("zoe", with: nil, of: self, in: world)
  }

  func joins(_ guest: GateClient) async -> Bool {
    guest.peer.say(#"ENTR{"channel_url":"lobby","req_id":"1"}"# + "\n")
    return await guest.peer.hears(#""participant_count":1"#)
  }

  func answerWithoutConnection(in world: TestWorld) async throws -> String {
    let token = try await token(of: "bob", life: .seconds(3_600), in: world)
    let bob = await GateClient("bob", with: token, of: self, in: world)
    bob.peer.close()
    _ = await bob.peer.ends()
    let answer = try await world.fetch(
      "GET", "/v3/users/bob/my_group_channels",
      headers: [HTTPField("app-id", "APP"), HTTPField("session-key", bob.welcome?.key?.token ?? "")])
    return answer.text
  }

  /// Returns whether it requests a token. After a revocation the SDKs end the session, although another token would
  /// continue it.
  func isRequest(_ notice: ServerNotice) -> Bool {
    switch notice {
    case .refreshRequired, .sessionClosed: true
    default: false
    }
  }
}
