package import GatewayCore
package import GatewayJSON

/// A date as tokens write it: seconds since 1970, perhaps with a fraction (RFC 7519 section 2); `1735689600` for the
/// start of 2025, for instance.
package enum NumericDate {
  /// The time of a JSON number, nil if `value` is none. Exact to the microsecond, which is all that a Double holds of
  /// today's dates; saturates.
  package static func read(_ value: JSONView) -> WallTime? {
    if let whole = value.integer {
      let (nanoseconds, overflow) = whole.multipliedReportingOverflow(by: 1_000_000_000)
      return WallTime(nanoseconds: overflow ? (whole < 0 ? .min : .max) : nanoseconds)
    }
    return value.number.map { WallTime(seconds: $0) }
  }

  /// The seconds at which the year 10000 begins.
  private static let year10000 = 253_402_300_800.0

  /// Returns what is odd about a date beyond the year 9999, with its number as it was written; nil for any other value.
  package static func doubt(_ value: JSONView?) -> String? {
    guard let value, let seconds = value.number, seconds >= year10000 else { return nil }
    return "\(value.text) is beyond the year 9999: milliseconds? dates of tokens are seconds"
  }

  /// The number for `time`: whole seconds without a fraction, else with as many digits as it takes, microseconds at
  /// most. What is finer is cut off.
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
