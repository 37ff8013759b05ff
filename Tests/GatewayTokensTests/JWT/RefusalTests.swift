import GatewayCore
import GatewayJSON
import GatewayTokens
import Testing

/// A hand-made token: any header, any payload, with a valid or invalid signature.
private struct Forgery: Sendable, CustomTestStringConvertible {
  let name: String
  let error: TokenError
  var header = #"{"alg":"HS256"}"#
  var payload = #"{"user_id":"ann"}"#
  var policy = TokenPolicy()
  /// Changes the finished token.
  var twist: @Sendable (String) -> String = { $0 }

  var testDescription: String { name }

  func token() throws -> String {
    let input = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(payload.utf8)))"
    let signature = try Fixture.signer(.hs256).signature(of: Array(input.utf8))
    return twist("\(input).\(Base64URL.encode(signature))")
  }
}

struct RefusalTests {
  private static func policy(_ change: (inout TokenPolicy) -> Void) -> TokenPolicy {
    var policy = TokenPolicy()
    change(&policy)
    return policy
  }

  private static let form: [Forgery] = [
    Forgery(name: "a token over the size limit", error: .tooLarge(limit: 20), policy: policy { $0.sizeMax = 20 }),
    Forgery(name: "two segments", error: .notThreeSegments) { String($0.prefix { $0 != "." }) + ".e30" },
    Forgery(name: "four segments", error: .notThreeSegments) { $0 + ".e30" },
    Forgery(name: "five segments, as an encrypted token has", error: .notThreeSegments) { $0 + ".e30.e30" },
    Forgery(name: "nothing", error: .notThreeSegments) { _ in "" },
    Forgery(name: "an empty header", error: .notThreeSegments) { String($0.drop { $0 != "." }) },
    Forgery(name: "an empty payload", error: .notThreeSegments) { _ in "e30..e30" },
    Forgery(name: "padding on the signature", error: .encoding(.signature)) { $0 + "=" },
    Forgery(name: "white space at the end", error: .encoding(.signature)) { $0 + "\n" },
    Forgery(name: "a space in front", error: .encoding(.header)) { " " + $0 },
    Forgery(name: "a header that is no JSON", error: .json(.header, .malformed(position: 1)), header: "{alg}"),
    Forgery(name: "a header that is an array", error: .json(.header, .malformed(position: 0)), header: #"["HS256"]"#),
    Forgery(
      name: "a header with alg twice", error: .json(.header, .duplicateMember(position: 15)),
      header: #"{"alg":"HS256","alg":"none"}"#),
    Forgery(name: "a payload that is no object", error: .json(.payload, .malformed(position: 0)), payload: "[1]"),
    Forgery(
      name: "a claim twice", error: .json(.payload, .duplicateMember(position: 15)),
      payload: #"{"user_id":"a","user_id":"b"}"#),
  ]

  private static let header: [Forgery] = [
    Forgery(name: "no alg", error: .algorithmMissing, header: "{}"),
    Forgery(name: "an alg that is no string", error: .algorithmMissing, header: #"{"alg":256}"#),
    Forgery(name: "alg none", error: .unsigned, header: #"{"alg":"none"}"#),
    Forgery(name: "alg NoNe", error: .unsigned, header: #"{"alg":"NoNe"}"#),
    Forgery(name: "alg none with no signature", error: .unsigned, header: #"{"alg":"none"}"#) {
      String($0[...$0.lastIndex(of: ".")!])
    },
    Forgery(name: "an alg in lower case", error: .algorithmUnknown, header: #"{"alg":"hs256"}"#),
    Forgery(name: "an alg not offered", error: .algorithmUnknown, header: #"{"alg":"ES256K"}"#),
    Forgery(name: "another HMAC than the key's", error: .algorithmNotForKey, header: #"{"alg":"HS512"}"#),
    Forgery(name: "an RSA alg for a secret", error: .algorithmNotForKey, header: #"{"alg":"RS256"}"#),
    Forgery(name: "an extension nobody knows", error: .criticalHeader, header: #"{"alg":"HS256","crit":["x"],"x":1}"#),
    Forgery(name: "an empty crit", error: .criticalHeader, header: #"{"alg":"HS256","crit":[]}"#),
    Forgery(
      name: "a crit that is no array", error: .criticalHeader, header: #"{"alg":"HS256","crit":"b64","b64":true}"#),
    Forgery(
      name: "a critical member that is not there", error: .criticalHeader, header: #"{"alg":"HS256","crit":["b64"]}"#),
    Forgery(
      name: "a critical member named twice", error: .criticalHeader,
      header: #"{"alg":"HS256","crit":["b64","b64"],"b64":true}"#),
    Forgery(
      name: "an unencoded payload", error: .unencodedPayload, header: #"{"alg":"HS256","crit":["b64"],"b64":false}"#),
    Forgery(
      name: "an unencoded payload, not critical", error: .unencodedPayload, header: #"{"alg":"HS256","b64":false}"#),
    Forgery(name: "a kid that is no string", error: .headerParameter("kid"), header: #"{"alg":"HS256","kid":7}"#),
    Forgery(name: "a typ that is no string", error: .headerParameter("typ"), header: #"{"alg":"HS256","typ":[]}"#),
    Forgery(
      name: "another typ than expected", error: .typeMismatch, header: #"{"alg":"HS256","typ":"JWT"}"#,
      policy: policy { $0.type = "at+jwt" }),
    Forgery(name: "no typ where one is expected", error: .typeMismatch, policy: policy { $0.type = "JWT" }),
    Forgery(name: "a kid that no key has", error: .keyUnknown, header: #"{"alg":"HS256","kid":"other"}"#),
  ]

  private static let signature: [Forgery] = [
    Forgery(name: "a signature cut off", error: .signature) { String($0[...$0.lastIndex(of: ".")!]) },
    Forgery(name: "half a signature", error: .signature) { String($0.dropLast(23)) },
    Forgery(name: "a signature with bytes behind it", error: .signature) { $0.dropLast() + "AAAAAA" },
    Forgery(name: "another payload under the signature", error: .signature) { token in
      let segments = token.split(separator: ".")
      return "\(segments[0]).\(Base64URL.encode(Array(#"{"user_id":"bob"}"#.utf8))).\(segments[2])"
    },
  ]

  private static let claims: [Forgery] = [
    Forgery(name: "an exp in the past", error: .expired, payload: #"{"exp":1699999995}"#),
    Forgery(name: "an exp that is a string", error: .dateInvalid(.expiration), payload: #"{"exp":"1800000000"}"#),
    Forgery(name: "an exp that is null", error: .dateInvalid(.expiration), payload: #"{"exp":null}"#),
    Forgery(
      name: "an exp beyond every number", error: .json(.payload, .numberOutOfRange(position: 7)),
      payload: #"{"exp":1e999}"#),
    Forgery(name: "an exp before the epoch", error: .expired, payload: #"{"exp":-1e300}"#),
    Forgery(
      name: "no exp where one is required", error: .claimMissing("exp"), policy: policy { $0.requiresExpiry = true }),
    Forgery(name: "an nbf in the future", error: .notYetValid(.notBefore), payload: #"{"nbf":1700000005.001}"#),
    Forgery(name: "an nbf that is true", error: .dateInvalid(.notBefore), payload: #"{"nbf":true}"#),
    Forgery(name: "an iat in the future", error: .notYetValid(.issuedAt), payload: #"{"iat":1700000006}"#),
    Forgery(name: "an iat that is an array", error: .dateInvalid(.issuedAt), payload: #"{"iat":[]}"#),
    Forgery(
      name: "another issuer", error: .issuerMismatch(ClaimMismatch(expected: ["us"], presented: ["them"])),
      payload: #"{"iss":"them"}"#, policy: policy { $0.issuer = "us" }),
    Forgery(name: "no issuer", error: .claimMissing("iss"), policy: policy { $0.issuer = "us" }),
    Forgery(
      name: "an issuer that is no string", error: .claimInvalid("iss", expected: "a string"), payload: #"{"iss":1}"#),
    Forgery(
      name: "another audience", error: .audienceMismatch(ClaimMismatch(expected: ["us"], presented: ["them"])),
      payload: #"{"aud":"them"}"#,
      policy: policy { $0.audiences = ["us"] }),
    Forgery(
      name: "other audiences",
      error: .audienceMismatch(ClaimMismatch(expected: ["us", "we"], presented: ["a", "b"])),
      payload: #"{"aud":["a","b"]}"#, policy: policy { $0.audiences = ["us", "we"] }),
    // U+212A, the Kelvin sign, is canonically equivalent to K, and é has two spellings; RFC 7519 section 2 compares bytes.
    Forgery(
      name: "an issuer that merely looks the same",
      error: .issuerMismatch(ClaimMismatch(expected: ["K"], presented: ["\u{212A}"])), payload: #"{"iss":"\u212A"}"#,
      policy: policy { $0.issuer = "K" }),
    Forgery(
      name: "an audience that merely looks the same",
      error: .audienceMismatch(ClaimMismatch(expected: ["\u{E9}"], presented: ["e\u{301}"])),
      payload: #"{"aud":["e\u0301"]}"#,
      policy: policy { $0.audiences = ["\u{E9}"] }),
    Forgery(name: "no audience", error: .claimMissing("aud"), policy: policy { $0.audiences = ["us"] }),
    Forgery(
      name: "an audience that is no string", error: .claimInvalid("aud", expected: "a string or an array of strings"),
      payload: #"{"aud":["us",1]}"#, policy: policy { $0.audiences = ["us"] }),
  ]

  @Test(arguments: form + header + signature + claims)
  private func `a bad token is refused with the name of the check that failed`(forgery: Forgery) throws {
    let verifier = try Fixture.verifier(try Fixture.key("hmac-32", id: "main"), policy: forgery.policy)
    #expect(throws: forgery.error) { try verifier.verify(try forgery.token(), at: .verification) }
  }

  @Test
  func `a token just inside the limits is accepted`() throws {
    func accepts(_ forgery: Forgery) throws {
      let verifier = try Fixture.verifier(try Fixture.key("hmac-32"), policy: forgery.policy)
      _ = try verifier.verify(try forgery.token(), at: .verification)
    }
    let unused = TokenError.signature
    try accepts(
      Forgery(name: "", error: unused, payload: #"{"exp":1699999995.001,"nbf":1700000005,"iat":1700000005.0}"#))
    try accepts(Forgery(name: "", error: unused, header: #"{"alg":"HS256","crit":["b64"],"b64":true}"#))
    try accepts(
      Forgery(
        name: "", error: unused, header: #"{"alg":"HS256","typ":"application/AT+JWT"}"#,
        policy: Self.policy { $0.type = "at+jwt" }))
    try accepts(
      Forgery(
        name: "", error: unused, payload: #"{"iss":"us","aud":["them","us"]}"#,
        policy: Self.policy {
          $0.issuer = "us"
          $0.audiences = ["we", "us"]
        }))
    try accepts(Forgery(name: "", error: unused, header: #"{"alg":"HS256","kid":"anything"}"#))
    try accepts(Forgery(name: "", error: unused, header: #"{"alg":"HS256","jku":"https://evil.example/keys"}"#))
  }

  @Test
  func `a public key is no HMAC secret: a token signed with its text by HS256 is refused`() throws {
    let text = try Fixture.bytes("keys/rsa2048.pub.pem")
    #expect(throws: KeyError.secretIsKeyFile) { try KeyMaterial.secret(text) }
    let verifier = try Fixture.verifier(try KeyMaterial.pem(text))
    // The forgery of an attacker who knows the public key. Our own signer would refuse it, so the HMAC comes from
    // elsewhere.
    let input = "\(Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8))).\(Base64URL.encode(Array("{}".utf8)))"
    let token = "\(input).\(Base64URL.encode(referenceHMAC(key: text, message: Array(input.utf8))))"
    #expect(throws: TokenError.algorithmNotForKey) { try verifier.verify(token, at: .verification) }
    var bound = try KeyMaterial.pem(text)
    bound.algorithms = AlgorithmSet([.hs256])
    #expect(throws: KeyError.self) { try VerificationKey(bound) }
  }

  /// Returns HMAC-SHA-256 as in RFC 2104, with our plain SHA-256.
  private func referenceHMAC(key: [UInt8], message: [UInt8]) -> [UInt8] {
    let short = key.count > 64 ? SHA256.digest(key) : key
    let block = short + [UInt8](repeating: 0, count: 64 - short.count)
    return SHA256.digest(block.map { $0 ^ 0x5c } + SHA256.digest(block.map { $0 ^ 0x36 } + message))
  }

  @Test
  func `a token error is mapped to the peer's error, and never shows the token`() throws {
    let verifier = try Fixture.verifier(try Fixture.key("hmac-32", id: "main"))
    for forgery in Self.form + Self.header + Self.signature + Self.claims {
      let told = forgery.error.gatewayError
      #expect(told.httpStatus == 401 && GatewayError.all.contains { $0.isSame(as: told) })
      let token = try forgery.token()
      #expect(token.isEmpty || !told.message.contains(token))
    }
    #expect(TokenError.expired.gatewayError == .tokenExpired)
    #expect(TokenError.unsigned.gatewayError.isSame(as: .algorithmRefused))
    #expect(throws: TokenError.notThreeSegments) { try verifier.verify("secret-that-must-not-show", at: .verification) }
  }
}
