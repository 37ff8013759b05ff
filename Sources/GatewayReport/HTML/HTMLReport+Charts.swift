internal import GatewayCore
import GatewayFleet

extension StormReport {
  var charts: [String] {
    (stormCharts + waveCharts).map(\.html) + latencyCharts.map(\.html).filter { !$0.isEmpty }
  }

  // MARK: Over the whole storm, all with one axis

  private var stormCharts: [TimeChart] {
    let series = result.series
    let seconds = max(series.seconds, Int(min(result.seconds, Double(StormSeries.secondsMax)).rounded(.up)))
    let axis = TimeChart.Axis(start: 0, step: 1, count: seconds)
    let marks =
      (plan.expiry == .common ? [(second: plan.expiresAfter.inSeconds, name: "tokens expire")] : [])
      + (result.phases ?? []).dropFirst().map { (second: $0.from, name: $0.name) }
    var charts = [
      TimeChart(
        title: "Refreshes per second", axis: axis,
        rows: [
          .init(name: "asked", style: "asked", shape: .bars, values: series.asked.perSecond),
          .init(name: "accepted", style: "good", shape: .bars, values: series.accepted.perSecond),
        ], marks: marks),
      TimeChart(
        title: "Connected clients", axis: axis,
        rows: [
          .init(
            name: "connected at the end of each second", style: "good", shape: .area,
            values: series.connected(seconds: seconds)),
          .init(name: "cut off per second", style: "bad", shape: .bars, values: series.losses.perSecond),
        ], marks: marks),
    ]
    if hasReturns {
      charts.append(
        TimeChart(
          title: "Interrupted and back, per second", axis: axis,
          rows: [
            .init(name: "interrupted", style: "bad", shape: .bars, values: result.bins.perSecond(\.losses)),
            .init(name: "back", style: "good", shape: .bars, values: result.bins.perSecond(\.returned)),
          ], marks: marks))
    }
    if result.provider.calls > 0 {
      charts.append(
        TimeChart(
          title: "Token provider", axis: axis,
          rows: [
            .init(
              name: "calls per second for refreshes", style: "asked", shape: .bars, values: series.providerRefreshes),
            .init(
              name: "for logins", style: "login", shape: .bars, values: series.providerLogins.perSecond),
            .init(name: "in flight", style: "time", shape: .line, values: series.providerInFlight),
          ], marks: marks))
    }
    return charts
  }

  // MARK: The wave itself

  /// The wave in steps fine enough that a tenth of a second has a shape; none if tokens expire one by one.
  private var waveCharts: [TimeChart] {
    guard plan.expiry == .common, let (bins, width) = waveBins else { return [] }
    let counts = result.bins
    let step = Double(width * counts.milliseconds) / 1000
    let axis = TimeChart.Axis(
      start: Double(bins.lowerBound * counts.milliseconds) / 1000, step: step, count: bins.count / width)
    func values(_ kind: KeyPath<StormBins, StormBins.Counts>) -> [Int] {
      stride(from: bins.lowerBound, to: bins.upperBound, by: width).map { start in
        (start..<start + width).reduce(0) { $0 + counts[keyPath: kind][$1] }
      }
    }
    let size = Figures.seconds(step)
    let refreshes = TimeChart(
      title: "The wave: refreshes in each \(size)", axis: axis,
      rows: [
        .init(name: "asked", style: "asked", shape: .bars, values: values(\.asked)),
        .init(name: "accepted", style: "good", shape: .bars, values: values(\.accepted)),
      ])
    guard result.provider.refreshCalls > 0 else { return [refreshes] }
    let calls = TimeChart(
      title: "The wave: calls of the provider in each \(size)", axis: axis,
      rows: [.init(name: "calls", style: "asked", shape: .bars, values: values(\.providerRefreshes))])
    return [refreshes, calls]
  }

  /// The bins from the first request until 95 % of the refreshes, with a margin, and the number of bins per column. The
  /// last few refreshes are slow and would compress the wave into a bar.
  private var waveBins: (bins: Range<Int>, width: Int)? {
    let counts = result.bins
    guard let first = counts.asked.bin(ofShare: 0.001), let last = counts.accepted.bin(ofShare: 0.95), last >= first
    else { return nil }
    let margin = max(2, (last - first) / 10)
    let start = max(0, first - margin)
    let width = (last + margin - start) / TimeChart.columnsMax + 1
    let columns = (last + margin - start) / width + 1
    return (start..<start + columns * width, width)
  }

  // MARK: Latencies

  private var latencyCharts: [LatencyChart] {
    let refresh = result.behaviours[.wellBehaved]?.refreshLatency ?? LatencyHistogram()
    return [
      LatencyChart(title: "Refresh: asked to refreshed, well-behaved clients", histogram: refresh),
      LatencyChart(title: "Outage: connection ended to logged in again", histogram: result.latencies.outage),
      LatencyChart(title: "Connect: begun to logged in", histogram: result.latencies.connect),
      LatencyChart(title: "Token provider: wanted to given", histogram: result.latencies.provider),
    ]
  }
}
