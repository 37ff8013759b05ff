import GatewayCore
import GatewayRuntime
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayFaults
@testable import GatewayIdentity

/// An identity provider that is broken on purpose.
@Suite(.timeLimit(.minutes(2)))
struct IdentityFaultTests {
  private func space(discovers: Bool = false, logs: LogKeeper = LogKeeper()) throws -> IdentitySpace {
    let space = try IdentitySpace(VirtualIssuer(), discovers: discovers, logs: logs, takesFaults: true)
    if discovers {
      space.issuer.answer = { [unowned issuer = space.issuer] request in
        guard request.path.hasSuffix("openid-configuration") else {
          return HTTPResponse(status: 200, body: issuer.keySet)
        }
        let document = "{\"issuer\":\"\(VirtualIssuer.name)\",\"jwks_uri\":\"\(VirtualIssuer.name)/keys\"}"
        return HTTPResponse(status: 200, body: Array(document.utf8))
      }
    }
    #expect(space.begin() == nil)
    space.advance(.seconds(60))
    return space
  }

  /// The fault, and whether the issuer is asked meanwhile.
  private static let harms: [(order: String, isAsked: Bool)] = [
    (#"{"fault": "jwks_answer", "status": 429, "retry_after_s": 40}"#, false), (#"{"fault": "jwks_answer"}"#, false),
    (#"{"fault": "jwks_never", "issuer": "login"}"#, false), (#"{"fault": "jwks_malformed"}"#, false),
    (#"{"fault": "jwks_slow", "by_ms": 9000}"#, false), (#"{"fault": "jwks_slow", "by_ms": 500}"#, true),
  ]

  @Test(arguments: harms.indices)
  func `under a fault of the keys a known key stays valid, a new one cannot be judged, and both are valid afterwards`(
    index: Int
  ) throws {
    let (order, isAsked) = Self.harms[index]
    let space = try space()
    let asked = space.requestCount
    try space.inner.fail(order)
    space.issuer.add("k2")
    space.advance(.seconds(10))
    #expect(space.outcome(try space.issuer.token("k1")) == 0)
    #expect(space.outcome(try space.issuer.token("k2")) == (isAsked ? 0 : 503_005))
    #expect((space.requestCount > asked) == isAsked)
    space.inner.mend()
    // A pause that the issuer has asked for outlives the fault.
    space.advance(order.has("retry_after_s") ? .seconds(60) : .seconds(2))
    for key in ["k1", "k2"] { #expect(space.outcome(try space.issuer.token(key)) == 0) }
    #expect(space.requestCount > asked)
    #expect(space.inner.faulted > 0)
  }

  @Test
  func `a withdrawn key is refused as long as the fault lasts, and the others are not`() throws {
    let space = try space()
    space.issuer.add("k2")
    #expect(space.outcome(try space.issuer.token("k2")) == 0)
    try space.inner.fail(#"{"fault": "jwks_withdraw", "kid": "k1", "for_s": 20}"#)
    space.advance(.seconds(1))
    #expect(space.outcome(try space.issuer.token("k1")) == 401_006)
    #expect(space.outcome(try space.issuer.token("k2")) == 0)
    space.advance(.seconds(20))
    #expect(space.outcome(try space.issuer.token("k1")) == 0)
  }

  @Test
  func `a fault of keys that begins later takes effect at its time`() throws {
    let space = try space()
    space.issuer.add("k2")
    try space.inner.fail(#"{"fault": "jwks_withdraw", "kid": "k1", "when": {"at_s": 5}, "for_s": 20}"#)
    space.advance(.seconds(4))
    #expect(space.outcome(try space.issuer.token("k1")) == 0)
    space.advance(.seconds(2))
    #expect(space.outcome(try space.issuer.token("k1")) == 401_006)
    space.advance(.seconds(20))
    #expect(space.outcome(try space.issuer.token("k1")) == 0)
  }

  @Test
  func `a discovery document of another issuer keeps the known keys and is logged with both names`() throws {
    let logs = LogKeeper()
    let space = try space(discovers: true, logs: logs)
    try space.inner.fail(#"{"fault": "discovery_other_issuer"}"#)
    space.advance(.seconds(3))
    #expect(space.outcome(try space.issuer.token("k1")) == 0)
    let line = try #require(logs.all("jwks_failed").first?["error"])
    #expect(line.has(VirtualIssuer.name) && line.has("https://another-issuer.invalid"), "\(line)")
    space.issuer.add("k2")
    space.inner.mend()
    space.advance(.seconds(2))
    #expect(space.outcome(try space.issuer.token("k2")) == 0)
  }

  /// The fault, and the error of a login under it.
  private static let verdicts: [(order: String, error: Int)] = [
    (#"{"fault": "introspect_inactive", "times": 1}"#, 401_013),
    (#"{"fault": "introspect_answer", "status": 403}"#, 503_005), (#"{"fault": "introspect_answer"}"#, 503_005),
    (#"{"fault": "introspect_slow", "by_ms": 1000}"#, 0), (#"{"fault": "introspect_slow", "by_ms": 60000}"#, 503_005),
  ]

  @Test(arguments: verdicts.indices)
  func `a login by an opaque token under a fault ends as its row says, and is right afterwards`(index: Int) throws {
    let (order, error) = Self.verdicts[index]
    let space = try IntrospectionSpace(takesFaults: true) { $0.cacheLife = .zero }
    try space.inner.fail(order)
    #expect(space.outcome("tok-ann") == error)
    #expect(space.server.requests.isEmpty == (error != 0))
    space.inner.mend()
    space.pass(30)
    #expect(space.outcome("tok-ann") == 0)
  }

  @Test
  func `a fault of what the gateway does not ask is refused with what is missing, or the names that there are`() throws
  {
    let space = try space()
    for (order, advice) in [
      (#"{"fault": "introspect_inactive"}"#, "--introspection"), (#"{"fault": "webhook_lost"}"#, "sends none"),
      (#"{"fault": "jwks_never", "issuer": "logim"}"#, "did you mean 'login'?"),
      (#"{"fault": "jwks_withdraw"}"#, "kid is missing"), (#"{"fault": "jwks_slow"}"#, "by_ms is missing"),
    ] {
      let refused = #expect(throws: GatewayError.self) { try space.inner.fail(order) }
      #expect(refused?.message.has(advice) == true, "\(refused?.message ?? "")")
    }
    let opaque = try IntrospectionSpace(takesFaults: true)
    let refused = #expect(throws: GatewayError.self) { try opaque.inner.fail(#"{"fault": "jwks_never"}"#) }
    #expect(refused?.message.has("--jwks, --oidc or --identity") == true)
  }
}
