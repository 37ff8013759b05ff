package import GatewayCore
package import GatewayJSON

/// How dates are written: the two families of Stream's paths differ in nothing else.
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
    var rest = Array(text.utf8)[...]
    func number(_ digits: Int) -> Int64? {
      let taken = rest.prefix(digits)
      guard taken.count == digits, taken.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      rest = rest.dropFirst(digits)
      return taken.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
    func take(_ allowed: String) -> Bool {
      guard let first = rest.first, allowed.utf8.contains(first) else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2), take("Tt "),
      let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    var fraction: Int64 = 0
    if take(".") {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty else { return nil }
      rest = rest.dropFirst(digits.count)
      fraction = digits.prefix(9).reduce(0) { $0 * 10 + Int64($1 - 0x30) }
      for _ in digits.count..<max(9, digits.count) { fraction *= 10 }
    }
    var offset: Int64 = 0
    let sign: Int64 = rest.first == UInt8(ascii: "-") ? -1 : 1
    if take("+-") {
      guard let hours = number(2), take(":"), let minutes = number(2) else { return nil }
      offset = sign * (hours * 60 + minutes)
    } else {
      _ = take("Zz")
    }
    guard rest.isEmpty else { return nil }
    let minutes = days(year, month, day) * 1440 + hour * 60 + minute - offset
    let (scaled, overflow) = (minutes * 60 + second).multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return nil }
    return WallTime(nanoseconds: scaled) + .nanoseconds(fraction)
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

  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let (era, yearOfEra) = floorDivide(month <= 2 ? year - 1 : year, by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
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
