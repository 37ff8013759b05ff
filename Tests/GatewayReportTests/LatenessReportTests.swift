import GatewayCore
import Testing

@testable import GatewayFleet
@testable import GatewayReport

struct LatenessReportTests {
  /// Returns a wave that a storm saw in 2.5 s, during all but 46 ms of which it was stopped.
  private static func stalled() -> StormResult {
    var result = ThresholdTests.result()
    var tally = result.behaviours[.wellBehaved] ?? .init()
    tally.refreshLatency = LatencyHistogram()
    tally.refreshLatency.record(.milliseconds(2546))
    result.behaviours[.wellBehaved] = tally
    var lateness = StormResult.Lateness()
    lateness.late.record(.milliseconds(2480))
    lateness.note(.init(at: 12.3, length: 2.48, process: 0))
    var least = LatencyHistogram()
    least.record(.milliseconds(46))
    lateness.least[.refresh] = least
    lateness.processors = 1
    result.lateness = lateness
    return result
  }

  @Test(arguments: ["refresh.p99 < 1s", "refresh.p99 > 1s", "refresh.max == 100ms", "refresh.p50 != 100ms"])
  func `a threshold that the storm's own lateness decides is not measurable, and fails`(text: String) throws {
    let outcome = try Threshold(parsing: text).judge(Self.stalled())
    #expect(!outcome.holds && outcome.actual == "not measurable")
    #expect(outcome.why?.contains("the storm itself was late") == true && outcome.why?.contains("2.5") == true)
  }

  @Test(arguments: [("refresh.p99 < 3s", true), ("refresh.p99 < 10ms", false), ("refresh.max == 4s", false)])
  func `a threshold that holds or fails whatever the lateness was is decided`(text: String, holds: Bool) throws {
    let outcome = try Threshold(parsing: text).judge(Self.stalled())
    #expect(outcome.holds == holds && outcome.actual.contains(" to "))
  }

