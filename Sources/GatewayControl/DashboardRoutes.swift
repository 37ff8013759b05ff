internal import GatewayCore
internal import GatewaySpace

/// The dashboard of one gateway, at `/dashboard` for instance: its page, which needs nothing from anywhere else, and
/// the feed that the page reads.
struct DashboardRoutes {
  private let feed: DashboardFeed
  private let page: [UInt8]

  /// - Parameters:
  ///   - root: The way from the page's folder to the control port's: `../../` below `/spaces/t17/`.
  ///   - hasLogin: Whether who sees it has logged in, and may log out.
  ///   - name: The name of the space, where the process hosts it beside others.
  init(space: Space, root: String, hasLogin: Bool, name: String? = nil) {
    feed = DashboardFeed(space, name: name)
    page = Array(DashboardPage.dashboard(root: root, hasLogin: hasLogin).utf8)
  }

  var routes: [HTTPRoute] {
    [
      HTTPRoute("GET", "/dashboard") { [page] request, _ in
        // The page names what it needs by where itself is, which a slash would change.
        Self.redirect(request) ?? Self.html(page)
      },
      HTTPRoute("GET", "/dashboard/style.css") { _, _ in Self.asset("text/css; charset=utf-8", DashboardStyle.sheet) },
      HTTPRoute("GET", "/dashboard/script.js") { _, _ in
        Self.asset("text/javascript; charset=utf-8", DashboardScript.text)
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

  /// The page by which one logs in, in place of the dashboard that was asked for.
  static func loginPage(for request: HTTPRequest, root: String) -> HTTPResponse {
    redirect(request) ?? html(Array(DashboardPage.login(root: root).utf8), status: 401)
  }

  /// To the same without the slash behind it, if there is one.
  private static func redirect(_ request: HTTPRequest) -> HTTPResponse? {
    guard request.path.utf8.last == UInt8(ascii: "/") else { return nil }
    return HTTPResponse(status: 308, headers: [HTTPField("location", "../dashboard")] + fields)
  }

  private static func html(_ body: [UInt8], status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, headers: [HTTPField("content-type", "text/html; charset=utf-8")] + fields, body: body)
  }

  private static func asset(_ type: String, _ text: String) -> HTTPResponse {
    HTTPResponse(status: 200, headers: [HTTPField("content-type", type)] + fields, body: Array(text.utf8))
  }

  /// What a browser lets the page do: run its own script, look as its own sheet says, and talk to its own origin; nobody
  /// frames it (Content Security Policy, level 3).
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
