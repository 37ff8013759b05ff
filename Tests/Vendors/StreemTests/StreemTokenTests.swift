import GatewayCore
import GatewayJSON
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayStreem

struct StreemTokenTests {
  private static let now = WallTime(seconds: 1_800_000_000)
  private static let forge = try! StreemForge()
  private static let stranger = try! StreemForge(id: forge.id)
  private let verifier = StreemTokenVerifier(audience: StreemSettings().audience, skew: .seconds(60))

  /// Returns the result of the checks: nil for a valid token.
  private func reason(
    _ token: Credentials, for use: StreemTokenVerifier.Use = .starting, at now: WallTime = Self.now
  ) -> StreemReason? {
    do throws(GatewayError) {
      _ = try claims(token, for: use, at: now)
      return nil
    } catch {
      return StreemReason(error)
    }
  }

  private func claims(
    _ token: Credentials, for use: StreemTokenVerifier.Use = .starting, at now: WallTime = Self.now
  ) throws(GatewayError) -> StreemClaims {
    let open = try verifier.open(token.token)
    guard open.apiKey == Self.forge.id else { throw .applicationUnknown }
    guard let key = try? StreemVerificationKey(Self.forge.publicKey) else { throw .applicationUnknown }
    return try verifier.verify(open, with: key, for: use, at: now)
  }

  private static func token(header: String = #"{"alg":"ES256"}"#, _ changes: [String: String?] = [:]) -> Credentials {
    forge.token(at: now, header: header, changes)
  }