  @Test
  func `a figure that lateness falsified has no value, and names whose lateness it is`() throws {
    let figure = Figure(try #require(Metric.named("refresh.p99")), Self.stalled())
    #expect(figure.value == nil && figure.text == "not measurable" && figure.why?.contains("not the gateway's") == true)
    #expect(Figure(try #require(Metric.named("generator.late.max")), Self.stalled()).value ?? 0 > 2)
    let other = Figure(try #require(Metric.named("connect.p99")), Self.stalled())
    #expect(other.why?.contains("late") != true)
  }

  @Test
  func `the caveat names the storm, how late it was and since when, and the falsified figures`() throws {
    let caveats = Self.stalled().caveats(StormPlan()).joined(separator: "\n")
    for part in ["the storm itself was late, not the gateway", "2.48 s", "12.3 s", "refresh.p99", "--processes"] {
      #expect(caveats.contains(part), "\(part)")
    }
    #expect(!caveats.contains("connect.p50"))
  }

  @Test
  func `a lateness that is small beside the figure does not change it`() throws {
    var result = Self.stalled()
    var least = LatencyHistogram()
    least.record(.milliseconds(2500))
    result.lateness?.least[.refresh] = least
    #expect(try #require(Metric.named("refresh.p99")).value(result) ?? 0 > 2.5)
  }

  /// Returns a storm of 100 clients that were all closed, 40 of them while its loop was stopped.
  private static func cutOff() -> StormResult {
    var result = Self.stalled()
    result.connects.accepted = 100
    result.refreshes.asked = 100
    result.disconnects = Reasons()
    result.disconnects.count("4000 refresh_timeout", 50)
    var tally = result.behaviours[.wellBehaved] ?? .init()
    (tally.clients, tally.connected, tally.kept, tally.lostUnexpectedly, tally.late, tally.unrefreshed) = (
      100, 100, 50, 50, 0, 0
    )
    result.behaviours[.wellBehaved] = tally
    result.lateness?.cutOff = 40
    result.lateness?.lost = 40
    return result
  }

  @Test(arguments: ["lost <= 20", "lost > 20", "lost.share < 20%", "refreshed.share >= 80%", "cut_off < 30"])
  func `a threshold over a count that the storm's own absence may have made is not measurable, and fails`(text: String)
    throws
  {
    let outcome = try Threshold(parsing: text).judge(Self.cutOff())
    #expect(!outcome.holds && outcome.actual == "not measurable")
    #expect(outcome.why?.contains("the storm itself was late") == true)
  }

  @Test(arguments: [
    ("lost == 0", false), ("lost < 60", true), ("refreshed.share >= 40%", true), ("lost.share < 5%", false),
  ])
  func `a threshold over a count that the storm's own absence cannot decide has a verdict`(text: String, holds: Bool)
    throws
  {
    let outcome = try Threshold(parsing: text).judge(Self.cutOff())
    #expect(outcome.holds == holds && outcome.actual.contains(" to "), "\(outcome)")
  }

  @Test
  func `a dip unseen because the storm stood still is not measurable, and no 100 %`() throws {
    var result = Self.cutOff()
    result.seconds = 20
    result.bins = StormBins(length: .seconds(60))
    result.bins.logins.count(100, inBin: 10)
    #expect(result.dip == 1)
    for name in ["connected.dip", "connected.below_999"] {
      #expect(Figure(try #require(Metric.named(name)), result).text == "not measurable", "\(name)")
    }
    result.lateness?.cutOff = nil
    #expect(Figure(try #require(Metric.named("connected.dip")), result).value == 1)
  }

  @Test
  func `a storm that ran out of time during logins reports that, and does not blame further refreshes`() {
    var result = Self.cutOff()
    result.behaviours[.wellBehaved]?.lostUnexpectedly = 0
    result.ranOutOfTime = true
    result.connects.failed.count("unfinished", 7)
    let caveats = result.caveats(StormPlan()).filter { $0.hasPrefix("out of time") }
    #expect(caveats == ["out of time: the storm waited for 7 clients that had not logged in yet"])
  }

  @Test
  func `the counts that may be the storm's own doing are named in its caveat`() throws {
    let caveats = Self.cutOff().caveats(StormPlan()).joined(separator: "\n")
    #expect(caveats.contains("lost.share") && caveats.contains("refreshed.share"))
    let figure = Figure(try #require(Metric.named("lost")), Self.cutOff())
    #expect(figure.value == nil && figure.text == "not measurable")
  }

  @Test
  func `clients that came too late are in the share that should have been refreshed, and in a caveat`() throws {
    var result = ThresholdTests.result()
    result.behaviours[.wellBehaved]?.kept = 38
    result.behaviours[.wellBehaved]?.lostUnexpectedly = 0
    result.behaviours[.wellBehaved]?.late = 62
    result.behaviours[.wellBehaved]?.connected = 100
    #expect(try #require(Metric.named("refreshed.share")).value(result) == 0.38)
    #expect(try !Threshold(parsing: "late == 0").judge(result).holds)
    #expect(result.caveats(StormPlan()).contains { $0.hasPrefix("62 of 100 connected clients") })
  }

  @Test
  func `a first request that the storm read late because it was stopped is not a wrong lead time`() {
    var plan = StormPlan()
    plan.expireAfter = 12.3
    var result = Self.stalled()
    result.seen.firstAsked = 14.78
    #expect(!result.caveats(plan).contains { $0.contains("a lead") })
    // The rest, which its absence doesn't explain, is the gateway's.
    result.seen.firstAsked = 17.3
    #expect(result.caveats(plan).contains { $0.contains("2.52 s later than a lead") })
  }

  @Test
  func `a wave that the scenario ordered ahead of the expiry is no wrong lead`() {
    var plan = StormPlan()
    plan.expireAfter = 60
    var result = ThresholdTests.result()
    result.seen.firstAsked = 5
    #expect(result.caveats(plan).contains { $0.contains("earlier than a lead") })
    result.askOrderedAt = 5
    #expect(!result.caveats(plan).contains { $0.contains("a lead") })
  }
}
