import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayStreem

@Suite(.onNodes)
struct StreemWebhookTests {
  private let streem: SimulatedStreem
  private var basic: String { streem.forge.basic }
  private let path = "/v1/webhooks"

  init() throws {
    streem = try SimulatedStreem()
  }

  private func ask(_ method: String, _ path: String, _ body: String = "") -> HTTPResponse {
    streem.fetch(method, path, basic: basic, body: body)
  }

  private func make() throws -> String {
    let made = ask("POST", path, #"{"label":"mine","url":"https://a.example/hook"}"#)
    #expect(made.status == 201)
    return try #require(SimulatedStreem.member("sid", made.text))
  }

  @Test
  func `a webhook is stored, listed with its keys, and deleted`() throws {
    let order = #"{"label":"mine","url":"https://a.example/hook","method":"PUT","timeout_ms":300,"max_attempts":4}"#
    let made = ask("POST", path, order)
    let sid = try #require(SimulatedStreem.member("sid", made.text))
    #expect(made.status == 201 && sid.wholeMatch(of: /wh_[0-9A-Za-z]{22}/) != nil)
    let rest =
      #""label":"mine","url":"https://a.example/hook","method":"PUT","timeout_ms":300,"max_attempts":4,"#
      + #""headers":[],"signing_keys":[]}}"#
    #expect(made.text.hasSuffix(rest))
    let key = ask("POST", "\(path)/\(sid)/signing-keys", #"{"shared_secret":"s3cret","label":"one"}"#)
    let told = #""webhook_sid":"\#(sid)","shared_secret":"s3cret","label":"one"}}"#
    #expect(key.status == 201 && key.text.hasSuffix(told))
    let list = ask("GET", path)
    #expect(list.status == 200 && list.text.contains(#""webhook_sid":"\#(sid)","label":"one"}]"#))
    #expect(!list.text.contains("s3cret"), "it is told once")
    #expect(ask("DELETE", "\(path)/\(sid)").text == "{}" && ask("GET", path).text == #"{"webhooks":[]}"#)
    for (method, target) in [("DELETE", "\(path)/\(sid)"), ("POST", "\(path)/\(sid)/signing-keys")] {
      let gone = ask(method, target, #"{"shared_secret":"s","label":"l"}"#)
      #expect(gone.status == 404 && gone.text.contains(#""reason":"not_found""#))
    }
  }

  @Test
  func `a webhook belongs to the company whose key made the request`() throws {
    let sid = try make()
    _ = streem.fetch("POST", "/streem/companies", body: #"{"code":"other"}"#, from: DialTarget.control)
    let other = streem.fetch("POST", "/streem/api-keys", body: #"{"company_code":"other"}"#, from: DialTarget.control)
    let theirs = try
      "\(#require(SimulatedStreem.member("id", other.text))):\(#require(SimulatedStreem.member("secret", other.text)))"
    #expect(streem.fetch("GET", path, basic: theirs).text == #"{"webhooks":[]}"#)
    #expect(streem.fetch("DELETE", "\(path)/\(sid)", basic: theirs).status == 404)
    let wish = #"{"label":"l","url":"https://a.example/","company_sid":"co_another"}"#
    #expect(ask("POST", path, wish).text.contains(#""reason":"company_unknown""#))
    for asked in [streem.fetch("GET", path), streem.fetch("GET", path, token: streem.token())] {
      #expect(asked.status == 401 && asked.header("www-authenticate")?.hasPrefix("Basic") == true)
    }
  }

  @Test(arguments: [
    "HTTPS://A.example", "http://[::1]:9/", "http://169.254.169.254/", "https://a?b", "https://é.example/",
  ])
  func `a webhook may have any address of the web, whether or not anything may be sent there`(url: String) {
    let made = ask("POST", path, #"{"label":"l","url":"\#(url)"}"#)
    #expect(made.status == 201 && made.text.contains(#""url":"\#(url)""#))
  }

  @Test(arguments: [
    "{}", "", "[]", "x", #"{"label":"l"}"#, #"{"url":"https://a.example/"}"#, #"{"label":7,"url":"https://a/"}"#,
    #"{"label":"l","url":"ftp://a.example/"}"#, #"{"label":"l","url":"https://"}"#,
    #"{"label":"","url":"https://a/"}"#, #"{"label":"l","url":"https:///a"}"#, #"{"label":"l","url":"https:a"}"#,
    #"{"label":"l","url":"https://a b"}"#, #"{"label":"l","url":"https://a/\r\nX: y"}"#,
    #"{"label":"l","url":"://a"}"#,
    #"{"label":"l","url":"https://a/","headers":[{"name":"x-a","value":"b","include_in_request_signature":{}}]}"#,
    #"{"label":"l","url":"https://a/","method":"post"}"#, #"{"label":"l","url":"https://a/","timeout_ms":0}"#,
    #"{"label":"l","url":"https://a/","timeout_ms":1e300}"#, #"{"label":"l","url":"https://a/","max_attempts":1.5}"#,
    #"{"label":"l","url":"https://a/","max_attempts":-1}"#,
    #"{"label":"l","url":"https://\#(String(repeating: "a", count: 2_000))"}"#,
  ])
  func `an invalid webhook is refused`(body: String) {
    #expect(ask("POST", path, body).status == 400)
  }

  @Test
  func `an unknown path of a webhook is refused in the vendor's words, as all of a company's below /v1 are`() {
    for (method, target, status) in [
      ("PUT", path, 405), ("GET", path + "/wh_1", 405), ("GET", "/v1/companies/postern/x", 404),
      ("POST", "/v1/rooms", 405), ("POST", "/mycalls/x", 405),
      ("POST", "/share/x/details/x", 405), ("GET", "/share/x", 404), ("GET", "/v1/rooms/x/share-tokens", 405),
    ] {
      let answer = ask(method, target)
      #expect(answer.status == status && answer.text.hasPrefix(#"{"type":"error","reason":""#), "\(method) \(target)")
    }
  }

  @Test
  func `a webhook has ten keys at most, and a company a hundred webhooks`() throws {
    let sid = try make()
    for (secret, label) in [("", "l"), (String(repeating: "s", count: 257), "l"), ("s", "")] {
      let key = #"{"shared_secret":"\#(secret)","label":"\#(label)"}"#
      #expect(ask("POST", "\(path)/\(sid)/signing-keys", key).status == 400)
    }
    let key = #"{"shared_secret":"s","label":"l"}"#
    for _ in 0..<10 { #expect(ask("POST", "\(path)/\(sid)/signing-keys", key).status == 201) }
    #expect(ask("POST", "\(path)/\(sid)/signing-keys", key).status == 429)
    for _ in 1..<100 { _ = try make() }
    #expect(ask("POST", path, #"{"label":"l","url":"https://a.example/"}"#).status == 429)
    #expect(ask("DELETE", "\(path)/\(sid)").status == 200)
    _ = try make()
  }

  @Test
  func `a webhook loses no key of many added at once, and one caller deletes it`() throws {
    let sid = try make()
    func eightTimes(_ method: String, _ path: String, _ body: String) -> [Int] {
      let headers = [
        HTTPField("authorization", "Basic \(Base64.encode(Array(basic.utf8)))"),
        HTTPField("content-type", "application/json"),
      ]
      let request = HTTPRequest(method: method, path: path, headers: headers, body: Array(body.utf8))
      return streem.space.fetch(atOnce: Array(repeating: request, count: 8)).map { $0?.status ?? 0 }
    }
    let added = eightTimes("POST", "\(path)/\(sid)/signing-keys", #"{"shared_secret":"s","label":"l"}"#)
    #expect(added == Array(repeating: 201, count: 8))
    #expect(ask("GET", path).text.matches(of: /whk_[0-9A-Za-z]{22}/).count == 8)
    #expect(eightTimes("DELETE", "\(path)/\(sid)", "").sorted() == [200] + Array(repeating: 404, count: 7))
  }
}
