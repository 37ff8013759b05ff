import GatewayCore
import Testing

struct HorizonReadingTests {
  private static let last = HorizonReading.secondsMax - 1

  private func reading(_ counts: [Int: UInt32], overdue: Int = 0, later: Int = 0) -> HorizonReading {
    var reading = HorizonReading()
    for (second, count) in counts { reading.seconds[second] = count }
    (reading.overdue, reading.later) = (overdue, later)
    return reading
  }

  @Test(
    arguments: [
      (0, [0: 3, 5: 1, Self.last: 2], 0), (2, [2: 3, 7: 1], 2), (-5, [0: 4, Self.last - 5: 2], 0),
      (Int.max, [:], 6), (Int.min, [0: 6], 0),
    ] as [(Int, [Int: UInt32], Int)])
  func `tokens of another machine count in the second in which they expire by this machine's clock`(
    ahead: Int, counts: [Int: UInt32], later: Int
  ) {
    var sum = HorizonReading()
    sum.merge(reading([0: 3, 5: 1, Self.last: 2]), ahead: ahead)
    #expect(sum == reading(counts, later: later))
  }

  @Test
  func `sums of foreign numbers end at the largest, and not with the process`() {
    var sum = reading([0: .max], overdue: .max, later: 1)
    sum.merge(reading([0: 1], overdue: 1, later: .max), ahead: 0)
    #expect(sum == reading([0: .max], overdue: .max, later: .max))
  }
}
