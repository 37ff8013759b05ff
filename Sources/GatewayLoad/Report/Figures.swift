internal import GatewayCore

/// Numbers as people read them, the same in the table, the page and the thresholds.
package enum Figures {
  /// A whole number with its thousands apart: `15,000`.
  package static func count(_ value: Int) -> String {
    let digits = Array(String(value.magnitude))
    var text = value < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return text
  }

  /// A number with a fixed number of decimal places.
  package static func decimal(_ value: Double, places: Int) -> String {
    guard value.isFinite, abs(value) < 1e12 else { return "\(value)" }
    var scale = 1
    for _ in 0..<places { scale *= 10 }
    let scaled = Int((abs(value) * Double(scale)).rounded())
    let whole = count(scaled / scale)
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return sign + whole }
    let fraction = String(scaled % scale)
    return "\(sign)\(whole).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
  }

  /// A share as a percentage, without rounding 99.96 % up to 100.
  package static func percent(_ share: Double) -> String {
    let hundredths = (share * 10_000 + 1e-9).rounded(.down) / 100
    return "\(decimal(hundredths, places: hundredths == hundredths.rounded() ? 0 : 2)) %"
  }

  /// A duration with three significant digits or so: `17.2 us`, `480 ms`, `12.3 s`.
  package static func duration(_ duration: Duration) -> String {
    let seconds = duration.inSeconds
    switch abs(seconds) {
    case 0: return "0 s"
    case ..<1e-3: return "\(short(seconds * 1e6)) us"
    case ..<1: return "\(short(seconds * 1e3)) ms"
    default: return "\(short(seconds)) s"
    }
  }

  /// A number of bytes: `2.4 KB`.
  package static func bytes(_ value: Double) -> String {
    switch abs(value) {
    case ..<1e3: "\(decimal(value, places: 0)) B"
    case ..<1e6: "\(short(value / 1e3)) KB"
    default: "\(short(value / 1e6)) MB"
    }
  }

  private static func short(_ value: Double) -> String {
    decimal(value, places: abs(value) < 10 ? 2 : abs(value) < 100 ? 1 : 0)
  }
}
