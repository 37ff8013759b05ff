import GatewayCore
import GatewayFleet

/// The shapes of the charts. Colours come from the page's style sheet, by class.
enum SVG {
  /// The position of a text relative to its point.
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

  /// Returns a column from `top` to `baseline`, with its value as the tooltip.
  static func bar(x: Double, width: Double, top: Double, baseline: Double, tip: String) -> String {
    "<rect x=\"\(number(x + width * 0.08))\" y=\"\(number(top))\" width=\"\(number(width * 0.84))\" "
      + "height=\"\(number(baseline - top))\"><title>\(Escaping.markup(tip))</title></rect>"
  }

  static func path(_ element: String, _ style: String, _ points: [(x: Double, y: Double)]) -> String {
    let points = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
    return "<\(element) class=\"\(style)\" points=\"\(points)\"/>"
  }

  /// Returns a coordinate with one decimal place.
  static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    let sign = tenths < 0 ? "-" : ""
    let fraction = abs(tenths) % 10
    return "\(sign)\(abs(tenths) / 10)\(fraction == 0 ? "" : ".\(fraction)")"
  }
}

/// The frame of a chart: the plot's position in the picture, and the axes around it.
struct ChartFrame {
  let title: String
  /// The value at the top of the plot.
  let top: Int

  /// On a page of 400 px a chart is 334 px wide, and the style sheet's 18 px become 11 px.
  static let width = 540.0
  static let height = 240.0
  /// The height of a line of text, and the maximum width of a character in it.
  static let lineHeight = 19.0
  static let characterWidth = 9.6
  let left: Double
  let right = ChartFrame.width - 12
  let ceiling = 2 * ChartFrame.lineHeight + 8
  let baseline = ChartFrame.height - 30

  /// Creates a frame with room for values up to `largest`.
  init(title: String, largest: Int) {
    self.title = title
    top = ChartScale.top(for: largest)
    left = 14 + Double(Figures.count(ChartScale.top(for: largest)).count) * Self.characterWidth
  }

  /// Returns the position of a share (0...1) of the plot's width.
  func x(_ share: Double) -> Double { left + (right - left) * share }

  /// Returns the position of a value.
  func y(_ value: Int) -> Double { y(Double(value)) }

  func y(_ value: Double) -> Double { baseline - (baseline - ceiling) * value / Double(top) }

  /// Returns the whole figure with `content` in its plot.
  func figure(legend: String = "", labels: [(share: Double, text: String)], _ content: [String]) -> String {
    let grid = ChartScale.ticks(to: top).map { value in
      SVG.line("grid", x1: left, y1: y(value), x2: right, y2: y(value))
        + SVG.label(Figures.count(value), x: left - 6, y: y(value) + 4, .end)
    }
    let axis = Self.apart(labels.filter { $0.share <= 1 }, width: right - left).map {
      SVG.label($0.text, x: x($0.share), y: baseline + 20, $0.share > 0.97 ? .end : .middle)
    }
    let name = Escaping.markup(title)
    return """
      <figure><figcaption><span>\(name)</span><span class="legend">\(legend)</span></figcaption>
      <svg viewBox="0 0 \(SVG.number(Self.width)) \(SVG.number(Self.height))" role="img" aria-label="\(name)">
      \((grid + axis + content).joined(separator: "\n"))
      </svg></figure>
      """
  }

  /// Returns the labels that do not overlap the one before.
  private static func apart(_ labels: [(share: Double, text: String)], width: Double) -> [(share: Double, text: String)]
  {
    var shown: [(share: Double, text: String)] = []
    var end = -Double.infinity
    for label in labels.sorted(by: { $0.share < $1.share }) {
      let length = Double(label.text.count) * characterWidth
      let start = label.share * width - (label.share > 0.97 ? length : length / 2)
      guard start > end + characterWidth else { continue }
      shown.append(label)
      end = start + length
    }
    return shown
  }

  /// Returns named vertical lines. A name is placed in the upper of two rows, or in the lower one if the upper is
  /// taken. If both are taken it is omitted; the tooltip of each line has its name.
  func marks(_ marks: [(share: Double, name: String)]) -> String {
    var ends = [-Double.infinity, -Double.infinity]
    return marks.sorted { $0.share < $1.share }.map { mark in
      let length = Double(mark.name.count) * Self.characterWidth
      let start = max(0, min(x(mark.share) + 5, Self.width - length - 2))
      let row = ends.firstIndex { $0 + Self.characterWidth < start }
      let line =
        "<g><title>\(Escaping.markup(mark.name))</title>"
        + SVG.line("mark", x1: x(mark.share), y1: ceiling, x2: x(mark.share), y2: baseline) + "</g>"
      guard let row else { return line }
      ends[row] = start + length
      return line + SVG.label(mark.name, x: start, y: Self.lineHeight * Double(row + 1) - 4)
    }.joined()
  }
}
