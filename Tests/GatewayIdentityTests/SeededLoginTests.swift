import Foundation
import TestTraits
import Testing

@testable import GatewayFaults

/// Runs in which everything goes wrong that the application's login, backend and signals can do wrong:
/// `POSTERN_FUZZ_COUNT=10000 swift test --filter SeededLoginTests` has ten thousand.
@Suite(.timeLimit(.minutes(180)))
struct SeededLoginTests {
  /// Each run takes a part of a second, so a run of all tests has few.
  private static let count = number("POSTERN_FUZZ_COUNT") ?? 16
  /// The first seed; a failure says its own.
  private static let first = number("POSTERN_FUZZ_SEED") ?? 1
  private static let parts = 8

  private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

  @Test(.long, arguments: 0..<parts)
  func `no good token is refused, no forged one accepted, nobody is lost, and all is well afterwards`(part: Int) throws
  {
    for number in stride(from: part, to: Self.count, by: Self.parts) {
      let seed = UInt64(Self.first + number)
      for complaint in try SeededLoginRun(seed: seed).run(steps: 80) { Issue.record("\(complaint)") }
    }
  }

  @Test
  func `the runs have every fault of keys, hooks, introspection, signals and webhooks`() {
    let all = Faults.all.filter { $0 is any OutboundFault.Type || $0 is any SignalFault.Type }.map { $0.word }
    #expect(Set(all) == SeededLoginRun.words)
  }
}
