import GatewayCore
import GatewayKit
import GatewayRuntime
import TestSupport
import Testing

@testable import GatewayFleet

/// Several fleets of one storm, on the same loops.
struct StormFleetsTests {
  private static func plan(_ clients: Int, expireAfter: Double = 7.2) -> StormPlan {
    var plan = StormPlan()
    plan.clients = clients
    plan.rate = 100
    plan.loops = 2
    plan.expireAfter = expireAfter
    return plan
  }

  @Test
  func `each fleet has its own counts, and the whole has their sums`() throws {
    var storm = try VirtualStorm()
    storm.fleets = [("web", Self.plan(60), 0), ("mobile", Self.plan(40, expireAfter: 9.2), 0)]
    let (result, progress) = try storm.run()
    let parts = try #require(result.fleets)
    #expect(parts.map(\.name) == ["web", "mobile"] && parts.map(\.result.connects.accepted) == [60, 40])
    #expect(parts.map(\.result.refreshes.accepted) == [60, 40] && parts.map(\.result.provider.calls) == [120, 80])
    #expect(result.connects.accepted == 100 && result.provider.calls == 200 && result.everybody.kept == 100)
    #expect(result.disconnects.total == 0 && !result.wasInterrupted && !result.ranOutOfTime)
    #expect(progress.last?.isThrough == true && progress.last?.refreshed == 100 && progress.last?.started == 100)
    #expect(progress.map(\.connected) == progress.map(\.connected).sorted())
  }

  @Test
  func `a fleet that is done stays connected until the last one is`() throws {
    var storm = try VirtualStorm()
    storm.fleets = [("early", Self.plan(30, expireAfter: 3.2), 0), ("late", Self.plan(30, expireAfter: 40.2), 0)]
    let (result, _) = try storm.run()
    let parts = try #require(result.fleets)
    #expect(parts[0].result.seconds > 40 && abs(parts[0].result.seconds - parts[1].result.seconds) < 1)
    #expect(parts[0].result.series.connected.last == 30 && parts[0].result.everybody.kept == 30)
  }

  @Test
  func `fleets at one provider share the limit of requests at once, and with two providers each has its own`() throws {
    func longest(_ providers: [Int]) throws -> [Double] {
      var storm = try VirtualStorm()
      storm.latency = .milliseconds(1)...(.milliseconds(1))
      storm.provider = try TokenProviderPolicy(latency: .milliseconds(98))
      // Two at once on each loop: forty a second.
      var plan = Self.plan(100, expireAfter: 20.2)
      plan.fetches = 4
      plan.fetchTimeout = .seconds(60)
      storm.fleets = [("web", plan, providers[0]), ("mobile", plan, providers[1])]
      let result = try storm.run().result
      #expect(result.everybody.kept == 200)
      return try #require(result.fleets).map { $0.result.everybody.refreshLatency.maximum?.inSeconds ?? 0 }
    }
    #expect(try #require(longest([0, 0]).max()) > 4.9)
    #expect(try longest([0, 1]).allSatisfy { $0 > 2.4 && $0 < 2.7 })
  }

  @Test
  func `an interrupted storm has the results of all fleets so far`() throws {
    var storm = try VirtualStorm()
    storm.fleets = [("web", Self.plan(60, expireAfter: 600), 0), ("mobile", Self.plan(40, expireAfter: 600), 0)]
    storm.interruptAfter = .seconds(5)
    let result = try storm.run().result
    #expect(result.wasInterrupted && result.fleets?.map(\.result.wasInterrupted) == [true, true])
    #expect(result.fleets?.map(\.result.connects.accepted) == [60, 40])
  }

  @Test
  func `a phase has begun once each fleet has entered it, and each counts in it`() throws {
    var storm = try VirtualStorm()
    storm.fleets = [("web", Self.plan(60), 0), ("mobile", Self.plan(40), 0)]
    storm.scenario = try StormScenarioTests.scenario(
      #"{"phases": [{"name": "calm", "from": "start"}, {"name": "wave", "from": "wave", "for_s": 3}]}"#)
    let (result, progress) = try storm.run()
    #expect(result.fleets?.map { $0.result.phases?.map(\.name) } == [["calm", "wave"], ["calm", "wave"]])
    #expect(result.phases?.map(\.result.refreshes.accepted) == [0, 100])
    #expect(progress.map(\.phases) == progress.map(\.phases).sorted() && progress.last?.phases == 2)
  }

  @Test
  func `a fleet in a storm of several does what it would do alone with its seed and its numbers`() throws {
    func web(_ others: [(name: String, plan: StormPlan, provider: Int)]) throws -> StormResult {
      var storm = try VirtualStorm()
      var plan = Self.plan(80)
      plan.behaviours = try BehaviourMix(parsing: "well-behaved=8,slow=1,forgetful=1")
      plan.life = .seconds(30)
      plan.jitter = 0.3
      storm.latency = .milliseconds(5)...(.milliseconds(5))
      storm.fleets = [("web", plan, 0)] + others
      return try #require(try storm.run().result.fleets?.first?.result)
    }
    let (alone, together) = (try web([]), try web([("mobile", Self.plan(40), 0)]))
    #expect(alone.behaviours[.slow]?.kept == 8 && together.behaviours[.slow]?.kept == 8)
    #expect(alone.series.accepted == together.series.accepted && alone.series.ends == together.series.ends)
  }
}
