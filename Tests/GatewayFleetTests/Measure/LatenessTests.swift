import GatewayCore
import Testing

@testable import GatewayFleet

struct LatenessTests {
  private static func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  /// Returns a ledger whose loop checked its time up to `milliseconds`, and was never late.
  private static func punctual(until milliseconds: Int64, startsByPlan: Bool = false) -> Ledger {
    var ledger = Ledger(start: .zero, onset: nil)
    ledger.watch(from: .zero, startsByPlan: startsByPlan, process: 0)
    for time in stride(from: 20, through: milliseconds, by: 20) { ledger.beat(at: at(time)) }
    return ledger
  }

  @Test
  func `a refresh request left unread while the storm stood still counts as the storm's own lateness`() throws {
    var ledger = Self.punctual(until: 1000)
    // Stopped for 2.5 s. The request is then read at once, before the loop checks its time, and answered in 46 ms.
    ledger.record(.asked, .wellBehaved, at: Self.at(3500))
    ledger.beat(at: Self.at(3500))
    for time in [3520, 3540] as [Int64] { ledger.beat(at: Self.at(time)) }
    ledger.record(.refreshed(after: .milliseconds(46), number: 1), .wellBehaved, at: Self.at(3546))
    let seen = try #require(ledger.result.behaviours[.wellBehaved]?.refreshLatency.maximum)
    #expect(seen >= .milliseconds(2500))
    #expect(try #require(ledger.result.least(.refresh)?.maximum) <= .milliseconds(46))
    let lateness = try #require(ledger.result.lateness)
    #expect(try #require(lateness.late.maximum) >= .milliseconds(2400))
    #expect(lateness.stalls.count == 1 && abs(lateness.stalls[0].at - 1.02) < 0.001)
    // It was stopped for 2.5 s of the 3.5 s.
    #expect(try #require(lateness.late.quantile(0.9)) > .seconds(1))
  }

  @Test
  func `an answer left unread is distinguished from a slow one before the loop has read its time`() throws {
    var ledger = Self.punctual(until: 1000)
    ledger.record(.refreshed(after: .milliseconds(2040), number: 1), .wellBehaved, at: Self.at(3000))
    #expect(ledger.result.behaviours[.wellBehaved]?.refreshLatency.maximum == .milliseconds(2040))
    #expect(try #require(ledger.result.least(.refresh)?.maximum) <= .milliseconds(60))
  }

  @Test
  func `a storm that is on time has one figure, without a second one beside it`() {
    var ledger = Self.punctual(until: 1000)
    ledger.record(.refreshed(after: .milliseconds(46), number: 1), .wellBehaved, at: Self.at(1005))
    #expect(ledger.result.behaviours[.wellBehaved]?.refreshLatency.maximum == .milliseconds(46))
    #expect(ledger.result.lateness?.least.isEmpty == true && ledger.result.lateness?.stalls.isEmpty == true)
  }

  @Test
  func `a client that the storm started late counts from its planned start, and by no more than that`() throws {
    var ledger = Self.punctual(until: 1000, startsByPlan: true)
    ledger.begins(due: Self.at(2000), at: Self.at(3500))
    ledger.record(.connected(after: .milliseconds(1510), again: false), .wellBehaved, at: Self.at(3510))
    #expect(ledger.result.latencies.connect.maximum == .milliseconds(1510))
    #expect(try #require(ledger.result.least(.connect)?.maximum) <= .milliseconds(10))
  }

  @Test
  func `the sum of parts of which one was late equals the total counted together`() throws {
    var late = Self.punctual(until: 1000)
    late.record(.refreshed(after: .milliseconds(2040), number: 1), .wellBehaved, at: Self.at(3000))
    var punctual = Self.punctual(until: 1000)
    for _ in 0..<9 {
      punctual.record(.refreshed(after: .milliseconds(30), number: 1), .wellBehaved, at: Self.at(1005))
    }
    for (one, other) in [(late, punctual), (punctual, late)] {
      var sum = one.result
      sum.merge(other.result)
      let least = try #require(sum.least(.refresh))
      #expect(least.count == 10 && sum.behaviours[.wellBehaved]?.refreshLatency.count == 10)
      #expect(try #require(least.maximum) <= .milliseconds(60))
      #expect(sum.behaviours[.wellBehaved]?.refreshLatency.maximum == .milliseconds(2040))
    }
    #expect(late.result.since(StormResult()).least(.refresh)?.count == 1)
  }

  @Test
  func `a worker that reports an absurd number of processors overflows no sum`() {
    var one = StormResult()
    one.lateness = .init()
    one.lateness?.processors = .max
    var sum = one
    sum.merge(one)
    sum.merge(one)
    #expect(sum.lateness?.processors ?? 0 > 0)
  }

  @Test
  func `events at the boundary of two phases or after it belong to the new phase on every loop`() {
    var ledger = Ledger(start: .zero, onset: nil, boundaries: [.zero, Self.at(1500), Self.at(4500)])
    for _ in 0..<3 { ledger.record(.asked, .wellBehaved, at: Self.at(1499)) }
    for _ in 0..<25 { ledger.record(.asked, .wellBehaved, at: Self.at(1500)) }
    // The runner gets there only now.
    ledger.beginPhases(2)
    ledger.record(.asked, .wellBehaved, at: Self.at(1700))
    #expect(ledger.marks.map(\.refreshes.asked) == [0, 3])
    // Before the loop's own clock reading: an order that is sent now may arrive before the loop reads its clock again.
    ledger.beginPhases(3)
    ledger.record(.asked, .wellBehaved, at: Self.at(4499))
    #expect(ledger.marks.map(\.refreshes.asked) == [0, 3, 29])
    ledger.beginPhases(100)
    #expect(ledger.marks.count == 3)
  }
}
