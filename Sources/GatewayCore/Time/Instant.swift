/// A point on the monotonic clock of one process, in nanoseconds since an arbitrary start.
///
/// A session's deadlines are of this type, since it never jumps when the system's clock is set. Wall-clock time enters
/// only where a token becomes an ``Acceptance``.
package struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Nanoseconds since the start of the clock.
  package var nanoseconds: Int64

  /// Creates the instant that many nanoseconds after the start of the clock.
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The start of the clock.
  package static var zero: Instant { Instant(nanoseconds: 0) }

  /// An instant later than any event: the deadline of what never expires.
  package static var distantFuture: Instant { Instant(nanoseconds: .max) }

  package static func == (lhs: Instant, rhs: Instant) -> Bool {
    lhs.nanoseconds == rhs.nanoseconds
  }

  package static func != (lhs: Instant, rhs: Instant) -> Bool {
    lhs.nanoseconds != rhs.nanoseconds
  }

  package static func < (lhs: Instant, rhs: Instant) -> Bool {
    lhs.nanoseconds < rhs.nanoseconds
  }

  /// Returns the instant `duration` later. Saturates, so that a token valid for centuries never wraps into the past.
  package static func + (instant: Instant, duration: Duration) -> Instant {
    guard instant != .distantFuture else { return .distantFuture }
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.nanoseconds)
    guard overflow else { return Instant(nanoseconds: sum) }
    return duration < .zero ? Instant(nanoseconds: .min) : .distantFuture
  }

  /// Returns the instant `duration` earlier. Saturates; `distantFuture` stays as it is.
  package static func - (instant: Instant, duration: Duration) -> Instant {
    guard instant != .distantFuture else { return .distantFuture }
    let (difference, overflow) = instant.nanoseconds.subtractingReportingOverflow(duration.nanoseconds)
    guard overflow else { return Instant(nanoseconds: difference) }
    return duration < .zero ? .distantFuture : Instant(nanoseconds: .min)
  }

  /// Returns the time from `earlier` to `later`; saturates.
  package static func - (later: Instant, earlier: Instant) -> Duration {
    let (difference, overflow) = later.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
    return .whole(nanoseconds: overflow ? (later < earlier ? Int64.min : .max) : difference)
  }
}

extension Duration {
  /// The duration in whole nanoseconds, saturated to the range of 64 bits (292 years).
  package var nanoseconds: Int64 {
    let attoseconds = attoseconds
    let magnitude = attoseconds.magnitude
    let (high, low) = (UInt64(truncatingIfNeeded: magnitude >> 64), UInt64(truncatingIfNeeded: magnitude))
    guard high < 500_000_000 else { return attoseconds < 0 ? .min : .max }
    // Nearly every duration is in whole nanoseconds. A division without a remainder is a product with the inverse of
    // the odd part of the divisor (10^9 is 2^9 times 5^9), modulo 2^64. The product and the check for a remainder are
    // two multiplications, while a 128-bit division is a function call.
    var quotient = (low >> 9 | high << 55) &* Self.inverseOf1953125
    if quotient.multipliedFullWidth(by: 1_000_000_000) != (high, low) {
      quotient = UInt64(1_000_000_000).dividingFullWidth((high, low)).quotient
    }
    return attoseconds < 0 ? 0 &- Int64(bitPattern: quotient) : Int64(bitPattern: quotient)
  }

  /// Returns the same as `nanoseconds(_:)`, without the check for an overflow, which is impossible here.
  static func whole(nanoseconds: Int64) -> Duration {
    Duration(attoseconds: Int128(nanoseconds) &* 1_000_000_000)
  }

  /// The inverse of 5^9 modulo 2^64.
  private static let inverseOf1953125: UInt64 = 10_252_389_860_571_520_109

  /// The duration in whole milliseconds, truncated.
  package var milliseconds: Int64 {
    nanoseconds / 1_000_000
  }

  /// The duration in seconds.
  package var inSeconds: Double {
    Double(nanoseconds) / 1e9
  }

  /// Returns the duration of a number of seconds, rounded to the nanosecond: at most 292 years, and zero for NaN.
  package static func saturating(seconds: Double) -> Duration {
    guard !seconds.isNaN else { return .zero }
    return .nanoseconds(Int64(exactly: (seconds * 1e9).rounded()) ?? (seconds < 0 ? .min : .max))
  }
}
