import Foundation
import GatewayCore
import Testing

@testable import GatewayFleet

struct LatencyHistogramTests {
  @Test
  func `every duration lies within the bounds of its bucket, and the bounds are at most 3.2 % wide`() {
    var generator = SeededGenerator(seed: 1)
    for exponent in 0..<36 {
      for _ in 0..<50 {
        let value = UInt64(1) << UInt64(exponent) | generator.next() & ((1 << UInt64(exponent)) - 1)
        let bounds = LatencyHistogram.bounds(of: LatencyHistogram.bucket(of: value))
        #expect(bounds.contains(value))
        #expect(Double(bounds.upperBound - bounds.lowerBound) <= Double(value) * 0.032)
      }
    }
  }

  @Test
  func `buckets follow one another without a gap`() {
    for bucket in 1..<1000 {
      let before = LatencyHistogram.bounds(of: bucket - 1)
      #expect(LatencyHistogram.bounds(of: bucket).lowerBound == before.upperBound + 1)
    }
  }

  @Test
  func `percentiles equal the sorted list's, up to a bucket's width`() throws {
    var histogram = LatencyHistogram()
    var generator = SeededGenerator(seed: 2)
    var values: [Int64] = []
    for _ in 0..<10_000 {
      let value = Int64(generator.nextShare() * generator.nextShare() * 5_000_000)
      values.append(value)
      histogram.record(.microseconds(value))
    }
    values.sort()
    for share in [0.0, 0.5, 0.9, 0.99, 0.999] {
      let exact = Double(values[max(0, Int((share * 10_000).rounded(.up)) - 1)])
      let found = try #require(histogram.quantile(share)).inSeconds * 1e6
      #expect(found >= exact - 1 && found <= exact * 1.032 + 1)
    }
    #expect(histogram.quantile(1) == .microseconds(values.last!))
    #expect(histogram.minimum == .microseconds(values.first!))
  }

  @Test
  func `an empty histogram has no percentile, and extremes are kept within its bounds`() {
    var histogram = LatencyHistogram()
    #expect(histogram.quantile(0.5) == nil)
    histogram.record(.seconds(-5))
    #expect(histogram.quantile(0.5) == .zero)
    histogram.record(.seconds(1_000_000_000))
    #expect(histogram.maximum == .seconds(1_000_000_000))
    #expect(histogram.count == 2)
  }

  @Test
  func `merged histograms equal one with all records, also after JSON`() throws {
    var generator = SeededGenerator(seed: 3)
    var parts = [LatencyHistogram(), LatencyHistogram(), LatencyHistogram()]
    var whole = LatencyHistogram()
    for index in 0..<3000 {
      let value = Duration.microseconds(Int64(generator.nextShare() * 1e7))
      parts[index % 3].record(value)
      whole.record(value)
    }
    var merged = LatencyHistogram()
    for part in parts {
      merged.merge(try JSONDecoder().decode(LatencyHistogram.self, from: JSONEncoder().encode(part)))
    }
    #expect(merged == whole)
  }
}

struct StormResultTests {
  @Test
  func `the level of a series is arrivals less departures`() {
    var series = StormSeries()
    series.connects.count(5, atSecond: 0)
    series.connects.count(5, atSecond: 2)
    series.ends.count(3, atSecond: 1)
    #expect(series.connected == [5, 2, 7])
    #expect(series.connected(seconds: 5) == [5, 2, 7, 7, 7], "nothing more happened, and they are still there")
  }

  @Test
  func `a fleet that refreshes within one second scores as many times the mean as the wave has seconds`() {
    var result = StormResult()
    result.given = 60
    for bin in 800..<813 { result.bins.accepted.count(10, inBin: bin) }
    #expect(result.peakToMean(\.accepted, over: .seconds(1)) == 60)
    #expect(result.peakToMean(\.accepted, over: .milliseconds(100)).map { Int($0.rounded()) } == 462)
    #expect(result.waveLength == .milliseconds(130))
    #expect(result.peakToMean(\.asked, over: .seconds(1)) == nil)
    var even = StormResult()
    even.given = 10
    for bin in 0..<1000 { even.bins.accepted.count(2, inBin: bin) }
    #expect(even.peakToMean(\.accepted, over: .seconds(1)) == 1)
    #expect(even.peakToMean(\.accepted, over: .milliseconds(100)) == 1)
  }

