import GatewayCore
import GatewayJSON
import GatewayRuntime
import GatewaySimulator
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayStreem

@Suite(.onNodes)
struct StreemOpenIDTests {
  private let streem: SimulatedStreem
  private let visitor: OpenIDVisitor

  init() throws {
    streem = try SimulatedStreem()
    visitor = OpenIDVisitor(streem)
  }

  @Test
  func `the issuer is the address of the request, in all three places`() throws {
    let first = visitor.get("/.well-known/openid-configuration")
    #expect(try visitor.member("issuer", first) == OpenIDVisitor.issuer)
    #expect(try visitor.member("token_endpoint", first) == OpenIDVisitor.issuer + "/token")
    for part in [
      #""response_types_supported":["code"]"#, #""code_challenge_methods_supported":["S256"]"#,
      #""token_endpoint_auth_methods_supported":["none"]"#,
      #""id_token_signing_alg_values_supported":["RS256","ES256"]"#,
    ] { #expect(first.text.contains(part)) }
    #expect(visitor.get("/.well-known/oauth-authorization-server").text == first.text)
    #expect(
      streem.fetch("GET", "/.well-known/oauth-authorization-server/streem/oidc/postern").text == first.text)
    #expect(OpenIDVisitor(streem, company: "nobody").get("/.well-known/openid-configuration").status == 404)
    let odd = HTTPRequest(
      method: "GET", path: "/streem/oidc/postern/.well-known/openid-configuration",
      headers: [HTTPField("host", "a.example/x?")])
    #expect(streem.fetch(odd).status == 404)
  }

  @Test
  func `the SDK gets its endpoints by the company's code`() throws {
    let answer = streem.fetch("GET", "/streem/v1/companies/postern/openid-configuration")
    #expect(try visitor.member("clientId", answer) == "streem-sdk")
    #expect(try visitor.member("authorizationEndpoint", answer) == OpenIDVisitor.issuer + "/authorize")
    #expect(try visitor.member("tokenEndpoint", answer) == OpenIDVisitor.issuer + "/token")
    #expect(try visitor.member("logoutEndpoint", answer) == OpenIDVisitor.issuer + "/logout")
    #expect(!answer.text.contains("issuer"))
    let unknown = streem.fetch("GET", "/streem/v1/companies/nobody/openid-configuration")
    #expect(unknown.status == 404 && unknown.text.contains(#""reason":"company_unknown""#))
  }

