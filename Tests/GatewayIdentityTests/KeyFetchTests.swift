import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import GatewayTokens
import TestSupport
import TestTraits
import Testing

@testable import GatewayIdentity

/// The schedule of fetches, and what tokens meet meanwhile, in virtual time.
@Suite(.timeLimit(.minutes(2)))
struct KeyFetchTests {
  @Test
  func `a token of a fetched key is accepted, and one fetch serves a day of logins`() throws {
    let space = try IdentitySpace(VirtualIssuer())
    space.issuer.headers = [HTTPField("cache-control", "public, max-age=86400")]
    #expect(space.begin() == nil && space.fetched.isReady)
    for _ in 0..<20 {
      #expect(space.outcome(try space.issuer.token("k1")) == 0)
      space.advance(.seconds(3_600))
    }
    #expect(space.requestCount == 1)
  }

  @Test
  func `an unknown kid causes one fetch, for which all tokens wait, and then they are accepted`() throws {
    let space = try IdentitySpace(VirtualIssuer())
    #expect(space.begin() == nil)
    space.advance(.seconds(60))
    space.issuer.add("k2")
    space.issuer.delay = .seconds(1)
    let token = try space.issuer.token("k2")
    #expect(space.outcomes([String](repeating: token, count: 200)) == [Int](repeating: 0, count: 200))
    #expect(space.requestCount == 2)
  }

  @Test(.long)
  func `ten thousand unknown kids in a minute cause two fetches, and none is accepted`() throws {
    let space = try IdentitySpace(VirtualIssuer())
    #expect(space.begin() == nil)
    space.advance(.seconds(40))
    var numbers: Set<Int> = []
    for round in 0..<100 {
      numbers.formUnion(
        space.outcomes(try (0..<100).map { try space.issuer.token("k1", named: "forged-\(round)-\($0)") }))
      space.advance(.milliseconds(550))
    }
    #expect(numbers == [401_006, 503_005] && space.requestCount <= 3, "\(numbers) \(space.requestCount)")
    #expect(space.outcome(try space.issuer.token("k1")) == 0)
  }

  @Test
  func `after a failed fetch an unknown kid gets 503005, a known key stays valid, and later the new one is valid`()
    throws
  {
    let space = try IdentitySpace(VirtualIssuer())
    #expect(space.begin() == nil)
    space.advance(.seconds(60))
    space.issuer.add("k2")
    space.issuer.answer = { _ in HTTPResponse(status: 500) }
    #expect(space.outcome(try space.issuer.token("k2")) == 503_005)
    #expect(space.outcome(try space.issuer.token("k1")) == 0)
    space.issuer.answer = nil
    space.advance(.seconds(40))
    #expect(space.outcome(try space.issuer.token("k2")) == 0)
    #expect(space.outcome(try space.issuer.token("k2", named: "k3")) == 401_006)
  }

  @Test
  func `a gateway whose issuer is away starts after ten seconds without keys, and has them soon after its return`()
    throws
  {
    let space = try IdentitySpace(VirtualIssuer())
    space.issuer.answer = { _ in HTTPResponse(status: 503) }
    let begun = space.inner.world.now
    #expect(space.begin() == nil && space.inner.world.now - begun == .seconds(10))
    #expect(!space.fetched.isReady && space.inner.space.issuersWithoutKeys == ["login"])
    #expect(space.outcome(try space.issuer.token("k1")) == 503_005)
    space.issuer.answer = nil
    space.advance(.seconds(31))
    #expect(space.fetched.isReady && space.inner.space.issuersWithoutKeys.isEmpty)
    #expect(space.outcome(try space.issuer.token("k1")) == 0)
  }

  @Test(arguments: [
    ("max-age=3600", 3_600), ("max-age=1", 300), ("max-age=99999999999999999999", 86_400), ("no-store", 300),
    ("private", 600), ("max-age=zwei", 300), ("s-maxage=9, MAX-AGE = 1200", 1_200), ("max-age=4000, max-age=900", 900),
  ])
  func `the next fetch is due when the answer is no longer fresh, within bounds`(field: String, seconds: Int) throws {
    let space = try IdentitySpace(VirtualIssuer())
    space.issuer.headers = [HTTPField("cache-control", field)]
    #expect(space.begin() == nil)
    let first = space.issuer.requests[0].at
    space.advance(.seconds(seconds) * 1.2)
    let next = space.issuer.requests[1].at - first
    #expect(next >= .seconds(seconds) * 0.89 && next <= .seconds(seconds) * 1.11, "\(next)")
  }

  @Test
  func `the age of an answer counts, and an unchanged set makes no new verifier`() throws {
    let logs = LogKeeper()
    let space = try IdentitySpace(VirtualIssuer(), logs: logs)
    space.issuer.headers = [HTTPField("cache-control", "max-age=3600"), HTTPField("age", "3000")]
    #expect(space.begin() == nil)
    space.advance(.seconds(7_000))
    #expect((9...13).contains(space.requestCount), "\(space.requestCount)")
    #expect(logs.all("jwks_read").count == 1)
  }

