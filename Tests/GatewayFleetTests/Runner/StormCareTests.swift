import GatewayCore
import GatewayKit
import TestSupport
import Testing

@testable import GatewayFleet

struct StormCareTests {
  @Test
  func `no more provider calls begin in a second than allowed, and every client still gets a token`() throws {
    var storm = try VirtualStorm()
    storm.plan.rate = 100
    storm.plan.expireAfter = 30
    storm.plan.fetchRate = 20
    let (result, _) = try storm.run()
    let peak = try #require(result.bins.peak(result.bins.providerLogins, over: .seconds(1)))
    // Two loops, each with up to two concurrent connects.
    #expect((18...23).contains(peak))
    let wave = try #require(result.bins.peak(result.bins.providerRefreshes, over: .seconds(1)))
    #expect((18...23).contains(wave))
    #expect(result.refreshedShare == 1 && result.everybody.lostUnexpectedly == 0)
    // The wait for a turn is part of the wait for the token.
    #expect(try #require(result.latencies.provider.maximum) > .seconds(5))
  }

  @Test
  func `the first tokens expire when the last client can have one, and an earlier expiry is refused`() throws {
    var plan = StormPlan()
    plan.clients = 600
    plan.rate = 500
    plan.fetchRate = 50
    #expect(plan.expiresAfter == .seconds(12) + plan.hold)
    plan.expireAfter = 10
    #expect(throws: StormPlanError.self) { try plan.check() }
    plan.fetchRate = 1e-3
    plan.clients = 1_000_000
    plan.expireAfter = nil
    // No overflow.
    #expect(plan.end > .zero)
  }

  @Test
  func `a finished part keeps its clients until it is told to leave, and does not count as interrupted`() throws {
    let alone = try VirtualStorm().run().result
    var storm = try VirtualStorm()
    storm.waitsForOthers = true
    storm.interruptAfter = .seconds(40)
    let (result, progress) = try storm.run()
    #expect(!result.wasInterrupted && !result.ranOutOfTime)
    #expect(result.seconds > alone.seconds + 20)
    #expect(result.refreshes.accepted == 200 && result.disconnects.total == 0)
    #expect(progress.last?.isThrough == true && progress.last?.connected == 200)
    #expect(progress.first?.isThrough == false)
  }

  @Test
  func `a part that is ended before it has finished counts as interrupted`() throws {
    var storm = try VirtualStorm()
    storm.waitsForOthers = true
    storm.interruptAfter = .seconds(4)
    let (result, progress) = try storm.run()
    #expect(result.wasInterrupted && progress.allSatisfy { !$0.isThrough })
  }

  @Test
  func `the first call without a token is reported at once, while its client still retries`() throws {
    var storm = try VirtualStorm()
    storm.provider = try TokenProviderPolicy(latency: .milliseconds(200), concurrency: 1, queueMax: 20)
    storm.plan.expireAfter = 60
    let (result, progress) = try storm.run()
    let first = try #require(progress.first { $0.trouble != nil })
    #expect(first.trouble == "no token for a login, http_503")
    #expect(first.seconds < 2 && first.failed == 0)
    let last = try #require(progress.last)
    #expect(last.calls == result.provider.granted + result.provider.refused.total)
    #expect(last.refusals == result.provider.refused.total)
    #expect(last.attempts == result.connects.accepted + result.failedAttempts)
  }

  @Test
  func `calls that a behaviour wants refused are no trouble`() throws {
    var storm = try VirtualStorm()
    storm.plan.behaviours = try BehaviourMix(parsing: "well-behaved=1,refused=1")
    let (result, progress) = try storm.run()
    #expect(result.provider.refused.total > 0)
    #expect(progress.allSatisfy { $0.trouble == nil && $0.refusals == 0 })
  }

  @Test
  func `a mark identifies the storm, and leaves a chosen User-Agent alone`() {
    let mark = StormMark(agent: "postern-storm/1", run: "5f3a")
    var request = HTTPRequest(method: "GET", path: "/")
    #expect(
      mark.marked(request).headers == [HTTPField("user-agent", "postern-storm/1"), HTTPField("postern-storm", "5f3a")])
    request.headers = [HTTPField("user-agent", "app/7"), HTTPField("postern-storm", "another")]
    #expect(mark.marked(request).headers == [HTTPField("user-agent", "app/7"), HTTPField("postern-storm", "5f3a")])
  }
}
