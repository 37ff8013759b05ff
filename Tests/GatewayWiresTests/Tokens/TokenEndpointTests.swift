import GatewayCore
import GatewayTokens
import GatewayWires
import Testing

struct TokenEndpointTests {
  private static let now = WallTime(seconds: 1_800_000_000)

  private static func wish(_ number: Int = 0, life: TokenLife = .lasting(.seconds(60)), isHopeless: Bool = false)
    -> TokenWish
  {
    TokenWish(user: UserID("ann"), number: number, life: life, isHopeless: isHopeless, now: now)
  }

  private static func json(_ text: String, status: Int = 200, _ headers: [HTTPField] = []) -> HTTPResponse {
    var response = HTTPResponse(status: status, contentType: "application/json", text: text)
    response.headers += headers
    return response
  }

  /// Returns the endpoint's reading of an answer to a first request.
  private static func answer(
    _ answer: String, more: String = "", request: String = #""url": "/t""#, _ response: HTTPResponse
  ) throws -> TokenAnswer {
    let endpoint = try TokenDescriptionTests.endpoint(
      #"{ "tokens": 1, "request": {\#(request)}, "answer": {\#(answer)}\#(more) }"#)
    var memory = endpoint.memory()
    return endpoint.answer(response, to: try endpoint.request(wish(), memory), at: now, &memory)
  }

  /// Returns an unsigned token with these claims.
  private static func jwt(_ claims: String) -> String {
    let parts = [#"{"alg":"none"}"#, claims].map { Base64URL.encode(Array($0.utf8)) }
    return parts.joined(separator: ".") + ".c2ln"
  }

  @Test
  func `a described token endpoint is asked with a form, headers and a secret, all of them escaped`() throws {
    let endpoint = try TokenDescriptionTests.endpoint(
      """
      { "tokens": 1, "users": { "list": ["a&b=ü"] },
        "request": { "url": "/u/{{user}}?t={{life_s}}", "headers": { "X-Api-Key": "{{secret.key}}" },
          "form": { "grant type": "x y", "who": "{{user}}", "end": "{{end_s}}" } },
        "answer": { "token": "/t" } }
      """, secrets: ["key": "s3cr3t"])
    let wish = TokenWish(
      user: endpoint.user(of: 7), number: 7, life: .until(Self.now + .milliseconds(90_400)), now: Self.now)
    let request = try endpoint.request(wish, endpoint.memory())
    #expect(request.http.method == "POST")
    #expect(request.http.path == "/u/a%26b%3D%C3%BC?t=90")
    #expect(request.http.header("x-api-key") == "s3cr3t")
    #expect(request.http.header("content-type") == "application/x-www-form-urlencoded")
    #expect(
      String(decoding: request.http.body, as: UTF8.self)
        == "grant%20type=x%20y&who=a%26b%3D%C3%BC&end=1800000090")
    #expect(endpoint.takesEnds)
  }

  @Test
  func `a described token endpoint sends nothing that would end a header field`() throws {
    let endpoint = try TokenDescriptionTests.endpoint(
      """
      { "tokens": 1, "users": { "list": ["ann\\r\\nX-Admin: 1"] },
        "request": { "url": "/t", "headers": { "X-User": "{{user}}" } }, "answer": { "token": "/t" } }
      """)
    let wish = TokenWish(user: endpoint.user(of: 0), number: 0, life: .lasting(.seconds(1)), now: Self.now)
    #expect(throws: TokenEndpointError.self) { try endpoint.request(wish, endpoint.memory()) }
  }

  @Test
  func `a described token endpoint renews with the last answer's values, and logs in again when that is refused`()
    throws
  {
    let endpoint = try TokenDescriptionTests.endpoint(
      """
      { "tokens": 1, "request": { "url": "/login" }, "renew": { "url": "/renew", "text": "{{taken.refresh}} {{token}}" },
        "answer": { "token": "/a", "take": { "refresh": "/r" }, "end": { "fixed": "5m" } } }
      """)
    var memory = endpoint.memory()
    let first = try endpoint.request(Self.wish(), memory)
    #expect(first.http.path == "/login" && first.isRenewal == false)
    _ = endpoint.answer(Self.json(#"{"a":"T1","r":"R1"}"#), to: first, at: Self.now, &memory)
    let second = try endpoint.request(Self.wish(), memory)
    #expect(second.http.path == "/renew" && second.isRenewal == true)
    #expect(String(decoding: second.http.body, as: UTF8.self) == "R1 T1")
    // Not every answer rotates the refresh token, and not every token is new.
    let same = endpoint.answer(Self.json(#"{"a":"T1"}"#), to: second, at: Self.now, &memory)
    #expect(same.isSameToken)
    #expect(memory.taken == ["R1"])
    // A request that must be refused contains nobody's refresh token.
    #expect(try endpoint.request(Self.wish(isHopeless: true), memory).http.path == "/login")
    let refused = endpoint.answer(Self.json("{}", status: 401), to: second, at: Self.now, &memory)
    #expect(refused.outcome == .refused(status: 401))
    #expect(try endpoint.request(Self.wish(), memory).http.path == "/login")
  }

  @Test
  func `a client stays with one of several token endpoints, and takes the next after a failure`() throws {
    let endpoint = try TokenDescriptionTests.endpoint(
      """
      { "tokens": 1, "request": { "url": ["https://one/t", "http://[::1]:81/u?x=1"] },
        "answer": { "token": "/a", "end": { "fixed": "5m" } } }
      """)
    #expect(endpoint.description.places.map { $0?.text } == ["https://one:443", "http://[::1]:81"])
    var memory = endpoint.memory()
    let first = try endpoint.request(Self.wish(3), memory)
    #expect(first.place == 1 && first.http.path == "/u?x=1")
    _ = endpoint.unanswered(first, reason: "unreachable", detail: "gone", &memory)
    #expect(try endpoint.request(Self.wish(3), memory).place == 0)
  }

  @Test
  func `a token's end is read in every described way, from the first value that is there`() throws {
    func end(_ rule: String, _ body: String, _ headers: [HTTPField] = []) throws -> TokenAnswer {
      try Self.answer(#""token": "/t", "end": \#(rule)"#, Self.json(body, headers))
    }
    let jwt = Self.jwt(#"{"exp":1800000300,"iat":1799999700}"#)
    let told = try end(#"["jwt", {"seconds": "/n"}]"#, #"{"t":"\#(jwt)","n":5}"#)
    #expect(told.end == Self.now + .seconds(300) && told.endSource == .jwt && told.life == .seconds(600))
    let opaque = try end(#"["jwt", {"seconds": "/n"}]"#, #"{"t":"opaque","n":"5.5"}"#)
    #expect(opaque.end == Self.now + .milliseconds(5500) && opaque.endSource == .answer)
    #expect(try end(#"{"unix_s": "/n"}"#, #"{"t":"x","n":1800000009}"#).end == Self.now + .seconds(9))
    #expect(try end(#"{"unix_ms": "/n"}"#, #"{"t":"x","n":1800000009500}"#).end == Self.now + .milliseconds(9500))
    #expect(
      try end(#"{"rfc3339": "/n"}"#, #"{"t":"x","n":"2027-01-15T09:00:10+01:00"}"#).end == Self.now + .seconds(10))
    let fixed = try end(#"[{"unix_s": "/n"}, {"fixed": "90s"}]"#, #"{"t":"x","n":-1}"#)
    #expect(fixed.end == Self.now + .seconds(90) && fixed.endSource == .fixed)
    // Invalid values count as missing, whatever their size.
    for number in ["1e300", "-5", "null", "[]", "\"soon\""] {
      let unknown = try end(#"{"seconds": "/n"}"#, #"{"t":"x","n":\#(number)}"#)
      #expect(unknown.end == nil && unknown.endSource == .unknown)
      #expect(unknown.sentence?.contains("no number is at /n") == true)
    }
  }

  @Test
  func `a token expires at the requested time if the answer has no other`() throws {
    let answer = try Self.answer(
      #""token": "/t""#, request: #""url": "/t?l={{life_s}}""#, Self.json(#"{"t":"opaque"}"#))
    #expect(answer.end == Self.now + .seconds(60) && answer.endSource == .asked)
  }

  @Test(arguments: [("300", 60, EndSource.asked), ("20", 20, .answer)])
  func `a token ends when the storm says if nobody checks it, but not later than the endpoint says`(
    told: String, seconds: Int, source: EndSource
  ) throws {
    var tokens = try TokenDescriptionTests.read(
      #"{"tokens":1, "request": {"url": "/t"}, "answer": {"token": "/t", "end": {"seconds": "/n"}}}"#)
    #expect(!tokens.takesEnds)
    tokens.endsAsAsked = true
    let endpoint = DescribedTokenEndpoint(tokens)
    var memory = endpoint.memory()
    let request = try endpoint.request(Self.wish(), memory)
    let answer = endpoint.answer(Self.json(#"{"t":"x","n":\#(told)}"#), to: request, at: Self.now, &memory)
    #expect(endpoint.takesEnds && answer.end == Self.now + .seconds(seconds) && answer.endSource == source)
  }

  @Test
  func `a token's end is corrected for a wrong clock`() throws {
    let jwt = Self.jwt(#"{"exp":1800000330}"#)
    // Half a minute ahead.
    let ahead = [HTTPField("date", "Fri, 15 Jan 2027 08:00:30 GMT")]
    let answer = try Self.answer(#""token": "/t""#, Self.json(#"{"t":"\#(jwt)"}"#, ahead))
    #expect(answer.clockOffset == .milliseconds(30_500))
    #expect(answer.end == Self.now + .milliseconds(299_500))
    let right = [HTTPField("date", "Fri, 15 Jan 2027 08:00:01 GMT")]
    #expect(try Self.answer(#""token": "/t""#, Self.json(#"{"t":"\#(jwt)"}"#, right)).clockOffset == nil)
  }

  @Test
  func `a token endpoint's Retry-After is read in seconds and as a date`() throws {
    for (text, wait) in [
      ("7", Duration.seconds(7)), ("Fri, 15 Jan 2027 08:00:09 GMT", .seconds(9)), ("99999999999", .seconds(3600)),
      ("Thu, 14 Jan 2027 08:00:09 GMT", .zero),
    ] {
      let answer = try Self.answer(
        #""token": "/t""#, Self.json("{}", status: 429, [HTTPField("retry-after", text)]))
      #expect(answer.outcome == .busy(status: 429, retryAfter: wait), "\(text)")
    }
    let soon = try Self.answer(#""token": "/t""#, Self.json("{}", status: 503, [HTTPField("retry-after", "soon")]))
    #expect(soon.outcome == .busy(status: 503, retryAfter: nil))
  }

  @Test(arguments: [
    (
      #""/token""#, #"{"refresh":"r","access":"eyJhbGci"}"#,
      #"nothing at /token, only refresh, access; is it "/access"?"#
    ),
    (#""/token""#, #"{"data":{"jwt":"eyJhbGci"}}"#, #"nothing at /token, only data; is it "/data/jwt"?"#),
    (#""/token""#, "[1]", "nothing at /token, for the answer is an array"),
    (#""/token""#, "{}", "nothing at /token, only an empty object"),
    (#""/token""#, #"{"token":{"access":"x"}}"#, "at /token is no text but an object with access"),
    (#""/token""#, #"{"token":7}"#, "at /token is no text but a number"),
    (#""/token""#, #"{"token":""}"#, "/token is empty"),
    (#""/token""#, #"{"token":"two words"}"#, "it holds spaces"),
    (#""/token""#, "<html>", "the body is said to be application/json, and is no JSON"),
    (#"{"text": true}"#, " \n", "the body is empty"),
    (#"{"header": "X-Token"}"#, "{}", "no field x-token, only content-type"),
  ])
  func `the error for an answer without a token names the members that it has`(
    place: String, body: String, sentence: String
  ) throws {
    let answer = try Self.answer(#""token": \#(place)"#, Self.json(body))
    #expect(answer.outcome == .failed && answer.label == "no_token")
    #expect(answer.sentence?.hasSuffix(sentence) == true || answer.sentence?.contains(sentence) == true, "\(answer)")
  }

  @Test
  func `an answer or token that is too large is refused with its size and its coding`() throws {
    let long = try Self.answer(#""token": "/t""#, Self.json(#"{"t":"\#(String(repeating: "x", count: 65_537))"}"#))
    #expect(long.sentence?.contains("what is in /t has 65537 bytes, and a token 65536 at most") == true)
    let gzip = try Self.answer(#""token": "/t""#, Self.json("\u{1f}", [HTTPField("content-encoding", "gzip")]))
    #expect(gzip.sentence?.contains("the body is compressed (gzip), which no request asked for") == true)
    let plain = HTTPResponse(status: 200, headers: [HTTPField("content-type", "text/html; x=y")], body: Array("<".utf8))
    #expect(try Self.answer(#""token": "/t""#, plain).sentence?.contains("the body is no JSON, but text/html") == true)
    let body = #"{"t":"\#(String(repeating: "x", count: 1 << 20))"}"#
    let answer = try Self.answer(#""token": "/t""#, Self.json(body))
    #expect(answer.sentence?.contains("bytes, and 1048576 are read") == true)
  }

  @Test(arguments: [
    (404, #""token": "/t""#, "{}", #"POST /t answered 404: nothing is there; "url" of "request" names where"#),
    (405, #""token": "/t""#, "", #"another method than POST (it takes GET); "method" of "request""#),
    (422, #""token": "/t""#, #"{"detail":1}"#, #"is what it wants; its answer has detail, which "error""#),
    (400, #""token": "/t""#, #""https://one/problem""#, "it makes nothing of what it is sent"),
    (
      400, #""token": "/t""#, "Client sent an HTTP request to an HTTPS server.\n",
      #"POST /t answered 400: it wants TLS; "url" or --provider with https://"#
    ),
    (403, #""token": "/t", "error": "/code""#, #"{"code":"no"}"#, #"and the body of "request" say who asks"#),
  ])
  func `the error for a refused token request says what to change for that status, and what else the answer has`(
    status: Int, rules: String, body: String, sentence: String
  ) throws {
    let answer = try Self.answer(rules, Self.json(body, status: status, [HTTPField("allow", "GET")]))
    #expect(answer.sentence?.contains(sentence) == true, "\(answer)")
    #expect(answer.sentence?.contains("its answer has") == (status == 422))
  }

  @Test
  func `there is no advice for a failure that was ordered, or for a user who is meant to be refused`() throws {
    #expect(try Self.answer(#""token": "/t""#, Self.json("{}", status: 500)).sentence == nil)
    let endpoint = try TokenDescriptionTests.endpoint(
      #"{ "tokens": 1, "request": { "url": "/t" }, "answer": { "token": "/t" } }"#)
    var memory = endpoint.memory()
    let hopeless = try endpoint.request(Self.wish(isHopeless: true), memory)
    #expect(endpoint.answer(Self.json("{}", status: 401), to: hopeless, at: Self.now, &memory).sentence == nil)
  }

  @Test
  func `a token that had expired when it arrived is reported`() throws {
    let answer = try Self.answer(#""token": "/t""#, Self.json(#"{"t":"\#(Self.jwt(#"{"exp":1799999900}"#))"}"#))
    #expect(answer.end == Self.now + .seconds(-100))
    #expect(answer.sentence?.hasPrefix("POST /t gave a token that had ended 100.0 s before it came") == true)
    let living = Self.jwt(#"{"exp":1800000001}"#)
    #expect(try Self.answer(#""token": "/t""#, Self.json(#"{"t":"\#(living)"}"#)).sentence == nil)
  }

  @Test
  func `a token whose exp is in milliseconds is reported, with the number`() throws {
    let odd = Self.jwt(#"{"exp":1800000060000}"#)
    let answer = try Self.answer(#""token": "/t""#, Self.json(#"{"t":"\#(odd)"}"#))
    #expect(answer.end == nil)
    #expect(answer.sentence?.contains("exp 1800000060000 is beyond the year 9999: milliseconds?") == true)
    let rules = #""token": "/t", "end": {"unix_s": "/e"}"#
    let told = try Self.answer(rules, Self.json(#"{"t":"x","e":1800000060000}"#))
    #expect(told.sentence?.contains(#"at /e 1800000060000 is beyond"#) == true)
    #expect(told.sentence?.contains(#""unix_ms" in place of "unix_s""#) == true)
  }

  @Test
  func `a token endpoint that ends plain connections without an answer makes the client suggest TLS`() throws {
    func sentence(_ url: String, _ detail: String) throws -> String {
      let endpoint = try TokenDescriptionTests.endpoint(
        #"{ "tokens": 1, "request": { "url": "\#(url)" }, "answer": { "token": "/t" } }"#)
      var memory = endpoint.memory()
      let request = try endpoint.request(Self.wish(), memory)
      return endpoint.unanswered(request, reason: "unreachable", detail: detail, &memory).sentence ?? ""
    }
    let reset = "receive: Connection reset by peer"
    #expect(try sentence("/t", reset).hasSuffix("reset by peer; if it wants TLS, \"url\" or --provider with https://"))
    #expect(try sentence("https://one/t", reset).hasSuffix("reset by peer"))
    #expect(try sentence("/t", "connect: Connection refused").hasSuffix("refused"))
  }

  @Test
  func `a token endpoint's redirect is not followed, and its target is shown`() throws {
    let answer = try Self.answer(
      #""token": "/t""#, Self.json("", status: 302, [HTTPField("location", "https://login.example/?next=/t")]))
    #expect(answer.outcome == .failed && answer.label == "redirected")
    #expect(answer.sentence?.contains("https://login.example:443") == true)
  }

  @Test
  func `a token endpoint's word for an error is shown without a user's secrets`() throws {
    let text = """
      { "tokens": 1, "request": { "url": "/t", "text": "{{secret.key}}" }, "answer": { "token": "/t", "error": "/e" } }
      """
    let endpoint = try TokenDescriptionTests.endpoint(text, secrets: ["key": "hunter2"])
    var memory = endpoint.memory()
    let request = try endpoint.request(Self.wish(), memory)
    let answer = endpoint.answer(Self.json(#"{"e":"bad hunter2!"}"#, status: 403), to: request, at: Self.now, &memory)
    #expect(answer.label == "http_403 bad_secret_")
  }
}
