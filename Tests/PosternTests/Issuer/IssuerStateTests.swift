import GatewayCore
import GatewayFleet
import GatewayJSON
import GatewayKit
import GatewayPlain
import GatewayTokens
import Testing

@testable import postern

/// The issuer that a storm serves, in virtual time.
struct IssuerStateTests {
  private static let start = WallTime(seconds: 1_800_000_000)

  private static func issuer(_ change: (inout IssuerRules) -> Void = { _ in }) throws -> IssuerState {
    var rules = IssuerRules(issuer: "http://127.0.0.1:9090", address: "http://127.0.0.1:9090")
    rules.overlap = .seconds(60)
    change(&rules)
    let name = rules.issuer
    return try IssuerState(rules, given: nil, run: "run", secrets: Secrets(seed: 1), at: start) { signer in
      PlainTokenIssuer(signer: signer, issuer: name)
    }
  }

  private static func mint(_ issuer: inout IssuerState, _ client: Int, after seconds: Double) throws -> String {
    let now = start + .seconds(seconds)
    let token = issuer.mint(for: client, user: UserID("ann"), issuedAt: now, expiresAt: now + .seconds(60))
    return try #require(token).token
  }

  private static func kid(_ token: String) throws -> String {
    try #require(try UnverifiedToken(token).header["kid"]?.string)
  }

  private static func ask(
    _ issuer: inout IssuerState, after seconds: Double, known: String? = nil
  ) -> IssuerState.Answer {
    issuer.answer(known: known, at: start + .seconds(seconds))
  }

  /// Returns the names of the keys in an answer.
  private static func names(_ answer: IssuerState.Answer) throws -> [String] {
    guard case .keys(let set, _) = answer else { return [] }
    let keys = try #require(try JSONDocument.parse(set).root["keys"]?.elements)
    return keys.compactMap { $0["kid"]?.string }
  }

  private static func tag(_ answer: IssuerState.Answer) -> String? {
    switch answer {
    case .keys(_, let tag), .unchanged(let tag): tag
    case .limited: nil
    }
  }

  // MARK: The limit

  @Test
  func `requests above the limit of a window get 429 with the rest of the window`() throws {
    var issuer = try Self.issuer { $0.limit = RequestBudget(.all, limit: 2, window: .seconds(60)) }
    #expect(try Self.names(Self.ask(&issuer, after: 5)).count == 1)
    #expect(try Self.names(Self.ask(&issuer, after: 6)).count == 1)
    #expect(Self.ask(&issuer, after: 25) == .limited(.after(.seconds(40))))
    #expect(Self.ask(&issuer, after: 64.5) == .limited(.after(.seconds(1))))
    #expect(try Self.names(Self.ask(&issuer, after: 65)).count == 1)
    #expect(issuer.figures.requests == 5 && issuer.figures.limited == 2)
  }

  // MARK: Rotation

  @Test
  func `a rotation signs with a new key, and the old one stays for the overlap`() throws {
    var issuer = try Self.issuer { $0.rotate = .seconds(30) }
    #expect(try Self.kid(Self.mint(&issuer, 1, after: 29.9)) == "run-0")
    #expect(try Self.kid(Self.mint(&issuer, 1, after: 30)) == "run-1")
    #expect(try Self.names(Self.ask(&issuer, after: 31)) == ["run-0", "run-1"])
    // Key 0 signed until second 30, and its tokens live for another 60 s.
    #expect(try Self.names(Self.ask(&issuer, after: 89.9)) == ["run-0", "run-1", "run-2"])
    #expect(try Self.names(Self.ask(&issuer, after: 90)) == ["run-1", "run-2", "run-3"])
    #expect(issuer.figures.rotations == 3)
  }

  @Test
  func `a key that is published ahead is in the set before it signs`() throws {
    var issuer = try Self.issuer {
      $0.rotate = .seconds(30)
      $0.ahead = .seconds(10)
    }
    #expect(try Self.names(Self.ask(&issuer, after: 19)) == ["run-0"])
    #expect(try Self.names(Self.ask(&issuer, after: 20)) == ["run-0", "run-1"])
    #expect(try Self.kid(Self.mint(&issuer, 1, after: 29)) == "run-0")
    #expect(try Self.kid(Self.mint(&issuer, 1, after: 31)) == "run-1")
    _ = Self.ask(&issuer, after: 32)
    #expect(issuer.figures.afterUnknownKid == 0)
  }

