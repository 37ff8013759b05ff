import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayStreem

@Suite(.onNodes)
struct StreemPlatformTests {
  private let streem: SimulatedStreem
  private var basic: String { streem.forge.basic }
  private let reservations = "/v1/companies/postern/groups/support/reservations"

  init() throws {
    streem = try SimulatedStreem()
  }

  @Test
  func `a company is shown to its own API key only`() {
    let answer = streem.fetch("GET", "/v1/companies/postern", basic: basic)
    #expect(answer.status == 200)
    #expect(answer.text.hasPrefix(#"{"company":{"sid":"co_"#))
    #expect(answer.text.hasSuffix(#""code":"postern","name":"Postern","active":true}}"#))
    _ = streem.fetch(
      "POST", "/streem/companies", body: #"{"code":"other","name":"Other"}"#, from: DialTarget.control)
    for code in ["other", "nobody"] {
      let answer = streem.fetch("GET", "/v1/companies/\(code)", basic: basic)
      #expect(answer.status == 404 && answer.text.contains(#""reason":"company_unknown""#))
    }
  }

  @Test
  func `an API key's id and secret are accepted in every base64 form, and nothing else is`() {
    let padded = basic + String(repeating: "=", count: (4 - streem.forge.secret.utf8.count % 4) % 4)
    #expect(streem.fetch("GET", "/v1/companies/postern", basic: padded).status == 200)
    let others = [
      "", ":", streem.forge.id.text, "\(streem.forge.id):", "\(streem.forge.id):x", "api_other:\(streem.forge.secret)",
      "\(streem.forge.id):\(streem.forge.secret.dropLast(4))",
    ]
    for other in others {
      let answer = streem.fetch("GET", "/v1/companies/postern", basic: other)
      #expect(answer.status == 401 && answer.header("www-authenticate")?.hasPrefix("Basic") == true)
    }
    #expect(streem.fetch("GET", "/v1/companies/postern", token: streem.token()).status == 401)
    _ = streem.fetch("POST", "/streem/api-keys/\(streem.forge.id)/revoke", from: DialTarget.control)
    #expect(streem.fetch("GET", "/v1/companies/postern", basic: basic).status == 401)
  }

  private func reserve(_ members: String = "") -> HTTPResponse {
    streem.fetch("POST", reservations, basic: basic, body: #"{"externalUserId":"carl"\#(members)}"#)
  }

  @Test
  func `a reservation is made, shown, cancelled, and expires`() throws {
    let made = reserve(
      #","queue":true,"reserve_for_seconds":60,"priority":3,"details":[{"label":"Serial","value":"7"}]"#)
    #expect(made.status == 201)
    let sid = try #require(SimulatedStreem.member("reservation_sid", made.text))
    for part in [
      #""group":{"sid":"grp_support","name":"support"}"#, #""external_user_id":"carl","priority":3"#,
      #""reserve_for_seconds":60,"reservation_status":"GROUP_RESERVATION_STATUS_RESERVED""#,
      #""details":[{"label":"Serial","value":"7"}]"#,
    ] { #expect(made.text.contains(part)) }
    #expect(streem.fetch("GET", "\(reservations)/\(sid)", basic: basic).text == made.text)
    streem.world.advance(by: .seconds(60))
    let expired = streem.fetch("GET", "\(reservations)/\(sid)", basic: basic).text
    #expect(SimulatedStreem.member("reservation_status", expired) == "GROUP_RESERVATION_STATUS_EXPIRED")
    let next = try #require(SimulatedStreem.member("reservation_sid", reserve().text))
    let canceled = streem.fetch("POST", "\(reservations)/\(next)/cancel", basic: basic)
    #expect(SimulatedStreem.member("reservation_status", canceled.text) == "GROUP_RESERVATION_STATUS_CANCELED")
    for path in ["\(reservations)/rsv_1", "/v1/companies/postern/groups/sales/reservations/\(next)"] {
      #expect(streem.fetch("GET", path, basic: basic).status == 404)
    }
  }

  @Test
  func `a token that names a reservation is accepted while that is its user's and alive`() throws {
    let sid = try #require(SimulatedStreem.member("reservation_sid", reserve(#","reserve_for_seconds":60"#).text))
    let named = ["streem:reservation_sid": "\"\(sid)\""]
    #expect(streem.types(streem.identify(streem.token("carl", named))) == ["identified"])
    #expect(streem.last("reason", streem.identify(streem.token("ann", named))) == "reservation_invalid")
    streem.world.advance(by: .seconds(60))
    #expect(streem.last("reason", streem.identify(streem.token("carl", named))) == "reservation_invalid")
  }

  @Test(arguments: [
    #"{}"#, #"{"externalUserId":7}"#, #"{"externalUserId":"c","reserve_for_seconds":0}"#,
    #"{"externalUserId":"c","priority":0.5}"#, #"{"externalUserId":"c","details":{}}"#,
    #"{"externalUserId":"c","details":[{"label":"x"}]}"#, #"{"externalUserId":"c","queue":"yes"}"#, "nonsense",
    #"{"externalUserId":"c","priority":-9223372036854775808}"#, #"{"externalUserId":"c","priority":1e300}"#,
    #"{"externalUserId":"c","reserve_for_seconds":1e300}"#,
  ])
  func `an invalid reservation is refused`(body: String) {
    #expect(streem.fetch("POST", reservations, basic: basic, body: body).status == 400)
  }

  // MARK: The control port

  @Test
  func `a key whose secret signs valid tokens is handed out once`() throws {
    let made = streem.fetch("POST", "/streem/api-keys", from: DialTarget.control)
    #expect(made.status == 201 && made.header("cache-control") == "no-store")
    let id = try #require(SimulatedStreem.member("id", made.text))
    #expect(id.wholeMatch(of: /api_[0-9A-Za-z]{22}/) != nil)
    let secret = try #require(SimulatedStreem.member("secret", made.text))
    #expect(secret.wholeMatch(of: /[0-9A-Za-z+\/]+/) != nil)
    #expect(made.text.contains(#""company_code":"postern","environment":"prod-us""#))
    let issuer = try StreemTokenIssuer(
      apiKey: Name(id), jwk: try StreemSecret.jwk(secret), settings: StreemSettings())
    #expect(streem.types(streem.identify(issuer.mint("ann", issuedAt: streem.world.wallTime))) == ["identified"])
    #expect(streem.fetch("GET", "/v1/companies/postern", basic: "\(id):\(secret)").status == 200)
    let list = streem.fetch("GET", "/streem/api-keys", from: DialTarget.control)
    #expect(list.text.contains(id) && list.text.contains(streem.forge.publicKey.thumbprint))
    #expect(!list.text.contains(secret) && !list.text.contains(#""d""#))
    let now = streem.world.wallTime
    let kept = streem.world.ask { [directory = streem.directory] in try? await directory.apiKey(Name(id), at: now) }
    #expect(kept??.publicKey.starts(with: #"{"kty":"EC""#.utf8) == true)
    #expect(kept??.publicKey.contains(#""d""#.utf8) == false)
  }

  @Test
  func `companies are made, and changed as asked`() {
    func put(_ body: String) -> HTTPResponse {
      streem.fetch("POST", "/streem/companies", body: body, from: DialTarget.control)
    }
    let made = put(#"{"code":"acme","name":"Acme","logo_url":"https://a.example/l"}"#)
    #expect(made.status == 201)
    let changed = put(#"{"code":"acme","active":false}"#)
    #expect(changed.status == 200 && changed.text.contains(#""name":"Acme","active":false"#))
    #expect(SimulatedStreem.member("sid", made.text) == SimulatedStreem.member("sid", changed.text))
    let long = String(repeating: "n", count: 201)
    for body in [
      #"{}"#, #"{"code":"Acme"}"#, #"{"code":"-"}"#, #"{"code":"a.b"}"#, "x", #"{"code":"long","name":"\#(long)"}"#,
    ] {
      #expect(put(body).status == 400)
    }
    #expect(put(#"{"code":"long","name":"\#(long.dropFirst())"}"#).status == 201)
    let key = streem.fetch(
      "POST", "/streem/api-keys", body: #"{"company_code":"nobody"}"#, from: DialTarget.control)
    #expect(key.status == 404 && key.text.contains(#""number":404040"#))
  }
}
