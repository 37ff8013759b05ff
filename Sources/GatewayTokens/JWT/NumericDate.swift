package import GatewayCore
package import GatewayJSON

/// A date in a token: seconds since 1970, perhaps with a fraction (RFC 7519 section 2); e.g. `1735689600` for the start of
/// 2025.
package enum NumericDate {
  /// Returns the time of a JSON number, nil if `value` is not a number. It is exact to the microsecond, the precision of a
  /// Double for today's dates; it saturates.
  package static func read(_ value: JSONView) -> WallTime? {
    if let whole = value.integer {
      let (nanoseconds, overflow) = whole.multipliedReportingOverflow(by: 1_000_000_000)
      return WallTime(nanoseconds: overflow ? (whole < 0 ? .min : .max) : nanoseconds)
    }
    return value.number.map { WallTime(seconds: $0) }
  }

  /// The seconds at which the year 10000 begins.
  private static let year10000 = 253_402_300_800.0

  /// Returns a note about a date beyond the year 9999, with its number as it was written; nil for any other value.
  package static func doubt(_ value: JSONView?) -> String? {
    guard let value, let seconds = value.number, seconds >= year10000 else { return nil }
    return "\(value.text) is beyond the year 9999: milliseconds? dates of tokens are seconds"
  }

  /// Returns the number for `time`: whole seconds without a fraction, else with the digits it needs, to the microsecond. Finer
  /// digits are cut off.
  package static func text(_ time: WallTime) -> String {
    let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let microseconds = rest / 1000
    guard microseconds != 0 else { return String(seconds) }
    var digits = String(microseconds.magnitude)
    digits = String(repeating: "0", count: 6 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return "\(microseconds < 0 && seconds == 0 ? "-" : "")\(seconds).\(digits)"
  }
}
