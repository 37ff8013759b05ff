package import GatewayCore
package import GatewayJSON

/// The way in which dates are written, as nanoseconds for instance: the two families of Stream's paths differ in
/// nothing else.
package enum StreamDates: Hashable, Sendable {
  /// RFC 3339 in UTC with nine digits of fraction: `/video/...` and Chat.
  case text
  /// Whole nanoseconds since 1970: `/api/v2/...`.
  case nanoseconds

  /// `time` as RFC 3339 has it.
  package static func text(_ time: WallTime) -> String {
    let second: Int64 = 1_000_000_000
    let (days, inDay) = floorDivide(time.nanoseconds, by: 86_400 * second)
    let (year, month, day) = civil(days: days)
    let (seconds, fraction) = inDay.quotientAndRemainder(dividingBy: second)
    let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    let clock = "\(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
    return "\(date)T\(clock).\(padded(fraction, 9))Z"
  }

  /// The time that RFC 3339 text says, with any fraction and offset; nil if it is none. Python's libraries leave the offset
  /// of what is UTC away.
  package static func read(_ text: String) -> WallTime? {
    WallTime(rfc3339: text)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  private static func floorDivide(_ number: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// The date that many days after 1970-01-01 in the Gregorian calendar, whose years are counted from March here, so
  /// that a leap day is the last of its year.
  private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}

extension JSONWriter {
  /// A date in the family's form.
  package mutating func member(_ name: StaticString, _ time: WallTime, _ dates: StreamDates) {
    switch dates {
    case .text: member(name, StreamDates.text(time))
    case .nanoseconds: member(name, time.nanoseconds)
    }
  }

  /// A date in the family's form; nothing at all if there is none.
  package mutating func member(_ name: StaticString, ifAny time: WallTime?, _ dates: StreamDates) {
    if let time { member(name, time, dates) }
  }
}
