import GatewayCore
import GatewayJSON
import GatewayRuntime
import GatewaySimulator
import TestSupport

@testable import GatewaySendbird

/// A gateway with a Sendbird application, in virtual time.
struct SimulatedSendbird {
  static let apiToken = "0123456789abcdef0123456789abcdef01234567"

  let space: TestSpace<SendbirdVendor>

  init(
    policy: SessionPolicy = try! SessionPolicy(), loops: Int = 2, seed: UInt64 = 1, takesFaults: Bool = false,
    sharesTurns: Bool = false, _ change: (inout SendbirdSettings) -> Void = { _ in }
  ) throws {
    var settings = SendbirdSettings(apiToken: Credentials(token: Self.apiToken))
    change(&settings)
    space = try TestSpace(
      settings, GatewayConfiguration(session: policy), seed: seed, loops: takesFaults ? 1 : loops,
      takesFaults: takesFaults, sharesTurns: sharesTurns)
  }

  var world: SimulatedWorld { space.world }
  var gateway: Gateway { space.gateway }
  var directory: SendbirdDirectory { space.vendor.directory }

  // MARK: Users and tokens

  /// Creates the user if needed, and changes it.
  func change(_ user: String, _ change: @escaping @Sendable (inout SendbirdUser) -> Void = { _ in }) {
    let (directory, now) = (directory, world.wallTime)
    _ = world.ask {
      _ = try? await directory.getOrCreateUser(UserID(user), at: now)
      _ = try? await directory.updateUser(UserID(user), at: now, change)
    }
  }

  func user(_ name: String) -> SendbirdUser? {
    let (directory, now) = (directory, world.wallTime)
    return world.ask { (try? await directory.user(UserID(name), at: now)) ?? nil } ?? nil
  }

  /// Returns a session token of the user that lives for `life` from now; creates the user if needed.
  func sessionToken(_ user: String = "ann", life: Duration = .seconds(86_400)) -> String {
    change(user) { $0.hasBeenIssuedToken = true }
    return mint(user, life: life)
  }

  /// Returns a session token issued without the gateway.
  func mint(_ user: String, life: Duration = .seconds(86_400)) -> String {
    let known = self.user(user) ?? SendbirdUser(UserID(user), createdAt: world.wallTime)
    let token = SendbirdSessionToken(for: known, at: world.wallTime, until: world.wallTime + life)
    return token.signed(by: space.vendor.signer).token
  }

  /// Sets the user's access token.
  func setAccessToken(_ token: String?, of user: String = "ann") {
    change(user) { user in
      user.accessToken = token.map { Credentials(token: $0) }
      user.hasBeenIssuedToken = true
    }
  }

  // MARK: Clients

  /// Returns a client that opens a socket with these parameters and fields, and has received the immediate messages.
  func connect(_ query: [String: String], headers: [String: String] = [:]) -> SimulatedPeer {
    let query = ["ai": "APP"].merging(query) { $1 }.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) }
    let fields = headers.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) }
    return connect(HTTPRequest(method: "GET", path: "/", query: query, headers: fields))
  }

  func connect(_ upgrade: HTTPRequest) -> SimulatedPeer {
    space.dial(upgrade)
  }

  /// Sends a client's command, and waits for the answer.
  func say(_ text: String, _ peer: SimulatedPeer) {
    peer.say(text + "\n")
    world.settle()
  }

  /// Returns an HTTP request. The part after a question mark is the query.
  static func request(
    _ method: String, _ target: String, _ headers: [String: String] = [:], body: String = ""
  ) -> HTTPRequest {
    let fields = headers.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) }
    let parts = target.split(separator: "?", maxSplits: 1)
    let query = (parts.count == 2 ? parts[1].split(separator: "&") : []).map { parameter in
      let pair = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return HTTPField(String(pair[0]), PercentEncoding.decode(pair.count == 2 ? pair[1] : "") ?? "")
    }
    return HTTPRequest(method: method, path: String(parts[0]), query: query, headers: fields, body: Array(body.utf8))
  }

  /// Returns the answer to an HTTP request.
  func fetch(
    _ method: String, _ target: String, _ headers: [String: String] = [:], body: String = ""
  ) -> HTTPResponse {
    guard case .success(let response)? = space.fetch(Self.request(method, target, headers, body: body)) else {
      preconditionFailure("no answer to \(method) \(target)")
    }
    return response
  }

  /// Returns the answer to a server of the application, with its Api-Token.
  @discardableResult
  func serve(_ method: String, _ target: String, _ body: String = "") -> HTTPResponse {
    fetch(method, target, ["api-token": Self.apiToken], body: body)
  }

  /// Returns the codes of concurrent requests of a server; 0 for a success.
  func serve(atOnce orders: [(method: String, target: String, body: String)]) -> [Int] {
    let requests = orders.map { Self.request($0.method, $0.target, ["api-token": Self.apiToken], body: $0.body) }
    return space.fetch(atOnce: requests).map { $0?.code ?? -1 }
  }

  // MARK: Operator's orders

  /// Sends an event to the user's sessions.
  func order(_ user: String, _ event: SessionEvent) {
    _ = space.order { try? await $0.control(UserID(user), event) }
    world.settle()
  }

  /// Revokes the user's session tokens issued until now, like the Platform API: in the directory, and in live sessions.
  func revokeSessionTokens(of user: String) {
    let now = world.wallTime
    change(user) { $0.sessionTokensValidFrom = now }
    order(user, .revoked)
  }

  /// The number of the gateway's connections.
  var connectionCount: Int { space.sessions().count }
}

extension SimulatedPeer {
  /// The commands so far, without the line feeds.
  var commands: [String] {
    texts.map { $0.hasSuffix("\n") ? String($0.dropLast()) : "\($0) <without its line feed>" }
  }

  /// Returns the JSON text of a member of the last command with that name; nil if there is none.
  func last(_ member: String, of name: String) -> String? {
    guard let command = commands.last(where: { $0.hasPrefix(name) }) else { return nil }
    guard let root = try? JSONDocument.parse(String(command.dropFirst(4))).root, let value = root[member: member]
    else { return nil }
    return value.string ?? value.text
  }

  /// The client's latest session key.
  var sessionKey: String { last("new_key", of: "LOGI") ?? last("key", of: "LOGI") ?? "" }
}

extension HTTPResponse {
  /// The code of an error; 0 for a success.
  var code: Int {
    status == 200 ? 0 : member("code").flatMap { Int($0) } ?? -1
  }
}