  @Test
  func `the dip and its length count the clients that were away, also to the end`() {
    var result = StormResult()
    #expect(result.dip == nil)
    result.seconds = 10
    result.bins.logins.count(100, inBin: 100)
    result.bins.losses.count(60, inBin: 500)
    result.bins.logins.count(60, inBin: 550)
    #expect(result.dip == 0.4 && result.secondsBelow99 == 0.5)
    result.bins.losses.count(100, inBin: 900)
    #expect(result.dip == 0 && result.secondsBelow99 == 1.5)
  }

  @Test
  func `a peak is found wherever its second begins`() {
    var bins = StormBins()
    for bin in [95, 99, 100, 104] { bins.asked.count(25, inBin: bin) }
    #expect(bins.peak(bins.asked, over: .seconds(1)) == 100)
    #expect(bins.peak(bins.asked, over: .milliseconds(50)) == 50)
    #expect(bins.perSecond(\.asked) == [50, 50])
  }

  @Test(arguments: [(60, 10), (3600, 100), (36_000, 1000)])
  func `the bins of a report are as fine as the storm's length allows`(seconds: Int, milliseconds: Int) {
    var bins = StormBins(length: .seconds(seconds))
    #expect(bins.milliseconds == milliseconds)
    #expect((bins.peak(bins.asked, over: .milliseconds(100)) == nil) == (milliseconds > 100))
    bins.asked.count(inBin: bins.bin(at: .seconds(1_000_000)))
    #expect(bins.asked.perBin.count <= StormBins.countMax)
  }

  @Test
  func `a series is bounded, whatever second is counted`() {
    var series = StormSeries()
    series.asked.count(atSecond: -4)
    series.asked.count(atSecond: 10_000_000)
    #expect(series.asked[0] == 1)
    #expect(series.seconds == StormSeries.secondsMax)
  }

  @Test
  func `reasons are bounded in number and in length`() {
    var reasons = Reasons()
    for index in 0..<500 { reasons.count("reason \(index)") }
    reasons.count(String(repeating: "x", count: 1000))
    #expect(reasons.counts.count <= Reasons.differentMax + 1)
    #expect(reasons.total == 501)
    #expect(reasons["other"] > 400)
    #expect(reasons.sorted.first?.reason == "other")
  }

  @Test
  func `parts merged in any order equal the whole, also after JSON`() throws {
    let parts = (0..<4).map(Self.part)
    var forwards = StormResult()
    var backwards = StormResult()
    for part in parts { forwards.merge(part) }
    for part in parts.reversed() {
      backwards.merge(try JSONDecoder().decode(StormResult.self, from: JSONEncoder().encode(part)))
    }
    #expect(forwards == backwards)
    #expect(forwards.connects.accepted == 40 + 6)
    #expect(forwards.provider.longestRound == 4)
    #expect(forwards.everybody.lostUnexpectedly == 6)
    #expect(forwards.series.accepted.perSecond == [0, 1, 1, 1, 1])
  }

  static func part(_ number: Int) -> StormResult {
    var result = StormResult()
    result.connects.accepted = 10 + number
    result.connects.failed.count("http_503", number)
    result.provider.longestRound = number + 1
    result.behaviours[.wellBehaved, default: .init()].lostUnexpectedly = number
    result.behaviours[number < 2 ? .slow : .stale, default: .init()].refreshLatency.record(.seconds(number))
    result.series.accepted.count(atSecond: number + 1)
    result.bins.accepted.count(number, inBin: 100 * number)
    result.seen.firstAsked = Double(number)
    result.latencies.sinceOnset.record(.seconds(number))
    return result
  }