  @Test
  func `no storm makes the set larger than its bound, and the signing key is in it`() throws {
    var issuer = try Self.issuer {
      $0.rotate = .seconds(1)
      $0.overlap = .seconds(86_400)
    }
    for second in stride(from: 0.0, through: 400, by: 1) { _ = try Self.mint(&issuer, 1, after: second) }
    let kid = try Self.kid(Self.mint(&issuer, 1, after: 400))
    let names = try Self.names(Self.ask(&issuer, after: 400))
    #expect(names.count == IssuerRules.keysMax && names.last == kid)
    // A day without a request makes no more keys than the set has.
    let later = try Self.names(Self.ask(&issuer, after: 90_000))
    #expect(later.count == IssuerRules.keysMax && later.last == "run-90000")
  }

  @Test
  func `the time from a rotation to its first accepted token is the longest of all`() throws {
    var issuer = try Self.issuer { $0.rotate = .seconds(30) }
    for (client, shown, accepted) in [(1, 1.0, 2.0), (2, 31.0, 35.0), (3, 36.0, 36.5), (4, 60.0, 61.0)] {
      _ = try Self.mint(&issuer, client, after: shown)
      issuer.accepted(client, at: Self.start + .seconds(accepted))
    }
    #expect(issuer.figures.longestToAccepted == 5)
    #expect(issuer.figures.rotationsShown == 2 && issuer.figures.rotationsAccepted == 2)
    _ = try Self.mint(&issuer, 5, after: 95)
    issuer.unaccepted(5, isRefused: true)
    #expect(issuer.figures.rotationsShown == 3 && issuer.figures.rotationsAccepted == 2)
    #expect(issuer.figures.valid.refused == 1 && issuer.figures.valid.accepted == 4)
  }

  // MARK: ETag

  @Test
  func `the tag of the present keys is answered with 304, and the tag changes with the keys`() throws {
    var issuer = try Self.issuer { $0.rotate = .seconds(30) }
    let first = try #require(Self.tag(Self.ask(&issuer, after: 1)))
    for known in [first, "W/\(first)", "\"other\", \(first)", "*"] {
      #expect(Self.ask(&issuer, after: 2, known: known) == .unchanged(tag: first), "\(known)")
    }
    #expect(try Self.names(Self.ask(&issuer, after: 2, known: "\"other\"")).count == 1)
    let second = Self.ask(&issuer, after: 31, known: first)
    #expect(try Self.names(second) == ["run-0", "run-1"] && Self.tag(second) != first)
    #expect(issuer.figures.unchanged == 4)
  }

  // MARK: Forged tokens

  @Test
  func `forged tokens have a new kid each, and no key of the set verifies them`() throws {
    var issuer = try Self.issuer { $0.forged = 0.5 }
    let forger = try #require((1...100).first { issuer.rules.isForger($0) })
    let honest = try #require((1...100).first { !issuer.rules.isForger($0) })
    let forged = try (0..<20).map { _ in try Self.mint(&issuer, forger, after: 1) }
    let good = try Self.mint(&issuer, honest, after: 1)
    guard case .keys(let set, _) = Self.ask(&issuer, after: 2) else { throw KeyError.notPrivate }
    let verifier = JWTVerifier(keys: try KeySet(jwks: set), policy: TokenPolicy())
    _ = try verifier.verify(good, at: Self.start + .seconds(2))
    #expect(Set(try forged.map(Self.kid)).count == 20)
    for token in forged {
      #expect(throws: TokenError.self) { try verifier.verify(token, at: Self.start + .seconds(2)) }
    }
    #expect(issuer.figures.forged.shown == 20 && issuer.figures.afterUnknownKid == 1)
  }

