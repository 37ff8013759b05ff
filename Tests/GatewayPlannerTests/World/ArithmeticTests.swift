import GatewayCore
import GatewayFleet
import TestTraits
import Testing

@testable import GatewayPlanner

/// The results of a world, compared with calculations on paper.
@Suite(.long)
struct ArithmeticTests {
  /// Simulates a herd of 10,000 clients that all request at once, with a provider of 200 tokens a second.
  private static func herd(queue: Int = 1000, jitter: Double = 0, _ set: (inout WorldSettings) -> Void = { _ in })
    throws -> StormResult
  {
    var plan = StormPlan()
    plan.clients = 10_000
    plan.rate = 1000
    plan.expireAfter = 20
    plan.jitter = jitter
    var settings = WorldSettings(plan: plan, provider: ProviderModel(.rate(200), queue: queue))
    settings.isFirstTokenInHand = true
    set(&settings)
    var world = try MachineWorld(settings)
    return world.run().result
  }

  /// Refused clients return over the time that a full queue takes to empty: a client that is told to wait waits that
  /// long and up to twice as long. The queue therefore stays full, and the cliff sharp, only while the clients that
  /// return in that time are twice its length: for herds larger than three queues.
  @Test(arguments: [5, 10, 20])
  func `the cliff lies where queue over rate equals the clients' timeout, within 2 %`(timeOut: Int) throws {
    func wasted(_ share: Double) throws -> Double {
      let queue = Int(Double(200 * timeOut) * share)
      let result = try Self.herd(queue: queue) {
        $0.plan.clients = 8 * 200 * timeOut
        $0.plan.rate = Double($0.plan.clients) / 10
        $0.plan.fetchTimeout = .seconds(timeOut)
        $0.plan.gateway.timeout = .seconds(300)
      }
      let figures = try #require(result.queue)
      return Double(figures.madeForNobody) / Double(figures.made)
    }
    #expect(try wasted(0.98) == 0)
    #expect(try wasted(1.02) > 0.3)
  }

  @Test
  func `in a herd smaller than three queues exactly the clients beyond the timeout are late, once`() throws {
    // 20 s are 4,000 tokens; 10,000 clients never fill the queue a second time.
    let result = try Self.herd(queue: 4400) { $0.plan.fetchTimeout = .seconds(20) }
    let figures = try #require(result.queue)
    // The last 400 of the queue, and the few whose token was on its way when 20 s were over.
    #expect((400...420).contains(figures.madeForNobody))
    #expect(result.everybody.kept == 10_000)
  }

  @Test
  func `dropping abandoned requests does not move the cliff`() throws {
    let served = try Self.herd(queue: 4000)
    let dropped = try Self.herd(queue: 4000) { $0.provider.abandoned = .drop }
    #expect(served.everybody.kept * 3 < dropped.everybody.kept)
    #expect(try #require(dropped.queue).madeForNobody < 20)
  }

  @Test
  func `no client waits where jitter × life × capacity exceeds the number of clients, within 5 %`() throws {
    // 200 a second serve 10,000 in 50 s: 1.389 % of an hour.
    let enough = 10_000.0 / 200 / 3600
    let more = try Self.herd(jitter: enough * 1.05)
    #expect(more.everybody.kept == 10_000 && more.provider.refused.total == 0)
    #expect(try #require(more.queue).lengthPeak < 200, "only chance makes a queue")
    let less = try Self.herd(queue: 100_000, jitter: enough * 0.95)
    // The excess within the available time.
    #expect(try #require(less.queue).lengthPeak > 400)
  }

  @Test(arguments: [3600, 86_400, 604_800])
  func `tokens that live for a day make no herd if their clients came one by one`(seconds: Int) throws {
    let result = try Self.herd {
      $0.plan.clients = 300
      $0.plan.rate = 10
      $0.plan.expiry = .own
      $0.plan.life = .seconds(seconds)
    }
    // Ten requests a second, as they came, for thirty seconds.
    let bins = result.bins
    #expect((10...12).contains(try #require(bins.peak(bins.asked, over: .seconds(1)))))
    #expect((95...105).contains(try #require(bins.peak(bins.asked, over: .seconds(10)))))
    #expect(try #require(result.waveLength) >= .seconds(28))
    #expect(result.seconds > Double(seconds) && result.everybody.kept == 300)
  }

  @Test
  func `a gateway that accepts one connection in years accepts one, and no number overflows`() throws {
    let result = try Self.herd {
      $0.plan.clients = 30
      $0.plan.connectTimeout = .seconds(1)
      $0.acceptsPerSecond = 1e-10
    }
    #expect(result.everybody.connected == 1)
  }

  @Test
  func `the fullest second of a calm fleet is within four standard deviations of its mean`() throws {
    let result = try Self.herd(jitter: 0.1)
    let mean = 10_000.0 / 360
    let peak = Double(result.bins.peak(result.bins.asked, over: .seconds(1)) ?? 0)
    // The peak of 360 seconds is near their mean.
    #expect(peak > mean && peak < mean + 4 * mean.squareRoot())
  }
}
