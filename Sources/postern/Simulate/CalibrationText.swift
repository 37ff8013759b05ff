import GatewayCore
import GatewayFleet
import GatewayJSON
import GatewayPlanner
import GatewayReport

/// The provider of a calibration as the part of a scenario, with comments; or the sentence why it cannot be known.
struct CalibrationText {
  private let files: [String]
  private let calibration: Calibration?
  private let unknown: String

  /// Creates the text of a search's outcome. A provider that is too far from the storms is unknown, too.
  init(files: [String], outcome: Calibration.Outcome) {
    switch outcome {
    case .neverPressed(let storm): self.init(files: files, neverPressed: storm)
    case .found(let calibration) where calibration.distance > Self.distanceMax:
      let worst = calibration.figures.flatMap(\.self).max { $0.difference < $1.difference }
      self.init(
        files: files,
        unknown:
          "\(files.joined(separator: ", ")): no provider with places and a queue behaves as this endpoint did; the "
          + "nearest is \(Figures.percent(calibration.distance)) away (\(worst?.name ?? "a figure")); storm it again on an idle "
          + "machine, or describe it by hand")
    case .found(let calibration): self.init(files, calibration, unknown: "")
    }
  }

  /// The largest difference of a provider that is worth to be used.
  private static let distanceMax = 0.5

  init(files: [String], unknown: String) { self.init(files, nil, unknown: unknown) }

  private init(_ files: [String], _ calibration: Calibration?, unknown: String) {
    self.files = files
    self.calibration = calibration
    self.unknown = unknown
  }

  private init(files: [String], neverPressed storm: Calibration.NeverPressed) {
    let times = "p99 \(Figures.duration(storm.slowest)), fastest \(Figures.duration(storm.fastest))"
    self.init(
      files: files,
      unknown: "\(files.joined(separator: ", ")): no call waited for others (\(times)): the capacity is above "
        + "\(Self.rate(storm.rate))/s and unknown; storm again with a higher --rate")
  }

  var isFound: Bool { calibration != nil }

  static func sentence(_ gap: StormEvidence.Gap) -> String {
    switch gap {
    case .noToken(let reason):
      "no call brought a token\(reason.map { " (\($0))" } ?? ""), so nothing is known of the endpoint; "
        + "postern wire try shows what it answers"
    case .isOlder: "an older postern made this report, without the time to a token; storm again with this version"
    case .heldBack(let most):
      "the storm itself never had more than \(Figures.count(most)) calls under way (--fetches), so they waited here and not "
        + "at the endpoint; storm again with more"
    case .slowed(let rate):
      "the storm itself made at most \(Self.rate(rate)) calls a second (--fetch-rate), so they waited here and not at the "
        + "endpoint; storm again without it"
    case .notRepeated(let feature): "a simulation of the endpoint alone has no \(feature)"
    }
  }

  // MARK: Text

  var text: String {
    guard let calibration else { return unknown }
    return (["{"] + comment(calibration) + provider(calibration).map { "  " + $0 } + ["}"] + distance(calibration))
      .joined(separator: "\n")
  }

  private func comment(_ calibration: Calibration) -> [String] {
    ["  // what the endpoint did in \(files.map(Self.plain).joined(separator: ", "))"]
  }

