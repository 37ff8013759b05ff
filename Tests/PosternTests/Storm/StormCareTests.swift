import GatewayFleet
import GatewayKit
import GatewayRuntime
import Testing

@testable import postern

// These hosts receive no requests: refusals come before a name is looked up.
struct StormCareTests {
  private static func options(_ words: [String]) throws -> StormOptions {
    try StormOptions(
      Arguments(words, flags: StormCommand.flags, environment: [:], operands: false, among: Postern.commands))
  }

  private static func sentence(_ words: [String]) -> String {
    #expect(throws: UsageError.self) { try options(words) }.map { "\($0)" } ?? ""
  }

  @Test(arguments: ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost", "LocalHost.:8080", "t17.localhost:8080"])
  func `a storm of this machine needs no permission, and keeps its pace`(place: String) throws {
    let options = try Self.options(["--url", "ws://\(place)"])
    #expect(options.plan.rate == 500 && options.plan.bound == nil)
    #expect(options.plan.fetchRate == nil && options.stopRules.isEmpty && !options.isOfOthers)
  }

  @Test
  func `everything that a storm sends names the storm and its run, unless it goes to this machine`() throws {
    let ours = ["--url", "ws://127.0.0.1:1"]
    let (one, other) = (try #require(try Self.options(ours).mark), try #require(try Self.options(ours).mark))
    #expect(one.agent.hasPrefix("postern-storm/") && one.run.utf8.count == 16 && one.run != other.run)
    #expect(try Self.options(ours + ["--unmarked"]).mark == nil)
    #expect(
      Self.sentence(["--url", "ws://gw.example", "--i-may-storm", "gw.example", "--unmarked"]).contains("gw.example"))
    #expect(Self.sentence(ours + ["--stop-when", "lost > 1"]).contains("--stop-when"))
  }

  @Test
  func `a host is looked up once, and the result holds for gateway, endpoint and control port alike`() throws {
    var options = try Self.options([
      "--url", "ws://10.0.0.7:1", "--provider", "http://10.0.0.7:2", "--control-url", "http://t17.localhost:3",
      "--i-may-storm", "10.0.0.7",
    ])
    try options.pin(nil)
    #expect(options.gateways[0].target.addresses == ["10.0.0.7"])
    #expect(options.tokens.targets[0].addresses == ["10.0.0.7"])
    // A name below `localhost` always means this machine, whatever a name service says.
    #expect(options.controls[0].target.addresses == ["127.0.0.1", "::1"])
    #expect(options.pins.map(\.isName) == [true, false])
    // The addresses that the first process has found apply to its parts.
    try options.pin([PinnedHost(host: "10.0.0.7", addresses: ["10.0.0.8"])])
    #expect(options.gateways[0].target.addresses == ["10.0.0.8"])
    var unknown = try Self.options(["--url", "ws://gw.invalid", "--i-may-storm", "gw.invalid"])
    let error = #expect(throws: UsageError.self) { try unknown.pin(nil) }
    #expect(error.map { "\($0)".contains("--url: gw.invalid") } == true)
  }

  @Test(arguments: [
    ["--url", "ws://gw.example"], ["--url", "ws://10.0.0.7:8080"], ["--url", "ws://127.0.0.1.example"],
    ["--url", "ws://notlocalhost"], ["--url", "ws://[fe80::1]"],
    ["--url", "ws://127.0.0.1", "--provider", "http://gw.example"],
    ["--url", "ws://127.0.0.1", "--control-url", "http://gw.example"],
    ["--url", "ws://127.0.0.1", "--url", "ws://gw.example"],
    ["--url", "ws://gw.example", "--i-may-storm", "example"],
    ["--url", "ws://gw.example", "--i-may-storm", "other.gw.example"],
  ])
  func `any other host must be named, whichever flag has it`(words: [String]) {
    #expect(Self.sentence(words).contains("--i-may-storm"))
  }

  @Test
  func `a named host is stormed at a gentler pace unless more is asked for`() throws {
    let words = ["--url", "ws://gw.example", "--i-may-storm", "GW.Example."]
    let usual = try Self.options(words)
    #expect(usual.plan.fetchRate == 50 && usual.stopRules.count == 2 && usual.isOfOthers)
    #expect(usual.plan.rate == 50 && usual.plan.fetches == 50 && usual.plan.bound == 600)

    // Fifty at once, however many processes there are; the option gives the number for each.
    #expect(try Self.options(words + ["--processes", "4"]).plan.fetches == 12)
    #expect(try Self.options(words + ["--processes", "4", "--fetches", "50"]).plan.fetches == 50)
    #expect(try Self.options(["--url", "ws://127.0.0.1", "--processes", "4"]).plan.fetches == 1000)

    let unbound = try Self.options(words + ["--fetch-rate", "900", "--stop-when", "never"])
    #expect(unbound.plan.fetchRate == 900 && unbound.stopRules.isEmpty)
    let asked = try Self.options(words + ["--rate", "2000", "--fetches", "70", "--timeout", "20m"])
    #expect(asked.plan.rate == 2000 && asked.plan.fetches == 70 && asked.plan.bound == 1200)
  }

  @Test(
    arguments: ["realtime.ably.io", "PUSHER.com"]
      + Vendors.all.flatMap { $0.clients.serviceDomains }.map { "api-1.\($0)." }
  )
  func `no permission is enough for a service that many share`(host: String) throws {
    let words = ["--url", "wss://\(host)", "--i-may-storm", host]
    #expect(Self.sentence(words).contains("--with-leave-of"))
    #expect(try Self.options(words + ["--with-leave-of", host]).plan.rate == 50)
  }
}
