internal import GatewayCore
internal import GatewayRuntime

/// The authentication of the control port. A program sends the secret as `Authorization: Bearer`; a person logs in with
/// a browser and gets a session.
///
/// A session has access to the dashboard and the orders of its buttons only. Scripts cannot read its cookie, and
/// browsers don't send it with requests of another site. Orders need a header field that no other page can send.
struct LoginGate {
  let hasSecret: Bool
  private let sessions: LoginSessions
  private let loop: EventLoop
  private let newKey: (@Sendable () -> String)?

  /// Creates the gate.
  ///
  /// - Parameters:
  ///   - secret: The secret; nil if none is needed.
  ///   - loop: The loop that serves the control port.
  ///   - newKey: Returns an unpredictable name for a session, with 256 bits; nil if nobody can log in.
  init(secret: String?, on loop: EventLoop, newKey: (@Sendable () -> String)? = nil) {
    hasSecret = secret != nil
    sessions = LoginSessions(secret: secret.map { Array($0.utf8) })
    self.loop = loop
    self.newKey = newKey
  }

  /// Only on the loop.
  private var secret: [UInt8]? { sessions.secret }

  /// Requires another secret from callers from now on, which ends the sessions of the old one. A port without a secret
  /// stays without.
  func takeSecret(_ secret: String?) async {
    guard hasSecret, let secret else { return }
    await LoopStage(loop: loop).perform { [sessions] in sessions.take(Array(secret.utf8)) }
  }

  /// The access that a request has.
  enum Access {
    case full
    /// Access to the dashboard and its orders, while the session lives.
    case dashboard(session: [UInt8])
    case none
    case refused(GatewayError)
  }

  /// The header field that identifies the page's own script. No page of another origin can send it without a preflight
  /// (Fetch standard, section 2.2.2), and the control port answers none.
  static let field = "x-postern-dashboard"

  /// The paths that a session may read, below `/` and below a space.
  private static let reading: Set<String> = [
    "/dashboard", "/dashboard/style.css", "/dashboard/script.js", "/dashboard/feed",
  ]
  private static let ordering: Set<String> = ["/dashboard/logout", "/horizon/spread", "/revocations"]
  /// The orders of the page's buttons to one session.
  private static let sessionOrders: Set<String> = ["expire", "disconnect"]
  /// The paths that the login page needs.
  private static let open: Set<String> = ["/dashboard/style.css", "/dashboard/script.js", "/dashboard/login"]

  /// Returns the access of a request. Only on the loop.
  func access(of request: HTTPRequest) -> Access {
    guard let secret else { return .full }
    if let token = request.bearerToken, ConstantTime.areEqual(secret, Array(token.utf8)) { return .full }
    if Self.open.contains(request.path) { return .full }
    guard let key = sessions.key(of: request, at: loop.now) else { return .none }
    let path = Self.place(of: request.path).path
    if ["GET", "HEAD"].contains(request.method) {
      // The list of sessions is only for the page's own script, which no other page can imitate.
      let isOpen = Self.reading.contains(path) || path == "/sessions" && request.header(Self.field) != nil
      return isOpen ? .dashboard(session: key) : .none
    }
    guard Self.isOrder(request.method, path) else { return .none }
    guard request.header("origin") != nil, request.header(Self.field) != nil else {
      return .refused(.originRefused.worded("a session's orders come from the dashboard's own page; log in there"))
    }
    return .dashboard(session: key)
  }

  /// Returns whether the page may give that order. It gives some orders to single sessions, and none to all.
  private static func isOrder(_ method: String, _ path: String) -> Bool {
    let segments = path.split(separator: "/")
    switch method {
    case "POST":
      guard segments.count == 3, segments[0] == "sessions" else { return ordering.contains(path) }
      return sessionOrders.contains(String(segments[2]))
    case "DELETE": return segments.count == 3 && path.utf8.starts(with: "/horizon/spread/".utf8)
    default: return false
    }
  }

  /// Returns the login page, for a request for a dashboard without a session; nil for other requests.
  func loginPage(for request: HTTPRequest) -> HTTPResponse? {
    let (path, root) = Self.place(of: request.path)
    guard newKey != nil, path == "/dashboard", ["GET", "HEAD"].contains(request.method) else { return nil }
    return DashboardRoutes.loginPage(for: request, root: root)
  }

  /// Returns the path within the gateway or the space, and the relative path from there to the gateway's root.
  private static func place(of path: String) -> (path: String, root: String) {
    var path = path[...]
    while path.utf8.last == UInt8(ascii: "/") { path = path.dropLast() }
    let segments = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
    guard segments.count == 3, segments[0] == "spaces" else { return (String(path), "") }
    return ("/" + segments[2], "../../")
  }

  /// Returns the stream, which ends with the session.
  func guarded(_ stream: HTTPStream, by key: [UInt8]) -> HTTPStream {
    HTTPStream(endsByItself: stream.endsByItself) { [sessions, loop] in
      guard sessions.isLive(key, at: loop.now), let piece = await stream.next() else { return nil }
      return sessions.isLive(key, at: loop.now) ? piece : nil
    }
  }

  // MARK: Routes

  var routes: [HTTPRoute] {
    [
      HTTPRoute("POST", "/dashboard/login") { request, _ in
        do throws(GatewayError) {
          return try logIn(request)
        } catch {
          return ControlAnswer.error(error)
        }
      },
      HTTPRoute("POST", "/dashboard/logout") { request, _ in
        if let key = sessions.key(of: request, at: loop.now) { sessions.end(key) }
        return Self.answer(cookie: "", life: 0, request)
      },
    ]
  }

  private func logIn(_ request: HTTPRequest) throws(GatewayError) -> HTTPResponse {
    guard let secret, let newKey else {
      throw .notFound.detailed("this control port has no secret, so no login is needed")
    }
    let body: LogInOrder = try ControlAnswer.order(request)
    let now = loop.now
    // The right secret is always accepted. Many people may share one address behind a proxy, and another person's wrong
    // secrets must not lock them out. An attacker gains nothing, since `Authorization: Bearer` allows any number of
    // tries.
    guard ConstantTime.areEqual(secret, Array(body.secret.utf8)) else {
      guard sessions.mayTry(from: request.peer, at: now) else {
        throw .tooMany.worded("too many wrong secrets from this address; try again in ten seconds")
      }
      throw .credentialsMissing.worded("that is not the control secret")
    }
    let key = newKey()
    sessions.begin(key, at: now)
    return Self.answer(cookie: key, life: Int(LoginSessions.life.inSeconds), request)
  }

  /// Returns 204 with the cookie (RFC 6265bis). If the page came over TLS, by a proxy, the cookie is sent over TLS
  /// only.
  private static func answer(cookie: String, life: Int, _ request: HTTPRequest) -> HTTPResponse {
    let isSecure = request.header("origin").flatMap { Authority.ofAddress($0) }?.scheme == "https"
    let value =
      "\(LoginSessions.cookie)=\(cookie); Path=/; Max-Age=\(life); HttpOnly; SameSite=Strict"
      + (isSecure ? "; Secure" : "")
    return HTTPResponse(
      status: 204, headers: [HTTPField("set-cookie", value), HTTPField("cache-control", "no-store")])
  }
}
