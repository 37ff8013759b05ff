import GatewayCore
import GatewayKit
import GatewayRuntime
import TestSupport
import Testing

@testable import GatewayFleet

struct StormRunnerTests {
  @Test
  func `a well-behaved fleet is refreshed at the common expiry with one call for each client, and none is lost`() throws
  {
    let (result, _) = try VirtualStorm().run()
    #expect(result.connects.accepted == 200)
    #expect(result.refreshes.asked == 200)
    #expect(result.refreshes.accepted == 200)
    #expect(result.provider.refreshCalls == 200)
    #expect(result.callsPerExpiry == 1)
    #expect(result.refreshedShare == 1)
    #expect(result.everybody.lostUnexpectedly == 0)
    #expect(result.disconnects.total == 0)
    #expect(result.series.asked.peak == 200)
    #expect(result.series.connected.max() == 200)
    #expect(result.series.connected.last == 200, "the storm's own closes are no loss")
    let time = try #require(result.timeUntil(share: 0.99))
    #expect(time > .zero && time < .milliseconds(200))
  }

  @Test
  func `every behaviour comes to its own end, in exact numbers`() throws {
    var storm = try VirtualStorm()
    storm.plan.clients = 1000
    storm.plan.rate = 500
    storm.refreshTimeout = .seconds(20)
    storm.plan.slowDelay = .seconds(5)
    storm.plan.behaviours = try BehaviourMix(
      parsing: "well-behaved=60,slow=10,forgetful=10,stale=8,garbage=7,refused=5")
    let (result, _) = try storm.run()
    #expect(result.behaviours[.wellBehaved]?.kept == 600)
    #expect(result.behaviours[.slow]?.kept == 100)
    for (behaviour, count) in [(Behaviour.forgetful, 100), (.stale, 80), (.garbage, 70), (.refused, 50)] {
      #expect(result.behaviours[behaviour]?.lostExpectedly == count)
    }
    #expect(result.everybody.lostUnexpectedly == 0)
    #expect(result.everybody.overstayed == 0)
    #expect(result.refreshes.accepted == 700)
    #expect(result.refreshes.refused["token_not_renewed"] == 80)
    #expect(result.refreshes.refused["malformed_message"] == 210)
    #expect(result.refreshes.givenUp["provider_refused_400"] == 50)
    #expect(result.refreshes.timedOut == 300)
    #expect(result.disconnects.counts == ["4000 refresh_timeout": 300])
    #expect(try #require(result.behaviours[.slow]?.refreshLatency.minimum) >= .seconds(5))
    #expect(result.provider.refused.counts == ["http_400": 50])
  }

  @Test
  func `clients slower than the gateway allows are lost, and that is expected`() throws {
    var storm = try VirtualStorm()
    storm.plan.behaviours = try BehaviourMix(parsing: "slow=1")
    storm.plan.slowDelay = .seconds(30)
    storm.refreshTimeout = .seconds(20)
    let (result, _) = try storm.run()
    #expect(result.everybody.lostExpectedly == 200)
    #expect(result.refreshable == 0)
    #expect(result.refreshedShare == nil)
  }

  @Test
  func `a provider too small for the storm loses clients by the timeout, and the report says how many`() throws {
    var storm = try VirtualStorm()
    // 5 tokens a second for 20 s, minus what the retries waste; the connections of the ramp need 40 s of their own.
    storm.provider = try TokenProviderPolicy(latency: .milliseconds(200), concurrency: 1, queueMax: 20)
    storm.plan.rate = 4
    storm.plan.expireAfter = 60
    storm.refreshTimeout = .seconds(20)
    let (result, _) = try storm.run()
    #expect(result.connects.accepted == 200)
    #expect(result.everybody.lostUnexpectedly > 60)
    #expect(result.everybody.kept > 60)
    #expect(result.everybody.kept + result.everybody.lostUnexpectedly == 200)
    #expect(result.provider.refused["http_503"] > 0)
    #expect(try #require(result.retryAmplification) > 1)
    #expect(result.provider.longestRound > 1)
    #expect(result.timeUntil(share: 0.99) == nil)
  }

