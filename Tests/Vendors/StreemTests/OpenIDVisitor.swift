import GatewayCore
import GatewayTokens
import TestSupport
import Testing

/// A person with a browser and an OpenID client, at the provider of a simulated Streem platform.
struct OpenIDVisitor {
  static let issuer = "http://gateway:80/streem/oidc/postern"
  static let redirect = "pro.streem.sdk.StreemNow:/oauth-callback"
  /// The verifier in RFC 7636 appendix B.
  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

  private let streem: SimulatedStreem
  private let folder: String

  init(_ streem: SimulatedStreem, company: String = "postern") {
    self.streem = streem
    folder = "/streem/oidc/\(company)"
  }

  // MARK: Requests

  func get(_ path: String, _ query: [String: String] = [:], bearer: String? = nil) -> HTTPResponse {
    streem.fetch(
      HTTPRequest(
        method: "GET", path: folder + path, query: query.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) },
        headers: bearer.map { [HTTPField("authorization", "Bearer \($0)")] } ?? []))
  }

  func post(_ path: String, _ form: [String: String], basic: String? = nil) -> HTTPResponse {
    let text = form.sorted { $0.key < $1.key }.map { "\($0.key)=\(PercentEncoding.encode($0.value))" }
    return post(path, text: text.joined(separator: "&"), basic: basic)
  }

  /// Sends a form like AppAuth: the media type has a parameter.
  func post(
    _ path: String, text: String, type: String = "application/x-www-form-urlencoded; charset=UTF-8",
    basic: String? = nil
  ) -> HTTPResponse {
    var headers = [HTTPField("content-type", type)]
    if let basic { headers.append(HTTPField("authorization", "Basic \(Base64.encode(Array(basic.utf8)))")) }
    return streem.fetch(
      HTTPRequest(method: "POST", path: folder + path, headers: headers, body: Array(text.utf8)))
  }

  /// Exchanges an access token for a Streem Token.
  func exchange(_ token: String, _ body: String = "") -> HTTPResponse {
    streem.fetch("POST", "/streem/v1/streem-token", token: Credentials(token: token), body: body)
  }

  /// Returns the member with that name in an answer.
  func member(_ name: String, _ response: HTTPResponse) throws -> String {
    try #require(SimulatedStreem.member(name, response.text), "\(response.text)")
  }

  // MARK: The flow

  /// Returns a valid authorization request in which some parameters are changed; nil removes one.
  static func authorization(_ changes: [String: String?] = [:]) -> [String: String] {
    var query = [
      "client_id": "streem-sdk", "redirect_uri": redirect, "response_type": "code",
      "scope": "openid profile offline_access", "state": "st ate&", "nonce": "n-1", "code_challenge": challenge,
      "code_challenge_method": "S256",
    ]
    for (name, value) in changes { query[name] = value }
    return query
  }

  /// Returns the sealed request in the page's form; nil if there is no page.
  func open(_ changes: [String: String?] = [:]) -> String? {
    let page = get("/authorize", Self.authorization(changes))
    guard page.status == 200, let match = page.text.firstMatch(of: /name="request" value="([^"]+)"/) else { return nil }
    return String(match.output.1)
  }

  func logIn(_ request: String, as user: String = "ann", password: String = "secret") -> HTTPResponse {
    post("/login", ["request": request, "username": user, "password": password])
  }

  /// Returns the parameters in a redirect's URL.
  static func answer(_ response: HTTPResponse) -> [String: String] {
    guard let location = response.header("location"), let mark = location.firstIndex(of: "?") else { return [:] }
    let fields = QueryString.parameters(of: location[location.index(after: mark)...]) ?? []
    return Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// Returns a code for a person who has logged in.
  func code(_ user: String = "ann", _ changes: [String: String?] = [:]) -> String {
    Self.answer(logIn(open(changes) ?? "", as: user))["code"] ?? "none"
  }

  /// Exchanges a code, with some parameters changed.
  func redeem(_ code: String, _ changes: [String: String?] = [:]) -> HTTPResponse {
    var form = [
      "grant_type": "authorization_code", "code": code, "redirect_uri": Self.redirect, "client_id": "streem-sdk",
      "code_verifier": Self.verifier,
    ]
    for (name, value) in changes { form[name] = value }
    return post("/token", form)
  }

  func refresh(_ token: String, _ changes: [String: String?] = [:]) -> HTTPResponse {
    var form = ["grant_type": "refresh_token", "refresh_token": token, "client_id": "streem-sdk"]
    for (name, value) in changes { form[name] = value }
    return post("/token", form)
  }

  /// Returns the claims of the ID token in an answer, as JSON text.
  static func claims(_ response: HTTPResponse) -> String {
    let parts = (SimulatedStreem.member("id_token", response.text) ?? "").split(separator: ".")
    guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])) else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }
}
