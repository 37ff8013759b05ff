import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

@testable import GatewayIdentity

/// Tokens of keys that were not published ahead, in virtual time.
@Suite(.timeLimit(.minutes(2)))
struct NewKeyTests {
  private let space: IdentitySpace
  private let keyUnknown = 401_006
  private let unjudged = 503_005

  init() throws {
    space = try IdentitySpace(VirtualIssuer())
    guard space.begin() == nil else { throw SceneFailure() }
  }

  private struct SceneFailure: Error {}

  /// Returns a token that was issued that many seconds ago, one hour long.
  private func token(_ key: String, named kid: String? = nil, ago: Int64 = 0) throws -> String {
    let now = space.inner.world.wallTime.nanoseconds / 1_000_000_000
    return try space.issuer.token(key, named: kid, more: ",\"iat\":\(now - ago)")
  }

  private func connect(_ token: String) -> SimulatedPeer {
    space.inner.dial(
      HTTPRequest(
        method: "GET", path: "/v1/connect", headers: [HTTPField("authorization", "Bearer \(token)")]))
  }

  private func refresh(_ peer: SimulatedPeer, _ token: String) { peer.say(#"{"type":"refresh","token":"\#(token)"}"#) }

  /// Has a forged token cause a fetch, so that the cool-down begins.
  private func coolDown() throws {
    #expect(try space.outcome(token("k1", named: "forged")) == keyUnknown)
  }

  @Test(.long)
  func `keys rotated every 30 s beside forged kids cost no good token, and at most one fetch per rotation`() throws {
    space.advance(.seconds(7))
    space.issuer.delay = .milliseconds(300)
    let before = space.requestCount
    var (late, refused): ([String], Set<Int>) = ([], [])
    for rotation in 1...10 {
      space.issuer.add("r\(rotation)")
      // The former key's tokens live for another minute.
      if rotation > 2 { space.issuer.published.removeAll { $0 == "r\(rotation - 2)" } }
      let end = space.inner.world.now + .seconds(30)
      while space.inner.world.now < end {
        let good = try token("r\(rotation)")
        let outcomes = space.outcomes([good, try token("k1", named: "forged"), good])
        refused.insert(outcomes[1])
        #expect([0, unjudged].contains(outcomes[0]) && [0, unjudged].contains(outcomes[2]))
        if outcomes[0] != 0 { late.append(good) }
        space.advance(.milliseconds(700))
      }
      // Whoever tried again has been accepted by now, or is when the cool-down ends.
      late = late.filter { space.outcome($0) != 0 }
    }
    space.advance(.seconds(31))
    #expect(late.allSatisfy { space.outcome($0) == 0 })
    #expect(refused == [keyUnknown, unjudged])
    #expect((10...11).contains(space.requestCount - before), "\(space.requestCount - before)")
  }

  @Test
  func `a refresh with a new key within the cool-down waits for its end, and is accepted`() throws {
    let ann = connect(try token("k1"))
    try coolDown()
    let asked = space.requestCount
    space.issuer.add("k2")
    refresh(ann, try token("k2"))
    #expect(try space.outcome(token("k2")) == unjudged)
    space.advance(.seconds(29))
    #expect(ann.texts.count == 1 && space.requestCount == asked)
    space.advance(.seconds(2))
    #expect(ann.texts.last?.contains(bytesOf: #""type":"refreshed""#) == true && ann.isOpen, "\(ann.texts)")
    #expect(try space.requestCount == asked + 1 && space.outcome(token("k2")) == 0)
  }

  @Test
  func `a refresh with a forged kid within the cool-down is refused with 401006 by the next keys`() throws {
    let ann = connect(try token("k1"))
    try coolDown()
    refresh(ann, try token("k1", named: "other"))
    space.advance(.seconds(29))
    #expect(ann.texts.count == 1)
    space.advance(.seconds(2))
    #expect(ann.texts.last?.contains(bytesOf: "401006") == true && ann.isOpen, "\(ann.texts)")
  }

  @Test
  func `a token that is older than the keys is refused within the cool-down, at a refresh too`()
    throws
  {
    let ann = connect(try token("k1"))
    space.advance(.seconds(60))
    try coolDown()
    let asked = space.requestCount
    #expect(try space.outcome(token("k1", named: "withdrawn", ago: 10)) == keyUnknown)
    refresh(ann, try token("k1", named: "withdrawn", ago: 10))
    space.advance(.seconds(1))
    #expect(ann.texts.last?.contains(bytesOf: "401006") == true && space.requestCount == asked)
    // No clock differs by a minute: such a token would be refused anyway.
    #expect(try space.outcome(token("k1", named: "forged", ago: -60)) == keyUnknown)
  }

  @Test
  func `a token that comes while keys are on their way waits for the fetch after, if that may begin`() throws {
    space.issuer.headers = [HTTPField("cache-control", "max-age=300")]
    space.issuer.delay = .seconds(1)
    let asked = space.requestCount
    while space.requestCount == asked { space.advance(.milliseconds(500)) }
    // The timer's fetch is answered with the keys of its end, but it may have been answered before.
    #expect(try space.outcome(token("k1", named: "forged")) == keyUnknown)
    #expect(space.requestCount == asked + 2)
  }

  @Test
  func `the fetch at the start begins no cool-down, and one that a token caused does`() throws {
    space.issuer.add("k2")
    #expect(try space.outcome(token("k2")) == 0 && space.requestCount == 2)
    #expect(try space.outcome(token("k2", named: "k3")) == unjudged && space.requestCount == 2)
    space.advance(.seconds(30))
    #expect(try space.outcome(token("k2", named: "k3")) == keyUnknown && space.requestCount == 3)
  }

  @Test
  func `a refresh that waits for the end of the cool-down cannot be judged if the keys are away then`() throws {
    let ann = connect(try token("k1"))
    try coolDown()
    space.issuer.answer = { _ in HTTPResponse(status: 500) }
    refresh(ann, try token("k1", named: "other"))
    space.advance(.seconds(32))
    #expect(ann.texts.last?.contains(bytesOf: "503005") == true && ann.isOpen, "\(ann.texts)")
  }
}