  @Test
  func `a login gives tokens, and they can be exchanged for a vendor token that identifies`() throws {
    let login = visitor.logIn(try #require(visitor.open()))
    #expect(login.status == 303 && login.header("cache-control") == "no-store")
    #expect(login.header("location")?.hasPrefix(OpenIDVisitor.redirect + "?code=") == true)
    let answer = OpenIDVisitor.answer(login)
    #expect(answer["state"] == "st ate&" && answer["iss"] == OpenIDVisitor.issuer)
    let tokens = visitor.redeem(try #require(answer["code"]))
    #expect(tokens.status == 200 && tokens.header("cache-control") == "no-store")
    #expect(try visitor.member("token_type", tokens) == "Bearer" && tokens.text.contains(#""expires_in":3600"#))
    #expect(try visitor.member("scope", tokens) == "openid profile offline_access")
    let now = Int64(streem.world.wallTime.seconds)
    let claims = OpenIDVisitor.claims(tokens)
    for part in [
      #""iss":"\#(OpenIDVisitor.issuer)""#, #""sub":"ann""#, #""aud":"streem-sdk""#, #""nonce":"n-1""#,
      #""iat":\#(now)"#, #""exp":\#(now + 3600)"#, #""name":"ann""#, #""custom:streem_company_code":"postern""#,
    ] { #expect(claims.contains(part), "\(claims)") }

    let access = try visitor.member("access_token", tokens)
    let user = visitor.get("/userinfo", bearer: access)
    #expect(user.text == #"{"sub":"ann","name":"ann","custom:streem_company_code":"postern"}"#)
    let exchanged = visitor.exchange(access, #"{"companyCode":"postern"}"#)
    #expect(exchanged.status == 200 && exchanged.header("cache-control") == "no-store")
    let peer = streem.identify(Credentials(token: try visitor.member("streemToken", exchanged)), #","isExpert":true"#)
    #expect(streem.last("externalUserId", peer) == "ann" && streem.types(peer) == ["identified"])
  }

  @Test
  func `ID tokens are signed by RS256, or by the algorithm the client was registered with, with a key of its set`()
    throws
  {
    let streem = try SimulatedStreem { settings in
      settings.openID.clients.append(OpenIDClient(id: "ec", redirects: [Name(OpenIDVisitor.redirect)], signing: .es256))
    }
    let visitor = OpenIDVisitor(streem)
    let set = visitor.get("/jwks")
    #expect(!set.text.contains(#""d""#) && set.text.contains(#""kty":"RSA""#) && set.text.contains(#""kty":"EC""#))
    for (client, algorithm) in [("streem-sdk", "RS256"), ("ec", "ES256")] {
      let code = visitor.code("ann", ["client_id": client])
      let token = try visitor.member("id_token", visitor.redeem(code, ["client_id": client]))
      let header = try UnverifiedToken(token).header
      #expect(header["alg"]?.string == algorithm)
      let kid = try #require(header["kid"]?.string)
      #expect(set.text.contains(#""kid":"\#(kid)""#))
      _ = try JWTVerifier(keys: try KeySet(jwks: set.body)).verify(token, at: streem.world.wallTime)
      #expect(visitor.get("/logout", ["id_token_hint": token]).status == 200)
    }
  }

  @Test
  func `UserInfo has what the platform knows of a user, and only the requested claims`() throws {
    _ = streem.identify(streem.token("ann", ["name": #""Ann A""#, "picture": #""https://a.example/p""#]))
    let known = OpenIDVisitor.claims(visitor.redeem(visitor.code()))
    #expect(known.contains(#""name":"Ann A","picture":"https://a.example/p""#))
    let tokens = visitor.redeem(visitor.code("ann", ["scope": "openid other", "nonce": nil]))
    #expect(!OpenIDVisitor.claims(tokens).contains("Ann A") && !OpenIDVisitor.claims(tokens).contains("nonce"))
    #expect(!tokens.text.contains("refresh_token"))
    #expect(try visitor.member("scope", tokens) == "openid")
  }

  // MARK: The authorization request

  @Test(
    arguments: [
      (["code_challenge_method": "plain"], "invalid_request"), (["code_challenge_method": nil], "invalid_request"),
      (["code_challenge": nil], "invalid_request"), (["code_challenge": "short"], "invalid_request"),
      (["response_type": "token"], "unsupported_response_type"), (["response_type": nil], "invalid_request"),
      (["scope": "profile"], "invalid_scope"), (["scope": nil], "invalid_scope"),
      (["prompt": "none"], "login_required"), (["prompt": "none login"], "invalid_request"),
      (["request": "eyJ"], "request_not_supported"), (["request_uri": "urn:x"], "request_uri_not_supported"),
      (["response_mode": "fragment"], "invalid_request"),
      (["nonce": String(repeating: "n", count: 2_001)], "invalid_request"),
    ] as [([String: String?], String)])
  func `an error is sent back to a known client`(changes: [String: String?], error: String) {
    let response = visitor.get("/authorize", OpenIDVisitor.authorization(changes))
    #expect(response.status == 303)
    let answer = OpenIDVisitor.answer(response)
    #expect(answer["error"] == error && answer["state"] == "st ate&" && answer["iss"] == OpenIDVisitor.issuer)
    #expect(answer["code"] == nil)
  }

  @Test(
    arguments: [
      ["client_id": "nobody"], ["client_id": nil], ["redirect_uri": nil],
      ["redirect_uri": "pro.streem.sdk.StreemNow:/oauth-callback/x"], ["redirect_uri": "https://evil.example/"],
      ["redirect_uri": "http://127.0.0.1.evil.example/callback"], ["redirect_uri": "http://127.0.0.1:99999/callback"],
      ["redirect_uri": "http://127.0.0.1@evil.example/callback"], ["redirect_uri": "http://127.0.0.1:80/callback/"],
      ["redirect_uri": "http://127.0.0.1:80:81/callback"],
    ] as [[String: String?]])
  func `a wrong client or redirect address shows an error, and does not redirect`(changes: [String: String?]) {
    let response = visitor.get("/authorize", OpenIDVisitor.authorization(changes))
    #expect(response.status == 400 && response.header("location") == nil)
    #expect(response.header("content-type") == "text/html; charset=utf-8")
  }

  @Test(arguments: ["http://127.0.0.1:49152/callback", "http://[::1]:1/callback", "http://localhost/callback"])
  func `a loopback redirect address may have any port`(redirect: String) {
    let code = visitor.code("ann", ["redirect_uri": redirect])
    #expect(visitor.redeem(code, ["redirect_uri": redirect]).status == 200)
  }

  @Test
  func `an authorization request may be a form too, and no parameter may come twice`() {
    #expect(visitor.post("/authorize", OpenIDVisitor.authorization()).status == 200)
    let query = OpenIDVisitor.authorization().map { HTTPField($0.key, $0.value) }
    func twice(_ name: String) -> HTTPResponse {
      streem.fetch("GET", "/streem/oidc/postern/authorize", query: query + [HTTPField(name, "x")])
    }
    #expect(OpenIDVisitor.answer(twice("scope"))["error"] == "invalid_request")
    #expect(OpenIDVisitor.answer(twice("state"))["error"] == "invalid_request")
    #expect(twice("redirect_uri").status == 400 && twice("client_id").status == 400)
    #expect(visitor.post("/authorize", text: "{}", type: "application/json").status == 400)
  }

  // MARK: The page

  @Test
  func `the login page escapes its text, and stays out of frames and caches`() {
    let page = visitor.get("/authorize", OpenIDVisitor.authorization(["login_hint": #""><script>x"#]))
    #expect(page.text.contains("&quot;&gt;&lt;script&gt;x") && !page.text.contains("<script"))
    #expect(page.header("cache-control") == "no-store" && page.header("x-frame-options") == "DENY")
    #expect(page.header("content-security-policy")?.contains("frame-ancestors 'none'") == true)
  }

  @Test
  func `an abandoned login expires, and a cancelled one redirects to the client`() throws {
    let canceled = try #require(visitor.open())
    let answer = visitor.post("/login", ["request": canceled, "cancel": "yes"])
    #expect(OpenIDVisitor.answer(answer)["error"] == "access_denied")
    let old = try #require(visitor.open())
    streem.world.advance(by: .seconds(600) - .nanoseconds(1))
    #expect(visitor.logIn(old).status == 303)
    streem.world.advance(by: .nanoseconds(1))
    #expect(visitor.logIn(old).status == 400)
    let parts = try #require(visitor.open()).split(separator: ".")
    let changed = "\(parts[0].dropLast())\(parts[0].last == "A" ? "B" : "A").\(parts[1])"
    for forged in ["guessed", "", ".", "e30.", changed, "\(parts[0]).\(parts[1])A", String(parts[0])] {
      #expect(visitor.logIn(forged).status == 400)
    }
  }

  @Test
  func `only listed users may log in if there are some, each to the own company, and none as an invited customer`()
    throws
  {
    let streem = try SimulatedStreem { settings in
      settings.openID.users = [
        OpenIDUser(name: "ann", password: "right"), OpenIDUser(name: "bob", company: "other", password: "right"),
      ]
    }
    let visitor = OpenIDVisitor(streem)
    let page = try #require(visitor.open())
    for (user, password) in [("ann", "wrong"), ("ann", "righ"), ("bob", "right"), ("carl", "right"), ("!anon", "x")] {
      #expect(visitor.logIn(page, as: user, password: password).status == 403)
    }
    #expect(visitor.logIn(page, password: "right").status == 303)
    _ = streem.fetch("POST", "/streem/companies", body: #"{"code":"other"}"#, from: DialTarget.control)
    let other = OpenIDVisitor(streem, company: "other")
    #expect(other.logIn(try #require(other.open()), as: "bob", password: "right").status == 303)
    // The form of one issuer is invalid at another.
    #expect(other.logIn(try #require(visitor.open()), as: "bob", password: "right").status == 400)
  }
}
