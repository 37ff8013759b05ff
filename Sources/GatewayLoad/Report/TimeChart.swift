/// A chart over the seconds of a storm, as SVG.
struct TimeChart {
  /// One row of values, a value for each second.
  struct Row {
    enum Shape {
      case bars
      case line
      case area
    }

    let name: String
    /// The class of the style sheet that colours it: `one`, `two` or `three`.
    let style: String
    let shape: Shape
    let values: [Int]
  }

  let title: String
  /// Drawn in this order, so the last is in front.
  let rows: [Row]
  /// Seconds to mark with a name.
  var marks: [(second: Double, name: String)] = []

  /// At most this many columns; longer storms show the peak of several seconds in each.
  private static let columnsMax = 240

  private var seconds: Int { max(1, rows.map(\.values.count).max() ?? 1) }
  private var secondsPerColumn: Int { (seconds + Self.columnsMax - 1) / Self.columnsMax }
  private var columns: Int { (seconds + secondsPerColumn - 1) / secondsPerColumn }

  /// The chart with its legend, as an HTML figure.
  var html: String {
    let frame = ChartFrame(title: title, largest: rows.flatMap(\.values).max() ?? 0)
    let names = rows.map { "<span><i class=\"\($0.style)\"></i>\(HTMLText.escape($0.name))</span>" }.joined()
    let note = secondsPerColumn > 1 ? "<span>peak of each \(secondsPerColumn) s</span>" : ""
    let labels = stride(from: 0, through: seconds, by: ChartScale.step(for: seconds)).map {
      (share: share(ofSecond: Double($0)), text: "\($0) s")
    }
    let marks = marks.filter { share(ofSecond: $0.second) <= 1 }.map {
      frame.mark(at: share(ofSecond: $0.second), $0.name)
    }
    return frame.figure(legend: names + note, labels: labels, rows.map { draw($0, in: frame) } + marks)
  }

  private func share(ofSecond second: Double) -> Double {
    second / Double(secondsPerColumn) / Double(columns)
  }

  private func folded(_ values: [Int]) -> [Int] {
    (0..<columns).map { column in
      let end = min(values.count, (column + 1) * secondsPerColumn)
      return values[min(column * secondsPerColumn, end)..<end].max() ?? 0
    }
  }

  private func draw(_ row: Row, in frame: ChartFrame) -> String {
    let values = folded(row.values)
    switch row.shape {
    case .bars:
      let width = frame.x(1 / Double(columns)) - frame.x(0)
      let bars = values.enumerated().filter { $0.element > 0 }.map { column, value in
        SVG.bar(
          x: frame.x(Double(column) / Double(columns)), width: width, top: frame.y(value), baseline: frame.baseline,
          tip: "\(column * secondsPerColumn) s: \(Figures.count(value)) \(row.name)")
      }
      return "<g class=\"\(row.style)\">\(bars.joined(separator: "\n"))</g>"
    case .line, .area:
      let points = values.enumerated().map { column, value in
        (x: frame.x((Double(column) + 0.5) / Double(columns)), y: frame.y(value))
      }
      let line = SVG.path("polyline", row.style, points)
      guard row.shape == .area, let first = points.first, let last = points.last else { return line }
      let corners = [(x: last.x, y: frame.baseline), (x: first.x, y: frame.baseline)]
      return SVG.path("polygon", "\(row.style) area", points + corners) + line
    }
  }
}
