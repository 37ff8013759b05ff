import GatewayCore
import Testing

struct InstantTests {
  private static let day = Duration.seconds(86_400)

  @Test
  func `an instant moves by a duration, both ways`() {
    let instant = Instant.zero + .seconds(5)
    #expect(instant + .nanoseconds(1) == Instant(nanoseconds: 5_000_000_001))
    #expect(instant - .seconds(6) == Instant(nanoseconds: -1_000_000_000))
    #expect((instant + Self.day) - instant == Self.day)
    #expect(instant < instant + .nanoseconds(1))
  }

  @Test
  func `a token valid for centuries never wraps into the past`() {
    let late = Instant(nanoseconds: .max - 5)
    let early = Instant(nanoseconds: .min + 5)
    #expect(late + .seconds(1) == .distantFuture)
    #expect(early - .seconds(1) == Instant(nanoseconds: .min))
    #expect(early + .seconds(-1) == Instant(nanoseconds: .min))
    #expect(late - .seconds(-1) == .distantFuture)
    #expect(Instant.zero + .seconds(Int64.max) == .distantFuture)
    #expect(Instant.zero - .seconds(Int64.max) < .zero - .seconds(9_000_000_000))
  }

  @Test
  func `a time that is never due stays never due, whatever is added or subtracted`() {
    for duration in [Duration.zero, .seconds(1), .seconds(-1), .seconds(Int64.max), .seconds(Int64.min)] {
      #expect(Instant.distantFuture + duration == .distantFuture)
      #expect(Instant.distantFuture - duration == .distantFuture)
    }
  }

  @Test
  func `the distance between the first and the last instant is the longest duration`() {
    let first = Instant(nanoseconds: .min)
    #expect((Instant.distantFuture - first).nanoseconds == .max)
    #expect((first - Instant.distantFuture).nanoseconds == .min)
    #expect((WallTime(nanoseconds: .max) - WallTime(nanoseconds: .min)).nanoseconds == .max)
    #expect((WallTime(nanoseconds: .min) - WallTime(nanoseconds: .max)).nanoseconds == .min)
  }

  @Test
  func `a duration is truncated to nanoseconds`() {
    var generator = SeededGenerator(seed: 9)
    for round in 0..<20_000 {
      let whole = Int128(Int64.random(in: .min ... .max, using: &generator) >> Int64(round % 63))
      let rest = round % 3 == 0 ? 0 : Int128(Int.random(in: -999_999_999...999_999_999, using: &generator))
      let attoseconds = whole * 1_000_000_000 + rest
      let expected = Int64(clamping: attoseconds / 1_000_000_000)
      guard expected != .min, expected != .max else { continue }
      #expect(Duration(attoseconds: attoseconds).nanoseconds == expected)
    }
  }

  @Test
  func `a duration is counted in nanoseconds, milliseconds and seconds, and saturates`() {
    #expect(Duration.milliseconds(1_500).nanoseconds == 1_500_000_000)
    #expect(Duration.milliseconds(-1_500).nanoseconds == -1_500_000_000)
    #expect(Duration.nanoseconds(1_999_999).milliseconds == 1)
    #expect(Duration.milliseconds(2_500).inSeconds == 2.5)
    #expect(Duration.seconds(Int64.max).nanoseconds == .max)
    #expect(Duration.seconds(Int64.min).nanoseconds == .min)
  }

  @Test(
    arguments: [
      (0, 0), (1.5, 1_500_000_000), (-1, -1_000_000_000), (1_800_000_000, 1_800_000_000_000_000_000), (1e300, .max),
      (-1e300, .min), (.infinity, .max), (-.infinity, .min), (9.3e9, .max),
      (1_795_649_525.510217, 1_795_649_525_510_217_000), (3599.999999996, 3_600_000_000_000), (-0.0000004, 0),
    ] as [(Double, Int64)])
  func `a NumericDate becomes a time of day, rounded to the microsecond and saturated at both ends`(
    seconds: Double, nanoseconds: Int64
  ) {
    #expect(WallTime(seconds: seconds).nanoseconds == nanoseconds)
  }

  @Test
  func `a NumericDate that is not a number is a date, not a crash`() {
    #expect(WallTime(seconds: .nan) == WallTime(nanoseconds: .min))
  }

  @Test
  func `a time of day saturates at both ends`() {
    let late = WallTime(nanoseconds: .max - 5)
    let early = WallTime(nanoseconds: .min + 5)
    #expect(late + .seconds(1) == WallTime(nanoseconds: .max))
    #expect(late - .seconds(-1) == WallTime(nanoseconds: .max))
    #expect(early - .seconds(1) == WallTime(nanoseconds: .min))
    #expect(early + .seconds(-1) == WallTime(nanoseconds: .min))
    #expect(early < late)
    #expect(WallTime(seconds: 12.5).seconds == 12.5)
  }

  @Test
  func `a duration of a number of seconds is rounded to the nanosecond and saturates`() {
    // As doubles, 8.2 times 1e9 is 8199999999.999999.
    #expect(Duration.saturating(seconds: 8.2) == .milliseconds(8200))
    #expect(Duration.saturating(seconds: -1.005) == .milliseconds(-1005))
    #expect(Duration.saturating(seconds: 1e300) == .nanoseconds(Int64.max))
    #expect(Duration.saturating(seconds: -.infinity) == .nanoseconds(Int64.min))
    #expect(Duration.saturating(seconds: .nan) == .zero)
  }
}
