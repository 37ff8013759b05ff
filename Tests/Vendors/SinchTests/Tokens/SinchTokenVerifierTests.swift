import GatewayCore
import GatewayTokens
import Testing

@testable import GatewaySinch

/// A token with the only reason for which it is refused.
private struct Refused: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let reason: SinchRefusal
  var policy = SinchTokenPolicy()
  let token: @Sendable () -> String

  init(
    _ what: String, _ reason: SinchRefusal, policy: SinchTokenPolicy = SinchTokenPolicy(),
    _ change: @escaping @Sendable (inout SinchTokenSketch) -> Void
  ) {
    self.init(what, reason, policy: policy) {
      var sketch = SinchTokenSketch()
      change(&sketch)
      return sketch.text()
    }
  }

  init(
    _ what: String, _ reason: SinchRefusal, policy: SinchTokenPolicy = SinchTokenPolicy(),
    text: @escaping @Sendable () -> String
  ) {
    testDescription = "\(reason.rawValue): \(what)"
    self.reason = reason
    self.policy = policy
    token = text
  }

  private static let noon = SinchTokenSketch.noon
  private static let issuer = SinchTokenSketch.issuer

  static let malformed = [
    Refused("nothing", .malformed, text: { "" }),
    Refused("two segments", .malformed, text: { "e30.e30" }),
    Refused("four segments", .malformed, text: { SinchTokenSketch().text() + ".e30" }),
    Refused("padding", .malformed, text: { SinchTokenSketch().text() + "=" }),
    Refused("the other alphabet", .malformed, text: { "e30.e30.+/8" }),
    Refused("an array for claims", .malformed, text: { "e30.W10.AAAA" }),
    Refused("no JSON", .malformed, text: { "e30.AAAA.AAAA" }),
    Refused("a claim twice", .malformed) { $0.claims.append(("nonce", "\"n2\"")) },
    Refused("crit", .malformed) { $0.setHeader("crit", "[\"x\"]") },
    Refused("9000 bytes", .malformed) { $0.set("more", "\"\(String(repeating: "x", count: 9000))\"") },
  ]

  static let header = [
    Refused("none", .algorithmNotAllowed) { $0.setHeader("alg", "\"none\"") },
    Refused("none, unsigned", .algorithmNotAllowed, text: { "eyJhbGciOiJub25lIn0.e30." }),
    Refused("HS512", .algorithmNotAllowed) { $0.setHeader("alg", "\"HS512\"") },
    Refused("hs256 in small letters", .algorithmNotAllowed) { $0.setHeader("alg", "\"hs256\"") },
    Refused("no alg", .algorithmNotAllowed) { $0.setHeader("alg", nil) },
    Refused("an array for alg", .algorithmNotAllowed) { $0.setHeader("alg", "[\"HS256\"]") },
    Refused("no kid", .keyIDInvalid) { $0.setHeader("kid", nil) },
    Refused("a number for kid", .keyIDInvalid) { $0.setHeader("kid", "20250401") },
    Refused("another prefix", .keyIDInvalid) { $0.setHeader("kid", "\"hkdfv2-20250401\"") },
    Refused("seven digits", .keyIDInvalid) { $0.setHeader("kid", "\"hkdfv1-2025041\"") },
    Refused("30 February", .keyIDInvalid) { $0.setHeader("kid", "\"hkdfv1-20250230\"") },
    Refused("29 February 2025", .keyIDInvalid) { $0.setHeader("kid", "\"hkdfv1-20250229\"") },
    Refused("month 13", .keyIDInvalid) { $0.setHeader("kid", "\"hkdfv1-20251301\"") },
    Refused("Arabic digits, as an Android device in that locale writes", .keyIDInvalid) {
      $0.setHeader("kid", "\"hkdfv1-٢٠٢٥٠٤٠١\"")
    },
    Refused("a space behind the date", .keyIDInvalid) { $0.setHeader("kid", "\"hkdfv1-20250401 \"") },
  ]

  static let issuerAndSignature = [
    Refused("no iss", .issuerInvalid) { $0.set("iss", nil) },
    Refused("a number for iss", .issuerInvalid) { $0.set("iss", "1") },
    Refused("a scheme before the slashes", .issuerInvalid) { $0.set("iss", "\"https:\(issuer)\"") },
    Refused("no key in iss", .issuerInvalid) { $0.set("iss", "\"//rtc.sinch.com/applications/\"") },
    Refused("a path behind the key", .issuerInvalid) { $0.set("iss", "\"\(issuer)/users/alice\"") },
    Refused("another application", .unknownApplication) { $0.set("iss", "\"//rtc.sinch.com/applications/other\"") },
    Refused("another secret", .badSignature) { $0.secret = SinchSecret(bytes: [1, 2, 3]) },
    Refused("the key of another day", .badSignature) { $0.date = "20250402" },
    Refused("the secret itself for a key", .badSignature) { $0.date = "" },
    Refused("half of a signature", .badSignature, text: { String(SinchTokenSketch().text().dropLast(22)) + "A" }),
    Refused("no signature", .badSignature, text: { String(SinchTokenSketch().text().dropLast(43)) }),
  ]

  static let claims =
    ["sub", "iat", "exp", "nonce"].map { name in Refused("no \(name)", .claimMissing) { $0.set(name, nil) } } + [
      Refused("a text for iat", .claimInvalid) { $0.set("iat", "\"\(noon)\"") },
      Refused("null for exp", .claimInvalid) { $0.set("exp", "null") },
      Refused("true for exp", .claimInvalid) { $0.set("exp", "true") },
      Refused("a number for sub", .claimInvalid) { $0.set("sub", "7") },
      Refused("an empty nonce", .claimInvalid) { $0.set("nonce", "\"\"") },
      Refused("a number for nonce", .claimInvalid) { $0.set("nonce", "17") },
      Refused("a text for the instance's end", .claimInvalid) { $0.set("sinch:rtc:instance:exp", "\"soon\"") },
      Refused("a kind of user that does not exist", .claimInvalid) { $0.set("postern:user:kind", "\"king\"") },
      Refused("sub of another issuer", .subjectInvalid) { $0.set("sub", "\"//rtc.sinch.com/applications/x/users/a\"") },
      Refused("sub without users", .subjectInvalid) { $0.set("sub", "\"\(issuer)/alice\"") },
      Refused("nobody", .userIDInvalid) { $0.set("sub", "\"\(issuer)/users/\"") },
      Refused("a user with a slash", .userIDInvalid) { $0.set("sub", "\"\(issuer)/users/a/b\"") },
      Refused("a user with a dot", .userIDInvalid) { $0.set("sub", "\"\(issuer)/users/a.b\"") },
      Refused("a user of 256 bytes", .userIDInvalid) {
        $0.set("sub", "\"\(issuer)/users/\(String(repeating: "a", count: 256))\"")
      },
      Refused("bob for alice", .userMismatch) { $0.set("sub", "\"\(issuer)/users/bob\"") },
    ]

  static let dates = [
    Refused("Android in UTC+14: tomorrow's date", .keyDateMismatch) { $0.setHeader("kid", "\"hkdfv1-20250402\"") },
    Refused("Android west of Greenwich: yesterday's", .keyDateMismatch) { $0.setHeader("kid", "\"hkdfv1-20250331\"") },
    Refused("two days off where one is tolerated", .keyDateMismatch, policy: SinchTokenPolicy(kidDateToleranceDays: 1))
    {
      $0.setHeader("kid", "\"hkdfv1-20250330\"")
    },
    Refused("59 s", .lifeTooShort) { $0.date(noon, life: 59) },
    Refused("ends before it begins", .lifeTooShort) { $0.date(noon, life: -600) },
    Refused("longer than the most", .lifeTooLong, policy: SinchTokenPolicy(tokenLifeMax: .seconds(600))) {
      $0.date(noon, life: 601)
    },
    Refused("issued in 61 s", .notYetValid) { $0.date(noon + 61) },
    Refused("expired 60 s ago", .expired) { $0.date(noon - 660) },
    Refused("an instance of a second less than 48 h", .instanceLifeTooShort) {
      $0.set("sinch:rtc:instance:exp", "\(noon + 172_799)")
    },
  ]

  static let all = malformed + header + issuerAndSignature + claims + dates
}

