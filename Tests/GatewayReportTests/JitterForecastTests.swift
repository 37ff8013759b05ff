import GatewayCore
import GatewayKit
import TestSupport
import TestTraits
import Testing

@testable import GatewayFleet
@testable import GatewayReport

struct JitterForecastTests {
  /// Returns a thousand clients whose tokens of 100 s expire together, with a provider of 100 tokens a second.
  private static func storm(jitter: Double = 0) throws -> VirtualStorm {
    var storm = try VirtualStorm()
    storm.plan.clients = 1000
    storm.plan.rate = 200
    storm.plan.life = .seconds(100)
    storm.plan.expireAfter = 40.2
    storm.plan.jitter = jitter
    storm.provider = try TokenProviderPolicy(latency: .milliseconds(40), concurrency: 4)
    return storm
  }

  private static func value(_ name: String, _ result: StormResult) throws -> Double {
    try #require(Metric.named(name)?.value(result))
  }

  @Test(.long)
  func `the forecast's rate is the provider's, and its sufficient jitter is what arithmetic says`() throws {
    let storm = try Self.storm()
    let forecast = try #require(JitterForecast(storm.plan, storm.run().result))
    #expect(forecast.refreshes == 1000)
    #expect(abs(forecast.serviceRate - 100) < 3, "\(forecast.serviceRate)")
    #expect((0.04..<0.1).contains(forecast.fastestS))
    // A thousand at a hundred a second take ten seconds, a tenth of the life.
    #expect(abs((forecast.enough ?? 0) - 0.1) < 0.005)
    #expect(forecast.rows.map(\.jitter) == [0.01, 0.02, 0.05, 0.1, 0.2])
  }

  @Test(.long, arguments: [0.05, 0.1, 0.2])
  func `a storm with the forecast's jitter has the forecast's result`(jitter: Double) throws {
    let seen = try Self.storm()
    let forecast = try #require(JitterForecast(seen.plan, seen.run().result))
    let row = try #require(forecast.rows.first { $0.jitter == jitter })
    let result = try Self.storm(jitter: jitter).run().result
    #expect(result.refreshes.accepted == 1000)
    let peak = try Self.value("provider.refresh_peak", result)
    #expect(abs(Double(row.providerPeak) - peak) <= 0.2 * peak, "\(row.providerPeak) and \(peak)")
    let wait = try Self.value("refresh.p99", result)
    // If hardly any client waits, randomness and the network's milliseconds decide.
    #expect(abs(row.p99WaitS - wait) <= max(0.15 * wait, 0.5), "\(row.p99WaitS) and \(wait)")
    let before = try Self.value("refresh.p99", seen.run().result)
    #expect(wait < before * 0.7, "it makes a difference at all")
  }

  @Test(.long)
  func `the clients that are too late in the forecast are the ones that are cut off`() throws {
    var seen = try Self.storm()
    seen.refreshTimeout = .seconds(3)
    let forecast = try #require(JitterForecast(seen.plan, seen.run().result))
    let row = try #require(forecast.rows.first { $0.jitter == 0.05 })
    var real = try Self.storm(jitter: 0.05)
    real.refreshTimeout = .seconds(3)
    let result = try real.run().result
    let lost = Double(result.everybody.lostUnexpectedly) / 1000
    // A closed client requests no more tokens, which the forecast does not know: it predicts more rather than less.
    #expect(lost > 0.1 && row.lateShare > 0.1)
    #expect(row.lateShare >= lost - 0.05, "\(row.lateShare) and \(lost)")
  }

  @Test(.long)
  func `there is no forecast for a wave that shows too little`() throws {
    var storm = try Self.storm()
    let result = try storm.run().result
    storm.plan.expiry = .own
    #expect(JitterForecast(storm.plan, result) == nil)
    storm.plan.expiry = .common
    storm.plan.comeback = .seconds(60)
    #expect(JitterForecast(storm.plan, result) == nil)
    #expect(JitterForecast(StormPlan(), StormResult()) == nil)
    storm.isMinted = true
    storm.plan.comeback = .zero
    #expect(try JitterForecast(storm.plan, storm.run().result) == nil)
  }

  @Test
  func `the table and the page show the forecast with its assumptions`() throws {
    let report = try ReportTests.report()
    let table = report.table.joined(separator: "\n")
    #expect(table.contains("What jitter would have changed") && table.contains("jitter 10 %  peak "))
    #expect(table.contains("assumed: the provider gives tokens"))
    #expect(report.html.contains("What jitter would have changed"))
  }

  @Test
  func `the shortest stretch that holds so many is found`() {
    var counts = StormBins.Counts()
    for (bin, number) in [(0, 5), (10, 3), (11, 3), (12, 3), (50, 4)] { counts.count(number, inBin: bin) }
    #expect(counts.shortest(for: 5) == 1 && counts.shortest(for: 6) == 2 && counts.shortest(for: 9) == 3)
    #expect(counts.shortest(for: 18) == 51 && counts.shortest(for: 19) == nil && counts.shortest(for: 0) == nil)
  }
}
