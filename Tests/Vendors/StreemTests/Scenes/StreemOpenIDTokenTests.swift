import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStreem

@Suite(.onNodes)
struct StreemOpenIDTokenTests {
  private let streem: SimulatedStreem
  private let visitor: OpenIDVisitor

  init() throws {
    streem = try SimulatedStreem()
    visitor = OpenIDVisitor(streem)
  }

  @Test(
    arguments: [
      ["code_verifier": OpenIDVisitor.challenge], ["code_verifier": String(OpenIDVisitor.verifier.dropLast())],
      ["code_verifier": OpenIDVisitor.verifier + "é"], ["redirect_uri": nil],
      ["redirect_uri": "http://127.0.0.1/callback"],
    ] as [[String: String?]])
  func `a code in a faulty request is refused, and used up`(changes: [String: String?]) throws {
    let code = visitor.code()
    let refused = visitor.redeem(code, changes)
    #expect(refused.status == 400 && refused.header("cache-control") == "no-store")
    #expect(try visitor.member("error", refused) == "invalid_grant")
    #expect(try visitor.member("error", visitor.redeem(code)) == "invalid_grant")
  }

  @Test
  func `a code that is too old is refused`() throws {
    let code = visitor.code()
    streem.world.advance(by: .seconds(60))
    #expect(try visitor.member("error", visitor.redeem(code)) == "invalid_grant")
  }

  @Test
  func `tokens end when their code is presented a second time, even much later`() throws {
    let code = visitor.code()
    let tokens = visitor.redeem(code)
    let access = try visitor.member("access_token", tokens)
    #expect(visitor.get("/userinfo", bearer: access).status == 200)
    streem.world.advance(by: .seconds(600))
    #expect(try visitor.member("error", visitor.redeem(code)) == "invalid_grant")
    #expect(visitor.get("/userinfo", bearer: access).status == 401)
    #expect(visitor.exchange(access).status == 401)
    let refused = visitor.refresh(try visitor.member("refresh_token", tokens))
    #expect(try visitor.member("error", refused) == "invalid_grant")
  }

  private struct AnyRow: StoreValue {}

  @Test
  func `an account is forgotten with the last of its grants, and not 30 days later`() throws {
    let store = streem.space.store
    func accounts() -> Int? {
      let now = streem.world.wallTime
      return streem.world.ask {
        try? await store.scan(StoreTable<AnyRow>("streem.account").range(), limit: .max, at: now).count
      }.flatMap { $0 }
    }
    #expect(visitor.redeem(visitor.code("ann", ["scope": "openid"])).status == 200)
    #expect(accounts() == 1)
    streem.world.advance(by: .seconds(3_601))
    #expect(accounts() == 0)
    #expect(visitor.redeem(visitor.code()).status == 200)
    streem.world.advance(by: .seconds(29 * 86_400))
    #expect(accounts() == 1, "its grant can be refreshed")
  }

