import GatewayCore
import Testing

@testable import GatewayFleet
@testable import GatewayReport

struct ThresholdTests {
  static func result() -> StormResult {
    var result = StormResult()
    result.connects.accepted = 1000
    result.refreshes.asked = 1000
    result.refreshes.accepted = 990
    result.provider.calls = 2000
    var tally = StormResult.BehaviourTally()
    tally.kept = 998
    tally.lostUnexpectedly = 2
    tally.refreshLatency.record(.milliseconds(480))
    result.behaviours[.wellBehaved] = tally
    for _ in 0..<990 { result.latencies.sinceOnset.record(.seconds(7)) }
    result.bins.providerLogins.count(2000, inBin: 300)
    return result
  }

  @Test(arguments: [
    ("lost == 0", false), ("lost == 2", true), ("lost<=2", true), ("lost != 2", false), ("lost > 1", true),
    ("refresh.p99 < 500ms", true), ("refresh.p99 < 0.4s", false), ("refresh.max <= 480000us", true),
    ("refreshed.share >= 99.9%", false), ("refreshed.share >= 99.8 %", true),
    ("time_to_99 < 20s", true), ("time_to_99 < 0.1m", false), ("provider.peak <= 2000", true),
    ("provider.peak < 2_000", false),
  ])
  func `a limit holds or fails by the figure that it names`(text: String, holds: Bool) throws {
    let outcome = try Threshold(parsing: text).judge(Self.result())
    #expect(outcome.holds == holds)
    #expect(outcome.threshold == text)
  }

  @Test(arguments: [
    "gateway.cpu_per_refresh < 1s", "connect.p50 >= 0s", "provider.calls_per_expiry != 3",
  ])
  func `a figure that the storm does not have fails every limit`(text: String) throws {
    let outcome = try Threshold(parsing: text).judge(Self.result())
    #expect(!outcome.holds)
    #expect(outcome.actual == "none")
    #expect(outcome.why?.isEmpty == false)
  }

  @Test(arguments: [
    ("lost == 0", "nobody was connected"), ("overstayed == 0", "nobody was connected"),
    ("refresh.refused == 0", "nobody was asked to refresh"), ("errors == 0", "nobody was connected"),
    ("provider.refused == 0", "no provider was asked"), ("refreshed.share >= 0%", "was to be refreshed"),
    ("returned == 0", "nobody was connected"),
  ])
  func `a limit over nothing fails with that reason, since none lost of none is no good news`(text: String, why: String)
    throws
  {
    let outcome = try Threshold(parsing: text).judge(StormResult())
    #expect(!outcome.holds && outcome.actual == "none")
    #expect(outcome.why?.contains(why) == true)
  }

  @Test
  func `a storm whose clients all came after their tokens had expired reports them as late`() throws {
    var result = StormResult()
    result.connects.accepted = 20
    result.behaviours[.wellBehaved, default: .init()].connected = 20
    result.behaviours[.wellBehaved]?.late = 20
    let outcome = try Threshold(parsing: "unrefreshed == 0").judge(result)
    #expect(!outcome.holds && outcome.why == "nobody was connected before the tokens expired")
    result.behaviours[.wellBehaved]?.late = 19
    #expect(try Threshold(parsing: "unrefreshed == 0").judge(result).holds)
  }

  @Test
  func `a figure that never happened is never, and not nothing`() throws {
    var result = Self.result()
    result.behaviours[.wellBehaved]?.lostUnexpectedly = 500
    let outcome = try Threshold(parsing: "time_to_99 < 20s").judge(result)
    #expect(!outcome.holds && outcome.actual == "never" && outcome.why == "fewer than 99 % were")
  }

  @Test(arguments: [
    ("refresh.p99 < 500ms", 0.500_4, "500.4 ms"), ("refresh.p99 < 500ms", 0.499_96, "499.96 ms"),
    ("refresh.p99 <= 500ms", 0.5, "500 ms"), ("refresh.p99 < 500ms", 0.62, "620 ms"),
    ("refresh.peak_to_mean < 1.6", 1.6004, "1.6004"), ("refreshed.share >= 99.999%", 0.999_985, "99.998 %"),
    ("gateway.bytes_per_connection <= 6KB", 6001.2, "6.001 KB"), ("time_to_99 < 1m", 60.01, "60.01 s"),
  ])
  func `a value has as many digits as are needed to see why a limit holds or fails`(
    text: String, value: Double, shown: String
  ) throws {
    let threshold = try Threshold(parsing: text)
    #expect(threshold.metric.unit.text(value, beside: threshold.limit) == shown)
  }

  @Test(arguments: [
    ("lost", "no comparison"), ("losses == 0", "provider.calls_per_expiry"), ("lost == ", "wants a number"),
    ("lost == 5ms", "wants a number"), ("refresh.p99 < 500", "wants a duration"),
    ("refresh.p99 < 5 parsecs", "wants a duration"), ("refreshed.share > 1s", "wants a percentage"),
    ("gateway.bytes_per_connection < 6GB", "wants a size"), ("lost.share < 5", "write 5% for 5 in a hundred"),
    ("refreshed.share >= 99", "write 99%"), ("lost.share < 0.05", "or 5% for a share of 0.05"),
  ])
  func `an unreadable threshold is refused, and the error names the valid ones`(text: String, says: String) {
    let error = #expect(throws: ThresholdError.self) { try Threshold(parsing: text) }
    #expect(error?.description.contains(says) == true)
  }

  @Test
  func `every metric has a unique name and a meaning`() {
    #expect(Set(Metric.all.map(\.name)).count == Metric.all.count)
    for metric in Metric.all {
      #expect(!metric.meaning.isEmpty)
      _ = metric.value(StormResult())
    }
  }

  @Test(arguments: [
    (Figures.count(15_000), "15,000"), (Figures.count(-1_234_567), "-1,234,567"), (Figures.count(999), "999"),
    (Figures.percent(0.9996), "99.96 %"), (Figures.percent(0.99999), "99.99 %"), (Figures.percent(1), "100 %"),
    (Figures.duration(.nanoseconds(17_240)), "17.2 us"), (Figures.duration(.milliseconds(480)), "480 ms"),
    (Figures.duration(.milliseconds(12_345)), "12.3 s"), (Figures.duration(.zero), "0 s"),
    (Figures.bytes(2400), "2.40 KB"), (Figures.decimal(1.005, places: 1), "1.0"),
  ])
  func `figures read well`(text: String, expected: String) {
    #expect(text == expected)
  }
}