struct SinchTokenVerifierTests {
  private let now = SinchTokenSketch.now
  private let noon = SinchTokenSketch.noon

  private func verify(
    _ token: String, _ policy: SinchTokenPolicy = SinchTokenPolicy(),
    applications: SinchApplications = SinchTokenSketch.applications, at now: WallTime? = nil
  ) throws(SinchRefusal) -> SinchRegistrationToken {
    try SinchTokenVerifier(applications: applications, policy: policy).verify(
      token, user: UserID("alice"), application: SinchTokenSketch.key, at: now ?? self.now)
  }

  @Test
  func `the error for a wrong issuer has both values for the log, and another error has none`() {
    var sketch = SinchTokenSketch()
    sketch.set("iss", "\"them\"")
    let error = SinchTokenVerifier.error(for: .issuerInvalid, of: sketch.text())
    #expect(error == SinchRefusal.issuerInvalid.gatewayError)
    #expect(error.mismatch == ClaimMismatch(expected: ["//rtc.sinch.com/applications/…"], presented: ["them"]))
    #expect(SinchTokenVerifier.error(for: .badSignature, of: sketch.text()).mismatch == nil)
  }

  @Test(arguments: Refused.all)
  fileprivate func `a registration token is refused by the first check that fails`(token: Refused) {
    #expect(throws: token.reason) { try verify(token.token(), token.policy) }
  }