  private func provider(_ calibration: Calibration) -> [String] {
    let model = calibration.provider
    let rate = model.rate ?? 0
    let (least, most) = (calibration.rates.lowerBound, calibration.rates.upperBound)
    var lines = ["\"provider\": {"]
    let range =
      least < most
      ? "; \(Self.rate(least)) to \(Self.rate(most)) explain the figures as well"
      : "; a rate 2 % lower or higher is farther away"
    lines.append("  // \(Self.rate(rate)) tokens a second\(range)")
    let keys = CalibratedProvider(calibration)
    lines.append("  \"concurrency\": \(keys.concurrency), \"latency_ms\": \(keys.latencyText),")
    if let queue = keys.queueMax {
      lines.append("  // further calls were refused while so many waited")
      lines.append("  \"queue_max\": \(queue),")
    } else {
      lines.append(
        "  // \"queue_max\" is unknown: \(Figures.count(calibration.waitedMost)) calls waited, and none was refused for that"
      )
    }
    if let failures = keys.failureRate {
      lines.append("  // the share of calls without a token while few were under way")
      lines.append("  \"failure_rate\": \(Self.number(failures, places: 4)),")
    }
    if let wait = keys.retryAfterText {
      lines.append("  \"retry_after\": \(wait),")
    } else {
      lines.append("  // \"retry_after\" is unknown: no answer said 429 or 503")
    }
    if calibration.hasTimeOuts {
      lines.append("  // nearer to the calls that timed out than the other way")
      lines.append("  \"abandoned\": \"\(model.abandoned.rawValue)\",")
    } else {
      lines.append("  // \"abandoned\" is unknown: no call timed out")
    }
    return lines + ["}"]
  }

  private func distance(_ calibration: Calibration) -> [String] {
    let storms = files.count == 1 ? "the same storm" : "the same storms"
    let head = ["", "measured", "simulated", "difference"]
    let tables = zip(files, calibration.figures).flatMap { file, figures in
      let rows = figures.map { figure in
        [
          figure.name, Self.value(figure.measured, figure.unit), Self.value(figure.simulated, figure.unit),
          Figures.percent(figure.difference),
        ]
      }
      return (files.count == 1 ? [] : ["  \(Self.plain(file))"]) + TextTable.columns([head] + rows)
    }
    return ["// \(storms), simulated with this provider: \(Figures.percent(calibration.distance)) away at the most"]
      + tables.map { "// " + $0 }
  }

  private static func value(_ value: Double, _ unit: CalibratedFigure.Unit) -> String {
    switch unit {
    case .count: Figures.count(Int(min(max(0, value), 1e15)))
    case .seconds: Figures.seconds(value)
    case .rate: rate(value)
    }
  }

  private static func rate(_ rate: Double) -> String { Figures.decimal(rate, places: rate < 100 ? 1 : 0) }

  /// Returns a number as JSON has it, without trailing zeros.
  static func number(_ value: Double, places: Int) -> String {
    let scale = [1.0, 10, 100, 1000, 10_000][min(max(0, places), 4)]
    let rounded = (value * scale).rounded() / scale
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
  }

  /// Returns a path that ends no comment.
  private static func plain(_ path: String) -> String { String(path.map { $0.isNewline ? " " : $0 }) }

  // MARK: JSON

  var json: String {
    get throws {
      let document = Document(
        provider: calibration.map(CalibratedProvider.init), unknown: calibration == nil ? unknown : nil,
        tokensPerSecond: calibration?.provider.rate,
        tokensPerSecondLeast: calibration?.rates.lowerBound, tokensPerSecondMost: calibration?.rates.upperBound,
        distance: calibration?.distance, worlds: calibration?.worlds,
        storms: calibration.map {
          zip(files, $0.figures).map { Document.Storm(report: $0, figures: $1.map(Document.Figure.init)) }
        })
      return String(decoding: try JSONCoder(names: .snakeCase, layout: .indented).encode(document), as: UTF8.self)
    }
  }

  private struct Document: Encodable {
    let schema = "postern-calibration/1"
    let provider: CalibratedProvider?
    let unknown: String?
    let tokensPerSecond: Double?
    let tokensPerSecondLeast: Double?
    let tokensPerSecondMost: Double?
    let distance: Double?
    let worlds: Int?
    let storms: [Storm]?

    struct Storm: Encodable {
      let report: String
      let figures: [Figure]
    }

    struct Figure: Encodable {
      let name: String
      let unit: String
      let measured: Double
      let simulated: Double
      let difference: Double

      init(_ figure: CalibratedFigure) {
        (name, unit) = (figure.name, figure.unit.rawValue)
        (measured, simulated, difference) = (figure.measured, figure.simulated, figure.difference)
      }
    }
  }
}
