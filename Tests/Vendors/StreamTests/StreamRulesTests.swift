import GatewayCore
import GatewayKit
import GatewayRuntime
import TestSupport
import Testing

@testable import GatewayStream

struct StreamRulesTests {
  @Test(
    arguments: GateCase.all(
      StreamGate(StreamVideoClientDialect(.javascript, apiKey: StreamGate.key)),
      StreamGate(StreamVideoClientDialect(.python, apiKey: StreamGate.key)),
      StreamGate(StreamChatClient()), StreamSFUGate(), in: TestPlace.allCases))
  func `the rules of sessions hold for Stream's clients`(gate: GateCase) async throws { try await gate.holds() }

  @Test
  func `the journal shows every session event of Stream's clients, and no token`() async throws {
    let video = StreamGate(StreamVideoClientDialect(.javascript, apiKey: StreamGate.key))
    #expect(try await GateJournal.missing(of: video) == [.loggedOut, .refreshed, .refreshRefused])
    #expect(
      try await GateJournal.missing(of: StreamGate(StreamChatClient()))
        == [.loggedOut, .refreshed, .refreshRefused, .messageIn, .malformed])
    #expect(try await GateJournal.missing(of: StreamSFUGate()) == [.loggedOut, .refreshed, .refreshRefused])
  }
}

/// Stream's coordinator: its sockets for Video and for Chat.
private struct StreamGate: GateDialect {
  static let key = "key"

  let client: any ClientDialect
  let operation = ""

  init(_ client: any ClientDialect) {
    self.client = client
  }

  var name: String { "\(client.name) (\(client.sdk ?? "chat"))" }

  var exemptions: [GateRule: String] {
    var exemptions = Self.exemptions
    if client.upgradeTarget == StreamDialect.Kind.chat.path {
      exemptions[.loginTimeout] = "the upgrade logs in, or is refused"
    }
    return exemptions
  }

  static let exemptions = [
    GateRule.stranger: "no token takes another's place on an open socket: the client comes back with it"
  ]

  var closeCodes: GateCloseCodes {
    var codes = GateCloseCodes()
    codes.loginTimeout = CloseReason.normal.code
    codes.refreshTimeout = StreamExpiry().closeCode
    codes.revocation = StreamExpiry().closeCode
    return codes
  }

  func vendor(tokenLife: Duration) throws -> (any VendorSettings)? { try Self.settings(tokenLife: tokenLife) }

  static func settings(tokenLife: Duration) throws -> StreamVideoSettings {
    var settings = StreamVideoSettings(
      applications: StreamApplications(fallback: try StreamApplication(secret: SimulatedStream.secret)))
    settings.calls.sfu?.tokenLife = tokenLife
    // Health checks are not required for so long.
    settings.calls.sfu?.silenceMax = tokenLife * 2
    return settings
  }

  func guest(in world: TestWorld) async throws -> GateClient {
    let (user, token) = try await Self.guest(in: world)
    return await GateClient(user, with: token, of: self, in: world)
  }

  /// Returns a guest's name and token.
  static func guest(in world: TestWorld) async throws -> (String, Credentials) {
    let answer = try await world.fetch(
      "POST", "/video/guest", query: [HTTPField("api_key", key)], headers: [HTTPField("stream-auth-type", "anonymous")],
      body: #"{"user":{"id":"zoe"}}"#)
    return (answer.at("user.id") ?? "", Credentials(token: answer.at("access_token") ?? ""))
  }

  /// Returns the answer to a join of the lobby with that token.
  static func join(
    _ token: Credentials?, authType: String = "jwt", on connection: String? = nil, in world: TestWorld
  ) async throws -> HTTPResponse {
    try await world.fetch(
      "POST", "/video/call/default/lobby/join",
      query: [HTTPField("api_key", key)] + (connection.map { [HTTPField("connection_id", $0)] } ?? []),
      headers: [HTTPField("authorization", token?.token ?? ""), HTTPField("stream-auth-type", authType)],
      body: #"{"location":"FRA","create":true}"#)
  }

  func joins(_ guest: GateClient) async throws -> Bool {
    // A guest's token cannot create a call.
    let server = try await token(of: "host", life: .seconds(3_600), in: guest.peer.world)
    _ = try await Self.join(server, in: guest.peer.world)
    return try await Self.join(guest.token, on: guest.welcome?.connection, in: guest.peer.world).status == 201
  }

  func answerWithoutConnection(in world: TestWorld) async throws -> String {
    try await world.fetch("POST", "/video/call/default/lobby", query: [HTTPField("api_key", Self.key)], body: "{}").text
  }

  func isRequest(_ notice: ServerNotice) -> Bool {
    if case .error(number: 40, _) = notice { true } else { false }
  }
}

/// Participants of a call at the gateway's own SFU: their tokens come from joins over REST.
private struct StreamSFUGate: GateDialect {
  let client: any ClientDialect = StreamSFUClient()
  let name = "stream-sfu"
  let operation = #"{"leaveCallRequest":{}}"#
  let exemptions = StreamGate.exemptions

  func vendor(tokenLife: Duration) throws -> (any VendorSettings)? { try StreamGate.settings(tokenLife: tokenLife) }

  func token(of user: String, life: Duration, in world: TestWorld) async throws -> Credentials {
    let request = client.tokenRequest(for: UserID(user), life: .lasting(GateRule.usualLife), at: world.wallTime)
    return try await credentials(client.token(in: try await world.fetch(request)), in: world)
  }

  private func credentials(
    _ token: Credentials?, authType: String = "jwt", in world: TestWorld
  ) async throws -> Credentials {
    let answer = try await StreamGate.join(token, authType: authType, in: world)
    return Credentials(token: answer.at("credentials.token") ?? "")
  }

  func anonymous(in world: TestWorld) async throws -> GateClient {
    let token = try await credentials(try await anonymousToken(in: world), authType: "anonymous", in: world)
    return await GateClient("!anon", with: token, of: self, in: world)
  }

  func guest(in world: TestWorld) async throws -> GateClient {
    let (user, token) = try await StreamGate.guest(in: world)
    // A guest's token cannot create a call.
    _ = try await self.token(of: "host", life: .seconds(3_600), in: world)
    return await GateClient(user, with: try await credentials(token, in: world), of: self, in: world)
  }

  /// Returns whether the client joined, as every client at the SFU has.
  func joins(_ guest: GateClient) -> Bool {
    guest.peer.texts.first?.contains("joinResponse") == true
  }

  func isRequest(_ notice: ServerNotice) -> Bool {
    if case .error(number: StreamSFUClient.unauthenticated, _) = notice { true } else { false }
  }
}
