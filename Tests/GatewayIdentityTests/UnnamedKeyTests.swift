import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import GatewayTokens
import TestSupport
import TestTraits
import Testing

@testable import GatewayIdentity

/// Tokens without a `kid`, of known keys, new keys and none, in virtual time.
@Suite(.timeLimit(.minutes(2)))
struct UnnamedKeyTests {
  private let space: IdentitySpace
  private let forger = VirtualIssuer(["other"])
  private let signatureInvalid = 401_004
  private let unjudged = 503_005

  init() throws {
    space = try IdentitySpace(VirtualIssuer())
    guard space.begin() == nil else { throw SceneFailure() }
    space.advance(.seconds(60))
  }

  private struct SceneFailure: Error {}

  private func issuedAt(_ ago: Int64) -> String {
    ",\"iat\":\(space.inner.world.wallTime.nanoseconds / 1_000_000_000 - ago)"
  }

  /// Returns a token without a `kid` that was issued that many seconds ago.
  private func token(_ key: String, ago: Int64 = 0) throws -> String {
    try space.issuer.token(key, isNamed: false, more: issuedAt(ago))
  }

  /// Returns one that no key of the issuer has signed.
  private func forged(ago: Int64 = 0) throws -> String {
    try forger.token("other", isNamed: false, more: issuedAt(ago))
  }

  private func connect(_ token: String) -> SimulatedPeer {
    space.inner.dial(
      HTTPRequest(
        method: "GET", path: "/v1/connect", headers: [HTTPField("authorization", "Bearer \(token)")]))
  }

