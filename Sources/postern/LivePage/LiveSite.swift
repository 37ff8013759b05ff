import GatewayCore
import GatewayReport
import GatewayRuntime

/// The site of the live page: the page, its style sheet and script, its feed of events, and the page of metrics. It listens on loopback, and
/// rejects requests from pages of other origins.
struct LiveSite: Site {
  let board: LiveBoard
  private let pages = PageGuard(hosts: [])

  /// The policy: nothing from other origins, no script but the page's own, and no frames around it.
  private static let policy =
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  private static let pause = Duration.milliseconds(100)
  /// The silence after which a feed sends a keep-alive.
  private static let silence = Duration.seconds(15)

  init(_ board: LiveBoard) {
    self.board = board
  }

  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission {
    .refuse(Self.text(404, "there are no sockets here\n"))
  }

  func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    if let refusal = pages.refusal(of: request) { return Self.text(refusal.httpStatus, refusal.message + "\n") }
    guard ["GET", "HEAD"].contains(request.method) else {
      var response = Self.text(405, "this is a page to look at\n")
      response.headers.append(HTTPField("allow", "GET, HEAD"))
      return response
    }
    switch request.path {
    case "/": return Self.answer("text/html; charset=utf-8", LivePage.frame)
    case "/live.css": return Self.answer("text/css; charset=utf-8", LivePage.sheet)
    case "/metrics": return Self.answer(StormMetrics.contentType, board.metricsPage())
    case "/live.js": return Self.answer("text/javascript; charset=utf-8", LivePage.script)
    case "/events":
      guard let reader = board.reader() else {
        return Self.text(503, "\(LiveBoard.readersMax) pages look on already\n")
      }
      return HTTPResponse(stream: Self.feed(reader, on: loop), headers: ServerSentEvent.fields + Self.guards)
    default: return Self.text(404, "there is nothing here but / and /metrics\n")
    }
  }

  /// Returns the feed of events. It ends when the storm is over or the reader has gone.
  private static func feed(_ reader: LiveReader, on loop: EventLoop) -> HTTPStream {
    HTTPStream(endsByItself: true) {
      let deadline = loop.now + silence
      while !Task.isCancelled {
        if let news = reader.news() { return news }
        if reader.isThrough { return nil }
        if loop.now >= deadline { return ServerSentEvent.keepAlive }
        await loop.sleep(until: loop.now + pause)
      }
      return nil
    }
  }

  private static let guards = [
    HTTPField("content-security-policy", policy), HTTPField("x-content-type-options", "nosniff"),
    HTTPField("referrer-policy", "no-referrer"), HTTPField("cross-origin-resource-policy", "same-origin"),
  ]

  private static func answer(_ type: String, _ body: [UInt8], status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [HTTPField("content-type", type)] + guards + [HTTPField("cache-control", "no-store")],
      body: body)
  }

  private static func text(_ status: Int, _ text: String) -> HTTPResponse {
    answer("text/plain; charset=utf-8", Array(text.utf8), status: status)
  }
}
