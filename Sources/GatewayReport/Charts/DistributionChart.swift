internal import GatewayCore
import GatewayFleet

/// A chart of the latencies of several storms, as SVG. Each line shows the share of requests that took at most a given
/// time, over a logarithmic axis; further left is faster.
struct DistributionChart {
  /// One storm's line in the chart.
  struct Row {
    let name: String
    /// The style sheet's class for its colour: `good` or `before`.
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

  /// Returns a step curve in percent: at the end of each bucket the line rises by the bucket's share.
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