  @Test
  func `a withdrawn key is refused from the next fetch on, because the whole set is replaced`() throws {
    let space = try IdentitySpace(VirtualIssuer(["k1", "k2"]))
    #expect(try space.begin() == nil && space.outcome(space.issuer.token("k1")) == 0)
    space.issuer.published = ["k2"]
    space.advance(.seconds(700))
    #expect(space.outcome(try space.issuer.token("k1")) == 401_006)
    #expect(space.outcome(try space.issuer.token("k2")) == 0)
    #expect(space.fetched.verifier.keys.keys.count == 2)
  }

  @Test
  func `keys that cannot be confirmed for a day are dropped, and their tokens get 503005`() throws {
    let logs = LogKeeper()
    let space = try IdentitySpace(VirtualIssuer(), logs: logs)
    #expect(space.begin() == nil)
    space.issuer.answer = { _ in HTTPResponse(status: 502) }
    space.advance(.seconds(23 * 3_600))
    #expect(space.outcome(try space.issuer.token("k1")) == 0)
    space.advance(.seconds(2 * 3_600))
    #expect(space.outcome(try space.issuer.token("k1")) == 503_005 && logs.all("jwks_dropped").count == 1)
    space.issuer.answer = nil
    space.advance(.seconds(60))
    #expect(space.outcome(try space.issuer.token("k1")) == 0)
  }

  @Test
  func `a server that wants to be left alone is left alone, whatever kids tokens have`() throws {
    let space = try IdentitySpace(VirtualIssuer())
    #expect(space.begin() == nil)
    space.issuer.answer = { _ in HTTPResponse(status: 429, headers: [HTTPField("retry-after", "300")]) }
    space.advance(.seconds(700))
    let before = space.requestCount
    #expect(before == 2)
    for _ in 0..<40 {
      _ = space.outcome(try space.issuer.token("k1", named: "new"))
      space.advance(.seconds(1))
    }
    #expect(space.requestCount == before)
    #expect(space.outcome(try space.issuer.token("k1")) == 0)
  }

  @Test
  func `failures are retried at growing intervals, and each is logged with its reason and the next time`() throws {
    let logs = LogKeeper()
    let space = try IdentitySpace(VirtualIssuer(), logs: logs)
    space.issuer.answer = { _ in HTTPResponse(status: 500, body: Array("a secret of the server".utf8)) }
    #expect(space.begin() == nil)
    space.advance(.seconds(600))
    #expect((20...50).contains(space.requestCount), "\(space.requestCount)")
    let failed = logs.all("jwks_failed")
    #expect(failed.count == space.requestCount && failed[0]["error"] == "status 500" && failed[0]["next_try_s"] == "1")
    #expect(failed.allSatisfy { !"\($0)".contains("a secret of the server") })
  }

  @Test
  func `a request to a hung server ends after three seconds, and a redirect and a huge answer are failures`() throws {
    let logs = LogKeeper()
    let space = try IdentitySpace(VirtualIssuer(), logs: logs)
    space.issuer.delay = .seconds(100)
    #expect(space.begin(patience: .seconds(3.5)) == nil && space.requestCount == 1)
    #expect(logs.all("jwks_failed")[0]["error"] == "no answer in time")
    space.issuer.delay = .zero
    space.issuer.answer = { _ in
      HTTPResponse(status: 302, headers: [HTTPField("location", "https://login.example/elsewhere")])
    }
    space.advance(.seconds(10))
    #expect(logs.all("jwks_failed").last?["error"] == "status 302")
    #expect(Set(space.issuer.requests.map(\.path)) == [VirtualIssuer.keysPath])
    space.issuer.answer = { _ in HTTPResponse(status: 200, body: [UInt8](repeating: 0x20, count: 5 << 20)) }
    space.advance(.seconds(40))
    #expect(logs.all("jwks_failed").last?["error"] == "the response is above 262144 bytes")
  }

  @Test
  func `of ten thousand waiting tokens none more waits, and the fetch lets all go on`() throws {
    let space = try IdentitySpace(VirtualIssuer())
    #expect(space.begin() == nil)
    space.advance(.seconds(60))
    space.issuer.delay = .seconds(1)
    let token = try space.issuer.token("k1", named: "new")
    let fetched = space.fetched
    let started = (0..<10_001).map { _ in
      space.inner.start { () async -> Int in
        switch fetched.advice(on: .keyUnknown, of: token, mayWait: false) {
        case .wait(let wait): return await wait()?.number ?? 0
        case .stands, .refused: return -1
        }
      }
    }
    #expect(started.compactMap { $0.value } == [503_005])
    space.advance(.seconds(2))
    #expect(started.count { $0.value == 0 } == 10_000 && space.requestCount == 2)
  }
}
