import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayPlain

/// The plain dialect's HTTP API on a gateway in virtual time. Its token provider issues readable tokens; its users have
/// real ones.
struct PlainHTTP {
  private static let secret = Array("a secret of thirty-two bytes, or more".utf8)

  let space: TestSpace<PlainVendor>
  private let issuer: PlainTokenIssuer

  /// Creates the gateway.
  ///
  /// - Parameter callsMax: The maximum number of calls.
  init(_ policy: TokenProviderPolicy, callsMax: Int = 100) throws {
    let secret = try KeyMaterial.secret(Self.secret)
    issuer = PlainTokenIssuer(signer: try JWTSigner(secret))
    var plain = PlainSettings(verifier: JWTVerifier(keys: try KeySet([VerificationKey(secret)])))
    plain.limits.calls = callsMax
    space = try TestSpace(
      SpaceSettings(
        configuration: GatewayConfiguration(session: try SessionPolicy()), vendors: [plain, AcmeSettings()],
        issuer: FakeTokens(), provider: policy))
  }

  var world: SimulatedWorld { space.world }

  /// Sends a request, and waits for the answer.
  func ask(
    _ method: String, _ path: String, _ body: String = "", bearer: String? = nil, headers: [HTTPField] = []
  ) throws -> (response: HTTPResponse, body: JSONView) {
    let asked = begin(method, path, body, bearer: bearer, headers: headers)
    _ = world.run(within: .seconds(60)) { asked.value != nil }
    let response = try #require(asked.value).get()
    #expect(response.header("content-type") == "application/json")
    return (response, try JSONDocument.parse(response.body).root)
  }

  /// Sends a request without letting time pass.
  func begin(
    _ method: String, _ path: String, _ body: String = "", bearer: String? = nil, headers: [HTTPField] = []
  ) -> Started<Result<HTTPResponse, DialFailure>> {
    let headers = headers + (bearer.map { [HTTPField("authorization", "Bearer \($0)")] } ?? [])
    let request = HTTPRequest(method: method, path: path, headers: headers, body: Array(body.utf8))
    let dialer = SimulatedDialer(space.network, on: space.clients)
    return space.start { await dialer.fetch(request, from: .gateway, timeout: .seconds(1_000)) }
  }

  /// Returns a logged-in client of the user.
  @discardableResult
  func connect(_ user: String) -> SimulatedPeer {
    space.dial(
      HTTPRequest(
        method: "GET", path: PlainDialect.path, headers: [HTTPField("authorization", "Bearer \(token(user))")]))
  }

  func token(
    _ user: String, _ kind: UserKind = .regular, life: Duration? = .seconds(3600), calls: [String]? = nil
  ) -> String {
    issuer.mint(
      user: UserID(user), kind: kind, issuedAt: world.wallTime, expiresAt: life.map { world.wallTime + $0 },
      calls: calls?.compactMap { CallID(cid: $0) }
    ).token
  }

  /// Returns the status and number of an error answer.
  static func error(_ answer: (response: HTTPResponse, body: JSONView)) -> [Int] {
    [answer.response.status, Int(answer.body["error"]?["number"]?.integer ?? 0)]
  }
}

/// A vendor with only tokens, which differ from the plain ones.
private struct AcmeSettings: VendorSettings {
  func vendor(on ground: Ground) -> Acme { Acme() }

  struct Acme: Vendor, TokenIssuer {
    let bindings: [DialectBinding] = []
    var issuers: [String: any TokenIssuer] { ["acme": self] }

    func routes(with provider: TokenProvider) -> [HTTPRoute] { [] }

    func mint(
      user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?
    ) -> Credentials {
      Credentials(token: "acme's \(user)")
    }
  }
}
