import GatewayCore
import GatewayJSON
import GatewayKit
import GatewaySimulator
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayPlain

struct PlainTokenRoutesTests {
  @Test
  func `a guest gets a unique name and a token for it`() throws {
    let http = try PlainHTTP(try TokenProviderPolicy(guestLife: .seconds(90)))
    let answer = try http.ask("POST", "/v1/guests", #"{"name":"Zoe"}"#)
    #expect(answer.response.status == 201)
    let user = try #require(answer.body["user_id"]?.string)
    #expect(user.contains("Zoe"))
    #expect(answer.body["expires_in_s"]?.number == 90)
    let token = Credentials(token: try #require(answer.body["token"]?.string))
    let verified = try FakeTokens().verdict(token, at: WallTime(seconds: 1_800_000_000)).get()
    #expect(verified.kind == .guest && verified.user.rawValue == user)
    #expect(verified.expiresAt == WallTime(seconds: 1_800_000_090))
    #expect(try http.ask("POST", "/v1/guests").body["user_id"]?.string != user)
  }

  @Test
  func `a token is minted as the request says`() throws {
    let http = try PlainHTTP(try TokenProviderPolicy(latency: .seconds(1)))
    let answer = try http.ask("POST", "/v1/tokens", #"{"user_id":"ann","life_s":2.5}"#)
    #expect(answer.response.status == 200)
    #expect(answer.body["user_id"]?.string == "ann")
    #expect(answer.body["expires_in_s"]?.number == 2.5)
    #expect(answer.body["expires_at"]?.number == 1_800_000_003.5)
    let until = try http.ask("POST", "/v1/tokens", #"{"user_id":"ann","kind":"guest","expires_at":1800000100}"#)
    #expect(until.body["expires_at"]?.number == 1_800_000_100)
    #expect(until.body["token"]?.string?.contains("|guest|") == true)
    let standard = try http.ask("POST", "/v1/tokens", #"{"user_id":"é\"x","kind":"regular"}"#)
    #expect(standard.body["user_id"]?.string == "é\"x" && standard.body["expires_in_s"]?.number == 3600)
    let call = try http.ask("POST", "/v1/tokens", #"{"kind":"anonymous","life_s":60,"call_cids":["a:b","a:c"]}"#)
    #expect(call.body["user_id"]?.string == "!anon")
    #expect(call.body["token"]?.string?.hasSuffix("|a:b,a:c") == true)
  }

  @Test
  func `an opaque access token is random, and the directory finds its user by its hash`() throws {
    let http = try PlainHTTP(try TokenProviderPolicy())
    let order = #"{"user_id":"ann","kind":"guest","life_s":60,"format":"opaque"}"#
    let token = try #require(try http.ask("POST", "/v1/tokens", order).body["token"]?.string)
    #expect(AccessToken.isOne(token))
    let hash = try #require(AccessToken.hash(of: token))
    let (directory, made) = (http.space.vendor.directory, http.world.wallTime)
    let record = http.world.ask { try? await directory.accessToken(hash: hash, at: made + .seconds(59)) }
    #expect(record??.user == UserID("ann") && record??.kind == .guest)
    let expired = http.world.ask { try? await directory.accessToken(hash: hash, at: made + .seconds(60)) }
    #expect(expired == .some(nil))
    #expect(try http.ask("POST", "/v1/tokens", order).body["token"]?.string != token)
    #expect(PlainHTTP.error(try http.ask("POST", "/v1/tokens", #"{"user_id":"a","format":"x"}"#)) == [400, 400_003])
  }

  @Test
  func `a token lives for ever if the provider's default is that`() throws {
    let http = try PlainHTTP(try TokenProviderPolicy(defaultLife: nil))
    let answer = try http.ask("POST", "/v1/tokens", #"{"user_id":"ann"}"#)
    #expect(answer.body["expires_at"]?.isNull == true && answer.body["expires_in_s"]?.isNull == true)
    let call = try http.ask("POST", "/v1/tokens", #"{"kind":"anonymous","call_cids":["a:b"]}"#)
    #expect(PlainHTTP.error(call) == [400, 400_003])
  }

  @Test(arguments: [
    ("", "the body must be a JSON object"), ("[]", "the body must be a JSON object"),
    (#"{"user_id":"a","user_id":"b"}"#, "named twice"),
    ("{}", "user_id is missing"), (#"{"user_id":7}"#, "user_id must be a string of 1 to 255 bytes"),
    (#"{"user_id":""}"#, "user_id must be a string of 1 to 255 bytes"),
    (#"{"user_id":"\#(String(repeating: "x", count: 256))"}"#, "user_id must be a string of 1 to 255 bytes"),
    (#"{"user_id":"!anon"}"#, "belongs to kind anonymous"),
    (#"{"user_id":"!anon","kind":"guest"}"#, "belongs to kind anonymous"),
    (#"{"user_id":"a","scheme":"other"}"#, "scheme must be one of plain, acme"),
    (#"{"user_id":"a","scheme":7}"#, "scheme must be a string"),
    (#"{"user_id":"a","scheme":"acme","format":"opaque"}"#, "format is of the plain scheme only"),
    (#"{"user_id":"a","kind":"admin"}"#, "kind must be regular, guest or anonymous"),
    (#"{"user_id":"a","kind":null}"#, "kind must be regular, guest or anonymous"),
    (#"{"user_id":"a","life_s":"60"}"#, "life_s must be a number"),
    (#"{"user_id":"a","life_s":0}"#, "life_s must be"), (#"{"user_id":"a","life_s":-1}"#, "life_s must be"),
    (#"{"user_id":"a","life_s":1e300}"#, "life_s must be"),
    (#"{"user_id":"a","life_s":60,"expires_at":1800000100}"#, "not both"),
    (#"{"user_id":"a","expires_at":1799999999}"#, "expires_at must be"),
    (#"{"user_id":"a","expires_at":null}"#, "expires_at must be a number"),
    (#"{"user_id":"a","call_cids":["a:b"]}"#, "call_cids belongs to kind anonymous"),
    (#"{"user_id":"a","kind":"anonymous","call_cids":["a:b"]}"#, "the user_id of kind anonymous is !anon"),
    (#"{"kind":"anonymous"}"#, "needs call_cids"),
    (#"{"kind":"anonymous","call_cids":[]}"#, "call_cids must be an array of 1 to 100 strings"),
    (#"{"kind":"anonymous","call_cids":"a:b"}"#, "call_cids must be an array of 1 to 100 strings"),
    (#"{"kind":"anonymous","call_cids":["a:b",1]}"#, "call_cids must be an array of 1 to 100 strings"),
    (#"{"kind":"anonymous","call_cids":["a"]}"#, "every one of call_cids must be type:id"),
  ])
  func `an undocumented order is refused, and the error names what was expected`(body: String, expected: String) throws
  {
    let answer = try PlainHTTP(TokenProviderPolicy()).ask("POST", "/v1/tokens", body)
    #expect(answer.response.status == 400)
    let message = answer.body["error"]?["message"]?.string ?? ""
    #expect(message.contains(expected), "\(message)")
  }

  @Test
  func `a scheme may be named, and its issuer mints`() throws {
    let http = try PlainHTTP(try TokenProviderPolicy())
    let vendor = try http.ask("POST", "/v1/tokens", #"{"user_id":"ann","scheme":"acme"}"#)
    #expect(vendor.response.status == 200 && vendor.body["token"]?.string == "acme's ann")
    let plain = try http.ask("POST", "/v1/tokens", #"{"user_id":"ann","scheme":"plain"}"#)
    #expect(plain.body["token"]?.string?.hasPrefix("ann|regular|") == true)
  }

  @Test
  func `a call token contains at most 100 calls`() throws {
    for (count, status) in [(100, 200), (101, 400)] {
      let cids = (0..<count).map { #""a:\#($0)""# }.joined(separator: ",")
      let answer = try PlainHTTP(TokenProviderPolicy()).ask(
        "POST", "/v1/tokens", #"{"kind":"anonymous","life_s":60,"call_cids":[\#(cids)]}"#)
      #expect(answer.response.status == status)
    }
  }

  @Test
  func `a provider with a secret refuses every caller without it`() throws {
    let http = try PlainHTTP(try TokenProviderPolicy(secret: Credentials(token: "swordfish")))
    let body = #"{"user_id":"ann"}"#
    for wrong in [nil, "swordfis", "swordfish1", "Swordfish"] {
      let answer = try http.ask("POST", "/v1/tokens", body, bearer: wrong)
      #expect(PlainHTTP.error(answer) == [401, 401_000])
      #expect(answer.response.header("www-authenticate") != nil)
      #expect(!String(decoding: answer.response.body, as: UTF8.self).contains("swordfish"))
    }
    #expect(try http.ask("POST", "/v1/tokens", body, bearer: "swordfish").response.status == 200)
  }

  @Test
  func `a failing or overloaded provider answers 503 with the time to retry after`() throws {
    let failing = try PlainHTTP(try TokenProviderPolicy(failureRate: 1))
    let failed = try failing.ask("POST", "/v1/tokens", #"{"user_id":"ann"}"#)
    #expect(PlainHTTP.error(failed) == [503, 503_003])
    #expect(failed.response.header("retry-after") == "1")
    let policy = try TokenProviderPolicy(latency: .seconds(100), concurrency: 1, queueMax: 0)
    let full = try PlainHTTP(policy)
    let first = full.begin("POST", "/v1/tokens", #"{"user_id":"ann"}"#)
    let refused = try full.ask("POST", "/v1/tokens", #"{"user_id":"bob"}"#)
    #expect(PlainHTTP.error(refused) == [503, 503_001])
    #expect(refused.response.header("retry-after") == "1")
    full.world.advance(by: .seconds(100))
    #expect(try first.value?.get().status == 200)
  }

  @Test
  func `the client's requests and the server's answers fit each other`() throws {
    let client = PlainClientDialect(providerSecret: Credentials(token: "swordfish"))
    let http = try PlainHTTP(try TokenProviderPolicy(secret: Credentials(token: "swordfish")))
    for life: TokenLife in [.lasting(.milliseconds(1500)), .until(http.world.wallTime + .seconds(200))] {
      let request = client.tokenRequest(for: UserID("an\"n"), life: life, at: WallTime(seconds: 0))
      let answer = try http.ask(
        request.method, request.path, String(decoding: request.body, as: UTF8.self), headers: request.headers)
      #expect(answer.response.status == 200)
      let token = try #require(client.token(in: answer.response))
      #expect(token.token.hasPrefix("an\"n|regular|"))
    }
    #expect(client.token(in: HTTPResponse(status: 503, body: Array(#"{"token":"x"}"#.utf8))) == nil)
    #expect(client.token(in: HTTPResponse(status: 200, body: Array("{}".utf8))) == nil)
    #expect(client.token(in: HTTPResponse(status: 200, body: [0xFF])) == nil)
  }
}