  @Test
  func `a client connected after the common expiry is late, and missing in the share that was refreshed`() throws {
    var storm = try VirtualStorm()
    // 10 tokens a second for 200 clients that connect within 2 s, and expire at 7.2 s: many are told to retry later.
    storm.provider = try TokenProviderPolicy(latency: .milliseconds(100), concurrency: 1, queueMax: 10)
    let (result, _) = try storm.run()
    #expect(result.everybody.late > 20)
    #expect(result.everybody.kept > 20)
    #expect(result.everybody.late + result.everybody.kept + result.connects.failed.total == 200)
    let everybody = result.everybody
    #expect(result.refreshedShare == Double(everybody.kept) / Double(everybody.kept + everybody.late))
    #expect(!result.ranOutOfTime)
  }

  @Test
  func `a client whose first token would expire before the provider answers is late, and not refused`() throws {
    var storm = try VirtualStorm()
    // A request is under way for about a second, and the last ones are sent just before the common expiry.
    storm.latency = .milliseconds(300)...(.milliseconds(400))
    storm.plan.expireAfter = 2.1
    let (result, _) = try storm.run()
    #expect(result.provider.refused["http_400"] > 20)
    #expect(result.connects.failed.total == 0 && result.connects.accepted == 200)
    #expect(result.everybody.late >= result.provider.refused["http_400"])
    #expect(result.everybody.late + result.everybody.kept == 200)
    #expect(result.provider.calls == 200 + result.everybody.kept + result.provider.refused["http_400"])
    #expect(result.tokens.sentences.isEmpty, "it is no matter of TLS")
  }

  @Test
  func `jitter on the tokens' lives flattens the wave`() throws {
    var storm = try VirtualStorm()
    storm.plan.life = .seconds(100)
    let sharp = try storm.run().result
    storm.plan.jitter = 0.2
    let flat = try storm.run().result
    #expect(sharp.series.asked.peak == 200)
    #expect(flat.series.asked.peak < 30)
    #expect(flat.refreshedShare == 1)
    // 20 s of scatter and a timeout of 60 s, against the timeout alone.
    #expect(sharp.given == 60 && flat.given == 80)
    #expect(try #require(sharp.peakToMean(\.accepted, over: .seconds(1))) == 60)
    #expect(try #require(flat.peakToMean(\.accepted, over: .seconds(1))) < 10)
  }

  @Test
  func `a gateway's spread flattens the wave too, and the onset counts from its beginning`() throws {
    var storm = try VirtualStorm()
    storm.plan.expireAfter = 60
    storm.refreshSpread = .seconds(20)
    let (result, _) = try storm.run()
    #expect(result.series.asked.peak < 30)
    #expect(result.refreshedShare == 1)
    let half = try #require(result.timeUntil(share: 0.5))
    #expect(half > .seconds(5) && half < .seconds(15))
  }

  @Test
  func `a second wave follows one token life later`() throws {
    var storm = try VirtualStorm()
    storm.plan.life = .seconds(30)
    storm.plan.waves = 2
    let (result, _) = try storm.run()
    #expect(result.refreshes.accepted == 400)
    #expect(result.behaviours[.wellBehaved]?.refreshed == 200)
    #expect(result.refreshedShare == 1)
  }

  @Test
  func `tokens that expire one by one make no wave`() throws {
    var storm = try VirtualStorm()
    storm.plan.expiry = .own
    storm.plan.rate = 10
    storm.plan.life = .seconds(40)
    let (result, _) = try storm.run()
    #expect(result.refreshedShare == 1)
    #expect(result.series.asked.peak <= 12)
    #expect(result.timeUntil(share: 0.5) == nil)
  }

  @Test
  func `locally minted tokens need no provider call`() throws {
    var storm = try VirtualStorm()
    storm.isMinted = true
    let (result, _) = try storm.run()
    #expect(result.provider.calls == 0)
    #expect(result.provider.mintedLocally == 400)
    #expect(result.refreshedShare == 1)
  }

