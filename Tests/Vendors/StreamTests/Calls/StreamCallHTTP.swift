import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayStores
import GatewayStream
import GatewayTokens
import TestSupport
import Testing

/// Stream's calls over REST on a gateway that is none, with directories of their own.
struct StreamCallHTTP {
  static let secret = "a secret of Stream's tests"

  let gateway = FakeGateway()
  let users: StreamDirectory
  let directory: StreamCallDirectory
  let calls: StreamCalls
  private let signer: JWTSigner
  private let router: HTTPRouter

  /// Who asks, as the headers say.
  enum Asker {
    case server
    case user(String, calls: [String]? = nil, role: String? = nil)
    case anonymous(calls: [String])
    /// No authentication at all.
    case nobody
  }

  /// - Parameter wrap: What stands before the store.
  init(
    room: Int = 100, rings: Int = 10_000, policy: StreamCallPolicy = StreamCallPolicy(),
    wrap: (FakeGateway, any Store) -> any Store = { $1 }
  ) throws {
    let application = try StreamApplication(secret: Self.secret)
    signer = application.signer
    let store = wrap(gateway, MemoryStore(on: gateway.executor))
    users = StreamDirectory(store)
    directory = StreamCallDirectory(store, limits: StreamCallLimits(calls: room, rings: rings))
    calls = StreamCalls(services: gateway, users: users, directory: directory, policy: policy)
    gateway.speak(StreamDialect(.video), StreamDialect(.v2))
    let settings = StreamVideoSettings(applications: StreamApplications(fallback: application))
    let rest = StreamRoutes(services: gateway, directory: users, settings: settings)
    let ringer = StreamCallRinger(on: gateway.executor, calls: calls)
    router = HTTPRouter(StreamCallRoutes(rest: rest, calls: calls, ringer: ringer).routes)
  }

  /// A connection of the user, and its name on the wire.
  func connect(_ user: String, _ serial: UInt64) -> String {
    let connection = ConnectionID(loop: 0, serial: serial)
    gateway.connect(UserID(user), as: connection)
    return StreamConnectionID.text(connection)
  }

  /// Lets the connection end, as a gateway that hears of it does.
  func disconnect(_ user: String, _ serial: UInt64) {
    gateway.disconnect(UserID(user), ConnectionID(loop: 0, serial: serial))
    let keeper = StreamGuestKeeper(on: gateway.executor, directory: users, limits: StreamGuestLimits())
    let observer = StreamCallObserver(users: users, calls: directory, policy: StreamCallPolicy(), guests: keeper)
    let caller = Caller(user: UserID(user), kind: .regular, connection: ConnectionID(loop: 0, serial: serial))
    _ = gateway.start { await observer.connectionEnded(caller, .lost, on: gateway) }
  }

  /// Asks below `/video/` (RFC 3339 dates), or below `/api/v2/` (nanoseconds) if `v2`.
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
    guard case .found(let route, let parameters) = router.match(method: method, path: path) else {
      throw GatewayError.notFound
    }
    var query = query + [HTTPField("api_key", "key")]
    if let connection { query.append(HTTPField("connection_id", connection)) }
    let request = HTTPRequest(
      method: method, path: path, query: query, headers: headers(of: asker), body: Array(body.utf8))
    return try #require(gateway.start { await route.handler(request, parameters) }.value)
  }

  private func headers(of asker: Asker) -> [HTTPField] {
    switch asker {
    case .server: [HTTPField("stream-auth-type", "jwt"), HTTPField("authorization", sign("{}"))]
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
      claims.member("exp", Int64(gateway.wallTime.seconds) + 600)
      claims.name("call_cids")
      claims.beginArray()
      for call in calls { claims.string(call) }
      claims.endArray()
    }
    if let role { claims.member("role", role) }
    claims.endObject()
    return sign(claims.text)
  }

  private func sign(_ claims: String) -> String { signer.sign(Array(claims.utf8)) }

  // MARK: What was said

  /// What the calls' watchers and members were told in one family's words: the kinds of the events, in order.
  func told(_ dialect: String = "stream-video") -> [String] {
    events(dialect).compactMap { $0["type"]?.string }
  }

  func events(_ dialect: String = "stream-video") -> [JSONView] {
    gateway.told.filter { $0.dialect == dialect }.compactMap { try? JSONDocument.parse($0.frame.payload).root }
  }

  /// The last event of that kind.
  func event(_ type: String, _ dialect: String = "stream-video") throws -> JSONView {
    try #require(events(dialect).last { $0["type"]?.string == type })
  }

  /// To whom the last event of that kind was told.
  func audience(of type: String) throws -> Audience {
    let said = gateway.told.last { told in
      (try? JSONDocument.parse(told.frame.payload).root["type"]?.string) == type
    }
    return try #require(said?.audience)
  }
}