  @Test
  func `the time until a share is refreshed counts clients that should be refreshed, and is unknown if too few were`() {
    var result = StormResult()
    result.behaviours[.wellBehaved] = .init()
    result.behaviours[.wellBehaved]?.kept = 95
    result.behaviours[.wellBehaved]?.lostUnexpectedly = 5
    result.behaviours[.forgetful] = .init()
    result.behaviours[.forgetful]?.lostExpectedly = 50
    for second in 1...95 { result.latencies.sinceOnset.record(.microseconds(second)) }
    #expect(result.refreshable == 100)
    #expect(result.refreshedShare == 0.95)
    #expect(result.timeUntil(share: 0.5) == .microseconds(50))
    #expect(result.timeUntil(share: 0.95) == .microseconds(95))
    #expect(result.timeUntil(share: 0.99) == nil)
  }

  @Test
  func `the memory of a connection is shared among the connections that were open, not among all that ever were`() {
    var result = StormResult()
    result.connects.accepted = 100
    result.probes[.beforeRamp] = .init(cpuSeconds: 1, residentBytes: 10e6, connectionsOpen: 0)
    result.probes[.beforeExpiry] = .init(cpuSeconds: 1, residentBytes: 11e6, connectionsOpen: 40)
    #expect(result.gatewayBytesPerConnection == 25_000)
    result.probes[.beforeExpiry]?.connectionsOpen = 0
    #expect(result.gatewayBytesPerConnection == nil)
  }

  @Test
  func `the gateway's own metrics give CPU per refresh and bytes per connection`() throws {
    var result = StormResult()
    result.connects.accepted = 1000
    result.refreshes.accepted = 500
    result.probes[.beforeRamp] = .init(cpuSeconds: 0.5, residentBytes: 10_000_000)
    let exposition = """
      # HELP process_cpu_seconds_total CPU
      process_cpu_seconds_total 1.25
      postern_x{a="b c"} 3
      process_resident_memory_bytes 1.3e+07 1700000000000
      """
    result.probes[.beforeExpiry] = ProcessProbe.Sample(exposition: exposition)
    #expect(result.gatewayCPUPerRefresh == nil)
    result.probes[.afterSettling] = .init(cpuSeconds: 1.26, residentBytes: 14_000_000)
    let cpu = try #require(result.gatewayCPUPerRefresh)
    #expect(abs(cpu.inSeconds - 20e-6) < 1e-7)
    #expect(result.gatewayBytesPerConnection == 3000)
    result.probes[.beforeRamp]?.connectionsOpened = 11
    #expect(result.gatewayBytesPerConnection == nil, "connections of an earlier storm left their memory behind")
    #expect(result.whyMemoryIsUnknown?.contains("had connections before") == true)
    #expect(ProcessProbe.Sample(exposition: "process_cpu_seconds_total 1") == nil)
    let both = exposition + "\nprocess_anonymous_memory_bytes 4e6"
    #expect(ProcessProbe.Sample(exposition: both)?.residentBytes == 4e6, "code is not memory of connections")
    let page = exposition + "\npostern_connections{phase=\"live\"} 40\npostern_connections{phase=\"closing\"} 2"
    #expect(ProcessProbe.Sample(exposition: page)?.connectionsOpen == 42)
    let counted = ProcessProbe.Sample(
      exposition: exposition
        + "\npostern_connections_opened_total{dialect=\"plain\"} 3\npostern_connections_opened_total{dialect=\"x y\"} 4"
    )
    #expect(counted?.connectionsOpened == 7)
    for nonsense in ["nan", "1e300", "-1", "inf"] {
      let text = "process_cpu_seconds_total \(nonsense)\nprocess_resident_memory_bytes 1"
      #expect(ProcessProbe.Sample(exposition: text) == nil, "\(nonsense)")
    }
  }
}
