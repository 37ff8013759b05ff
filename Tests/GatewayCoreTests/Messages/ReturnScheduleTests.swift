import GatewayCore
import Testing

struct ReturnScheduleTests {
  private static let javascript = ReturnSchedule.window(
    low: .milliseconds(250), high: .milliseconds(500), step: .seconds(2), cap: .seconds(5), firstAtOnce: false)

  @Test(arguments: [(0, 0.25, 0.5), (1, 0.25, 2.5), (2, 2, 4.5), (3, 4, 5), (4, 5, 5), (1_000_000, 5, 5)])
  func `a reconnect wait fills the window of JavaScript's formula after n failures`(
    failures: Int, least: Double, most: Double
  ) throws {
    var chance = SeededGenerator(seed: 5)
    let waits = try (0..<400).map { _ in
      try #require(Self.javascript.wait(attempt: 7, failures: failures, chance: &chance)).inSeconds
    }
    let shortest = try #require(waits.min())
    let longest = try #require(waits.max())
    #expect(shortest >= least && longest <= most)
    #expect(shortest - least <= (most - least) / 20 && most - longest <= (most - least) / 20)
  }

  @Test
  func `a reconnect wait is zero at the first attempt of clients that retry at once`() {
    var chance = SeededGenerator(seed: 5)
    let swift = ReturnSchedule.window(
      low: .milliseconds(250), high: .milliseconds(500), step: .seconds(2), cap: .seconds(25), firstAtOnce: true)
    #expect(swift.wait(attempt: 0, failures: 1, chance: &chance) == .zero)
    #expect(swift.wait(attempt: 1, failures: 100, chance: &chance) == .seconds(25))
  }

  @Test
  func `a list of reconnect waits ends with the list`() {
    var chance = SeededGenerator(seed: 5)
    let python = ReturnSchedule.list([.seconds(1), .seconds(2)])
    let waits = (0...2).map { python.wait(attempt: $0, failures: 0, chance: &chance) }
    #expect(waits == [.seconds(1), .seconds(2), nil])
  }

  @Test
  func `a reconnect wait grows by its factor up to its cap, for the given number of attempts`() {
    var chance = SeededGenerator(seed: 5)
    let endless = ReturnSchedule.growing(first: .seconds(2), factor: 2, cap: .seconds(20), tries: nil)
    let waits = [0, 1, 2, 3, 4, 5, 6, 1_000_000].map { endless.wait(attempt: $0, failures: 0, chance: &chance) }
    #expect(waits == [0, 2, 4, 8, 16, 20, 20, 20].map { .seconds($0) })
    // Observed on the wire with interval 1, factor 2 and three tries: at 0, +1 and +3 s, then never again.
    let three = ReturnSchedule.growing(first: .seconds(1), factor: 2, cap: .seconds(20), tries: 3)
    #expect(
      (0...3).map { three.wait(attempt: $0, failures: 0, chance: &chance) } == [.zero, .seconds(1), .seconds(2), nil])
  }
}
