internal import GatewayCore
import GatewayFleet

/// A chart of one distribution of latencies, as SVG: columns over a logarithmic axis.
struct LatencyChart {
  let title: String
  let histogram: LatencyHistogram

  private static let columnsPerDecade = 12.0

  /// The chart as an HTML figure; empty if nothing was recorded.
  var html: String {
    guard let axis = LatencyAxis([histogram]) else { return "" }
    let columns = columns(of: axis)
    let frame = ChartFrame(title: title, largest: columns.max() ?? 1)
    let width = frame.x(1 / Double(columns.count)) - frame.x(0)
    let bars = columns.enumerated().filter { $0.element > 0 }.map { index, count in
      SVG.bar(
        x: frame.x(Double(index) / Double(columns.count)), width: width, top: frame.y(count),
        baseline: frame.baseline, tip: Figures.count(count))
    }
    let quantiles = [("p50", 0.5), ("p99", 0.99)].compactMap { name, share in
      histogram.quantile(share).map { (share: axis.share(of: $0), name: "\(name) \(Figures.duration($0))") }
    }
    let marks = [frame.marks(quantiles)]
    return frame.figure(labels: axis.labels, ["<g class=\"time\">\(bars.joined(separator: "\n"))</g>"] + marks)
  }

  private func columns(of axis: LatencyAxis) -> [Int] {
    var columns = Array(repeating: 0, count: Int(((axis.high - axis.low) * Self.columnsPerDecade).rounded()))
    for (upTo, count) in histogram.buckets {
      let position = Int(axis.share(of: upTo) * Double(columns.count))
      columns[min(max(0, position), columns.count - 1)] += Int(count)
    }
    return columns
  }
}