  @Test
  func `a registration token is refused for every reason that needs no memory`() {
    let withMemory: Set<SinchRefusal> = [
      .nonceReused, .sequenceNotIncreasing, .endRequired, .instanceUnknown, .timestampMissing, .timestampOutOfRange,
      .authorizationMissing, .authorizationInsufficient, .wrongPassword, .accountLocked, .declined, .tooMany, .full,
      .storeUnavailable,
    ]
    #expect(Set(Refused.all.map(\.reason)) == Set(SinchRefusal.allCases).subtracting(withMemory))
  }

  @Test
  func `the earlier of several failed checks is named`() {
    var sketch = SinchTokenSketch()
    sketch.date(noon - 10_000, life: 1)
    sketch.set("sinch:rtc:instance:exp", "\(noon)")
    sketch.setHeader("kid", "\"hkdfv1-20250601\"")
    let steps: [(SinchRefusal, (inout SinchTokenSketch) -> Void)] = [
      (.instanceLifeTooShort, { $0.set("sinch:rtc:instance:exp", "\($0.noon + 1)") }),
      (.expired, { $0.date($0.noon - 10_000, life: 600) }),
      (.notYetValid, { $0.date($0.noon + 10_000, life: 600) }),
      (.lifeTooShort, { $0.date($0.noon + 10_000, life: 1) }),
      (.keyDateMismatch, { $0.setHeader("kid", "\"hkdfv1-20250601\"") }),
      (.userMismatch, { $0.set("sub", "\"\(SinchTokenSketch.issuer)/users/bob\"") }),
      (.userIDInvalid, { $0.set("sub", "\"\(SinchTokenSketch.issuer)/users/b.b\"") }),
      (.subjectInvalid, { $0.set("sub", "\"bob\"") }),
      (.claimInvalid, { $0.set("nonce", "1") }),
      (.claimMissing, { $0.set("exp", nil) }),
      (.badSignature, { $0.secret = SinchSecret(bytes: [1]) }),
      (.unknownApplication, { $0.set("iss", "\"//rtc.sinch.com/applications/x\"") }),
      (.issuerInvalid, { $0.set("iss", "\"x\"") }),
      (.keyIDInvalid, { $0.setHeader("kid", "\"x\"") }),
      (.algorithmNotAllowed, { $0.setHeader("alg", "\"none\"") }),
      (.malformed, { $0.setHeader("crit", "[]") }),
    ]
    sketch = SinchTokenSketch()
    for (reason, spoil) in steps {
      spoil(&sketch)
      #expect(throws: reason) { try verify(sketch.text()) }
    }
  }

  @Test
  func `a registration token is accepted at the edges of every window`() throws {
    var sketch = SinchTokenSketch()
    sketch.date(noon, life: 60)
    sketch.set("sinch:rtc:instance:exp", "\(noon + 172_800)")
    #expect(try verify(sketch.text()).instanceEndsAt == WallTime(seconds: Double(noon + 172_800)))
    #expect(try verify(sketch.text(), at: now + .nanoseconds(119_999_999_999)).user == UserID("alice"))
    #expect(throws: SinchRefusal.expired) { try verify(sketch.text(), at: now + .seconds(120)) }
    sketch.set("sinch:rtc:instance:exp", nil)
    sketch.date(noon + 60)
    #expect(try verify(sketch.text()).issuedAt == now + .seconds(60))
    sketch.date(noon, life: 600_000)
    #expect(try verify(sketch.text()).expiresAt == now + .seconds(600_000))
  }

