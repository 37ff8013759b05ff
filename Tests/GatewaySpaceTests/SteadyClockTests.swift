import GatewayCore
import Testing

@testable import GatewaySpace

struct SteadyClockTests {
  private static let start = WallTime(seconds: 1_800_000_000)
  private static let hour = Duration.seconds(3_600)

  /// Returns the clock's time after that many hours, when the wall clock is `ahead`.
  private func time(_ clock: inout SteadyClock, after hours: Int, ahead: Duration = .zero) -> Duration {
    let passed = Self.hour * hours
    return clock.time(at: .zero + passed, Self.start + passed + ahead) - Self.start
  }

  @Test
  func `a steady clock follows time that passes`() {
    var clock = SteadyClock()
    for hours in [0, 1, 40, 10_000] { #expect(time(&clock, after: hours) == Self.hour * hours) }
  }

  @Test
  func `a steady clock ignores a jump ahead that is undone within a day`() {
    var clock = SteadyClock()
    #expect(time(&clock, after: 0) == .zero)
    for hours in 1...23 { #expect(time(&clock, after: hours, ahead: Self.hour * 400) == Self.hour * hours) }
    #expect(time(&clock, after: 24) == Self.hour * 24)
    #expect(time(&clock, after: 25, ahead: Self.hour * 400) == Self.hour * 25)
  }

  @Test
  func `a steady clock follows a clock that has been ahead for a day`() {
    var clock = SteadyClock()
    #expect(time(&clock, after: 0) == .zero)
    #expect(time(&clock, after: 1, ahead: Self.hour * 10) == Self.hour)
    #expect(time(&clock, after: 12, ahead: Self.hour * 5) == Self.hour * 12)
    #expect(time(&clock, after: 25, ahead: Self.hour * 10) == Self.hour * 30)
    #expect(time(&clock, after: 26, ahead: Self.hour * 5) == Self.hour * 31)
  }

  @Test
  func `a steady clock follows a clock that is set back at once`() {
    var clock = SteadyClock()
    #expect(time(&clock, after: 0) == .zero)
    #expect(time(&clock, after: 1, ahead: Self.hour * -100) == Self.hour * -99)
    #expect(time(&clock, after: 2) == Self.hour * -98)
  }

  @Test
  func `a steady clock accepts times at the ends of the 64-bit range`() {
    for wall in [Int64.min, 0, .max] {
      for now in [Int64.min, 0, .max] {
        var clock = SteadyClock()
        for other in [Int64.max, 0, .min, wall] {
          let time = WallTime(nanoseconds: other)
          #expect(clock.time(at: Instant(nanoseconds: now), time) <= time)
        }
      }
    }
  }
}