  @Test
  func `tokens end when their code comes again after the gateway's clock went ahead a day and back`() throws {
    let streem = try SimulatedStreem(takesFaults: true)
    let visitor = OpenIDVisitor(streem)
    let code = visitor.code()
    let access = try visitor.member("access_token", visitor.redeem(code))
    try streem.space.fail(#"{"fault": "gateway_clock", "ahead_s": 86400, "for_s": 60}"#)
    // Each commit removes expired rows.
    for _ in 0..<5 { #expect(visitor.redeem(visitor.code()).status == 200) }
    streem.world.advance(by: .seconds(61))
    #expect(visitor.get("/userinfo", bearer: access).status == 200)
    #expect(try visitor.member("error", visitor.redeem(code)) == "invalid_grant")
    #expect(visitor.get("/userinfo", bearer: access).status == 401)
  }

  @Test
  func `a refresh gives a new iat, the same nonce, and another refresh token`() throws {
    let first = visitor.redeem(visitor.code())
    streem.world.advance(by: .seconds(1_000))
    // AppAuth JS sends its redirect URL again.
    let second = visitor.refresh(
      try visitor.member("refresh_token", first), ["redirect_uri": OpenIDVisitor.redirect, "scope": "openid profile"])
    #expect(second.status == 200 && second.header("cache-control") == "no-store")
    let claims = OpenIDVisitor.claims(second)
    let now = Int64(streem.world.wallTime.seconds)
    #expect(claims.contains(#""iat":\#(now),"auth_time":\#(now - 1_000)"#) && claims.contains(#""nonce":"n-1""#))
    #expect(try visitor.member("refresh_token", first) != visitor.member("refresh_token", second))
    #expect(visitor.get("/userinfo", bearer: try visitor.member("access_token", first)).status == 200)
    streem.world.advance(by: .seconds(2_600))
    #expect(visitor.get("/userinfo", bearer: try visitor.member("access_token", first)).status == 401)
    #expect(visitor.get("/userinfo", bearer: try visitor.member("access_token", second)).status == 200)
  }

  @Test
  func `all tokens end when a refresh token is used a second time`() throws {
    let first = visitor.redeem(visitor.code())
    let second = visitor.refresh(try visitor.member("refresh_token", first))
    let third = visitor.refresh(try visitor.member("refresh_token", second))
    #expect(try visitor.member("error", visitor.refresh(try visitor.member("refresh_token", first))) == "invalid_grant")
    #expect(try visitor.member("error", visitor.refresh(try visitor.member("refresh_token", third))) == "invalid_grant")
    for tokens in [first, second, third] {
      #expect(visitor.get("/userinfo", bearer: try visitor.member("access_token", tokens)).status == 401)
    }
  }

  @Test
  func `a used refresh token gives tokens while its window is open, and ends all tokens after it`() throws {
    let streem = try SimulatedStreem { $0.openID.reuseWindow = .seconds(10) }
    let visitor = OpenIDVisitor(streem)
    let first = visitor.redeem(visitor.code())
    let used = try visitor.member("refresh_token", first)
    let second = visitor.refresh(used)
    streem.world.advance(by: .seconds(9))
    let third = visitor.refresh(used)
    #expect(second.status == 200 && third.status == 200)
    // Both clients of the concurrent refresh continue, whenever they request the next token.
    streem.world.advance(by: .seconds(1_000))
    let fourth = visitor.refresh(try visitor.member("refresh_token", second))
    let fifth = visitor.refresh(try visitor.member("refresh_token", third))
    #expect(fourth.status == 200 && fifth.status == 200)
    #expect(try visitor.member("error", visitor.refresh(used)) == "invalid_grant")
    for tokens in [fourth, fifth] {
      let refused = visitor.refresh(try visitor.member("refresh_token", tokens))
      #expect(try visitor.member("error", refused) == "invalid_grant")
      #expect(visitor.get("/userinfo", bearer: try visitor.member("access_token", tokens)).status == 401)
    }
  }

  @Test
  func `a used refresh token is refused from the end of the window on, which begins at its first use`() throws {
    let streem = try SimulatedStreem { $0.openID.reuseWindow = .seconds(10) }
    let visitor = OpenIDVisitor(streem)
    let used = try visitor.member("refresh_token", visitor.redeem(visitor.code()))
    for _ in 0..<2 {
      #expect(visitor.refresh(used).status == 200)
      streem.world.advance(by: .seconds(5))
    }
    #expect(try visitor.member("error", visitor.refresh(used)) == "invalid_grant")
  }

  @Test
  func `tokens can be refreshed for thirty days from the login, and not a second longer`() throws {
    var token = try visitor.member("refresh_token", visitor.redeem(visitor.code()))
    streem.world.advance(by: .seconds(30 * 86_400 - 1))
    let last = visitor.refresh(token)
    #expect(last.text.contains(#""expires_in":1,"#))
    token = try visitor.member("refresh_token", last)
    streem.world.advance(by: .seconds(1))
    #expect(visitor.refresh(token).status == 400)
  }

  @Test(
    arguments: [
      (["grant_type": "password"], 400, "unsupported_grant_type"), (["grant_type": nil], 400, "invalid_request"),
      (["client_id": "nobody"], 401, "invalid_client"), (["client_id": nil], 401, "invalid_client"),
      (["client_secret": "x"], 401, "invalid_client"), (["refresh_token": nil], 400, "invalid_request"),
      (["refresh_token": "x"], 400, "invalid_grant"), (["scope": "openid email"], 400, "invalid_scope"),
    ] as [([String: String?], Int, String)])
  func `tokens are refused in the words of RFC 6749`(changes: [String: String?], status: Int, error: String) throws {
    let token = try visitor.member("refresh_token", visitor.redeem(visitor.code()))
    let refused = visitor.refresh(token, changes)
    #expect(refused.status == status)
    #expect(try visitor.member("error", refused) == error)
    #expect((refused.header("www-authenticate") != nil) == (status == 401))
    // None of these uses the token up.
    #expect(visitor.refresh(token).status == 200)
  }

  @Test
  func `tokens go to a public client that names itself by HTTP Basic, and to none with a secret, JSON or repetition`()
    throws
  {
    func ask(_ basic: String?, _ form: String, _ type: String = "application/x-www-form-urlencoded") -> HTTPResponse {
      visitor.post("/token", text: form, type: type, basic: basic)
    }
    func form() -> String {
      "grant_type=authorization_code&code=\(visitor.code())&code_verifier=\(OpenIDVisitor.verifier)"
        + "&redirect_uri=\(PercentEncoding.encode(OpenIDVisitor.redirect))"
    }
    #expect(ask("streem-sdk:", form()).status == 200)
    #expect(ask("streem-sdk:secret", form()).status == 401)
    #expect(ask("streem-sdk:", form() + "&client_id=other").status == 401)
    #expect(ask(nil, form() + "&client_id=streem-sdk&client_id=streem-sdk").status == 400)
    #expect(ask(nil, form() + "&client_id=streem-sdk", "application/json").status == 400)
  }

  @Test
  func `tokens are of no use to another client`() throws {
    let streem = try SimulatedStreem { settings in
      settings.openID.clients.append(OpenIDClient(id: "other", redirects: [Name(OpenIDVisitor.redirect)]))
    }
    let visitor = OpenIDVisitor(streem)
    let code = visitor.code()
    #expect(visitor.redeem(code, ["client_id": "other"]).status == 400)
    let tokens = visitor.redeem(code)
    let refresh = try visitor.member("refresh_token", tokens)
    #expect(visitor.refresh(refresh, ["client_id": "other"]).status == 400)
    let access = try visitor.member("access_token", tokens)
    for token in [refresh, access] {
      let refused = visitor.post("/revoke", ["token": token, "client_id": "other"])
      #expect(refused.status == 400)
      #expect(try visitor.member("error", refused) == "invalid_grant")
    }
    #expect(visitor.get("/userinfo", bearer: access).status == 200)
    #expect(visitor.refresh(refresh).status == 200)
  }

  @Test
  func `tokens are exchanged until they expire, for the user's own company only`() throws {
    let tokens = visitor.redeem(visitor.code())
    let access = try visitor.member("access_token", tokens)
    for body in ["", "{}", #"{"companyCode":null}"#, #"{"companyCode":"postern"}"#] {
      #expect(visitor.exchange(access, body).status == 200)
    }
    _ = streem.fetch("POST", "/streem/companies", body: #"{"code":"other"}"#, from: DialTarget.control)
    for (code, status, reason) in [("other", 403, "company_forbidden"), ("nobody", 404, "company_unknown")] {
      let refused = visitor.exchange(access, #"{"companyCode":"\#(code)"}"#)
      #expect(refused.status == status && refused.text.contains(#""reason":"\#(reason)""#))
    }
    #expect(visitor.exchange(access, "x").status == 400)
    for wrong in ["x", try visitor.member("refresh_token", tokens), try visitor.member("id_token", tokens)] {
      let refused = visitor.exchange(wrong)
      #expect(refused.status == 401)
      #expect(refused.header("www-authenticate")?.contains(#"error="invalid_token""#) == true)
    }
    let silent = streem.fetch("POST", "/streem/v1/streem-token")
    #expect(silent.status == 401 && silent.header("www-authenticate")?.contains("error") == false)
    _ = streem.fetch(
      "POST", "/streem/companies", body: #"{"code":"postern","active":false}"#, from: DialTarget.control)
    #expect(visitor.exchange(access).status == 403)
    #expect(visitor.refresh(try visitor.member("refresh_token", tokens)).status == 404)
  }

  @Test
  func `tokens of another company's issuer are refused`() throws {
    _ = streem.fetch("POST", "/streem/companies", body: #"{"code":"other"}"#, from: DialTarget.control)
    let other = OpenIDVisitor(streem, company: "other")
    let code = other.code("bob")
    #expect(visitor.redeem(code).status == 400)
    let tokens = other.redeem(code)
    #expect(OpenIDVisitor.claims(tokens).contains(#""iss":"http://gateway:80/streem/oidc/other""#))
    #expect(visitor.get("/userinfo", bearer: try visitor.member("access_token", tokens)).status == 401)
    let refresh = try visitor.member("refresh_token", tokens)
    #expect(visitor.refresh(refresh).status == 400)
    #expect(visitor.post("/revoke", ["token": refresh, "client_id": "streem-sdk"]).status == 200)
    #expect(other.refresh(refresh).status == 200, "another issuer's token is unknown here, and stays good")
    #expect(visitor.get("/logout", ["id_token_hint": try visitor.member("id_token", tokens)]).status == 400)
    let streemToken = try visitor.member("streemToken", visitor.exchange(try visitor.member("access_token", tokens)))
    #expect(streem.last("companyCode", streem.identify(Credentials(token: streemToken))) == "other")
  }

  @Test
  func `UserInfo accepts tokens in the header or in a posted form, and not in both or in the query`() throws {
    let access = try visitor.member("access_token", visitor.redeem(visitor.code()))
    func ask(_ form: String, header: String? = nil, type: String = "application/x-www-form-urlencoded") -> HTTPResponse
    {
      var headers = [HTTPField("content-type", type)]
      if let header { headers.append(HTTPField("authorization", "Bearer \(header)")) }
      return streem.fetch(
        HTTPRequest(
          method: "POST", path: "/streem/oidc/postern/userinfo", headers: headers, body: Array(form.utf8)))
    }
    for answer in [ask("access_token=\(access)"), ask("", header: access), ask("x=1", header: access)] {
      #expect(answer.status == 200)
      #expect(try visitor.member("sub", answer) == "ann")
    }
    for (form, header, status, error) in [
      ("access_token=\(access)", access, 400, "invalid_request"),
      ("access_token=\(access)&access_token=\(access)", nil, 400, "invalid_request"),
      ("access_token=x", nil, 401, "invalid_token"),
    ] as [(String, String?, Int, String)] {
      let refused = ask(form, header: header)
      #expect(refused.status == status)
      #expect(try visitor.member("error", refused) == error)
    }
    #expect(ask("access_token=\(access)", type: "text/plain").status == 401)
    #expect(visitor.get("/userinfo", ["access_token": access]).status == 401)
    #expect(ask("").header("www-authenticate") == #"Bearer realm="postern""#)
  }

  @Test
  func `a grant has four tokens at a time, so that refreshing fills nothing`() throws {
    var tokens = [visitor.redeem(visitor.code())]
    for _ in 0..<4 { tokens.append(visitor.refresh(try visitor.member("refresh_token", tokens[tokens.count - 1]))) }
    let status = try tokens.map { visitor.get("/userinfo", bearer: try visitor.member("access_token", $0)).status }
    #expect(status == [401, 200, 200, 200, 200])
  }

  @Test
  func `an access token is revoked alone, and a refresh token with all tokens of its login`() throws {
    let tokens = visitor.redeem(visitor.code())
    let access = try visitor.member("access_token", tokens)
    let refresh = try visitor.member("refresh_token", tokens)
    #expect(visitor.post("/revoke", ["token": access, "client_id": "streem-sdk"]).status == 200)
    #expect(visitor.get("/userinfo", bearer: access).status == 401)
    let next = visitor.refresh(refresh)
    let token = try visitor.member("refresh_token", next)
    #expect(
      visitor.post("/revoke", ["token": token, "client_id": "streem-sdk", "token_type_hint": "x"]).status == 200)
    #expect(visitor.get("/userinfo", bearer: try visitor.member("access_token", next)).status == 401)
    #expect(visitor.post("/revoke", ["token": "unknown", "client_id": "streem-sdk"]).status == 200)
    #expect(visitor.post("/revoke", ["client_id": "streem-sdk"]).status == 400)
    #expect(visitor.post("/revoke", ["token": "x"]).status == 401)
  }

  @Test
  func
    `logging out with an ID token, even an expired one, ends the tokens, and the browser is redirected to an allowed address`()
    throws
  {
    let tokens = visitor.redeem(visitor.code())
    let refresh = try visitor.member("refresh_token", tokens)
    let hint = try visitor.member("id_token", tokens)
    streem.world.advance(by: .seconds(7_200))
    let back = "pro.streem.sdk.StreemNow:/logoutcallback"
    let refused: [[String: String]] = [
      ["id_token_hint": hint, "post_logout_redirect_uri": back + "x"], ["post_logout_redirect_uri": back],
      ["id_token_hint": hint, "client_id": "other"], ["id_token_hint": hint + "x"],
      ["client_id": "nobody", "post_logout_redirect_uri": back],
    ]
    for query in refused {
      let response = visitor.get("/logout", query)
      #expect(response.status == 400 && response.header("location") == nil)
    }
    let next = visitor.refresh(refresh)
    let out = visitor.get(
      "/logout", ["id_token_hint": hint, "post_logout_redirect_uri": back, "state": "a b"])
    #expect(out.status == 303 && out.header("location") == back + "?state=a%20b")
    #expect(visitor.refresh(try visitor.member("refresh_token", next)).status == 400)
    #expect(visitor.get("/userinfo", bearer: try visitor.member("access_token", next)).status == 401)
    #expect(visitor.post("/logout", ["client_id": "streem-sdk", "post_logout_redirect_uri": back]).status == 303)
    #expect(visitor.get("/logout").status == 200)
  }
}