  @Test
  func `the bound on concurrent requests holds, and the wait for a place counts as the provider's latency`() throws {
    var storm = try VirtualStorm()
    storm.plan.fetches = 4
    storm.provider = try TokenProviderPolicy(latency: .milliseconds(100))
    storm.plan.expireAfter = 30
    let (result, _) = try storm.run()
    #expect(result.provider.inFlightPeak == 4)
    #expect(result.refreshedShare == 1)
    // 200 tokens, 4 at a time, 100 ms plus the round trip each.
    #expect(try #require(result.latencies.provider.maximum) > .seconds(4))
  }

  @Test
  func `disconnected clients return if they may, and the loss is still counted`() throws {
    var storm = try VirtualStorm()
    storm.plan.behaviours = try BehaviourMix(parsing: "well-behaved=1,forgetful=1")
    storm.plan.reconnects = true
    storm.refreshTimeout = .seconds(10)
    let (result, _) = try storm.run()
    #expect(result.connects.again == 100)
    #expect(result.everybody.lostExpectedly == 100)
    #expect(result.connects.accepted == 300)
  }

  @Test
  func `an unreachable gateway is reported as such, and ends the storm at once`() throws {
    var storm = try VirtualStorm()
    storm.isMinted = true
    storm.target = .init(host: "nowhere", port: 1)
    let (result, _) = try storm.run()
    #expect(result.connects.failed.counts == ["unreachable": 200])
    #expect(result.everybody.connected == 0)
    #expect(result.seconds < 3)
  }

  @Test
  func `an interrupted storm reports its results so far`() throws {
    var storm = try VirtualStorm()
    storm.interruptAfter = .seconds(4)
    let (result, progress) = try storm.run()
    #expect(result.wasInterrupted)
    #expect(result.connects.accepted == 200)
    #expect(result.refreshes.asked == 0)
    #expect(result.disconnects.total == 0)
    #expect(result.series.connected.last == 200)
    #expect(progress.last?.stage == .leaving)
    #expect(result.seconds < 4)
  }

  @Test
  func `a storm that runs out of time reports it`() throws {
    var storm = try VirtualStorm()
    storm.plan.behaviours = try BehaviourMix(parsing: "forgetful=1")
    storm.plan.bound = 20
    let (result, _) = try storm.run()
    #expect(result.ranOutOfTime)
    #expect(result.everybody.overstayed == 200)
    #expect(result.seconds >= 20 && result.seconds < 21)
  }

  @Test
  func `equal seeds give equal results to the last count, another seed another result`() throws {
    var storm = try VirtualStorm()
    storm.plan.behaviours = try BehaviourMix(parsing: "well-behaved=8,slow=1,garbage=1")
    storm.provider = try TokenProviderPolicy(latency: .milliseconds(50), concurrency: 10, failureRate: 0.2)
    let first = try storm.run(seed: 5).result
    #expect(first == (try storm.run(seed: 5).result))
    #expect(first != (try storm.run(seed: 6).result))
  }

  @Test
  func `parts of a fleet in several processes are together the whole fleet`() throws {
    var storm = try VirtualStorm()
    storm.plan.processes = 3
    storm.plan.clients = 100
    var merged = StormResult()
    for process in 0..<3 {
      storm.process = process
      merged.merge(try storm.run().result)
    }
    #expect(merged.behaviours[.wellBehaved]?.clients == 100)
    #expect(merged.refreshes.accepted == 100)
  }

  @Test
  func `progress is reported in order, up to the end`() throws {
    let (_, progress) = try VirtualStorm().run()
    #expect(progress.count > 20)
    #expect(zip(progress, progress.dropFirst()).allSatisfy { $0.seconds <= $1.seconds && $0.stage <= $1.stage })
    #expect(Set(progress.map(\.stage)) == [.connecting, .holding, .refreshing])
    #expect(progress.last?.settled == 200)
  }
}
