import GatewayCore
import GatewayJSON
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

/// Stream's calls over REST in virtual time, with the clients that receive their events.
final class StreamCallWorld {
  let stream: SimulatedStream
  private let listeners: [StreamDialect.Kind: SimulatedPeer]
  /// The clients that have connected since, by the names of their connections.
  private var clients: [String: SimulatedPeer] = [:]

  /// The sender of a request, as in its headers.
  enum Asker {
    case server
    case user(String, calls: [String]? = nil, role: String? = nil)
    case anonymous(calls: [String])
    /// Without authentication.
    case nobody

    /// A guest, as its name says.
    static let guest = Asker.user("guest-00000000-0000-4000-8000-000000000000-tom")
  }

  /// Creates a world in which users are in a call as soon as they have joined over REST, with a listener for each of
  /// the named sockets.
  init(
    limits: StreamCallLimits = StreamCallLimits(calls: 100), policy: StreamCallPolicy = StreamCallPolicy(),
    listeningTo calls: [String] = ["default:a"]
  ) throws {
    let stream = try SimulatedStream { settings in
      settings.callLimits = limits
      settings.calls = policy
      settings.calls.sfu = nil
    }
    self.stream = stream
    var listeners: [StreamDialect.Kind: SimulatedPeer] = [:]
    for kind in [StreamDialect.Kind.video, .v2] {
      let (peer, connection) = try Self.connect("listener", on: kind, to: stream)
      listeners[kind] = peer
      let id = try #require(StreamConnectionID.read(connection))
      for call in try calls.map({ try #require(CallID(cid: $0)) }) {
        try #require(stream.space.order { await $0.watch(call, by: id) } == true)
      }
    }
    self.listeners = listeners
  }

  /// Connects the user; returns the connection's name on the wire.
  func connect(_ user: String, on kind: StreamDialect.Kind = .video) throws -> String {
    let (peer, connection) = try Self.connect(user, on: kind, to: stream)
    clients[connection] = peer
    return connection
  }

  private static func connect(
    _ user: String, on kind: StreamDialect.Kind, to stream: SimulatedStream
  ) throws -> (peer: SimulatedPeer, connection: String) {
    let peer = stream.connect(stream.token(user, life: nil), as: user, on: kind)
    let first = try JSONDocument.parse(try #require(peer.texts.first)).root
    return (peer, try #require(first["connection_id"]?.string))
  }

  /// Ends the connection.
  func disconnect(_ connection: String) {
    clients[connection]?.abort()
    stream.world.settle()
  }

  func advance(by duration: Duration) { stream.world.advance(by: duration) }

  // MARK: Requests

  /// Sends a request below `/video/` (RFC 3339 dates), or below `/api/v2/` (nanoseconds) if `v2`.
  func ask(
    _ method: String, _ path: String, _ body: String = "", as asker: Asker = .user("ann"), on connection: String? = nil,
    query: [HTTPField] = [], v2: Bool = false
  ) throws -> (status: Int, body: JSONView) {
    let response = try fetch(
      method, (v2 ? "/api/v2/video/" : "/video/") + path, body, as: asker, on: connection, query: query)
    return (response.status, try JSONDocument.parse(response.body, sizeMax: 1 << 24).root)
  }

  func fetch(
    _ method: String, _ path: String, _ body: String = "", as asker: Asker = .user("ann"), on connection: String? = nil,
    query: [HTTPField] = []
  ) throws -> HTTPResponse {
    let query = query + (connection.map { [HTTPField("connection_id", $0)] } ?? [])
    return try #require(stream.fetch(method, path, query: query, body: body, headers: headers(of: asker)))
  }

  /// Returns the statuses of concurrent requests of a server.
  func serve(atOnce orders: [(method: String, path: String, body: String)]) -> [Int] {
    let requests = orders.map { order in
      HTTPRequest(
        method: order.method, path: order.path, query: [HTTPField("api_key", SimulatedStream.key)],
        headers: headers(of: .server), body: Array(order.body.utf8))
    }
    return stream.space.fetch(atOnce: requests).map { $0?.status ?? 0 }
  }

  /// Sends a request below `/video/` without waiting for the answer.
  func begin(
    _ method: String, _ path: String, _ body: String, on connection: String? = nil
  ) -> Started<Result<HTTPResponse, DialFailure>> {
    var query = [HTTPField("api_key", SimulatedStream.key)]
    if let connection { query.append(HTTPField("connection_id", connection)) }
    let request = HTTPRequest(
      method: method, path: "/video/\(path)", query: query, headers: headers(of: .user("ann")), body: Array(body.utf8))
    let dialer = SimulatedDialer(stream.space.network, on: stream.space.clients)
    return stream.space.start { await dialer.fetch(request, from: .gateway, timeout: .seconds(30)) }
  }

  private func headers(of asker: Asker) -> [HTTPField] {
    switch asker {
    case .server: [HTTPField("stream-auth-type", "jwt"), HTTPField("authorization", stream.serverToken)]
    case .user(let user, let calls, let role):
      [HTTPField("stream-auth-type", "jwt"), HTTPField("authorization", token(user, calls, role))]
    case .anonymous(let calls):
      [HTTPField("stream-auth-type", "anonymous"), HTTPField("authorization", token("!anon", calls, nil))]
    case .nobody: []
    }
  }

  private func token(_ user: String, _ calls: [String]?, _ role: String?) -> String {
    var claims = JSONWriter()
    claims.beginObject()
    claims.member("user_id", user)
    if let calls {
      claims.member("exp", Int64(stream.world.wallTime.seconds) + 600)
      claims.name("call_cids")
      claims.beginArray()
      for call in calls { claims.string(call) }
      claims.endArray()
    }
    if let role { claims.member("role", role) }
    claims.endObject()
    return stream.token(claims: claims.text)
  }

  // MARK: Received events

  /// Returns the kinds of the call events that the family's listener has received, in order.
  func told(_ kind: StreamDialect.Kind = .video) -> [String] {
    events(kind).compactMap { $0["type"]?.string }
  }

  func events(_ kind: StreamDialect.Kind = .video) -> [JSONView] { listeners[kind].map(Self.events(of:)) ?? [] }

  /// Returns the last event of that kind that the listener has received.
  func event(_ type: String, _ kind: StreamDialect.Kind = .video) throws -> JSONView {
    try #require(events(kind).last { $0["type"]?.string == type })
  }

  /// Returns the kinds of the call events that the connection has received, in order.
  func heard(on connection: String) -> [String] {
    events(on: connection).compactMap { $0["type"]?.string }
  }

  func events(on connection: String) -> [JSONView] { clients[connection].map(Self.events(of:)) ?? [] }

  private static func events(of peer: SimulatedPeer) -> [JSONView] {
    peer.texts.compactMap { try? JSONDocument.parse($0, sizeMax: 1 << 20).root }.filter {
      $0["type"]?.string?.hasPrefix("call.") == true || $0["type"]?.string?.hasPrefix("user.") == true
        || $0["type"]?.equals("custom") == true
    }
  }
}
