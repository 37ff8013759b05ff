import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewayTokens
import TestSupport

@testable import GatewayIdentity

/// A gateway in virtual time that takes the logouts and the events of a ``VirtualIssuer``.
struct SignalScene {
  static let client: Name = "chat"
  static let logoutEvent = "{\"\(SignalKind.logoutEvent)\":{}}"

  let space: IdentitySpace
  let logs = LogKeeper()

  init(_ issuer: VirtualIssuer = VirtualIssuer(), takesFaults: Bool = false) throws {
    space = try IdentitySpace(issuer, client: Self.client, logs: logs, takesFaults: takesFaults)
    guard space.begin() == nil else { throw SceneFailure() }
  }

  private struct SceneFailure: Error {}

  /// The second of the day.
  var now: Int64 { space.inner.world.wallTime.nanoseconds / 1_000_000_000 }

  /// Returns a token of ann, issued now.
  func token(sid: String? = nil) throws -> String {
    let session = sid.map { ",\"sid\":\"\($0)\"" } ?? ""
    return try space.issuer.token("k1", more: ",\"iat\":\(now)\(session)")
  }

  /// Returns a client that has presented the token.
  func connect(_ token: String) -> SimulatedPeer {
    space.inner.dial(
      HTTPRequest(
        method: "GET", path: "/v1/connect", headers: [HTTPField("authorization", "Bearer \(token)")]))
  }

  /// Returns the claims of a logout token, with the given ones in place of the usual.
  func logout(
    _ subject: String, at time: Int64? = nil, id: String = "j1", issuer: String = VirtualIssuer.name,
    audience: String = client.text, end: Int64? = nil, events: String = logoutEvent, more: String = ""
  ) -> String {
    let time = time ?? now
    return "{\"iss\":\"\(issuer)\",\"aud\":\"\(audience)\",\"iat\":\(time),\"exp\":\(end ?? time + 120),"
      + "\"jti\":\"\(id)\",\"events\":\(events),\(subject)\(more)}"
  }

  /// Delivers a logout token; returns the status and the body of the answer.
  func deliver(_ token: String, type: String = "application/x-www-form-urlencoded") -> (status: Int, text: String) {
    post("/identity/logout", "logout_token=\(token)", type: type)
  }

  /// Delivers a security event token.
  func deliverEvent(_ token: String) -> (status: Int, text: String) {
    post("/identity/events", token, type: "application/secevent+jwt")
  }

  func post(_ path: String, _ body: String, type: String) -> (status: Int, text: String) {
    let request = HTTPRequest(
      method: "POST", path: path, headers: [HTTPField("content-type", type)], body: Array(body.utf8))
    guard case .success(let response)? = space.inner.fetch(request) else { return (-1, "") }
    space.inner.world.settle()
    return (response.status, response.text)
  }

  /// Signs by the login's key.
  func signed(_ claims: String, type: String? = "logout+jwt") throws -> String {
    try space.issuer.sign(claims, by: "k1", type: type)
  }

  func pass(_ seconds: Int64) { space.advance(.seconds(seconds)) }
}
