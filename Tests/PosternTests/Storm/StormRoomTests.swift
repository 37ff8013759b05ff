import GatewayFleet
import GatewayKit
import Testing

@testable import postern

struct StormRoomTests {
  static func options(_ words: [String], limit: Int) throws -> StormOptions {
    try StormOptions(
      Arguments(
        ["--url", "ws://127.0.0.1:8080"] + words, flags: StormCommand.flags, environment: [:], operands: false,
        among: Postern.commands), room: StormRoom(limit: limit))
  }

  @Test(arguments: [
    (1024, 192), (512, 64), (261, 1), (258, 1), (4255, 999),
  ])
  func `requests to the provider take a quarter of few descriptors, and a notice says so`(limit: Int, fetches: Int)
    throws
  {
    let options = try Self.options(["--clients", "1"], limit: limit)
    #expect(options.plan.fetches == fetches)
    #expect(options.fetchesNote?.contains("ulimit -n") == true)
    #expect(options.caveats == [options.fetchesNote])
  }

  @Test(arguments: [4256, 20_480, 1 << 20])
  func `a storm with enough descriptors has the usual number of requests, without a notice`(limit: Int) throws {
    let options = try Self.options([], limit: limit)
    #expect(options.plan.fetches == 1000 && options.fetchesNote == nil && options.caveats.isEmpty)
  }

  @Test
  func `a requested number of requests is granted, or refused`() throws {
    #expect(try Self.options(["--fetches", "700", "--clients", "68"], limit: 1024).plan.fetches == 700)
    let refused = #expect(throws: UsageError.self) { try Self.options(["--fetches", "1000"], limit: 1024) }
    #expect(refused.map { "\($0)" }?.contains("beside --fetches 1000") == true)
    let none = #expect(throws: UsageError.self) { try Self.options([], limit: 256) }
    #expect(none.map { "\($0)" }?.contains("keeps 256 for itself") == true)
  }

  @Test
  func `a fleet that does not fit into one process gets more of them`() throws {
    #expect(try Self.options(["--clients", "576"], limit: 1024).plan.processes == 1)
    #expect(try Self.options(["--clients", "2000"], limit: 1024).plan.processes == 4)
  }
}
