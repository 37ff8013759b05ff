import GatewayFleet
import GatewayKit
import Testing

@testable import postern

// Hosts that nobody asks for anything: what is refused is refused before a name is looked up.
@Suite("Care for systems of others")
struct StormCareTests {
  private static func options(_ words: [String]) throws -> StormOptions {
    try StormOptions(
      Arguments(words, flags: StormCommand.flags, environment: [:], operands: false, among: Postern.commands))
  }

  private static func sentence(_ words: [String]) -> String {
    #expect(throws: UsageError.self) { try options(words) }.map { "\($0)" } ?? ""
  }

  @Test(
    "this machine needs no word, and keeps its pace",
    arguments: ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost", "LocalHost.:8080", "t17.localhost:8080"])
  func ours(place: String) throws {
    let options = try Self.options(["--url", "ws://\(place)"])
    #expect(options.plan.rate == 500 && options.plan.bound == nil)
  }

  @Test(
    "any other host is to be named, whichever flag it stands behind",
    arguments: [
      ["--url", "ws://gw.example"], ["--url", "ws://10.0.0.7:8080"], ["--url", "ws://127.0.0.1.example"],
      ["--url", "ws://notlocalhost"], ["--url", "ws://[fe80::1]"],
      ["--url", "ws://127.0.0.1", "--provider", "http://gw.example"],
      ["--url", "ws://127.0.0.1", "--control-url", "http://gw.example"],
      ["--url", "ws://127.0.0.1", "--url", "ws://gw.example"],
      ["--url", "ws://gw.example", "--i-may-storm", "example"],
      ["--url", "ws://gw.example", "--i-may-storm", "other.gw.example"],
    ])
  func others(words: [String]) {
    #expect(Self.sentence(words).contains("--i-may-storm"))
  }

  @Test("a host that was named is stormed at a pace that hurts less, unless more is asked for")
  func named() throws {
    let words = ["--url", "ws://gw.example", "--i-may-storm", "GW.Example."]
    let usual = try Self.options(words)
    #expect(usual.plan.rate == 50 && usual.plan.fetches == 50 && usual.plan.bound == 600)
    let asked = try Self.options(words + ["--rate", "2000", "--fetches", "70", "--timeout", "20m"])
    #expect(asked.plan.rate == 2000 && asked.plan.fetches == 70 && asked.plan.bound == 1200)
  }

  @Test(
    "nobody's own word is enough for a service that many share",
    arguments: ["realtime.ably.io", "PUSHER.com"]
      + Vendors.all.flatMap { $0.clients.serviceDomains }.map { "api-1.\($0)." }
  )
  func shared(host: String) throws {
    let words = ["--url", "wss://\(host)", "--i-may-storm", host]
    #expect(Self.sentence(words).contains("--with-leave-of"))
    #expect(try Self.options(words + ["--with-leave-of", host]).plan.rate == 50)
  }
}
