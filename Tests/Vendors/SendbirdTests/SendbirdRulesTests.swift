import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySendbird
import TestSupport
import Testing

@Suite("The rules of the gate, with Sendbird's clients")
struct SendbirdRulesTests {
  @Test("hold", arguments: GateCase.all(SendbirdGate(.javascript), SendbirdGate(.unity)))
  func rules(gate: GateCase) async throws { try await gate.holds() }

  /// Its servers mint, and what it does not understand it answers as a command.
  private static let missing: Set<JournalKind> = [.providerAsked, .providerMinted, .malformed, .loggedOut]

  @Test("are told of in the journal, all that may happen, and without a token")
  func journal() async throws {
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
    // The vendor lets a living key act without a socket; the rule is kept where that is asked for.
    settings.needsConnectionOverHTTP = true
    // Asked at the end, not ahead of it, as the others are.
    settings.expiryLead = .zero
    // Else the session ends before the token does, and its clients need not stay silent for so long.
    settings.sessionLife = tokenLife * 2
    settings.pingInterval = .seconds(1_000_000)
    return settings
  }

  func prepare(_ world: TestWorld) async throws {
    _ = try await world.fetch(
      "POST", "/v3/open_channels", headers: [HTTPField("api-token", SimulatedSendbird.apiToken)],
      body: #"{"channel_url":"lobby","name":"Lobby"}"#)
  }

  /// Who says neither a name nor a key is nobody.
  func anonymous(in world: TestWorld) async -> GateClient {
    await GateClient("", nil, await world.dial("/?ai=APP"), of: self)
  }

  /// Who has never been given a token gets in by name, to read.
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

  /// Of a revocation the SDKs make the end of the session, though another token would do.
  func isRequest(_ notice: ServerNotice) -> Bool {
    switch notice {
    case .refreshRequired, .sessionClosed: true
    default: false
    }
  }
}
