import GatewayCore
import Testing

struct TokenBucketTests {
  private static let start = Instant(nanoseconds: 5_000_000_000)

  @Test
  func `a full token bucket lets its capacity pass at once, and no more`() {
    var bucket = TokenBucket(rate: 10, capacity: 5, at: Self.start)
    let passed = (0..<8).filter { _ in bucket.take(at: Self.start) }.count
    #expect(passed == 5)
  }

  @Test
  func `a token bucket refills at its rate, up to its capacity`() {
    var bucket = TokenBucket(rate: 10, capacity: 5, at: Self.start)
    for _ in 0..<5 { _ = bucket.take(at: Self.start) }
    let soon = [99, 100, 101].map { bucket.take(at: Self.start + .milliseconds($0)) }
    #expect(soon == [false, true, false])
    let later = Self.start + .seconds(3600)
    let passed = (0..<8).filter { _ in bucket.take(at: later) }.count
    #expect(passed == 5)
  }

  @Test
  func `a token bucket lets exactly its rate pass over a long time`() {
    var bucket = TokenBucket(rate: 100, capacity: 100, at: Self.start)
    let passed = (0..<100_000).filter { bucket.take(at: Self.start + .milliseconds($0)) }.count
    #expect((10_095...10_100).contains(passed))
  }
}