  @Test
  func `a refused forger is expected, and one that gets in is counted by itself`() throws {
    var issuer = try Self.issuer { $0.forged = 0.5 }
    let forgers = (1...100).filter { issuer.rules.isForger($0) }.prefix(3)
    for forger in forgers { _ = try Self.mint(&issuer, forger, after: 1) }
    issuer.unaccepted(forgers[0], isRefused: true)
    issuer.unaccepted(forgers[1], isRefused: false)
    issuer.accepted(forgers[2], at: Self.start + .seconds(2))
    let forged = issuer.figures.forged
    #expect(forged.refused == 1 && forged.unjudged == 1 && forged.accepted == 1)
    #expect(issuer.figures.valid == KeyFigures.Tokens())
  }

  @Test(arguments: [(0.0, 0...0), (0.05, 400...600), (0.9, 8_800...9_200)])
  func `the share of forgers is what was asked for, and the first client is none`(
    share: Double, expected: ClosedRange<Int>
  ) throws {
    let issuer = try Self.issuer { $0.forged = share }
    #expect(expected.contains((0..<10_000).count { issuer.rules.isForger($0) }))
    #expect(!issuer.rules.isForger(0))
  }

  @Test
  func `requests after a token that no answer had a key for are counted apart`() throws {
    var issuer = try Self.issuer { $0.rotate = .seconds(30) }
    _ = try Self.mint(&issuer, 1, after: 1)
    _ = Self.ask(&issuer, after: 1)
    _ = try Self.mint(&issuer, 1, after: 2)
    _ = Self.ask(&issuer, after: 2)
    _ = try Self.mint(&issuer, 1, after: 31)
    _ = Self.ask(&issuer, after: 31)
    _ = Self.ask(&issuer, after: 32)
    #expect(issuer.figures.afterUnknownKid == 2 && issuer.figures.requests == 4)
    #expect(issuer.figures.mostPerKey == 2)
  }

  @Test
  func `a fate is counted once for each token`() throws {
    var issuer = try Self.issuer()
    issuer.accepted(1, at: Self.start)
    _ = try Self.mint(&issuer, 1, after: 1)
    issuer.accepted(1, at: Self.start)
    issuer.unaccepted(1, isRefused: true)
    #expect(issuer.figures.valid.accepted == 1 && issuer.figures.valid.refused == 0)
  }

  // MARK: Opaque tokens

  private static func introspect(_ issuer: inout IssuerState, _ token: String, after seconds: Double) throws -> JSONView
  {
    try JSONDocument.parse(issuer.introspect(token, at: start + .seconds(seconds))).root
  }

  @Test
  func `an opaque token is active for its user until it ends, and no forged one ever is`() throws {
    var issuer = try Self.issuer {
      $0.introspects = true
      $0.forged = 0.5
    }
    let forger = try #require((1...100).first { issuer.rules.isForger($0) })
    let honest = try #require((1...100).first { !issuer.rules.isForger($0) })
    let token = try Self.mint(&issuer, honest, after: 1)
    let forged = try Self.mint(&issuer, forger, after: 1)
    let answer = try Self.introspect(&issuer, token, after: 60.9)
    #expect(answer["active"]?.bool == true && answer["sub"]?.string == "ann")
    #expect(answer["iss"]?.string == "http://127.0.0.1:9090" && answer["exp"]?.integer == 1_800_000_061)
    for (token, second) in [(token, 61.0), (forged, 2), ("opaque_", 2), ("", 2)] {
      #expect(try Self.introspect(&issuer, token, after: second)["active"]?.bool == false)
    }
    issuer.accepted(honest, at: Self.start + .seconds(2))
    issuer.unaccepted(forger, isRefused: true)
    #expect(issuer.figures.valid.accepted == 1 && issuer.figures.forged.refused == 1)
    #expect(issuer.figures.introspections == 5 && issuer.figures.requests == 0 && issuer.figures.rotationsShown == 0)
  }

  @Test
  func `opaque tokens that have ended are forgotten`() {
    var tokens = OpaqueTokens()
    let secrets = Secrets(seed: 1)
    for second in 0..<20_000 {
      let now = Self.start + .seconds(second)
      _ = tokens.mint(user: UserID("ann"), issuedAt: now, expiresAt: now + .seconds(60), secrets)
    }
    #expect(tokens.count <= 1024)
  }
}
