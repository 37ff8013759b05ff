internal import GatewayCore
import GatewayFleet

extension Metric.Unit {
  /// The suffixes that a number in a threshold may have, and their factors.
  var suffixes: [String: Double] {
    switch self {
    case .count, .ratio: ["": 1]
    case .share: ["%": 0.01]
    case .duration: ["ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60]
    case .bytes: ["": 1, "B": 1, "KB": 1e3, "MB": 1e6, "KiB": 1024, "MiB": 1_048_576]
    }
  }

  /// Returns advice for a share that was written as a bare number.
  static func sharesToWrite(for number: Double, _ digits: Substring) -> String {
    let share = "write \(digits)% for \(digits) in a hundred"
    guard abs(number) <= 1 else { return share }
    let percent = Figures.percent(number, digits: 4).filter { $0 != " " && $0 != "," }
    return "\(share), or \(percent) for a share of \(digits)"
  }

  /// Returns the value of a number with a suffix, in the unit; nil if it is not valid.
  func value(_ text: Substring) -> Double? {
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    guard let number = Double(digits), let factor = suffixes[String(text[digits.endIndex...])] else { return nil }
    return number * factor
  }

  var wanted: String {
    switch self {
    case .count: "a number, e.g. 0"
    case .ratio: "a number, e.g. 1.5"
    case .share: "a percentage, e.g. 99.9%"
    case .duration: "a duration, e.g. 500ms (ns, us, ms, s, m)"
    case .bytes: "a size, e.g. 6KB (B, KB, MB, KiB, MiB)"
    }
  }

  /// Returns a value for people, with that many more digits than usual.
  package func text(_ value: Double, digits: Int = 0) -> String {
    switch self {
    case .count: Figures.decimal(value, places: digits)
    case .ratio: Figures.decimal(value, places: 2 + digits)
    case .share: Figures.percent(value, digits: digits)
    case .duration: Figures.seconds(value, digits: digits)
    case .bytes: Figures.bytes(value, digits: digits)
    }
  }

  /// Returns a value for people, with enough digits to show on which side of `limit` it lies.
  func text(_ value: Double, beside limit: Double) -> String {
    guard value != limit else { return text(value) }
    let digits = (0...Self.digitsMax).first { text(value, digits: $0) != text(limit, digits: $0) }
    return digits.map { text(value, digits: $0) } ?? "\(value)"
  }

  private static let digitsMax = 6
}
