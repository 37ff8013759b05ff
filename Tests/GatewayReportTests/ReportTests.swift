import Foundation
import GatewayCore
import GatewayKit
import TestSupport
import TestTraits
import Testing

@testable import GatewayFleet
@testable import GatewayReport

struct ReportTests {
  static func report(_ change: (inout StormResult) -> Void = { _ in }) throws -> StormReport {
    var storm = try VirtualStorm()
    storm.plan.behaviours = try BehaviourMix(parsing: "well-behaved=90,slow=4,forgetful=2,stale=2,garbage=1,refused=1")
    storm.provider = try TokenProviderPolicy(latency: .milliseconds(40), concurrency: 8)
    var result = try storm.run().result
    result.probes[.beforeRamp] = .init(cpuSeconds: 1, residentBytes: 20e6)
    result.probes[.beforeExpiry] = .init(cpuSeconds: 2, residentBytes: 21e6)
    result.probes[.afterSettling] = .init(cpuSeconds: 2.1, residentBytes: 21e6)
    change(&result)
    return StormReport(
      plan: storm.plan, gateway: "ws://127.0.0.1:8080/v1/connect?a=<b>&c", provider: "\"provider\"",
      startedAt: WallTime(seconds: 1_800_000_000),
      machine: Machine(
        cores: 2, memoryBytes: 8 << 30, processor: "<i>fast</i>", system: "Debian", kernel: "6.1"),
      result: result, thresholds: [try Threshold(parsing: "lost == 0"), try Threshold(parsing: "refresh.p99 < 1ms")])
  }

  @Test
  func `the page refers to nothing outside of itself and runs nothing`() throws {
    let html = try Self.report().html.lowercased()
    for reference in ["http:", "https:", "src=", "href=", "url(", "@import", "<script", "<link", "<iframe", "<img"] {
      #expect(!html.contains(reference), "\(reference)")
    }
  }

  @Test
  func `foreign text is escaped at every position`() throws {
    let hostile = "<img src=x onerror=\"alert('1')\">"
    let html = try Self.report { result in
      result.connects.failed.count(hostile)
      result.errors.count(hostile)
      result.disconnects.count(hostile)
    }.html
    #expect(!html.contains("<img"))
    #expect(!html.contains("<i>fast"))
    #expect(!html.contains("a=<b>"))
    #expect(html.contains("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;"))
    #expect(html.contains("a=&lt;b&gt;&amp;c"))
  }

  @Test
  func `every element of the page is closed, in order`() throws {
    let html = try Self.report().html
    let parser = XMLTags(html)
    #expect(parser.problem == nil)
    #expect(parser.count > 100)
  }

  @Test
  func `the page shows a chart of every kind`() throws {
    let html = try Self.report().html
    for title in ["Refreshes per second", "Connected clients", "Token provider", "Refresh: asked", "Connect: begun"] {
      #expect(html.contains("aria-label=\"\(title)"))
    }
  }

  @Test(arguments: [0, 100_000])
  func `an empty result and a very long one also make a page`(seconds: Int) throws {
    let html = try Self.report { result in
      result = StormResult()
      for second in stride(from: 0, to: seconds, by: 7) { result.series.accepted.count(second, atSecond: second) }
    }.html
    #expect(html.utf8.count < 500_000)
    #expect(XMLTags(html).problem == nil)
  }

