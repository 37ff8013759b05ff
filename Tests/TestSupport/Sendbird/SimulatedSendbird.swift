package import GatewayCore
internal import GatewayJSON
package import GatewayRuntime
package import GatewaySendbird
package import GatewaySimulator

/// A gateway with a Sendbird application, in virtual time.
package struct SimulatedSendbird {
  package static let apiToken = "0123456789abcdef0123456789abcdef01234567"
  package static let address = DialTarget(host: "gateway", port: 80)

  package let world: SimulatedWorld
  package let gateway: Gateway
  package let directory: any SendbirdDirectory
  package let network: SimulatedNetwork
  private let suite: SendbirdSuite
  package let clients: SimulatedLoop
  /// Every route of the HTTP side.
  package let routes: [HTTPRoute]

  /// With `hasChannels` it has the whole HTTP side and every command; otherwise sessions only.
  package init(
    policy: SessionPolicy = try! SessionPolicy(), loops: Int = 2, seed: UInt64 = 1, hasChannels: Bool = false,
    _ change: (inout SendbirdSettings) -> Void = { _ in }
  ) throws {
    world = SimulatedWorld(seed: seed, loops: loops + 1)
    network = SimulatedNetwork(world, conditions: LinkConditions())
    let own = Array(world.loops.prefix(loops))
    clients = world.loops[loops]
    let directory = MemorySendbirdDirectory(on: own[0].eventLoop)
    self.directory = directory
    var settings = SendbirdSettings(apiToken: Credentials(token: Self.apiToken))
    change(&settings)
    let channels = MemorySendbirdChannels(on: own[0].eventLoop)
    suite = try SendbirdSuite(
      settings, directory: directory, channels: channels, on: own[0].eventLoop, generator: SeededGenerator(seed: seed))
    let sessionsOnly = try suite.dialectSuite(policy) { gate, _ in
      // A call that every client may make: who am I?
      [
        HTTPRoute("GET", "/v3/users/{user_id}/my_group_channels") { request, _ in
          do throws(SendbirdError) {
            let caller = try await gate.caller(of: request)
            return HTTPResponse(status: 200, contentType: "text/plain", text: "\(caller)")
          } catch {
            return error.response
          }
        }
      ]
    }
    let dialects =
      hasChannels
      ? try suite.dialectSuite(policy, users: directory, channels: channels, on: own[0].eventLoop) : sessionsOnly
    gateway = Gateway(
      configuration: GatewayConfiguration(session: policy), loops: own.map(\.eventLoop), bindings: dialects.bindings)
    routes = dialects.routes(gateway)
    network.listen(on: Self.address, loops: own, site: GatewaySite(gateway, routes: routes))
  }

  // MARK: Users and tokens

  /// Makes the user if need be, and changes it.
  package func change(_ user: String, _ change: @escaping @Sendable (inout SendbirdUser) -> Void = { _ in }) {
    let (directory, now) = (directory, world.wallTime)
    _ = world.ask {
      _ = try? await directory.getOrCreateUser(UserID(user), at: now)
      _ = try? await directory.updateUser(UserID(user), change)
    }
  }

  package func user(_ name: String) -> SendbirdUser? {
    let directory = directory
    return world.ask { await directory.user(UserID(name)) } ?? nil
  }

  /// A session token of the user that lives for `life` from now; the user is made if need be.
  package func sessionToken(_ user: String = "ann", life: Duration = .seconds(86_400)) -> String {
    change(user) { $0.hasBeenIssuedToken = true }
    return mint(user, life: life)
  }

  /// A session token minted without the gateway's knowledge.
  package func mint(_ user: String, life: Duration = .seconds(86_400)) -> String {
    let known = self.user(user) ?? SendbirdUser(UserID(user), createdAt: world.wallTime)
    let token = SendbirdSessionToken(for: known, at: world.wallTime, until: world.wallTime + life)
    return token.signed(by: suite.signer).token
  }

  /// Gives the user that access token.
  package func setAccessToken(_ token: String?, of user: String = "ann") {
    change(user) { user in
      user.accessToken = token.map { Credentials(token: $0) }
      user.hasBeenIssuedToken = true
    }
  }

  // MARK: Clients

  /// A client that opens a socket with these parameters and fields, and has got what it gets at once.
  package func connect(_ query: [String: String], headers: [String: String] = [:]) -> SimulatedPeer {
    let query = ["ai": "APP"].merging(query) { $1 }.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) }
    let fields = headers.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) }
    return connect(HTTPRequest(method: "GET", path: "/", query: query, headers: fields))
  }

  package func connect(_ upgrade: HTTPRequest) -> SimulatedPeer {
    let peer = SimulatedPeer(network, on: clients, to: Self.address, upgrade: upgrade)
    world.settle()
    return peer
  }

  /// The client says a command, and has got the answer.
  package func say(_ text: String, _ peer: SimulatedPeer) {
    peer.say(text + "\n")
    world.settle()
  }

  /// The answer to an HTTP request. What stands behind a question mark is the query.
  package func fetch(
    _ method: String, _ target: String, _ headers: [String: String] = [:], body: String = ""
  ) -> HTTPResponse {
    let fields = headers.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) }
    let parts = target.split(separator: "?", maxSplits: 1)
    let query = (parts.count == 2 ? parts[1].split(separator: "&") : []).map { parameter in
      let pair = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return HTTPField(String(pair[0]), PercentEncoding.decode(pair.count == 2 ? pair[1] : "") ?? "")
    }
    let request = HTTPRequest(
      method: method, path: String(parts[0]), query: query, headers: fields, body: Array(body.utf8))
    let dialer = SimulatedDialer(network, on: clients)
    let answer = world.ask(on: clients.eventLoop.index) {
      await dialer.fetch(request, from: Self.address, timeout: .seconds(30))
    }
    guard case .success(let response)? = answer else { preconditionFailure("no answer to \(method) \(target)") }
    return response
  }

  /// The answer to a server of the application, who knows its Api-Token.
  @discardableResult
  package func serve(_ method: String, _ target: String, _ body: String = "") -> HTTPResponse {
    fetch(method, target, ["api-token": Self.apiToken], body: body)
  }

  // MARK: Orders

  /// Gives an order to the user's sessions.
  package func order(_ user: String, _ event: SessionEvent) {
    let gateway = gateway
    _ = world.ask { await gateway.control(UserID(user), event) }
    world.settle()
  }

  /// Revokes the session tokens of the user issued until now, as the Platform API does: in the directory, and live.
  package func revokeSessionTokens(of user: String) {
    let now = world.wallTime
    change(user) { $0.sessionTokensValidFrom = now }
    order(user, .revoked)
  }

  /// How many connections the gateway knows of.
  package var connectionCount: Int {
    let gateway = gateway
    return world.ask { await gateway.sessions(of: nil, after: nil, limit: .max).count } ?? 0
  }
}

extension SimulatedPeer {
  /// The commands so far, without the line feeds.
  package var commands: [String] {
    texts.map { $0.hasSuffix("\n") ? String($0.dropLast()) : "\($0) <without its line feed>" }
  }

  /// The value of a member of the last command of that name, as it stands in it; nil if there is none.
  package func last(_ member: String, of name: String) -> String? {
    guard let command = commands.last(where: { $0.hasPrefix(name) }) else { return nil }
    guard let root = try? JSONDocument.parse(String(command.dropFirst(4))).root, let value = root[member: member]
    else { return nil }
    return value.string ?? value.text
  }

  /// The session key that the client was given last.
  package var sessionKey: String { last("new_key", of: "LOGI") ?? last("key", of: "LOGI") ?? "" }
}

extension HTTPResponse {
  /// The code of an error; 0 for a success.
  package var code: Int {
    status == 200 ? 0 : member("code").flatMap { Int($0) } ?? -1
  }

  /// The value of a member of the object in the body, as text; nil if there is none.
  package func member(_ name: String) -> String? {
    guard let value = try? JSONDocument.parse(body).root[member: name] else { return nil }
    return value.string ?? value.text
  }
}