  private func refresh(_ peer: SimulatedPeer, _ token: String) { peer.say(#"{"type":"refresh","token":"\#(token)"}"#) }

  @Test
  func `the first logins after a rotation without kids wait for one fetch, and are accepted`() throws {
    space.issuer.add("k2")
    space.issuer.delay = .seconds(1)
    let new = try token("k2")
    #expect(space.outcomes([String](repeating: new, count: 200)) == [Int](repeating: 0, count: 200))
    #expect(try space.requestCount == 2 && space.outcome(token("k1")) == 0)
    space.issuer.published = ["k2"]
    space.issuer.add("k3")
    space.advance(.seconds(31))
    #expect(try space.outcome(token("k3")) == 0 && space.requestCount == 3)
    #expect(try space.outcome(token("k1", ago: 60)) == signatureInvalid && space.requestCount == 3)
  }

  @Test
  func `a known key's tokens cause no fetch, and a forged one causes one and keeps its error`() throws {
    #expect(try space.outcome(token("k1")) == 0 && space.requestCount == 1)
    #expect(try space.outcome(forged()) == signatureInvalid && space.requestCount == 2)
    #expect(try space.outcome(token("k1")) == 0 && space.requestCount == 2)
  }

  @Test(.long)
  func `ten thousand forged tokens in a minute cause a fetch per cool-down, and none is accepted`() throws {
    let before = space.requestCount
    var numbers: Set<Int> = []
    for _ in 0..<100 {
      numbers.formUnion(space.outcomes([String](repeating: try forged(), count: 100)))
      space.advance(.milliseconds(550))
    }
    #expect(numbers == [signatureInvalid, unjudged] && space.requestCount - before <= 2, "\(numbers)")
    #expect(try space.outcome(token("k1")) == 0)
  }

  @Test
  func `within the cool-down a new key's login cannot be judged, and after it one fetch accepts it`() throws {
    #expect(try space.outcome(forged()) == signatureInvalid)
    let asked = space.requestCount
    space.issuer.add("k2")
    #expect(try space.outcome(token("k2")) == unjudged)
    #expect(try space.outcome(forged()) == unjudged && space.requestCount == asked)
    space.advance(.seconds(29))
    #expect(try space.outcome(token("k2")) == unjudged && space.requestCount == asked)
    space.advance(.seconds(2))
    #expect(try space.outcome(token("k2")) == 0 && space.requestCount == asked + 1)
  }

  @Test
  func `within the cool-down a forged token that is older than the keys is refused at once`() throws {
    #expect(try space.outcome(forged()) == signatureInvalid)
    let asked = space.requestCount
    space.advance(.seconds(10))
    #expect(try space.outcome(forged(ago: 30)) == signatureInvalid && space.requestCount == asked)
  }

  @Test
  func `a refresh within the cool-down waits for its end: a new key is accepted, and a forged one is 401004`() throws {
    let (ann, forgery) = (connect(try token("k1")), connect(try token("k1")))
    #expect(try space.outcome(forged()) == signatureInvalid)
    let asked = space.requestCount
    space.issuer.add("k2")
    refresh(ann, try token("k2"))
    refresh(forgery, try forged())
    space.advance(.seconds(28))
    #expect(ann.texts.count == 1 && forgery.texts.count == 1 && space.requestCount == asked)
    space.advance(.seconds(3))
    #expect(ann.texts.last?.contains(bytesOf: #""type":"refreshed""#) == true && ann.isOpen, "\(ann.texts)")
    #expect(forgery.texts.last?.contains(bytesOf: "401004") == true && forgery.isOpen, "\(forgery.texts)")
    #expect(space.requestCount == asked + 1)
  }

  @Test
  func `a token that comes while its key is on the way needs no other fetch`() throws {
    space.issuer.delay = .seconds(1)
    let asked = space.requestCount
    while space.requestCount == asked { space.advance(.milliseconds(500)) }
    // The timer's fetch is answered with the keys of its end.
    space.issuer.add("k2")
    #expect(try space.outcome(token("k2")) == 0 && space.requestCount == asked + 1)
  }

  @Test
  func `after a failed fetch an unknown signature cannot be judged, and a known key stays valid`() throws {
    space.issuer.add("k2")
    space.issuer.answer = { _ in HTTPResponse(status: 500) }
    #expect(try space.outcome(token("k2")) == unjudged)
    #expect(try space.outcome(token("k1")) == 0 && space.outcome(forged()) == unjudged)
    space.issuer.answer = nil
    space.advance(.seconds(40))
    #expect(try space.outcome(token("k2")) == 0)
    #expect(try space.outcome(forged(ago: 60)) == signatureInvalid)
  }

  /// Returns whether a token waits for keys, and false if its failure stands.
  private func waits(_ advice: KeyAdvice) -> Bool? {
    switch advice {
    case .stands: false
    case .refused: nil
    case .wait(_): true
    }
  }

  @Test
  func `of several issuers only the one that a token names is asked for new keys`() throws {
    let settings = try ["https://one.example", "https://two.example"].map { name in
      var policy = TokenPolicy()
      policy.issuer = Name(name)
      return try IssuerSettings(name: "i", .keys(try EndpointAddress(name + "/keys")), policy: policy)
    }
    let secret = try KeyMaterial.secret(Array(IdentitySpace.secret.utf8))
    let logins = LoginIssuers(settings, besides: JWTVerifier(keys: try KeySet([try VerificationKey(secret)])))
    for issuer in logins.issuers {
      let keys = try FetchedKeys(
        jwks: VirtualIssuer().keySet, of: issuer.owner, algorithms: issuer.settings.algorithms)
      _ = issuer.take(keys.keys)
    }
    let (one, two) = (logins.issuers[0], logins.issuers[1])
    let token = try forger.token("other", isNamed: false, issuer: "https://two.example")
    #expect(waits(logins.advice(on: .signature, of: token, mayWait: false)) == true)
    let elsewhere = try forger.token("other", isNamed: false, issuer: "https://three.example")
    #expect(waits(logins.advice(on: .signature, of: elsewhere, mayWait: false)) == false)
    var page = PrometheusText()
    FetchedIssuer.write([one], at: .zero, to: &page)
    #expect(page.text.contains(#"postern_jwks_unknown_kid_total{issuer="i"} 0"#))
    page = PrometheusText()
    FetchedIssuer.write([two], at: .zero, to: &page)
    #expect(page.text.contains(#"postern_jwks_unknown_kid_total{issuer="i"} 1"#))
  }
}
