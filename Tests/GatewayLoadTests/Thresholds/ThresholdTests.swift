import GatewayCore
import Testing

@testable import GatewayLoad

@Suite("Thresholds")
struct ThresholdTests {
  static func result() -> StormResult {
    var result = StormResult()
    var tally = StormResult.BehaviourTally()
    tally.kept = 998
    tally.lostUnexpectedly = 2
    tally.refreshLatency.record(.milliseconds(480))
    result.behaviours[.wellBehaved] = tally
    for _ in 0..<990 { result.latencies.sinceOnset.record(.seconds(7)) }
    result.series.providerCalls.count(2000, atSecond: 3)
    return result
  }

  @Test(
    "a limit holds or does not, by the figure it names",
    arguments: [
      ("lost == 0", false), ("lost == 2", true), ("lost<=2", true), ("lost != 2", false), ("lost > 1", true),
      ("refresh.p99 < 500ms", true), ("refresh.p99 < 0.4s", false), ("refresh.max <= 480000us", true),
      ("refreshed.share >= 99.9%", false), ("refreshed.share >= 99.8 %", true), ("refreshed.share >= 0.998", true),
      ("time_to_99 < 20s", true), ("time_to_99 < 0.1m", false), ("provider.peak <= 2000", true),
      ("provider.peak < 2_000", false),
    ])
  func judged(text: String, holds: Bool) throws {
    let outcome = try Threshold(parsing: text).judge(Self.result())
    #expect(outcome.holds == holds)
    #expect(outcome.threshold == text)
  }

  @Test(
    "a figure the storm does not have keeps to no limit",
    arguments: [
      "gateway.cpu_per_refresh < 1s", "connect.p50 >= 0s", "provider.calls_per_expiry != 3",
    ])
  func missing(text: String) throws {
    let outcome = try Threshold(parsing: text).judge(Self.result())
    #expect(!outcome.holds)
    #expect(outcome.actual == "none")
  }

  @Test(
    "what cannot be understood is refused with what there is",
    arguments: [
      ("lost", "no comparison"), ("losses == 0", "provider.calls_per_expiry"), ("lost == ", "wants a number"),
      ("lost == 5ms", "wants a number"), ("refresh.p99 < 500", "wants a duration"),
      ("refresh.p99 < 5 parsecs", "wants a duration"), ("refreshed.share > 1s", "wants a percentage"),
      ("gateway.bytes_per_connection < 6GB", "wants a size"),
    ])
  func refused(text: String, says: String) {
    let error = #expect(throws: ThresholdError.self) { try Threshold(parsing: text) }
    #expect(error?.description.contains(says) == true)
  }

  @Test("every metric has a name of its own and a meaning")
  func catalogue() {
    #expect(Set(Metric.all.map(\.name)).count == Metric.all.count)
    for metric in Metric.all {
      #expect(!metric.meaning.isEmpty)
      _ = metric.value(StormResult())
    }
  }

  @Test(
    "figures read well",
    arguments: [
      (Figures.count(15_000), "15,000"), (Figures.count(-1_234_567), "-1,234,567"), (Figures.count(999), "999"),
      (Figures.percent(0.9996), "99.96 %"), (Figures.percent(0.99999), "99.99 %"), (Figures.percent(1), "100 %"),
      (Figures.duration(.nanoseconds(17_240)), "17.2 us"), (Figures.duration(.milliseconds(480)), "480 ms"),
      (Figures.duration(.milliseconds(12_345)), "12.3 s"), (Figures.duration(.zero), "0 s"),
      (Figures.bytes(2400), "2.40 KB"), (Figures.decimal(1.005, places: 1), "1.0"),
    ])
  func figures(text: String, expected: String) {
    #expect(text == expected)
  }
}
