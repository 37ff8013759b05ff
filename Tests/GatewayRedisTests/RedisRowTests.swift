import GatewayCore
import GatewayKit
import TestSupport
import Testing

@testable import GatewayRedis

struct RedisRowTests {
  @Test
  func `a damaged row of Redis is recognized, whatever its bytes`() {
    var generator = SeededGenerator(seed: 1)
    #expect(RedisRow([]) == nil)
    for length in 0..<64 {
      for _ in 0..<200 {
        let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        guard let row = RedisRow(bytes) else { continue }
        #expect(row.version.number < 1 << 53)
      }
    }
    // Two counts are announced, and one is there.
    let none = { [UInt8](repeating: 0, count: $0) }
    let cut = [0, 0, 0, 0, 0, 0, 0, 1, 0] + none(8) + [0, 2] + none(12)
    #expect(RedisRow(cut) == nil)
    #expect(RedisRow(Array(cut.prefix(17)) + [0, 1] + none(12))?.value == [])
    // A count whose path is longer than the row.
    #expect(RedisRow(Array(cut.prefix(17)) + [0, 1] + [UInt8](repeating: 255, count: 12)) == nil)
  }

  @Test(arguments: [Int64.min, -1, 0, 1, 1_000_000_000, .max])
  func `times are sorted by their bytes as by their numbers`(nanoseconds: Int64) {
    let time = WallTime(nanoseconds: nanoseconds)
    #expect(WallTime(ordered: time.ordered) == time)
    let next = time + .nanoseconds(1)
    #expect(time == next || time.orderedBytes.lexicographicallyPrecedes(next.orderedBytes))
  }
}