  @Test
  func `a registration token is verified after midnight with the day on which it was signed`() throws {
    var sketch = SinchTokenSketch()
    sketch.date(1_767_225_599)  // 2025-12-31T23:59:59Z
    #expect(try verify(sketch.text(), at: WallTime(seconds: 1_767_225_840)).user == UserID("alice"))
  }

  @Test(arguments: [-1, 0, 1])
  func `the Android sample's token is accepted anywhere on earth if a day is tolerated`(day: Int64) throws {
    var sketch = SinchTokenSketch()
    sketch.setHeader("typ", "\"JWT\"")
    sketch.setHeader("kid", "\"\(SinchSigningKey.keyID(at: WallTime(seconds: Double(noon + day * 86_400))))\"")
    #expect(try verify(sketch.text(), SinchTokenPolicy(kidDateToleranceDays: 1)).nonce == "n1")
  }

  @Test
  func `the JavaScript sample's token, rounded up across midnight, is accepted for the skew`() throws {
    var sketch = SinchTokenSketch()
    sketch.header = [("alg", "\"HS256\""), ("kid", "\"hkdfv1-20251231\""), ("type", "\"JWT\"")]
    sketch.set("iat", "1767225600")  // 2026-01-01T00:00:00Z, rounded up from half a second before
    sketch.set("exp", "1767825600")
    sketch.claims.sort { $0.0 < $1.0 }
    let at = WallTime(seconds: 1_767_225_599.6)
    #expect(try verify(sketch.text(), at: at).user == UserID("alice"))
    #expect(throws: SinchRefusal.keyDateMismatch) {
      try verify(sketch.text(), SinchTokenPolicy(clockSkew: .zero), at: at + .seconds(1))
    }
  }

  @Test
  func `a registration token may have any order of members, white space, fractions, large numbers and unknown members`()
    throws
  {
    var sketch = SinchTokenSketch()
    sketch.claims.reverse()
    sketch.header.reverse()
    sketch.setHeader("jku", "\"https://example.test/\"")
    sketch.set("scope", "{\"a\": [1, 2.5e3, null]}")
    sketch.set("iat", "\(noon).25")
    sketch.set("exp", "1.7435022e9")
    #expect(try verify(sketch.text(space: " \n\t")).issuedAt == now + .milliseconds(250))
    sketch.set("exp", "99999999999999999999")
    #expect(try verify(sketch.text()).nonce == "n1")
    sketch.set("other", "1e999")
    #expect(try verify(sketch.text()).nonce == "n1")
    sketch.set("exp", "1e999")
    #expect(throws: SinchRefusal.claimInvalid) { try verify(sketch.text()) }
  }

  @Test
  func `a registration token is accepted under either secret during a replacement, and later only under the new one`()
    throws
  {
    let newer = SinchSecret("AAECAwQFBgcICQoLDA0ODw==")!
    func applications(_ secrets: SinchSecret...) -> SinchApplications {
      SinchApplications(secrets.map { SinchApplication(key: SinchTokenSketch.key, secrets: [$0]) })
    }
    var sketch = SinchTokenSketch()
    let old = sketch.text()
    sketch.secret = newer
    let both = applications(newer, SinchTokenSketch.secret)
    for token in [old, sketch.text()] { #expect(try verify(token, applications: both).nonce == "n1") }
    #expect(throws: SinchRefusal.badSignature) { try verify(old, applications: applications(newer)) }
  }

  @Test
  func `a registration token's application is found by the key in iss`() throws {
    let others = (1...3).map { SinchApplication(key: Name("app-\($0)"), secrets: [SinchSecret(bytes: [UInt8($0)])]) }
    let applications = SinchApplications(
      others + [SinchApplication(key: SinchTokenSketch.key, secrets: [SinchTokenSketch.secret])])
    #expect(try verify(SinchTokenSketch().text(), applications: applications).application == SinchTokenSketch.key)
    // One application's secret signs nothing for another.
    var sketch = SinchTokenSketch()
    sketch.set("iss", "\"//rtc.sinch.com/applications/app-1\"")
    #expect(throws: SinchRefusal.badSignature) { try verify(sketch.text(), applications: applications) }
  }

  @Test
  func `tokens minted by the issuer are accepted, and no two are alike`() throws {
    let issuer = SinchTokenIssuer(
      application: SinchTokenSketch.key, secret: SinchTokenSketch.secret, drawing: Secrets(seed: 1))
    let tokens = (0..<2).map { _ in
      issuer.mint(
        user: UserID("alice"), kind: .guest, issuedAt: now, expiresAt: now + .seconds(200_000), calls: nil)
    }
    #expect(tokens[0] != tokens[1])
    let read = try verify(tokens[0].token)
    #expect(read.kind == .guest && read.instanceEndsAt == now + .seconds(200_000))
    #expect(read.expiresAt == now + .seconds(600))
    #expect(!claims(of: tokens[0]).contains("postern:life"))
  }

  private func claims(of token: Credentials) -> String {
    let segment = token.token.split(separator: ".").dropFirst().first ?? ""
    return String(decoding: Base64URL.decode(String(segment)) ?? [], as: UTF8.self)
  }

  @Test
  func `a token minted for a life below the minimum expires when requested, and names the reason`() throws {
    let issuer = SinchTokenIssuer(
      application: SinchTokenSketch.key, secret: SinchTokenSketch.secret, drawing: Secrets(seed: 1))
    for (life, presentable) in [(1, 1), (60, 60), (3600, 600)] {
      let token = issuer.mint(
        user: UserID("alice"), kind: .regular, issuedAt: now, expiresAt: now + .seconds(life), calls: nil)
      let read = try verify(token.token)
      #expect(read.instanceEndsAt == now + .seconds(life) && read.expiresAt == now + .seconds(presentable))
      #expect(claims(of: token).contains(#""postern:life":"any""#))
      // The registration would be over, although the tolerance would still allow it.
      #expect(throws: SinchRefusal.expired) { try verify(token.token, at: now + .seconds(life)) }
    }
    let endless = issuer.mint(user: UserID("alice"), kind: .regular, issuedAt: now, expiresAt: nil, calls: nil)
    #expect(try verify(endless.token).instanceEndsAt == nil)
    var sketch = SinchTokenSketch()
    sketch.set("postern:life", "\"long\"")
    #expect(throws: SinchRefusal.claimInvalid) { try verify(sketch.text()) }
  }

  @Test
  func `an application is distinguished from one whose key only looks the same`() {
    // U+212A, the Kelvin sign, is canonically equivalent to K.
    let applications = SinchApplications([SinchApplication(key: "K", secrets: [SinchTokenSketch.secret])])
    var sketch = SinchTokenSketch()
    sketch.set("iss", "\"//rtc.sinch.com/applications/\u{212A}\"")
    #expect(throws: SinchRefusal.unknownApplication) { try verify(sketch.text(), applications: applications) }
  }

  @Test
  func `a registration token with dates at both ends of 64 bits is refused without harm`() {
    let dates = ["9223372036854775807", "-9223372036854775808", "1e308", "-1e308", "9.3e18", "0"]
    for issued in dates {
      for end in dates {
        var sketch = SinchTokenSketch()
        sketch.set("iat", issued)
        sketch.set("exp", end)
        sketch.set("sinch:rtc:instance:exp", end)
        #expect(throws: SinchRefusal.self) { try verify(sketch.text(), SinchTokenPolicy(kidDateToleranceDays: 366)) }
      }
    }
  }

  @Test(arguments: [
    ("DNB/57wWcpW0DwbBjPob++pQqte+0NM6EX0KIK7DI8k=", true), ("DNB_57wWcpW0DwbBjPob--pQqte-0NM6EX0KIK7DI8k", true),
    ("DNB_57wWcpW0DwbBjPob--pQqte-0NM6EX0KIK7DI8k=", true), ("oYdgGRXoxEuJhGDY2KQ/HQ", true), ("", false),
    ("oYdgGRXoxEuJhGDY2KQ/HQ=", false), ("oYdgGRXoxEuJhGDY2KQ/HQ===", false), ("oYdg GRXo", false),
    ("DNB/57wWcpW0DwbBjPob--pQ", false), ("oYdgG", false), ("=", false), ("oYdgGRXoxEuJhGDY2KQ/HR==", false),
  ])
  func `secrets are base64 of either alphabet, padded or not, and nothing else`(text: String, isOne: Bool) {
    #expect((SinchSecret(text) != nil) == isOne)
  }
}

extension SinchTokenSketch {
  fileprivate var noon: Int64 { Self.noon }
}
