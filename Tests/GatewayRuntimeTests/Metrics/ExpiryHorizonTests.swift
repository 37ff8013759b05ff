import GatewayCore
import GatewayRuntime
import TestTraits
import Testing

struct ExpiryHorizonTests {
  /// All tokens by their end, searched one by one.
  private struct Scan {
    var ends: [Instant] = []

    func reading(at now: Instant) -> HorizonReading {
      var reading = HorizonReading()
      let begin = ExpiryHorizon.second(of: now)
      for end in ends {
        switch ExpiryHorizon.second(of: end) - begin {
        case ..<0: reading.overdue += 1
        case let ahead where ahead < 3_600: reading.seconds[Int(ahead)] += 1
        default: reading.later += 1
        }
      }
      return reading
    }
  }

  @Test(.long, arguments: 0..<60)
  func `the horizon always equals a look through all tokens`(seed: UInt64) {
    var chance = SeededGenerator(seed: seed)
    var (horizon, scan) = (ExpiryHorizon(), Scan())
    // Some timelines begin before zero.
    var now = Instant(nanoseconds: Int64.random(in: -5_000_000_000_000...5_000_000_000_000, using: &chance))
    let spans: [Int64] = [3, 60, 3_599, 3_601, 4_095, 4_096, 4_097, 10_000, 90_000, 40_000_000]
    for step in 0..<600 {
      switch Int.random(in: 0..<10, using: &chance) {
      case 0..<5:
        let span = spans.randomElement(using: &chance)! * 1_000_000_000
        let end = now + .nanoseconds(Int64.random(in: -span / 8...span, using: &chance))
        scan.ends.append(end)
        horizon.add(end, at: now)
      case 5..<7 where !scan.ends.isEmpty:
        let place = Int.random(in: scan.ends.indices, using: &chance)
        horizon.remove(scan.ends.swapAt(place))
      case 7:
        // A clock that is set.
        now =
          now + .nanoseconds(Int64.random(in: 0...spans.randomElement(using: &chance)! * 1_000_000_000, using: &chance))
      default:
        now = now + .nanoseconds(Int64.random(in: 0...2_000_000_000, using: &chance))
      }
      // Sometimes it is not read for a while.
      if step % 50 < 40 || step == 599 { #expect(horizon.reading(at: now) == scan.reading(at: now)) }
    }
    for end in scan.ends { horizon.remove(end) }
    #expect(horizon.reading(at: now) == HorizonReading())
  }

  @Test
  func `the horizon holds expiries at the limits of an instant`() {
    var horizon = ExpiryHorizon()
    let now = Instant(nanoseconds: 1)
    let ends = [Instant(nanoseconds: .min), Instant(nanoseconds: .max - 1), Instant(nanoseconds: -1), now]
    for end in ends { horizon.add(end, at: now) }
    var reading = horizon.reading(at: now)
    #expect(reading.overdue == 2 && reading.later == 1 && reading.seconds[0] == 1 && reading.within(3_600) == 1)
    // A time that seems to go back, like another loop's, changes nothing.
    reading = horizon.reading(at: Instant(nanoseconds: .min))
    #expect(reading.later + reading.overdue + reading.within(3_600) == 4)
    reading = horizon.reading(at: Instant(nanoseconds: .max - 2))
    #expect(reading.overdue == 3 && reading.seconds[0] == 1)
    for end in ends { horizon.remove(end) }
    #expect(horizon.reading(at: now) == HorizonReading())
  }

  @Test
  func `the horizon separates spans that begin with a second from spans that begin before it`() {
    var horizon = ExpiryHorizon()
    let now = Instant(nanoseconds: 7_400_000_000)
    for second in [7, 16, 17, 18, 3_606] as [Int64] {
      horizon.add(Instant(nanoseconds: second * 1_000_000_000 + 5), at: now)
    }
    horizon.add(Instant(nanoseconds: 3_607_000_000_000), at: now)
    let reading = horizon.reading(at: now)
    #expect(reading.within(10) == 2 && reading.within(11) == 3 && reading.within(-1) == 0 && reading.later == 1)
    let plain = reading.buckets(of: 10)
    #expect(plain.count == 360 && plain[0] == 2 && plain[1] == 2 && plain[359] == 1)
    let aligned = reading.buckets(of: 10, beginning: 7)
    #expect(aligned.count == 361 && aligned[0] == 1 && aligned[1] == 3 && aligned[360] == 1)
    var both = reading
    both.merge(reading)
    #expect(both.within(3_600) == 2 * reading.within(3_600) && both.later == 2)
  }
}

extension [Instant] {
  /// Removes and returns the one at that place.
  fileprivate mutating func swapAt(_ place: Int) -> Instant {
    swapAt(place, count - 1)
    return removeLast()
  }
}
