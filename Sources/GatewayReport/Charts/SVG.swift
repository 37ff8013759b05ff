import GatewayCore
import GatewayFleet

/// The few shapes that the charts are drawn with, a line for instance. Colours come from the page's style sheet, by
/// class.
enum SVG {
  /// The place of text relative to its point: before it with `end`, for instance.
  enum Anchor: String {
    case start = ""
    case middle = " middle"
    case end = " end"
  }

  static func line(_ style: String, x1: Double, y1: Double, x2: Double, y2: Double) -> String {
    "<line class=\"\(style)\" x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\"/>"
  }

  static func label(_ text: String, x: Double, y: Double, _ anchor: Anchor = .start) -> String {
    "<text class=\"axis\(anchor.rawValue)\" x=\"\(number(x))\" y=\"\(number(y))\">\(Escaping.markup(text))</text>"
  }

  /// A column from `top` to `baseline`, with what it stands for as its tooltip.
  static func bar(x: Double, width: Double, top: Double, baseline: Double, tip: String) -> String {
    "<rect x=\"\(number(x + width * 0.08))\" y=\"\(number(top))\" width=\"\(number(width * 0.84))\" "
      + "height=\"\(number(baseline - top))\"><title>\(Escaping.markup(tip))</title></rect>"
  }

  static func path(_ element: String, _ style: String, _ points: [(x: Double, y: Double)]) -> String {
    let points = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
    return "<\(element) class=\"\(style)\" points=\"\(points)\"/>"
  }

  /// A coordinate with one decimal place.
  static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    let sign = tenths < 0 ? "-" : ""
    let fraction = abs(tenths) % 10
    return "\(sign)\(abs(tenths) / 10)\(fraction == 0 ? "" : ".\(fraction)")"
  }
}

/// The frame of a chart: where the plot lies in the picture, 56 points from the left for instance, and the axes around
/// it.
struct ChartFrame {
  let title: String
  /// The value at the top of the plot.
  let top: Int

  static let width = 720.0
  static let height = 240.0
  let left = 56.0
  let right = ChartFrame.width - 12
  let ceiling = 26.0
  let baseline = ChartFrame.height - 30

  /// A frame in which values up to `largest` have room.
  init(title: String, largest: Int) {
    self.title = title
    top = ChartScale.top(for: largest)
  }

  /// The position of a share (0...1) of the plot's width.
  func x(_ share: Double) -> Double { left + (right - left) * share }

  /// The position of a value.
  func y(_ value: Int) -> Double { y(Double(value)) }

  func y(_ value: Double) -> Double { baseline - (baseline - ceiling) * value / Double(top) }

  /// The whole figure around what is drawn inside.
  func figure(legend: String = "", labels: [(share: Double, text: String)], _ content: [String]) -> String {
    let grid = ChartScale.ticks(to: top).map { value in
      SVG.line("grid", x1: left, y1: y(value), x2: right, y2: y(value))
        + SVG.label(Figures.count(value), x: left - 6, y: y(value) + 4, .end)
    }
    let axis = labels.filter { $0.share <= 1 }.map {
      SVG.label($0.text, x: x($0.share), y: baseline + 18, $0.share > 0.97 ? .end : .middle)
    }
    let name = Escaping.markup(title)
    return """
      <figure><figcaption><span>\(name)</span><span class="legend">\(legend)</span></figcaption>
      <svg viewBox="0 0 \(SVG.number(Self.width)) \(SVG.number(Self.height))" role="img" aria-label="\(name)">
      \((grid + axis + content).joined(separator: "\n"))
      </svg></figure>
      """
  }

  /// A named vertical line; `line` is 0 for the upper of two rows of names, 1 for the lower.
  func mark(at share: Double, _ name: String, line: Int = 0) -> String {
    let isLate = share > 0.75
    return SVG.line("mark", x1: x(share), y1: ceiling - 16 + Double(line) * 10, x2: x(share), y2: baseline)
      + SVG.label(name, x: x(share) + (isLate ? -5 : 5), y: ceiling - 8 + Double(line) * 13, isLate ? .end : .start)
  }
}
