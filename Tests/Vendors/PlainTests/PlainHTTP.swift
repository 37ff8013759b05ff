import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayPlain
import TestSupport
import Testing

/// The plain dialect's HTTP side on a gateway that is none, with a directory of its own.
struct PlainHTTP {
  let gateway = FakeGateway()
  let directory: PlainDirectory
  private let router: HTTPRouter

  init(_ policy: TokenProviderPolicy, full: Bool = false) {
    directory = gateway.makeDirectory(calls: full ? 1 : 100)
    let provider = TokenProvider(
      on: gateway.executor, policy: policy, services: gateway, issuer: FakeTokens(), vendors: ["acme": VendorTokens()])
    router = HTTPRouter(
      PlainRoutes(
        services: gateway, directory: directory, authenticator: FakeTokens(),
        issuer: FakeTokens(), provider: provider
      ).routes)
  }

  /// Asks, and lets a minute pass.
  func ask(
    _ method: String, _ path: String, _ body: String = "", bearer: String? = nil, headers: [HTTPField] = []
  ) throws -> (response: HTTPResponse, body: JSONView) {
    let box = try begin(method, path, body, bearer: bearer, headers: headers)
    gateway.advance(by: .seconds(60))
    let response = try #require(box.value)
    #expect(response.header("content-type") == "application/json")
    return (response, try JSONDocument.parse(response.body).root)
  }

  /// Asks, and lets no time pass.
  func begin(
    _ method: String, _ path: String, _ body: String = "", bearer: String? = nil, headers: [HTTPField] = []
  ) throws -> Box<HTTPResponse> {
    guard case .found(let route, let parameters) = router.match(method: method, path: path) else {
      throw GatewayError.notFound
    }
    let headers = headers + (bearer.map { [HTTPField("authorization", "Bearer \($0)")] } ?? [])
    let request = HTTPRequest(method: method, path: path, headers: headers, body: Array(body.utf8))
    return gateway.start { await route.handler(request, parameters) }
  }

  func token(
    _ user: String, _ kind: UserKind = .regular, life: Duration? = .seconds(3600), calls: [String]? = nil
  ) -> String {
    FakeTokens().mint(
      user: UserID(user), kind: kind, issuedAt: gateway.wallTime, expiresAt: life.map { gateway.wallTime + $0 },
      calls: calls?.compactMap { CallID(cid: $0) }
    ).token
  }

  /// Tokens that are told apart from the plain ones.
  private struct VendorTokens: TokenIssuer {
    func mint(
      user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?
    ) -> Credentials {
      Credentials(token: "acme's \(user)")
    }
  }

  /// The error of an answer: its status and number.
  static func error(_ answer: (response: HTTPResponse, body: JSONView)) -> [Int] {
    [answer.response.status, Int(answer.body["error"]?["number"]?.integer ?? 0)]
  }
}
