import GatewayCore
import Testing

@Suite("Token buckets") struct TokenBucketTests {
  private static let start = Instant(nanoseconds: 5_000_000_000)

  @Test("a full bucket lets its capacity pass at once, and no more")
  func burst() {
    var bucket = TokenBucket(rate: 10, capacity: 5, at: Self.start)
    let passed = (0..<8).filter { _ in bucket.take(at: Self.start) }.count
    #expect(passed == 5)
  }

  @Test("tokens come back at the rate, up to the capacity")
  func refill() {
    var bucket = TokenBucket(rate: 10, capacity: 5, at: Self.start)
    for _ in 0..<5 { _ = bucket.take(at: Self.start) }
    let soon = [99, 100, 101].map { bucket.take(at: Self.start + .milliseconds($0)) }
    #expect(soon == [false, true, false])
    let later = Self.start + .seconds(3600)
    let passed = (0..<8).filter { _ in bucket.take(at: later) }.count
    #expect(passed == 5)
  }

  @Test("over a long time exactly the rate passes")
  func rate() {
    var bucket = TokenBucket(rate: 100, capacity: 100, at: Self.start)
    let passed = (0..<100_000).filter { bucket.take(at: Self.start + .milliseconds($0)) }.count
    #expect((10_095...10_100).contains(passed))
  }
}
