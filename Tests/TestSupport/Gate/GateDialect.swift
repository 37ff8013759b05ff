package import GatewayCore
package import GatewayKit

/// A dialect as the rules of the gate need it, with the differences between wires. Its messages come from the storm's
/// client dialect.
package protocol GateDialect: Sendable {
  /// Its name in results.
  var name: String { get }

  /// Its client dialect.
  var client: any ClientDialect { get }

  /// Returns its vendor, set so that tokens may have that life; nil for the plain one, which always exists.
  func vendor(tokenLife: Duration) throws -> (any VendorSettings)?

  /// The rules that are impossible on its wire, with reasons.
  var exemptions: [GateRule: String] { get }

  /// The codes of its close frames.
  var closeCodes: GateCloseCodes { get }

  /// A client's message that is not a login, and requires one.
  var operation: String { get }

  /// Creates what must exist before the first client connects.
  func prepare(_ world: TestWorld) async throws

  /// Returns a token of the user, issued now.
  func token(of user: String, life: Duration, in world: TestWorld) async throws -> Credentials

  /// Returns a client that has everything an anonymous user can have, and tries to open a socket.
  func anonymous(in world: TestWorld) async throws -> GateClient

  /// Returns a client that tries to log in as a guest.
  func guest(in world: TestWorld) async throws -> GateClient

  /// Returns whether the guest can join a call, or do what the wire has instead.
  func joins(_ guest: GateClient) async throws -> Bool

  /// Returns the answer to a caller who requests an operation without an authenticated connection.
  func answerWithoutConnection(in world: TestWorld) async throws -> String

  /// Whether the journal can show the messages of its wire.
  var showsMessages: Bool { get }

  /// Returns whether that is the request for another token.
  func isRequest(_ notice: ServerNotice) -> Bool
}

/// The codes of the close frames that end sessions on a wire, if they differ from the gateway's own.
package struct GateCloseCodes: Sendable {
  package var loginTimeout = CloseReason.loginTimeout.code
  package var refreshTimeout = CloseReason.refreshTimeout.code
  package var revocation = CloseReason.tokenRevoked.code

  package init() {}
}

// Defaults for dialects.

extension GateDialect {
  package var name: String { client.name }
  package var exemptions: [GateRule: String] { [:] }
  package var showsMessages: Bool { true }
  package var closeCodes: GateCloseCodes { GateCloseCodes() }
  package func prepare(_ world: TestWorld) async throws {}

  package func token(of user: String, life: Duration, in world: TestWorld) async throws -> Credentials {
    if let registration = client.registration(of: UserID(user)) { _ = try await world.fetch(registration) }
    return try await token(client.tokenRequest(for: UserID(user), life: .lasting(life), at: world.wallTime), in: world)
  }

  package func anonymous(in world: TestWorld) async throws -> GateClient {
    let token = try await anonymousToken(in: world)
    return await GateClient(UserID.anonymous.rawValue, with: token, of: self, in: world)
  }

  /// Returns a token that allows a call, over HTTP.
  package func anonymousToken(in world: TestWorld) async throws -> Credentials {
    let body = #"{"kind":"anonymous","life_s":600,"call_cids":["default:lobby"],"scheme":"\#(client.name)"}"#
    return try await token(
      HTTPRequest(
        method: "POST", path: "/v1/tokens", headers: [HTTPField("content-type", "application/json")],
        body: Array(body.utf8)), in: world)
  }

  private func token(_ request: HTTPRequest, in world: TestWorld) async throws -> Credentials {
    let answer = try await world.fetch(request)
    guard let token = client.token(in: answer) else { throw NoToken(answer: answer.text) }
    return token
  }

  package func answerWithoutConnection(in world: TestWorld) async throws -> String {
    let peer = await world.dial(client.upgrade(of: ClientIdentity(user: UserID("nobody"))))
    peer.say(operation)
    return await peer.hear() ?? ""
  }

  package func isRequest(_ notice: ServerNotice) -> Bool {
    if case .refreshRequired = notice { true } else { false }
  }
}

/// An answer of the provider without a token.
package struct NoToken: Error {
  package let answer: String
}
