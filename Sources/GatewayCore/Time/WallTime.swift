/// A point in civil time, in nanoseconds since 1970-01-01T00:00:00Z, as in tokens' dates such as the `exp` of a JWT.
///
/// A separate type, so that it can never be compared with an ``Instant`` by mistake.
package struct WallTime: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Nanoseconds since the epoch.
  package var nanoseconds: Int64

  /// Creates the time that many nanoseconds after the epoch.
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Creates the time of a NumericDate (RFC 7519 section 2): seconds since the epoch, with an optional fraction.
  /// Saturates. NaN becomes the earliest time, so that a token dated with it has expired.
  ///
  /// The value is rounded to the microsecond, the finest step that a double represents in this century.
  package init(seconds: Double) {
    let microseconds = (seconds * 1e6).rounded()
    nanoseconds = microseconds >= 9.2e15 ? .max : microseconds > -9.2e15 ? Int64(microseconds) * 1000 : .min
  }

  /// Seconds since the epoch.
  package var seconds: Double {
    Double(nanoseconds) / 1e9
  }

  package static func == (lhs: WallTime, rhs: WallTime) -> Bool {
    lhs.nanoseconds == rhs.nanoseconds
  }

  package static func != (lhs: WallTime, rhs: WallTime) -> Bool {
    lhs.nanoseconds != rhs.nanoseconds
  }

  package static func < (lhs: WallTime, rhs: WallTime) -> Bool {
    lhs.nanoseconds < rhs.nanoseconds
  }

  /// Returns the time `duration` later; saturates.
  package static func + (time: WallTime, duration: Duration) -> WallTime {
    let (sum, overflow) = time.nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return WallTime(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
  }

  /// Returns the time `duration` earlier; saturates.
  package static func - (time: WallTime, duration: Duration) -> WallTime {
    time + (.zero - duration)
  }

  /// Returns the time from `earlier` to `later`; saturates.
  package static func - (later: WallTime, earlier: WallTime) -> Duration {
    let (difference, overflow) = later.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
    return .nanoseconds(overflow ? (later < earlier ? Int64.min : .max) : difference)
  }
}

extension WallTime: Codable {
  package init(from decoder: any Decoder) throws {
    nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(nanoseconds)
  }
}
