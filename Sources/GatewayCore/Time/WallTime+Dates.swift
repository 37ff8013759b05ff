// Dates in the formats of other programs.

extension WallTime {
  /// Parses RFC 3339 text with any fraction and offset, e.g. `2026-11-23T09:00:00.5+01:00`; nil for any other text. An
  /// omitted offset means UTC, as in Python's libraries.
  package init?(rfc3339 text: String) {
    var reader = DateReader(text)
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
      let day = reader.number(2), reader.take("Tt "), let time = reader.timeOfDay()
    else { return nil }
    var fraction: Int64 = 0
    if reader.take(".") {
      guard let read = reader.fraction() else { return nil }
      fraction = read
    }
    var offset: Int64 = 0
    let sign: Int64 = reader.isAt("-") ? -1 : 1
    if reader.take("+-") {
      guard let hours = reader.number(2), reader.take(":"), let minutes = reader.number(2) else { return nil }
      offset = sign * (hours * 60 + minutes)
    } else {
      _ = reader.take("Zz")
    }
    guard reader.isAtEnd else { return nil }
    self.init(year: year, month: month, day: day, seconds: time - offset * 60, nanoseconds: fraction)
  }

  /// Parses an HTTP date, `Mon, 23 Nov 2026 09:00:00 GMT` (RFC 9110 section 5.6.7); nil for any other text, including
  /// the two obsolete forms.
  package init?(httpDate text: String) {
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 6, parts[5] == "GMT", parts[0].hasSuffix(","),
      let month = Self.months.firstIndex(of: parts[2])
    else { return nil }
    var dayReader = DateReader(parts[1])
    var yearReader = DateReader(parts[3])
    var timeReader = DateReader(parts[4])
    guard let day = dayReader.number(2), dayReader.isAtEnd, let year = yearReader.number(4), yearReader.isAtEnd,
      let time = timeReader.timeOfDay(), timeReader.isAtEnd
    else { return nil }
    self.init(year: year, month: Int64(month) + 1, day: day, seconds: time, nanoseconds: 0)
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Returns the time as RFC 3339 text in UTC, e.g. `2026-11-23T09:00:00.500Z`.
  /// - Parameter fractionDigits: The number of digits of the second's fraction, 0 to 9; the rest is truncated.
  package func rfc3339(fractionDigits: Int = 0) -> String {
    let second: Int64 = 1_000_000_000
    let (days, inDay) = Self.floorDivide(nanoseconds, by: 86_400 * second)
    let (year, month, day) = Self.civil(days: days)
    let (seconds, fraction) = inDay.quotientAndRemainder(dividingBy: second)
    let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
    let clock = "\(Self.padded(seconds / 3600, 2)):\(Self.padded(seconds / 60 % 60, 2)):\(Self.padded(seconds % 60, 2))"
    let digits = fractionDigits > 0 ? "." + Self.padded(fraction, 9).prefix(fractionDigits) : ""
    return "\(date)T\(clock)\(digits)Z"
  }

  /// The time as an HTTP date (RFC 9110 section 5.6.7), `Mon, 23 Nov 2026 09:00:00 GMT`; a fraction of the second is
  /// truncated.
  package var httpDate: String {
    let (days, inDay) = Self.floorDivide(nanoseconds, by: 86_400_000_000_000)
    let (year, month, day) = Self.civil(days: days)
    let seconds = inDay / 1_000_000_000
    let weekday = Self.weekdays[Int(Self.floorDivide(days, by: 7).remainder)]
    let clock = "\(Self.padded(seconds / 3600, 2)):\(Self.padded(seconds / 60 % 60, 2)):\(Self.padded(seconds % 60, 2))"
    return "\(weekday), \(Self.padded(day, 2)) \(Self.months[Int(month) - 1]) \(Self.padded(year, 4)) \(clock) GMT"
  }

  /// The names of the days, starting from 1970-01-01, which was a Thursday.
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  private static func floorDivide(_ number: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// Returns the date that many days after 1970-01-01, the inverse of ``days(_:_:_:)``.
  private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  /// Creates a time from a date. Nil if the date does not exist, or does not fit into 64 bits of nanoseconds.
  private init?(year: Int64, month: Int64, day: Int64, seconds: Int64, nanoseconds: Int64) {
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    let (scaled, overflow) = (Self.days(year, month, day) * 86_400 + seconds).multipliedReportingOverflow(
      by: 1_000_000_000)
    guard !overflow else { return nil }
    self = WallTime(nanoseconds: scaled) + .nanoseconds(nanoseconds)
  }

  /// Returns the number of days from 1970-01-01 to a date of the Gregorian calendar. Years are counted from March here,
  /// so that a leap day is the last of its year.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let counted = month <= 2 ? year - 1 : year
    let era = (counted >= 0 ? counted : counted - 399) / 400
    let yearOfEra = counted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

/// A reader of a date's text, with the part that has not been read yet.
private struct DateReader {
  private var rest: ArraySlice<UInt8>

  init(_ text: String) {
    rest = Array(text.utf8)[...]
  }

  var isAtEnd: Bool { rest.isEmpty }

  func isAt(_ allowed: String) -> Bool { rest.first.map { allowed.utf8.contains($0) } ?? false }

  mutating func number(_ digits: Int) -> Int64? {
    let taken = rest.prefix(digits)
    guard taken.count == digits, taken.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    rest = rest.dropFirst(digits)
    return taken.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  mutating func take(_ allowed: String) -> Bool {
    guard isAt(allowed) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Reads a time such as `09:30:00`, and returns it in seconds.
  mutating func timeOfDay() -> Int64? {
    guard let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2), hour < 24,
      minute < 60, second <= 60
    else { return nil }
    return (hour * 60 + minute) * 60 + second
  }

  /// Reads the digits after a decimal point, and returns them in nanoseconds.
  mutating func fraction() -> Int64? {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty else { return nil }
    rest = rest.dropFirst(digits.count)
    var fraction = digits.prefix(9).reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    for _ in digits.count..<max(9, digits.count) { fraction *= 10 }
    return fraction
  }
}