  @Test
  func `the JSON has the members that its schema describes, and every metric's value`() throws {
    let bytes = Data(try Self.report().json())
    let report = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    let schema = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: Self.schemaURL)) as? [String: Any])
    let required = try #require(schema["required"] as? [String])
    let properties = try #require(schema["properties"] as? [String: Any])
    #expect(Set(required).isSubset(of: report.keys))
    #expect(Set(report.keys).isSubset(of: properties.keys))
    for part in ["machine", "result"] {
      let described = try #require((properties[part] as? [String: Any])?["required"] as? [String])
      #expect(Set(described).isSubset(of: try #require(report[part] as? [String: Any]).keys))
    }
    let figures = try #require(report["figures"] as? [String: [String: Any]])
    #expect(Set(figures.keys) == Set(Metric.all.map(\.name)))
    #expect(figures["refresh.accepted"]?["value"] as? Double == 188)
    #expect(report["started_at"] as? String == "2027-01-15T08:00:00Z")
    #expect(report["passes"] as? Bool == false)
  }

  @Test
  func `the page that explains the figures names every one of them`() throws {
    let page = try String(contentsOf: Self.readmeURL, encoding: .utf8)
    for metric in Metric.all { #expect(page.contains("`\(metric.name)`"), "\(metric.name)") }
  }

  @Test
  func `connected clients are not drawn as gone when the storm ends`() throws {
    let report = try Self.report()
    let connected = report.result.series.connected(seconds: Int(report.result.seconds.rounded(.up)))
    #expect(connected.last == 188 && connected.max() == 200)
  }

  @Test
  func `the charts over the storm have one axis`() throws {
    let figures = try Self.report().html.components(separatedBy: "<figure>").dropFirst().compactMap {
      $0.components(separatedBy: "</figure>").first
    }
    let labels = figures.filter { $0.contains("per second") }.map { figure in
      figure.matches(of: #/>(\d+ s)</#).map { String($0.output.1) }
    }
    #expect(labels.count == 3 && Set(labels).count == 1)
    #expect(labels.first?.isEmpty == false)
  }

  @Test(.long)
  func `a wave of a tenth of a second is more than a bar`() throws {
    let html = try Self.report().html
    let wave = try #require(
      html.components(separatedBy: "<figure>").first { $0.contains("The wave: refreshes in each") })
    #expect(wave.components(separatedBy: "<rect").count > 10)
    #expect(try Self.report { $0.bins = StormBins() }.html.contains("The wave") == false)
  }

  @Test
  func `the peaks of logins and of the wave at the provider are shown separately`() throws {
    let report = try Self.report()
    #expect(
      report.html.contains("provider&#39;s peak in the wave") && report.html.contains("provider&#39;s peak at login"))
    let login = try #require(Metric.named("provider.login_peak")?.value(report.result))
    let refresh = try #require(Metric.named("provider.refresh_peak")?.value(report.result))
    #expect(login < 110 && refresh > 150)
  }

  @Test
  func `calls that are neither granted nor refused have a row`() throws {
    let report = try Self.report { $0.provider.calls += 725 }
    #expect(report.table.contains { $0.contains("unanswered") && $0.contains("725") })
  }

  @Test
  func `a figure that never happened is shown as never, and unknown memory as not measurable`() throws {
    let report = try Self.report { result in
      result.behaviours[.wellBehaved]?.lostUnexpectedly = 100
      result.probes[.beforeRamp]?.connectionsOpened = 5000
    }
    let text = report.table.joined(separator: "\n")
    #expect(text.contains("/ never") && text.contains("not measurable: the gateway had connections before"))
    #expect(report.html.contains("<b>never</b>") && report.html.contains("<b>not measurable</b>"))
  }

  @Test
  func `a setting that the storm did not see confirmed is a caveat, and a confirmed one is none`() throws {
    var plan = StormPlan()
    plan.expireAfter = 20
    plan.gateway.timeout = .seconds(60)
    var result = StormResult()
    result.seen = .init(firstAsked: 20.1, longestTimeout: 60)
    #expect(result.caveats(plan).isEmpty)
    result.seen.longestTimeout = 15
    #expect(result.caveats(plan).isEmpty, "nobody said anything")
    plan.gateway.timeoutSource = .told
    #expect(
      result.caveats(plan).first?.contains("told a refresh timeout of 60.0 s, but the gateway announced 15.0 s")
        == true)
    result.seen = .init(firstAsked: 9, longestTimeout: 60)
    #expect(result.caveats(plan).first?.contains("11.0 s earlier") == true)
    plan.gateway.spread = .seconds(15)
    result.seen.firstAsked = 16
    #expect(result.caveats(plan).first?.contains("11.0 s later") == true)
  }

  @Test
  func `a gateway that rejects every login without a known reason is a caveat that leads to the description`() {
    var result = StormResult()
    result.connects.failed.count("timed_out")
    #expect(result.caveats(StormPlan()).first?.hasPrefix("within 30.0 s (--connect-timeout) the gateway let") == true)
    result.errors.count("unmatched")
    #expect(
      result.caveats(StormPlan()) == [
        "no rule of the wire's description takes 1 of the gateway's messages: something is missing in it; postern wire try "
          + "shows what"
      ])
  }

  @Test
  func `tokens too short for the gateway's lead and spread are a caveat, and no fault of the gateway`() {
    var plan = StormPlan()
    plan.clients = 500
    plan.hold = .seconds(10)
    plan.gateway.spread = .seconds(5)
    var result = StormResult()
    result.refreshes.asked = 500
    #expect(result.caveats(plan).isEmpty)
    plan.gateway.lead = .seconds(1)
    #expect(result.caveats(plan).first?.contains("no longer than 10.0 s, which leaves no room") == true)
    plan.hold = .seconds(30)
    #expect(result.caveats(plan).isEmpty)
    plan.life = .seconds(11)
    #expect(result.caveats(plan).isEmpty, "there is but one wave")
    plan.waves = 2
    #expect(result.caveats(plan).count == 1)
  }

  @Test
  func `no bar hides the one behind it`() throws {
    let rows = [("asked", 3), ("accepted", 9)].map { name, value in
      TimeChart.Row(name: name, style: "one", shape: .bars, values: [value])
    }
    let html = TimeChart(title: "both", axis: .init(start: 0, step: 1, count: 1), rows: rows).html
    let widths = html.matches(of: #/<rect [^>]*width="([0-9.]+)"/#).compactMap { Double($0.output.1) }
    #expect(widths.count == 2 && widths[1] < widths[0] * 0.7)
  }

  static let readmeURL = URL(filePath: #filePath.components(separatedBy: "/Tests/GatewayReportTests/")[0])
    .appending(path: "Docs/thresholds.md")

  static let schemaURL = URL(filePath: #filePath.components(separatedBy: "/Tests/GatewayReportTests/")[0])
    .appending(path: "Deploy/reports/report.schema.json")

  @Test
  func `the table has a line for all that the report must contain`() throws {
    let text = try Self.report().table.joined(separator: "\n")
    for word in [
      "accepted", "asked", "answered", "refused", "timed out", "4000 refresh_timeout", "p50", "p99", "well-behaved",
      "forgetful", "renewals", "same token", "ends told by", "half of all", "calls per expiry", "peak",
      "50 / 95 / 99 %", "CPU per refresh", "FAILS", "holds",
    ] {
      #expect(text.contains(word), "\(word)")
    }
  }

  @Test
  func `an interrupted storm does not pass, whatever its thresholds say`() throws {
    #expect(try !Self.report { $0.wasInterrupted = true }.passes)
    let report = try Self.report { $0.behaviours[.wellBehaved]?.refreshLatency = LatencyHistogram() }
    #expect(!report.passes)
    #expect(report.caveats.isEmpty)
  }

  @Test(arguments: [0, 1, 4, 7, 99, 123, 5000, 12_345])
  func `axes end at round numbers that have room for the largest value`(value: Int) {
    let top = ChartScale.top(for: value)
    #expect(top >= value && top >= 1)
    #expect(top <= max(5, value * 2))
    #expect(ChartScale.ticks(to: top).count <= 6)
    #expect(ChartScale.ticks(to: top).last == top)
  }
}
