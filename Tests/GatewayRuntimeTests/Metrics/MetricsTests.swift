import GatewayCore
import GatewayRuntime
import Testing

struct MetricsTests {
  @Test
  func `a duration falls into the first bucket whose bound it does not exceed`() {
    var histogram = Histogram()
    let bounds = Histogram.boundsSeconds
    #expect(bounds == bounds.sorted() && Set(bounds).count == bounds.count)
    for (index, bound) in bounds.enumerated() {
      let duration = Duration.nanoseconds(Int64(bound * 1e9))
      histogram.record(duration)
      #expect(histogram.counts[index] == 1)
      var longer = Histogram()
      longer.record(duration + .nanoseconds(1))
      #expect(longer.counts[index + 1] == 1)
    }
    histogram.record(.seconds(Int64.max))
    #expect(histogram.counts.last == 1)
    #expect(histogram.count == UInt64(bounds.count + 1))
  }

  @Test
  func `metrics of several loops add up`() {
    // Two bindings of one dialect on two sockets.
    var one = LoopMetrics(dialects: ["a", "b", "a"])
    var two = one
    one.dialects[0].record(.loggedIn(.guest, after: .seconds(1)))
    two.dialects[0].record(.loggedIn(.guest, after: .seconds(2)))
    two.dialects[2].record(.loggedIn(.regular, after: .seconds(3)))
    two.dialects[1].messagesSent = 5
    one.merge(two)
    let dialects = one.byDialect
    #expect(dialects.map(\.dialect) == ["a", "b"] && dialects.map(\.messagesSent) == [0, 5])
    #expect(dialects[0].logins.values == [.guest: 2, .regular: 1] && one.total.logins.total == 3)
    #expect(one.total.loginDuration.count == 3 && one.total.loginDuration.sumSeconds == 6)
    #expect(dialects[1].loginDuration.count == 0)
  }

  @Test
  func `every record of a session is counted under a bounded label`() throws {
    var metrics = DialectMetrics(dialect: "plain")
    metrics.record(.loginRefused(.tokenExpired))
    metrics.record(.refreshRequested(.revocation))
    metrics.record(.refreshed(after: .milliseconds(20)))
    metrics.record(.refreshed(after: nil))
    metrics.record(.refreshRefused(.userMismatch.detailed("whatever it says")))
    metrics.record(.malformed(.unknownType))
    metrics.record(.ended(.refreshTimeout))
    metrics.record(.ended(try #require(CloseReason(code: 4_321, name: "an operator's own words"))))
    #expect(metrics.loginsRefused.values == ["token_expired": 1])
    #expect(metrics.refreshesRequested.values == [.revocation: 1])
    #expect(metrics.refreshesAccepted.values == [.asked: 1, .unasked: 1])
    #expect(metrics.refreshDuration.count == 1)
    #expect(metrics.refreshesRefused.values == ["user_mismatch": 1])
    #expect(metrics.malformedMessages.values == ["unknown_type": 1])
    #expect(metrics.connectionsEnded.values == ["refresh_timeout": 1, "other": 1])
  }

  @Test
  func `several labels separate counts, and one label separates histograms`() {
    var page = PrometheusText()
    page.counters("a_total", "Things.", labels: ["x", "y"], [(["b", "1"], 1), (["a", "2"], 2), (["a", "1"], 3)])
    var histogram = Histogram()
    histogram.record(.seconds(10_000))
    page.histograms("h_seconds", "Durations.", label: "x", [("a", Histogram()), ("b\"", histogram)])
    let lines = page.text.split(separator: "\n")
    #expect(lines[2...4] == [#"a_total{x="a",y="1"} 3"#, #"a_total{x="a",y="2"} 2"#, #"a_total{x="b",y="1"} 1"#])
    #expect(lines.filter { $0.hasPrefix("# TYPE h_seconds") }.count == 1)
    #expect(lines.contains(#"h_seconds_bucket{x="b\"",le="1800"} 0"#))
    #expect(lines.contains(#"h_seconds_bucket{x="b\"",le="+Inf"} 1"#))
    #expect(lines.contains(#"h_seconds_sum{x="b\""} 10000"#) && lines.contains(#"h_seconds_count{x="a"} 0"#))
  }

  @Test
  func `metrics are Prometheus's text format: cumulative buckets, sorted and escaped labels`() {
    var page = PrometheusText()
    page.counters("a_total", "Things.", label: "why", ["b": 2, "a\"\\\n": 1])
    page.gauge("g", "A gauge.", 0.5)
    page.counter("c_total", "A counter.", 3)
    var histogram = Histogram()
    for milliseconds in [1, 1, 40, 4_000_000] { histogram.record(.milliseconds(milliseconds)) }
    page.histogram("h_seconds", "Durations.", histogram)
    let lines = page.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(
      lines.prefix(8) == [
        "# HELP a_total Things.", "# TYPE a_total counter", #"a_total{why="a\"\\\n"} 1"#, #"a_total{why="b"} 2"#,
        "# HELP g A gauge.", "# TYPE g gauge", "g 0.5", "# HELP c_total A counter.",
      ])
    #expect(lines.contains(#"h_seconds_bucket{le="0.0005"} 0"#))
    #expect(lines.contains(#"h_seconds_bucket{le="0.001"} 2"#))
    #expect(lines.contains(#"h_seconds_bucket{le="0.05"} 3"#))
    #expect(lines.contains(#"h_seconds_bucket{le="1800"} 3"#))
    #expect(lines.contains(#"h_seconds_bucket{le="+Inf"} 4"#))
    #expect(lines.contains("h_seconds_count 4"))
    #expect(page.text.hasSuffix("\n"))
  }

  @Test
  func `every label that is counted by its position has a position of its own`() {
    func check<Label: CountedCase>(_ type: Label.Type) {
      #expect(Label.allCases.map(\.place) == Array(0..<Label.allCases.count), "\(type)")
      var counter = CaseCounter<Label>()
      for label in Label.allCases { counter.add(label) }
      #expect(counter.values.count == Label.allCases.count && counter.named.values.allSatisfy { $0 == 1 })
    }
    check(UserKind.self)
    check(RefreshCause.self)
    check(RefreshOrigin.self)
  }
}
