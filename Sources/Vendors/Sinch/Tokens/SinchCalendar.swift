internal import GatewayCore

/// Civil dates in UTC, for the days of signing keys (e.g. `20261124`) and the dates of legacy requests.
enum SinchCalendar {
  /// Returns the number of days from 1970-01-01 to the UTC date of the time.
  static func day(of time: WallTime) -> Int64 {
    floorDivide(time.nanoseconds, by: 86_400_000_000_000)
  }

  /// Returns the day of eight ASCII digits, `YYYYMMDD`; nil unless they form a date of the years 1 to 9999.
  static func day(digits: [UInt8]) -> Int64? {
    guard digits.count == 8, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    func number(_ range: Range<Int>) -> Int64 { digits[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) } }
    return day(year: number(0..<4), month: number(4..<6), day: number(6..<8))
  }

  /// Returns eight digits for the UTC date of `time`.
  static func digits(of time: WallTime) -> String {
    let (year, month, day) = civil(day(of: time))
    return padded(year, 4) + padded(month, 2) + padded(day, 2)
  }

  /// Returns ISO 8601 in UTC with milliseconds: `2025-04-01T10:00:00.000Z`.
  static func text(_ time: WallTime) -> String {
    let (year, month, date) = civil(day(of: time))
    let milliseconds = floorDivide(time.nanoseconds, by: 1_000_000) - day(of: time) * 86_400_000
    let (seconds, fraction) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let clock = "\(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(date, 2))T\(clock).\(padded(fraction, 3))Z"
  }

  /// Returns ISO 8601 in UTC with whole seconds: `2025-04-01T10:00:00Z`.
  static func secondsText(_ time: WallTime) -> String { "\(text(time).prefix(19))Z" }

  /// Parses ISO 8601 text: a date and a time in seconds with any fraction, and `Z`, a numeric offset or neither, which
  /// means UTC here because one vendor sample writes UTC so. Returns nil for other text.
  static func read(_ text: String) -> WallTime? {
    var rest = Array(text.utf8)[...]
    func take(_ count: Int) -> Int64? {
      let taken = rest.prefix(count)
      guard taken.count == count, taken.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      rest = rest.dropFirst(count)
      return taken.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
    func pass(_ allowed: String) -> Bool {
      guard let next = rest.first, allowed.utf8.contains(next) else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard let year = take(4), pass("-"), let month = take(2), pass("-"), let date = take(2), pass("T"),
      let hour = take(2), pass(":"), let minute = take(2), pass(":"), let second = take(2),
      hour < 24, minute < 60, second < 60, let days = day(year: year, month: month, day: date)
    else { return nil }
    var fraction: Int64 = 0
    if pass(".") {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      guard (1...9).contains(digits.count) else { return nil }
      rest = rest.dropFirst(digits.count)
      fraction = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
      for _ in digits.count..<9 { fraction *= 10 }
    }
    var offset: Int64 = 0
    if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
      rest = rest.dropFirst()
      guard let hours = take(2) else { return nil }
      _ = pass(":")
      guard let minutes = take(2), hours < 24, minutes < 60 else { return nil }
      offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
    } else {
      _ = pass("Z")
    }
    guard rest.isEmpty else { return nil }
    let seconds = days * 86_400 + hour * 3600 + (minute - offset) * 60 + second
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : WallTime(nanoseconds: scaled) + .nanoseconds(fraction)
  }

  private static func day(year: Int64, month: Int64, day: Int64) -> Int64? {
    guard year >= 1, (1...12).contains(month), day >= 1 else { return nil }
    // Years are counted from March, so that a leap day is the last of its year.
    let era = floorDivide(month <= 2 ? year - 1 : year, by: 400)
    let yearOfEra = (month <= 2 ? year - 1 : year) - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let number = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    // A day that the month does not have becomes one of the next month.
    return civil(number) == (year, month, day) ? number : nil
  }

  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = floorDivide(shifted, by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
  }

  private static func floorDivide(_ number: Int64, by divisor: Int64) -> Int64 {
    number / divisor - (number % divisor < 0 ? 1 : 0)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
