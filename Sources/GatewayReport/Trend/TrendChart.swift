import GatewayCore
import GatewayFleet

/// A chart of one figure over many runs, with the band of each.
struct TrendChart {
  let line: ReportTrend.Line
  let runs: [ReportTrend.Run]

  /// The chart as an HTML figure.
  var html: String {
    let scale = Scale(line)
    let frame = ChartFrame(title: "\(line.metric.name)\(scale.name)", largest: scale.largest)
    func x(_ run: Int) -> Double { frame.x((Double(run) + 0.5) / Double(max(1, runs.count))) }
    // The chart has no room below 0, e.g. for tokens that were renewed after their end; the tooltip has the figure.
    func y(_ value: Double) -> Double { frame.y(min(max(0, value * scale.factor), Double(frame.top))) }
    let points = line.points.map { (x: x($0.run), y: y($0.value)) }
    var drawn: [String] = []
    let band = line.points.compactMap { point in point.band.map { (x: x(point.run), band: $0) } }
    if !band.isEmpty {
      let above = band.map { (x: $0.x, y: y($0.band.upperBound)) }
      let below = band.reversed().map { (x: $0.x, y: y($0.band.lowerBound)) }
      drawn.append(SVG.path("polygon", "before area", above + below))
    }
    drawn.append(SVG.path("polyline", "good", points))
    drawn += zip(line.points, points).map { point, place in dot(point, at: place) }
    let legend =
      "<span><i class=\"good\"></i>run</span>"
      + (band.isEmpty ? "" : "<span><i class=\"before\"></i>band of the runs before</span>")
    return frame.figure(legend: legend, labels: labels, drawn)
  }

  private func dot(_ point: ReportTrend.Point, at place: (x: Double, y: Double)) -> String {
    let band = point.band.map { ", band \(ReportTrend.text($0, line.metric))" } ?? ""
    let tip = "\(runs[point.run].startedAt): \(line.metric.unit.text(point.value))\(band)"
    return "<g class=\"\(point.isWorse ? "bad" : "good")\"><circle cx=\"\(SVG.number(place.x))\" "
      + "cy=\"\(SVG.number(place.y))\" r=\"\(point.isWorse ? 5 : 3)\"><title>\(Escaping.markup(tip))</title></circle></g>"
  }

  /// The day of the first run of each label.
  private var labels: [(share: Double, text: String)] {
    runs.enumerated().map { number, run in
      (
        (Double(number) + 0.5) / Double(max(1, runs.count)),
        String(run.startedAt.prefix { $0 != "T" }.suffix(5).prefix(5))
      )
    }
  }

  /// The factor that makes a figure's values whole numbers for the axis, with the unit's name.
  private struct Scale {
    var factor = 1.0
    var name = ""
    let largest: Int

    init(_ line: ReportTrend.Line) {
      let most = line.points.map { max($0.value, $0.band?.upperBound ?? 0) }.max() ?? 0
      switch line.metric.unit {
      case .duration:
        (factor, name) = most < 0.005 ? (1e6, ", µs") : most < 5 ? (1e3, ", ms") : (1, ", s")
      case .share: (factor, name) = most < 0.01 ? (1e4, ", hundredths of a percent") : (100, ", %")
      case .bytes: (factor, name) = most < 1e7 ? (1 / 1024, ", KiB") : (1 / 1_048_576, ", MiB")
      case .ratio: (factor, name) = most < 5 ? (100, ", hundredths") : (1, "")
      case .count: break
      }
      // A hostile number needs no axis of its own.
      largest = Int(min((most * factor).rounded(.up), 1e15))
    }
  }
}