  @Test(
    arguments: [
      (#"{"alg":"ES256","kid":"KID"}"#, [:]),
      (#"{"alg":"ES256","kid":"KID"}"#, ["name": #""""#, "email": #""""#, "streem:reservation_sid": #""""#]),
      (#"{"alg":"ES256"}"#, ["name": "null", "email": "null", "picture": "null"]),
      (#"{"alg":"ES256"}"#, [:]),
    ] as [(String, [String: String?])])
  func `a token of each of the vendor's builders is good, and a member left out, null or empty means the same`(
    header: String, changes: [String: String?]
  ) throws {
    let header = header.replacing("KID", with: Self.forge.publicKey.thumbprint)
    let claims = try claims(Self.token(header: header, changes))
    #expect(claims.subject == "ann" && claims.apiKey == Self.forge.id)
    #expect(claims.name == nil && claims.email == nil && claims.picture == nil && claims.reservation == nil)
    #expect(claims.expiresAt == Self.now + .seconds(300) && claims.sessionExpiresAt == Self.now + .seconds(14_400))
  }

  @Test
  func `a token names its user`() throws {
    let claims = try claims(
      Self.token(["name": #""Ann""#, "email": #""a@b.c""#, "picture": #""https://x/y""#, "exp": "1800000001.5"]))
    #expect(claims.name == "Ann" && claims.email == "a@b.c" && claims.picture == "https://x/y")
    #expect(claims.expiresAt == WallTime(seconds: 1_800_000_001.5))
  }

  @Test(
    arguments: [
      (["iss": #""api_1""#], ClaimMismatch(expected: ["streem:api:…"], presented: ["api_1"])),
      (["iss": "7"], ClaimMismatch(expected: ["streem:api:…"], presented: [])),
      (
        ["aud": #"["https://a/",7,"https://b/"]"#],
        ClaimMismatch(expected: [StreemSettings().audience.text], presented: ["https://a/", "https://b/"])
      ),
      (["sub": nil], nil),
    ] as [([String: String?], ClaimMismatch?)])
  func `the error for a wrong issuer or audience has both values for the log, and another error has none`(
    changes: [String: String?], expected: ClaimMismatch?
  ) throws {
    let error = #expect(throws: GatewayError.self) { try claims(Self.token(changes)) }
    #expect(try #require(error).mismatch == expected)
  }

  @Test
  func `a token for several audiences is valid for each of them`() {
    #expect(reason(Self.token(["aud": #"["https://else/","https://api.prod-us.streem.cloud/"]"#])) == nil)
  }

  private static let signature = String(
    repeating: "A", count: 86)  // 64 zero bytes

  /// A token whose signature is something else.
  private static func signed(_ signature: String) -> Credentials {
    let parts = token().token.split(separator: ".")
    return Credentials(token: "\(parts[0]).\(parts[1]).\(signature)")
  }

  /// DER, as OpenSSL and Java write it by themselves: two integers in a sequence.
  private static var derSigned: Credentials {
    let parts = token().token.split(separator: ".")
    let raw = Base64URL.decode(String(parts[2]))!
    func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
      let digits = bytes.drop { $0 == 0 }
      let padded = (digits.first ?? 0) >= 0x80 ? [0] + digits : Array(digits)
      return [2, UInt8(padded.count)] + padded
    }
    let body = integer(raw[..<32]) + integer(raw[32...])
    return signed(Base64URL.encode([0x30, UInt8(body.count)] + body))
  }

  /// HS256 with the public key as the secret: the classic confusion (RFC 8725 section 2.1).
  private static var confused: Credentials {
    let claims = forge.claims(at: now).map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
    let key = try! KeyMaterial.secret(forge.publicKey.jwk)
    return Credentials(token: try! JWTSigner(key, type: nil).sign(Array("{\(claims)}".utf8)))
  }

  private static let refusals: [(Credentials, StreemReason)] = [
    // 1: form.
    (Credentials(token: ""), .malformed), (Credentials(token: "a.b"), .malformed),
    (Credentials(token: "a.b.c.d"), .malformed), (Credentials(token: "!!.e30.e30"), .malformed),
    (Credentials(token: token().token + "="), .malformed),
    (Credentials(token: String(repeating: "e", count: 9_000)), .malformed),
    (forge.sign(header: "[]", payload: "{}"), .malformed), (forge.sign(header: "{}", payload: "1"), .malformed),
    (forge.sign(header: #"{"alg":"ES256"}"#, payload: #"{"iss":"a","iss":"b"}"#), .malformed),
    (token(header: #"{"alg":"ES256","crit":["exp"],"exp":1}"#), .malformed),
    (token(header: #"{"alg":"HS256","crit":["exp"],"exp":1}"#), .malformed),
    (token(header: #"{"alg":"ES256","b64":false}"#), .malformed),
    // 2: algorithm.
    (token(header: "{}"), .algorithm), (token(header: #"{"alg":"none"}"#), .algorithm),
    (token(header: #"{"alg":"es256"}"#), .algorithm), (token(header: #"{"alg":["ES256"]}"#), .algorithm),
    (token(header: #"{"alg":"ES384"}"#), .algorithm), (confused, .algorithm),
    // 3: the key.
    (token(["iss": nil]), .issuer), (token(["iss": "7"]), .issuer), (token(["iss": #""api_1""#]), .issuer),
    (token(["iss": #""streem:api:""#]), .issuer), (token(["iss": #""streem:api:api_other""#]), .unknownAPIKey),
    // 4: kid.
    (token(header: #"{"alg":"ES256","kid":"x"}"#), .keyID), (token(header: #"{"alg":"ES256","kid":7}"#), .keyID),
    // 5: signature; also where the header brings a key of its own.
    (stranger.token(at: now), .signature), (signed(signature), .signature), (derSigned, .signature),
    (signed(""), .signature),
    (
      stranger.token(
        at: now, header: #"{"alg":"ES256","jwk":\#(String(decoding: stranger.publicKey.jwk, as: UTF8.self))}"#),
      .signature
    ),
    (stranger.token(at: now, header: #"{"alg":"ES256","jku":"https://evil/","x5u":"https://evil/"}"#), .signature),
    (token(header: #"{"alg":"ES256","typ":7}"#), .malformed),
    // 6: audience.
    (token(["aud": nil]), .audience), (token(["aud": #""https://api.prod-us.streem.cloud""#]), .audience),
    (token(["aud": #""https://api.sandbox-us.streem.cloud/""#]), .audience), (token(["aud": "[]"]), .audience),
    (token(["aud": "[7]"]), .audience),
    // 7: claims.
    // Byte for byte: with a mark on its last letter it is another address.
    (token(["aud": #""https://api.prod-us.streem.cloud/\u0338""#]), .audience),
    (token(["sub": nil]), .claimMissing), (token(["sub": "null"]), .claimMissing),
    (token(["sub": #""""#]), .claimMissing), (token(["sub": "7"]), .claimInvalid),
    (token(["sub": "\"\(String(repeating: "x", count: 256))\""]), .claimInvalid),
    (token(["iat": nil]), .claimMissing), (token(["exp": nil]), .claimMissing),
    (token(["session_exp": nil]), .claimMissing), (token(["session_exp": "null"]), .claimMissing),
    (token(["exp": #""1800000300""#]), .claimInvalid), (token(["name": "7"]), .claimInvalid),
    // Dates at both ends of the range of 64 bits.
    (token(["exp": "9223372036854775807", "iat": "9223372036854775807"]), .notYetValid),
    (token(["exp": "-9223372036854775808"]), .expired), (token(["session_exp": "-1e300"]), .sessionExpired),
    // 8: times. 600: a duration given to a builder that expects a time.
    (token(["iat": "1800000061"]), .notYetValid), (token(["exp": "600"]), .expired),
    (token(["exp": "1799999940"]), .expired), (token(["exp": "-1e300"]), .expired),
    // 9: the session's end; the clock tolerance does not apply here.
    (token(["session_exp": "1800000000"]), .sessionExpired),
    // Of two errors the one that is checked first is reported.
    (token(header: #"{"alg":"ES256","kid":"x"}"#, ["aud": nil, "exp": "600"]), .keyID),
    (token(["aud": nil, "sub": nil, "exp": "600"]), .audience), (token(["sub": nil, "exp": "600"]), .claimMissing),
    (token(["exp": "600", "session_exp": "600"]), .expired),
  ]

  @Test(arguments: refusals)
  func `a token is refused with the first check that it fails`(token: Credentials, reason: StreemReason) {
    #expect(self.reason(token) == reason)
  }

  @Test
  func `a token is good as long as the skew permits, at either end`() {
    #expect(reason(Self.token(["iat": "1800000060"])) == nil)
    #expect(reason(Self.token(["exp": "1799999941"])) == nil)
    #expect(reason(Self.token(["session_exp": "1800000001"])) == nil)
  }

  @Test
  func `a token that can no longer start a session still serves one that has started`() {
    let token = Self.token(["exp": "600"])
    #expect(reason(token) == .expired && reason(token, for: .going) == nil)
    #expect(reason(Self.token(["session_exp": "600"]), for: .going) == .sessionExpired)
  }

  @Test
  func `each reason of a token's refusal leads to a different error`() {
    for reason in StreemReason.allCases { #expect(StreemReason(reason.gatewayError) == reason) }
    #expect(StreemReason(.connectionRequired) == nil)
  }

  @Test
  func `a token of our own has nothing in the header but the algorithm, and two lives`() throws {
    let settings = StreemSettings()
    let issuer = try StreemTokenIssuer(
      apiKey: Self.forge.id, jwk: try StreemSecret.jwk(Self.forge.secret), settings: settings)
    let token = issuer.mint(user: UserID("ann"), kind: .regular, issuedAt: Self.now, expiresAt: nil, calls: nil)
    let decoded = try UnverifiedToken(token.token)
    #expect(decoded.header.text == #"{"alg":"ES256"}"#)
    #expect(
      decoded.payload.text
        == #"{"iss":"streem:api:\#(Self.forge.id)","sub":"ann","aud":"https://api.prod-us.streem.cloud/","#
        + #""iat":1800000000,"exp":1800000300,"session_exp":1800014400}"#)
    #expect(reason(token) == nil)
    let next = issuer.mint(
      user: UserID("ann"), kind: .regular, issuedAt: Self.now + .milliseconds(1), expiresAt: nil, calls: nil)
    #expect(TokenFingerprint(of: token.token) != TokenFingerprint(of: next.token))
    // A session of a minute is not started five minutes later.
    let short = issuer.mint(
      user: UserID("ann"), kind: .regular, issuedAt: Self.now, expiresAt: Self.now + .seconds(60), calls: nil)
    #expect(try UnverifiedToken(short.token).payload.text.hasSuffix(#""exp":1800000060,"session_exp":1800000060}"#))
  }

  @Test
  func `a token's secret is read in every form in use, and is never stored`() throws {
    let secret = Self.forge.secret
    let padded = secret + String(repeating: "=", count: (4 - secret.utf8.count % 4) % 4)
    let jwk = String(decoding: try StreemSecret.jwk(secret), as: UTF8.self)
    for text in [secret, padded, padded + "\n", jwk, secret.replacing("+", with: "-").replacing("/", with: "_")] {
      let read = try StreemSecret(text)
      #expect(read.publicKey == Self.forge.publicKey && read.hash != nil)
    }
    #expect(!secret.contains("=") && jwk.contains(#""d":"#) && !jwk.contains("kid"))
    #expect(try StreemSecret(String(decoding: Self.forge.publicKey.jwk, as: UTF8.self)).hash == nil)
    #expect(throws: KeyError.self) { try StreemSecret("nonsense!") }
  }
}
