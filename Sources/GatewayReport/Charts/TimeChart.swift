import GatewayCore
import GatewayFleet

/// A chart over the time of a storm, as SVG.
struct TimeChart {
  /// The stretch of time that a chart shows, counted from the storm's start. Charts that are compared share one.
  struct Axis {
    /// The start in seconds.
    var start: Double
    /// The seconds per value.
    var step: Double
    /// The number of values for which there is room.
    var count: Int

    var length: Double { step * Double(max(1, count)) }
  }

  /// One row of values, with a value for each step of the axis. A row of fewer values ends before the axis does.
  struct Row {
    enum Shape {
      case bars
      case line
      case area
    }

    let name: String
    /// The style sheet's class for its colour: `good` or `asked`.
    let style: String
    let shape: Shape
    let values: [Int]
  }

  let title: String
  let axis: Axis
  /// The rows in drawing order; the last one is in front.
  let rows: [Row]
  /// Seconds that are marked with a name.
  var marks: [(second: Double, name: String)] = []

  /// The maximum number of columns; in longer storms each column shows the peak of several values.
  static let columnsMax = 240

  private var count: Int { max(1, axis.count) }
  private var valuesPerColumn: Int { (count + Self.columnsMax - 1) / Self.columnsMax }
  private var columns: Int { (count + valuesPerColumn - 1) / valuesPerColumn }

  /// The chart with its legend, as an HTML figure.
  var html: String {
    let frame = ChartFrame(title: title, largest: rows.flatMap { $0.values.prefix(count) }.max() ?? 0)
    let names = rows.map { "<span><i class=\"\($0.style)\"></i>\(Escaping.markup($0.name))</span>" }.joined()
    let note = valuesPerColumn > 1 ? "<span>peak of each \(text(Double(valuesPerColumn) * axis.step))</span>" : ""
    let named = self.marks.map { (share: share(of: $0.second), name: $0.name) }
    let marks = [frame.marks(named.filter { (0...1).contains($0.share) })]
    return frame.figure(legend: names + note, labels: labels, drawn(in: frame) + marks)
  }

  private var labels: [(share: Double, text: String)] {
    let step = ChartScale.step(for: axis.length)
    let first = (axis.start / step).rounded(.up)
    let last = ((axis.start + axis.length) / step).rounded(.down)
    guard first <= last else { return [] }
    return stride(from: first, through: last, by: 1).map { (share(of: $0 * step), text($0 * step)) }
  }

  private func text(_ seconds: Double) -> String {
    let step = ChartScale.step(for: axis.length)
    return "\(Figures.decimal(seconds, places: step < 0.1 ? 2 : step < 1 ? 1 : 0)) s"
  }

  private func share(of second: Double) -> Double {
    (second - axis.start) / axis.step / Double(valuesPerColumn) / Double(columns)
  }

  private func folded(_ values: [Int]) -> [Int] {
    let values = values.prefix(count)
    return (0..<columns).map { column in
      let end = min(values.count, (column + 1) * valuesPerColumn)
      return values[min(column * valuesPerColumn, end)..<end].max() ?? 0
    }
  }

  /// Draws the rows. Bars in front are narrower, so that those behind remain visible.
  private func drawn(in frame: ChartFrame) -> [String] {
    var layer = 0
    return rows.map { row in
      defer { if row.shape == .bars { layer += 1 } }
      return draw(row, layer: layer, in: frame)
    }
  }

  private func draw(_ row: Row, layer: Int, in frame: ChartFrame) -> String {
    let values = folded(row.values)
    switch row.shape {
    case .bars:
      let column = frame.x(1 / Double(columns)) - frame.x(0)
      let width = column * max(0.2, 1 - 0.4 * Double(layer))
      let margin = (column - width) / 2
      let bars = values.enumerated().filter { $0.element > 0 }.map { number, value in
        let second = axis.start + Double(number * valuesPerColumn) * axis.step
        return SVG.bar(
          x: frame.x(Double(number) / Double(columns)) + margin, width: width, top: frame.y(value),
          baseline: frame.baseline,
          tip: "\(Figures.decimal(second, places: axis.step < 1 ? 2 : 0)) s: \(Figures.count(value)) \(row.name)")
      }
      return "<g class=\"\(row.style)\">\(bars.joined(separator: "\n"))</g>"
    case .line, .area:
      // A shorter row ends with its values; it is not 0 after them.
      let drawn = (min(row.values.count, count) + valuesPerColumn - 1) / valuesPerColumn
      let points = values.prefix(drawn).enumerated().map { column, value in
        (x: frame.x((Double(column) + 0.5) / Double(columns)), y: frame.y(value))
      }
      let line = SVG.path("polyline", row.style, points)
      guard row.shape == .area, let first = points.first, let last = points.last else { return line }
      let corners = [(x: last.x, y: frame.baseline), (x: first.x, y: frame.baseline)]
      return SVG.path("polygon", "\(row.style) area", points + corners) + line
    }
  }
}
