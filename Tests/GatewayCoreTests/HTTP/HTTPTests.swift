import GatewayCore
import Testing

struct HTTPTests {
  private static func route(_ method: String, _ pattern: String) -> HTTPRoute {
    HTTPRoute(method, pattern) { _, _ in HTTPResponse(status: 200) }
  }

  private let router = HTTPRouter([
    route("GET", "/v1/calls/{type}/{id}"), route("POST", "/v1/calls/{type}/{id}"),
    route("POST", "/v1/calls/{type}/{id}/join"), route("GET", "/health"), route("GET", "/v1/calls/default/lobby"),
  ])

  private func found(_ method: String, _ path: String) -> (pattern: String, parameters: PathParameters)? {
    guard case .found(let route, let parameters) = router.match(method: method, path: path) else { return nil }
    return (route.pattern, parameters)
  }

  @Test
  func `a route is found by method and path, and its parameters are decoded`() throws {
    let match = try #require(found("POST", "/v1/calls/default/caf%C3%A9%2Fbar/join"))
    #expect(match.pattern == "/v1/calls/{type}/{id}/join")
    #expect(match.parameters["type"] == "default")
    #expect(match.parameters["id"] == "café/bar")
    #expect(found("GET", "/health")?.pattern == "/health")
    #expect(found("GET", "//health/")?.pattern == "/health")
  }

  @Test
  func `if two patterns match, the more specific one answers, in whatever order they were added`() {
    #expect(found("GET", "/v1/calls/default/lobby")?.pattern == "/v1/calls/default/lobby")
    #expect(found("POST", "/v1/calls/default/lobby")?.pattern == "/v1/calls/{type}/{id}")
    #expect(found("GET", "/v1/calls/default/lobb%79")?.pattern == "/v1/calls/{type}/{id}")
    #expect(found("GET", "/v1/calls/default/l")?.parameters["id"] == "l")
  }

  @Test
  func `two routes with one method and one shape are a conflict at the start, and all conflicts are named`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let handler: HTTPRoute.Handler = { _, _ in HTTPResponse(status: 200) }
      _ = HTTPRouter([
        HTTPRoute("GET", "/a/{x}/b", handler), HTTPRoute("GET", "/a/{y}/b/", handler), HTTPRoute("PUT", "/c", handler),
        HTTPRoute("POST", "/c", handler), HTTPRoute("PUT", "/c", handler),
      ])
    }
    let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(said.contains("two routes for GET: /a/{x}/b and /a/{y}/b/; two routes for PUT: /c and /c"), "\(said)")
  }

  @Test
  func `routes of different sources that share methods and paths are all reported, each once`() {
    let own = [Self.route("GET", "/a/{x}"), Self.route("POST", "/b"), Self.route("PUT", "/b")]
    #expect(HTTPRouter.clash(in: own) == nil)
    let others = [
      Self.route("POST", "/b/"), Self.route("GET", "/a/{y}"), Self.route("GET", "/a/{z}"), Self.route("GET", "/b"),
    ]
    let clash = HTTPRouter.clash(in: own + others)
    #expect(clash?.routes == ["POST /b/", "GET /a/{y}"])
    #expect(
      clash?.description
        == "POST /b/, GET /a/{y} have answers of the gateway's already; other paths are free")
    #expect(
      RouteClash(["POST /b"]).description == "POST /b has an answer of the gateway's already; another path is free")
    let many = RouteClash((1...10).map { "GET /\($0)" }).description
    #expect(many.hasPrefix("GET /1, ") && many.contains("GET /8 and 2 more have answers"))
  }

  @Test
  func `a literal path has its own methods, not the methods of a pattern that matches too`() {
    let handler: HTTPRoute.Handler = { _, _ in HTTPResponse(status: 200) }
    let router = HTTPRouter([
      HTTPRoute("GET", "/sessions/{id}", handler), HTTPRoute("POST", "/sessions/expire", handler),
      HTTPRoute("DELETE", "/sessions/{id}", handler),
    ])
    guard case .otherMethods(let own) = router.match(method: "PUT", path: "/sessions/expire"),
      case .otherMethods(let others) = router.match(method: "PUT", path: "/sessions/conn_0_1")
    else {
      Issue.record("both paths exist")
      return
    }
    #expect(own == ["POST"] && others == ["GET", "DELETE"])
  }

  @Test
  func `a path with other methods lists them, an unknown path and a broken escape do not`() {
    guard case .otherMethods(let methods) = router.match(method: "PUT", path: "/v1/calls/default/a") else {
      Issue.record("the path exists")
      return
    }
    #expect(methods == ["GET", "POST"])
    for path in ["/", "/v1", "/v1/calls/default", "/v1/calls/default/a/b", "/v1/calls/default/%zz", "/v1/calls/a/%ff"] {
      guard case .none = router.match(method: "GET", path: path) else {
        Issue.record("\(path) leads nowhere")
        return
      }
    }
  }

  @Test(arguments: ["", "plain", "a b&c=d/e?f#g%h+i", "é漢🚀", "~-._", "\u{0}\n\r", "a:b!c"])
  func `percent-encoding reads back what it writes`(text: String) {
    let encoded = PercentEncoding.encode(text)
    #expect(encoded.utf8.allSatisfy { $0 > 32 && $0 < 127 })
    #expect(PercentEncoding.decode(encoded) == text)
  }

  @Test(
    arguments: [
      ("%41%6a%6A", "Ajj"), ("%", nil), ("%4", nil), ("%4g", nil), ("%g4", nil), ("%+1", nil), ("%ff", nil),
      ("%C3", nil), ("%ED%A0%80", nil), ("+", "+"),
    ] as [(String, String?)])
  func `percent escapes are two digits in either case, and the bytes are UTF-8`(encoded: String, text: String?) {
    #expect(PercentEncoding.decode(encoded) == text)
  }

  @Test
  func `percent-encoding escapes everything but unreserved characters, in upper case`() {
    #expect(PercentEncoding.encode("a/ü~") == "a%2F%C3%BC~")
  }

  @Test(
    arguments: [
      ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER a b", "a b"), ("Bearer  abc", "abc"), ("Bearer", nil),
      ("Bearer ", nil), ("Basic abc", nil), ("", nil), ("Bearerabc", nil),
    ] as [(String, String?)])
  func `a bearer token is the text after the scheme, which may be in upper or lower case`(value: String, token: String?)
  {
    let request = HTTPRequest(method: "GET", path: "/", headers: [HTTPField("authorization", value)])
    #expect(request.bearerToken == token)
  }

  @Test
  func `header fields and parameters are found by name, the first of several`() {
    let request = HTTPRequest(
      method: "GET", path: "/", query: [HTTPField("a", "1"), HTTPField("a", "2")],
      headers: [HTTPField("x", "1"), HTTPField("x", "2")])
    #expect(request.header("x") == "1" && request.header("y") == nil)
    #expect(request.parameter("a") == "1" && request.parameter("b") == nil)
    #expect(request.bearerToken == nil)
    let response = HTTPResponse(status: 200, contentType: "text/plain", text: "é")
    #expect(response.header("content-type") == "text/plain" && response.body == [0xC3, 0xA9])
  }
}
