import GatewayCore
import Testing

@testable import GatewayFleet

struct RecoveryTests {
  /// Returns a storm of a hundred clients that connect in the first second, some of which disconnect and reconnect.
  private static func storm(
    _ outages: [(from: Double, until: Double, clients: Int)], asked: Double? = nil, seconds: Double = 40
  ) -> StormResult {
    var ledger = Ledger(start: .zero, onset: nil, length: .seconds(60))
    func at(_ seconds: Double) -> Instant { .zero + .nanoseconds(Int64(seconds * 1e9)) }
    for _ in 0..<100 { ledger.record(.connected(after: .zero, again: false), .wellBehaved, at: at(0.5)) }
    for outage in outages {
      for _ in 0..<outage.clients {
        ledger.record(.interrupted("1006"), .wellBehaved, at: at(outage.from))
        ledger.record(.connected(after: .zero, again: true), .wellBehaved, at: at(outage.until))
      }
    }
    if let asked { ledger.record(.asked, .wellBehaved, at: at(asked)) }
    var result = ledger.result
    result.seconds = seconds
    return result
  }

  @Test
  func `an unannounced outage of 14 s takes 14 s, even if the first refresh comes later`() throws {
    for asked in [nil, 21.0] {
      let result = Self.storm([(3, 17.3, 100)], asked: asked)
      #expect(result.dip == 0)
      #expect(abs(try #require(result.recoveredAfter) - 14.3) <= 0.1)
    }
  }

  @Test
  func `a recovery counts from the end of the disturbance if that is known`() throws {
    var result = Self.storm([(3, 17.3, 100)], asked: 21)
    result.triggerEnd = 8
    #expect(abs(try #require(result.recoveredAfter) - 9.3) <= 0.1)
  }

  @Test(arguments: [15.02, 15.5, 15.88, 15.99, 16.0])
  func `a recovery is as exact as the dip beside it`(until: Double) throws {
    var result = Self.storm([(3.8, until, 100)])
    result.triggerEnd = 7.8
    #expect(abs(try #require(result.recoveredAfter) - (until - 7.8)) <= 0.1)
  }

  @Test(
    arguments: [
      (5.1, 5.4, 2), (5.0, 6.0, 100), (5.1, 5.2, 100), (9.9, 10.1, 1), (0.6, 0.7, 50), (38, 39.9, 30),
    ], [nil, 0, 2, 5, 5.05, 30] as [Double?])
  func `a recovery beside a dip is never 0`(outage: (Double, Double, Int), trigger: Double?) throws {
    for asked in [nil, 1.0, 20.0] {
      var result = Self.storm([(outage.0, outage.1, outage.2)], asked: asked)
      result.triggerEnd = trigger
      #expect(try #require(result.dip) < 1)
      // Whether it was known to be over much earlier or is over later, it took at least as long as the dip.
      let least = outage.1 - outage.0 - 0.02
      let recovered = try #require(result.recoveredAfter)
      #expect(recovered > 0)
      if trigger == nil { #expect(recovered >= least, "\(recovered)") }
    }
  }

  @Test
  func `a queue that is long to the end of a storm leaves a recovery at its end`() throws {
    var result = Self.storm([(3, 17.3, 100)], seconds: 40.5)
    result.triggerEnd = 8
    var queue = QueueFigures()
    queue.sample(length: 9, age: 600_000_000, atSecond: 40)
    result.queue = queue
    #expect(try #require(result.recoveredAfter) == 33)
  }

  @Test
  func `a second dip after the recovery counts by itself`() throws {
    var result = Self.storm([(3, 4, 10), (80, 92, 60)], seconds: 200)
    result.triggerEnd = 3
    #expect(abs(try #require(result.recoveredAfter) - 12) <= 0.1)
  }

  @Test
  func `a fleet that is never disturbed has recovered at once, and one that stays down never recovers`() {
    #expect(Self.storm([]).recoveredAfter == 0)
    #expect(Self.storm([(5, 60, 100)]).recoveredAfter == nil)
  }
}
