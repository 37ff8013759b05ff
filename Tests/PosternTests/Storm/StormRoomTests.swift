import GatewayFleet
import GatewayKit
import Testing

@testable import postern

@Suite("The descriptors of a storm")
struct StormRoomTests {
  static func options(_ words: [String], limit: Int) throws -> StormOptions {
    try StormOptions(
      Arguments(
        ["--url", "ws://127.0.0.1:8080"] + words, flags: StormCommand.flags, environment: [:], operands: false,
        among: Postern.commands), room: StormRoom(limit: limit))
  }

  @Test(
    "requests to the provider take a quarter of few descriptors, and that is said",
    arguments: [
      (1024, 192), (512, 64), (261, 1), (258, 1), (4255, 999),
    ])
  func few(limit: Int, fetches: Int) throws {
    let options = try Self.options(["--clients", "1"], limit: limit)
    #expect(options.plan.fetches == fetches)
    #expect(options.fetchesNote?.contains("ulimit -n") == true)
    #expect(options.caveats == [options.fetchesNote])
  }

  @Test("where there are enough it is as many as ever, and nothing is said", arguments: [4256, 20_480, 1 << 20])
  func enough(limit: Int) throws {
    let options = try Self.options([], limit: limit)
    #expect(options.plan.fetches == 1000 && options.fetchesNote == nil && options.caveats.isEmpty)
  }

  @Test("what is asked for is had, or refused")
  func asked() throws {
    #expect(try Self.options(["--fetches", "700", "--clients", "68"], limit: 1024).plan.fetches == 700)
    let refused = #expect(throws: UsageError.self) { try Self.options(["--fetches", "1000"], limit: 1024) }
    #expect(refused.map { "\($0)" }?.contains("beside --fetches 1000") == true)
    let none = #expect(throws: UsageError.self) { try Self.options([], limit: 256) }
    #expect(none.map { "\($0)" }?.contains("keeps 256 for itself") == true)
  }

  @Test("a fleet that does not fit into one process has more of them")
  func processes() throws {
    #expect(try Self.options(["--clients", "576"], limit: 1024).plan.processes == 1)
    #expect(try Self.options(["--clients", "2000"], limit: 1024).plan.processes == 4)
  }
}
