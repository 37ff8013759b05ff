internal import GatewayCore
import GatewayFleet

/// Latencies of several storms over each other, of yesterday's and of today's for instance: what share of each took no
/// longer than so long, over a logarithmic axis, as SVG. The more to the left a line is, the faster.
struct DistributionChart {
  /// One storm's line in the chart: yesterday's refreshes in the colour `good`.
  struct Row {
    let name: String
    /// The class of the style sheet that colours it: `good` or `before`.
    let style: String
    let histogram: LatencyHistogram
  }

  let title: String
  let rows: [Row]

  /// The chart as an HTML figure; empty if nothing was recorded.
  var html: String {
    let rows = rows.filter { $0.histogram.count > 0 }
    guard let axis = LatencyAxis(rows.map(\.histogram)) else { return "" }
    let frame = ChartFrame(title: title, largest: 100)
    let lines = rows.map { row in
      SVG.path("polyline", row.style, points(of: row.histogram, axis).map { (frame.x($0.x), frame.y($0.share)) })
    }
    let legend = rows.map { row in
      let p99 = row.histogram.quantile(0.99).map(Figures.duration) ?? "–"
      return "<span><i class=\"\(row.style)\"></i>\(Escaping.markup("\(row.name), p99 \(p99)"))</span>"
    }
    return frame.figure(legend: legend.joined(), labels: axis.labels, lines)
  }

  /// Steps: at the end of each bucket the line rises by what is in it. Percentages.
  private func points(of histogram: LatencyHistogram, _ axis: LatencyAxis) -> [(x: Double, share: Double)] {
    var points: [(x: Double, share: Double)] = []
    var seen: UInt64 = 0
    for (upTo, count) in histogram.buckets {
      let x = min(1, axis.share(of: min(upTo, histogram.maximum ?? upTo)))
      points.append((x, Double(seen) * 100 / Double(histogram.count)))
      seen += count
      points.append((x, Double(seen) * 100 / Double(histogram.count)))
    }
    return points
  }
}
