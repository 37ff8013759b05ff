internal import GatewayCore
internal import GatewayRuntime
internal import GatewaySpace

/// The dashboard of one gateway: its page, which needs no other origin, and the feed that the page reads.
struct DashboardRoutes {
  private let feed: DashboardFeed
  private let page: [UInt8]

  /// Creates the routes.
  ///
  /// - Parameters:
  ///   - root: The relative path from the page's folder to the control port's: `../../` below `/spaces/t17/`.
  ///   - hasLogin: Whether the page's user has logged in, and may log out.
  ///   - name: The name of the space, if it is a hosted one.
  init(space: Space, root: String, hasLogin: Bool, name: String? = nil) {
    self.init(DashboardFeed(space, name: name), root: root, hasLogin: hasLogin)
  }

  /// Creates the routes of the dashboard of a proxy's route.
  init(route: any Controllable, root: String, hasLogin: Bool, name: String? = nil) {
    self.init(DashboardFeed(route: route, name: name), root: root, hasLogin: hasLogin)
  }

  private init(_ feed: DashboardFeed, root: String, hasLogin: Bool) {
    self.feed = feed
    page = DashboardPage.dashboard(root: root, hasLogin: hasLogin)
  }

  var routes: [HTTPRoute] {
    [
      HTTPRoute("GET", "/dashboard") { [page] request, _ in
        // The page refers to its resources by relative paths, which a slash at the end would change.
        Self.redirect(request) ?? Self.html(page)
      },
      HTTPRoute("GET", "/dashboard/style.css") { _, _ in Self.asset("text/css; charset=utf-8", DashboardPage.style) },
      HTTPRoute("GET", "/dashboard/script.js") { _, _ in
        Self.asset("text/javascript; charset=utf-8", DashboardPage.script)
      },
      HTTPRoute("GET", "/dashboard/feed") { [feed] _, _ in
        guard let stream = feed.stream() else {
          return ControlAnswer.error(
            .tooMany.detailed("\(DashboardFeed.watchersMax) dashboards are open; close one of them"))
        }
        return HTTPResponse(
          stream: stream, headers: ServerSentEvent.fields + [HTTPField("x-content-type-options", "nosniff")])
      },
    ]
  }

  /// Returns the login page, instead of the dashboard that was asked for.
  static func loginPage(for request: HTTPRequest, root: String) -> HTTPResponse {
    redirect(request) ?? html(DashboardPage.login(root: root), status: 401)
  }

  /// Returns a redirect to the path without the slash at its end; nil if it has none.
  private static func redirect(_ request: HTTPRequest) -> HTTPResponse? {
    guard request.path.utf8.last == UInt8(ascii: "/") else { return nil }
    return HTTPResponse(status: 308, headers: [HTTPField("location", "../dashboard")] + fields)
  }

  private static func html(_ body: [UInt8], status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, headers: [HTTPField("content-type", "text/html; charset=utf-8")] + fields, body: body)
  }

  private static func asset(_ type: String, _ body: [UInt8]) -> HTTPResponse {
    HTTPResponse(status: 200, headers: [HTTPField("content-type", type)] + fields, body: body)
  }

  /// The rights of the page in a browser: its own script, its own style sheet, and requests to its own origin. No page
  /// may frame it (Content Security Policy, level 3).
  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  ].joined(separator: "; ")

  private static let fields = [
    HTTPField("content-security-policy", policy), HTTPField("x-content-type-options", "nosniff"),
    HTTPField("referrer-policy", "no-referrer"), HTTPField("cross-origin-resource-policy", "same-origin"),
    HTTPField("cache-control", "no-store"),
  ]
}
