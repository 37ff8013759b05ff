internal import GatewayCore

/// Numbers in the format for people, the same in the table, the page and the thresholds.
package enum Figures {
  /// Returns a whole number with thousands separators: `15,000`.
  package static func count(_ value: Int) -> String {
    let digits = Array(String(value.magnitude))
    var text = value < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return text
  }

  /// Returns a number with a fixed number of decimal places.
  package static func decimal(_ value: Double, places: Int) -> String {
    var scale = 1
    for _ in 0..<min(places, 12) { scale *= 10 }
    // A larger double has no such decimal places.
    guard value.isFinite, abs(value) * Double(scale) < 9e15 else { return "\(value)" }
    let scaled = Int((abs(value) * Double(scale)).rounded())
    let whole = count(scaled / scale)
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return sign + whole }
    let fraction = String(scaled % scale)
    return "\(sign)\(whole).\(String(repeating: "0", count: max(0, places - fraction.count)))\(fraction)"
  }

  /// Returns a share as a percentage, without rounding 99.96 % up to 100.
  package static func percent(_ share: Double, digits: Int = 0) -> String {
    var scale = 100.0
    for _ in 0..<digits { scale *= 10 }
    let cut = (share * 100 * scale + 1e-9).rounded(.down) / scale
    return "\(decimal(cut, places: cut == cut.rounded() ? 0 : 2 + digits)) %"
  }

  /// Returns a duration with about three significant digits: `17.2 us`, `480 ms`, `12.3 s`.
  package static func duration(_ duration: Duration) -> String {
    seconds(duration.inSeconds)
  }

  /// Returns the same for a number of seconds, with that many more digits.
  package static func seconds(_ seconds: Double, digits: Int = 0) -> String {
    switch abs(seconds) {
    case 0: "0 s"
    case ..<1e-3: "\(short(seconds * 1e6, digits)) us"
    case ..<1: "\(short(seconds * 1e3, digits)) ms"
    default: "\(short(seconds, digits)) s"
    }
  }

  /// Returns a number of bytes: `2.4 KB`.
  package static func bytes(_ value: Double, digits: Int = 0) -> String {
    switch abs(value) {
    case ..<1e3: "\(decimal(value, places: digits)) B"
    case ..<1e6: "\(short(value / 1e3, digits)) KB"
    default: "\(short(value / 1e6, digits)) MB"
    }
  }

  private static func short(_ value: Double, _ digits: Int) -> String {
    decimal(value, places: (abs(value) < 10 ? 2 : abs(value) < 100 ? 1 : 0) + digits)
  }
}
