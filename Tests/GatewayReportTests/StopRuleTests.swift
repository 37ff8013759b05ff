import GatewayFleet
import Testing

@testable import GatewayReport

struct StopRuleTests {
  private static func progress(_ seconds: Double, attempts: Int, failures: Int) -> StormProgress {
    var progress = StormProgress()
    progress.seconds = seconds
    progress.attempts = attempts
    progress.failures = failures
    return progress
  }

  @Test
  func `a stop rule has a share, a limit, and a span that is ten seconds unless it says otherwise`() throws {
    let rule = try StopRule(parsing: "connects.failed.share > 20% over 30s")
    #expect(rule.share == .connects && rule.limit == 0.2 && rule.span == 30)
    let short = try StopRule(parsing: "provider.refused.share>50%")
    #expect(short.share == .provider && short.limit == 0.5 && short.span == 10)
    for rule in StopRule.usual { #expect(try StopRule(parsing: "\(rule)").limit == rule.limit) }
  }

  @Test(arguments: [
    "", "x", "connects.failed.share", "connects.failed.share < 5%", "lost > 5%", "connects.failed.share > 100%",
    "connects.failed.share > -1%", "connects.failed.share > nan", "connects.failed.share > 5% over",
    "connects.failed.share > 5% over 0s", "connects.failed.share > 5% over 11m", "connects.failed.share > 5% for 3s",
    "connects.failed.share > 1e400%", "connects.failed.share > 5% over 10s more", "> 5%",
  ])
  func `an invalid stop rule is refused, and the error names what would be valid`(text: String) {
    let error = #expect(throws: ThresholdError.self) { try StopRule(parsing: text) }
    #expect(error.map { "\($0)".contains("%") || "\($0)".contains("share") || "\($0)".contains("10s") } == true)
  }

  @Test
  func `a storm ends when more than the share failed in the span, and earlier failures do not count`() throws {
    var watch = StopWatch([try StopRule(parsing: "connects.failed.share > 50% over 10s")])
    // A hundred fail at once, and later requests succeed.
    for second in 1...9 { #expect(watch.reason(Self.progress(Double(second), attempts: 100, failures: 100)) == nil) }
    #expect(watch.reason(Self.progress(9.9, attempts: 300, failures: 100)) == nil)
    for second in 10...40 {
      #expect(watch.reason(Self.progress(Double(second), attempts: 300 + 10 * second, failures: 100)) == nil)
    }
    // Most of those within ten seconds fail.
    let said = (41...60).lazy.compactMap { second in
      watch.reason(
        Self.progress(Double(second), attempts: 700 + 20 * (second - 40), failures: 100 + 20 * (second - 40)))
    }.first
    let reason = try #require(said)
    #expect(reason.contains("attempts to log in failed within 10.0 s") && reason.contains("--stop-when"))
  }

  @Test
  func `a storm is hopeless at once without a token in any answer, and after five seconds without a listener`() {
    var progress = StormProgress()
    (progress.calls, progress.refusals, progress.seconds) = (10, 10, 0.2)
    progress.trouble = "nothing at /access"
    let says = { (progress: StormProgress) -> String? in
      var watch = StopWatch([], endsHopeless: true)
      return watch.reason(progress)
    }
    let said = { (change: (inout StormProgress) -> Void) -> String? in
      var changed = progress
      change(&changed)
      return says(changed)
    }
    #expect(said { $0.tokenless = 10 }?.contains("none of 10 calls") == true)
    #expect(said { $0.tokenless = 10 }?.contains("nothing at /access") == true)
    #expect(said { ($0.calls, $0.tokenless) = (9, 9) } == nil, "a few may be chance")
    #expect(said { $0.tokenless = 9 } == nil, "another was refused for a reason that may pass")
    #expect(said { $0.unreachable = 10 } == nil, "it may be starting")
    #expect(said { ($0.unreachable, $0.seconds) = (10, 5) } != nil)
    #expect(said { ($0.unreachable, $0.tokenless, $0.seconds) = (4, 6, 5) } != nil)
    #expect(said { ($0.unreachable, $0.seconds, $0.connected) = (10, 5, 1) } == nil, "one has its token")
    var other = StopWatch([])
    progress.tokenless = 10
    #expect(other.reason(progress) == nil, "--stop-when never")
  }

  @Test
  func `no share is taken of a few, and no rule applies before the span has passed`() throws {
    var watch = StopWatch([try StopRule(parsing: "connects.failed.share > 0% over 2s")])
    #expect(watch.reason(Self.progress(1.9, attempts: 500, failures: 500)) == nil)
    #expect(watch.reason(Self.progress(2.1, attempts: 500, failures: 500)) != nil)
    var other = StopWatch([try StopRule(parsing: "connects.failed.share > 0% over 2s")])
    #expect(other.reason(Self.progress(3, attempts: 9, failures: 9)) == nil)
  }
}
