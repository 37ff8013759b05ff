internal import Foundation
internal import GatewayCore
import GatewayFleet

/// How latencies are distributed: columns over a logarithmic axis, as SVG.
struct LatencyChart {
  let title: String
  let histogram: LatencyHistogram

  private static let columnsPerDecade = 12.0

  /// The chart as an HTML figure; empty if nothing was recorded.
  var html: String {
    guard let shortest = histogram.minimum, let longest = histogram.maximum else { return "" }
    let low = Self.decade(shortest).rounded(.down)
    let high = max(low + 1, Self.decade(longest).rounded(.up))
    let columns = columns(from: low, to: high)
    let frame = ChartFrame(title: title, largest: columns.max() ?? 1)
    let width = frame.x(1 / Double(columns.count)) - frame.x(0)
    let bars = columns.enumerated().filter { $0.element > 0 }.map { index, count in
      SVG.bar(
        x: frame.x(Double(index) / Double(columns.count)), width: width, top: frame.y(count),
        baseline: frame.baseline, tip: Figures.count(count))
    }
    let labels = stride(from: low, through: high, by: 1).map { decade in
      (share: (decade - low) / (high - low), text: Self.name(ofDecade: decade))
    }
    let marks = [(0, "p50", 0.5), (1, "p99", 0.99)].compactMap { line, name, share in
      histogram.quantile(share).map {
        frame.mark(
          at: (Self.decade($0) - low) / (high - low), "\(name) \(Figures.duration($0))", line: line)
      }
    }
    return frame.figure(labels: labels, ["<g class=\"one\">\(bars.joined(separator: "\n"))</g>"] + marks)
  }

  /// The position on the axis: the decimal logarithm of the microseconds, those below one counting as one.
  private static func decade(_ duration: Duration) -> Double {
    log10(max(1, duration.inSeconds * 1e6))
  }

  private static func name(ofDecade decade: Double) -> String {
    let value = Int(pow(10, decade.truncatingRemainder(dividingBy: 3)).rounded())
    return switch decade {
    case ..<3: "\(value) us"
    case ..<6: "\(value) ms"
    case ..<9: "\(value) s"
    default: "\(Figures.count(value * 1000)) s"
    }
  }

  private func columns(from low: Double, to high: Double) -> [Int] {
    var columns = Array(repeating: 0, count: Int(((high - low) * Self.columnsPerDecade).rounded()))
    for (upTo, count) in histogram.buckets {
      let position = Int((Self.decade(upTo) - low) * Self.columnsPerDecade)
      columns[min(max(0, position), columns.count - 1)] += Int(count)
    }
    return columns
  }
}
