package import GatewayCore
package import GatewayKit

/// A dialect as the rules of the gate ask for it, with what differs from wire to wire: how a guest gets in, for instance.
/// What its clients say and hear is the storm's.
package protocol GateDialect: Sendable {
  /// As the results call it.
  var name: String { get }

  /// The side of its clients.
  var client: any ClientDialect { get }

  /// Its vendor, set so that a token may live as long as that; nil for the plain one, which is always there.
  func vendor(tokenLife: Duration) throws -> (any VendorSettings)?

  /// The rules that its wire cannot have, and why.
  var exemptions: [GateRule: String] { get }

  /// What its close frames say.
  var closeCodes: GateCloseCodes { get }

  /// What a client says that is no login, and wants one.
  var operation: String { get }

  /// What has to be there before the first client comes.
  func prepare(_ world: TestWorld) async throws

  /// A token of the user, issued now.
  func token(of user: String, life: Duration, in world: TestWorld) async throws -> Credentials

  /// A client that has whatever an anonymous user can have, and tries for a socket.
  func anonymous(in world: TestWorld) async throws -> GateClient

  /// A client that tries to get in as a guest.
  func guest(in world: TestWorld) async throws -> GateClient

  /// Whether the guest gets into a call, or what the wire has in its place.
  func joins(_ guest: GateClient) async throws -> Bool

  /// What is answered to somebody who asks for an operation and has no authenticated connection.
  func answerWithoutConnection(in world: TestWorld) async throws -> String

  /// Whether the journal can show what is said on its wire.
  var showsMessages: Bool { get }

  /// Whether that is the request for another token.
  func isRequest(_ notice: ServerNotice) -> Bool
}

/// The codes of the close frames that a wire ends sessions with, where the gateway's own are not it.
package struct GateCloseCodes: Sendable {
  package var loginTimeout = CloseReason.loginTimeout.code
  package var refreshTimeout = CloseReason.refreshTimeout.code
  package var revocation = CloseReason.tokenRevoked.code

  package init() {}
}

// What holds for a dialect that says nothing else.

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

  /// A token that opens a call, over HTTP.
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

/// A provider's answer that holds no token.
package struct NoToken: Error {
  package let answer: String
}
