import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayStreem

/// A Streem platform in virtual time, with one API key that tests sign with.
struct SimulatedStreem {
  let space: TestSpace<StreemVendor>
  let forge: StreemForge

  init(
    _ policy: SessionPolicy = try! SessionPolicy(), loops: Int = 2, keepsJournal: Bool = false,
    takesFaults: Bool = false, _ change: (inout StreemSettings) -> Void = { _ in }
  ) throws {
    forge = try StreemForge()
    var settings = StreemSettings()
    settings.apiKeys = [(forge.id, try StreemSecret(forge.secret))]
    change(&settings)
    var configuration = GatewayConfiguration(session: policy, pingInterval: nil)
    if keepsJournal { (configuration.journalBytes, configuration.journalPayloadBytes) = (1 << 16, 1 << 20) }
    space = try TestSpace(
      settings, configuration, loops: keepsJournal || takesFaults ? 1 : loops, keepsTrace: false,
      takesFaults: takesFaults)
  }

  var world: SimulatedWorld { space.world }
  var gateway: Gateway { space.gateway }
  var directory: StreemDirectory { space.vendor.directory }

  // MARK: Tokens and clients

  /// Returns a valid token of the user in which some claims are changed.
  func token(
    _ user: String = "ann", sessionLife: Int64 = 14_400, _ changes: [String: String?] = [:]
  ) -> Credentials {
    forge.token(user, at: world.wallTime, sessionLife: sessionLife, changes)
  }

  /// Returns a valid token of `ann` in which some claims are changed.
  func token(_ changes: [String: String?]) -> Credentials {
    token("ann", changes)
  }

  /// Creates another company; returns the issuer of its tokens.
  func otherCompany() throws -> StreemTokenIssuer {
    _ = fetch("POST", "/streem/companies", body: #"{"code":"other","name":"Other"}"#, from: .control)
    let made = fetch("POST", "/streem/api-keys", body: #"{"company_code":"other"}"#, from: .control).text
    return try StreemTokenIssuer(
      apiKey: Name(try #require(Self.member("id", made))),
      jwk: try StreemSecret.jwk(try #require(Self.member("secret", made))), settings: StreemSettings())
  }

  /// Returns a client with an open socket.
  func open() -> SimulatedPeer {
    space.dial(HTTPRequest(method: "GET", path: StreemDialect.path))
  }

  /// Returns a client that has sent its identify.
  func identify(_ token: Credentials, _ members: String = "") -> SimulatedPeer {
    let peer = open()
    say(peer, #"{"type":"identify","token":"\#(token.token)"\#(members)}"#)
    return peer
  }

  /// Sends a client's message, and waits for all answers.
  func say(_ peer: SimulatedPeer, _ text: String) {
    peer.say(text)
    world.settle()
  }

  /// Returns the `type` of each message that the client received.
  func types(_ peer: SimulatedPeer) -> [String] {
    peer.texts.map { Self.member("type", $0) ?? "?" }
  }

  /// Returns the text of a member of the client's last message.
  func last(_ name: String, _ peer: SimulatedPeer) -> String? {
    peer.texts.last.flatMap { Self.member(name, $0) }
  }

  /// Returns the first member with that name whose value is a text, at any depth.
  static func member(_ name: String, _ json: String) -> String? {
    guard let start = json.firstRange(of: "\"\(name)\":\"")?.upperBound else { return nil }
    return String(json[start...].prefix { $0 != "\"" })
  }

  // MARK: HTTP

  /// Returns the answer to an HTTP request.
  func fetch(
    _ method: String, _ path: String, query: [HTTPField] = [], token: Credentials? = nil, basic: String? = nil,
    body: String = "", from target: DialTarget = .gateway, source: String? = nil
  ) -> HTTPResponse {
    var headers = [HTTPField("content-type", "application/json")]
    if let token { headers.append(HTTPField("authorization", "Bearer \(token.token)")) }
    if let basic { headers.append(HTTPField("authorization", "Basic \(Base64.encode(Array(basic.utf8)))")) }
    var target = target
    target.source = source
    return fetch(
      HTTPRequest(method: method, path: path, query: query, headers: headers, body: Array(body.utf8)), from: target)
  }

  /// Returns the answer to any HTTP request.
  func fetch(_ request: HTTPRequest, from target: DialTarget = .gateway) -> HTTPResponse {
    guard case .success(let response) = space.fetch(request, from: target) else {
      preconditionFailure("no answer to \(request.method) \(request.path)")
    }
    return response
  }

  /// Returns the gateway's answer to an operator's order.
  func order<Answer: Sendable>(_ body: @escaping @Sendable (Gateway) async -> Answer) -> Answer? {
    space.order(body)
  }
}
