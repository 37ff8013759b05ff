import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import GatewayReport
import GatewayRuntime
import TestSupport
import Testing

@testable import postern

/// The flags of a storm whose scenario has several fleets.
struct FleetOptionsTests {
  /// A vendor with clients of two SDKs, and one whose clients name an application.
  static let phones = Vendors.all.first { Set(["swift", "android"]).isSubset(of: $0.clients.sdks) }?.scheme ?? "none"
  private static let chat = Vendors.all.first { $0.clients.usualApplication != nil }?.scheme ?? "none"

  private static let shop = """
    {
      fleets: [
        { name: "web", clients: 200, rate: 50, life_s: 600 },
        { name: "mobile", clients: 100, rate: 50, dialect: "\(phones)", sdks: { swift: 0.6, android: 0.4 },
          thresholds: ["refresh.p99 < 10s"] },
        { name: "kiosk", clients: 30, url: "ws://127.0.0.2:9", provider_url: "http://127.0.0.3:7", provider: {} }
      ],
      provider: { rate: 100 }, world: { seed: 9 }, thresholds: ["web:lost == 0"],
      phases: [{ name: "calm", from: "hold" }]
    }
    """

  private static func options(_ text: String, _ words: [String], part: StormPart? = nil) throws -> StormOptions {
    let file = try TemporaryFile(text)
    return try withExtendedLifetime(file) {
      try StormOptions(
        Arguments(
          words + ["--scenario", file.path], flags: StormCommand.flags, environment: [:], operands: false,
          among: Postern.commands), part: part)
    }
  }

  private static func options(_ text: String, _ words: String...) throws -> StormOptions {
    try options(text, ["--url", "ws://127.0.0.1:8080"] + words)
  }

  @Test
  func `a storm splits the clients of its fleets as a simulation does, down to seeds and numbers`() throws {
    let options = try Self.options(Self.shop)
    let world = try ScenarioFile(parsing: Array(Self.shop.utf8), path: "shop", of: "FILE").world
    let simulated = try SimulatedFleets(world, wireClientsMax: 1000).worlds(seed: world.settings.plan.seed).map(\.plan)
    let plans = options.fleets.map(\.plan)
    #expect(plans.map(\.fleet) == simulated.map(\.fleet) && plans.map(\.seed) == simulated.map(\.seed))
    #expect(plans.map(\.clients) == [200, 60, 40, 30] && plans.map(\.clients) == simulated.map(\.clients))
    #expect(plans.map(\.rate) == simulated.map(\.rate) && plans.map(\.comeback) == simulated.map(\.comeback))
    #expect(plans.map(\.sdk) == [nil, "swift", "android", nil] && plans.map(\.life) == simulated.map(\.life))
    #expect(options.plan.clients == 330 && options.people == 330 && options.plan.seed == 9)
    #expect(options.times.phases.first?.start == plans.map(\.pacer.duration).max())
    #expect(options.fleets.allSatisfy { $0.times == options.times })
    #expect(options.thresholds.map(\.description) == ["web:lost == 0", "mobile:refresh.p99 < 10s"])
  }

  @Test
  func `a fleet has the gateway and the provider of the others unless the file says where its own are`() throws {
    let fleets = try Self.options(Self.shop).fleets
    let hosts = Array(repeating: "ws://127.0.0.1:8080", count: 3) + ["ws://127.0.0.2:9"]
    #expect(fleets.map(\.gatewayText) == zip(hosts, fleets).map { $0 + $1.dialect.upgradeTarget })
    #expect(fleets.map { $0.tokens.targets.map(\.port) } == [[8080], [8080], [8080], [7]])
    #expect(
      fleets.map(\.providerNumber) == [0, 0, 0, 1] && fleets.map(\.hasOwnGateway) == [false, false, false, true])
    // With a gateway of its own, but no provider, it shares that of the others.
    let moved = #"{ fleets: [{ name: "web" }, { name: "tv", url: "ws://127.0.0.2:9" }] }"#
    #expect(try Self.options(moved).fleets.map { $0.tokens.targets.map(\.port) } == [[8080], [8080]])
    #expect(
      try Self.options(moved, "--provider", "http://127.0.0.4:5").fleets.map { $0.tokens.targets.map(\.port) } == [
        [5], [5],
      ])
    let own = #"{ fleets: [{ name: "web" }, { name: "tv", url: "ws://127.0.0.2:9", provider: {} }] }"#
    #expect(try Self.options(own).fleets.map { $0.tokens.targets.map(\.port) } == [[8080], [9]])
  }

  @Test
  func `flags count for every fleet, and the number of clients by the fleet's name`() throws {
    let options = try Self.options(
      Self.shop, "--clients", "web=20", "--clients", "mobile=10", "--jitter", "10%", "--seed", "4", "--threshold",
      "mobile.swift:lost == 0")
    #expect(options.fleets.map(\.plan.clients) == [20, 6, 4, 30] && options.plan.clients == 60)
    #expect(options.fleets.allSatisfy { $0.plan.jitter == 0.1 } && options.plan.seed == 4)
    #expect(options.fleets[0].plan.rate == 5, "a fleet of another size connects in the same time, as in a simulation")
    #expect(options.thresholds.map(\.description) == ["mobile.swift:lost == 0"])
    // A fleet that has no client of an SDK in the file has them by a flag.
    let small =
      #"{ fleets: [{ name: "m", clients: 1, dialect: "\#(Self.phones)", sdks: { swift: 0.6, android: 0.4 } }] }"#
    #expect(try Self.options(small).fleets.map(\.plan.clients) == [1])
    #expect(try Self.options(small, "--clients", "m=10").fleets.map(\.plan.clients) == [6, 4])
  }

  @Test
  func `all fleets have the processes that they need together, and enough addresses`() throws {
    let large = #"{ fleets: [{ name: "a", clients: 4000 }, { name: "b", clients: 4000 }] }"#
    let options = try Self.options(large, "--processes", "3")
    #expect(options.plan.processes == 3 && options.fleets.allSatisfy { $0.plan.processes == 3 })
    #expect(options.fleets.map(\.plan.addresses) == [1, 1])
    #expect(options.fleets.map { $0.plan.source(of: 7) } == ["127.0.0.1", "127.0.0.2"])
    let part = StormPart(process: 1, processes: 5, startsAt: WallTime(nanoseconds: 0), run: "5f", pins: [])
    let ofPart = try Self.options(large, ["--url", "ws://127.0.0.1:8080"], part: part)
    #expect(
      ofPart.fleets.map(\.plan.processes) == [5, 5] && ofPart.fleets.map(\.plan.seed) == options.fleets.map(\.plan.seed)
    )
  }

  @Test
  func `flags of a vendor are for the fleets that speak its dialect`() throws {
    let file = #"{ fleets: [{ name: "web" }, { name: "chat", dialect: "\#(Self.chat)" }] }"#
    #expect(try Self.options(file, "--application", "X").fleets.count == 2)
    let error = try #require(throws: UsageError.self) {
      try Self.options(#"{ fleets: [{ name: "web" }] }"#, "--application", "X")
    }
    #expect(error.description.contains("--application has no effect"))
  }

  private static let mistakes: [(file: String, flags: [String], said: String)] = [
    (shop, ["--dialect", "plain"], "several fleets, each with its own"),
    (shop, ["--sdk", "swift"], "several fleets, each with its own"),
    (shop, ["--wire", "x.json"], "several fleets, each with its own"),
    (shop, ["--clients", "5"], "has 3 fleets; say --clients web=5"),
    (shop, ["--clients", "tv=5"], "has no fleet 'tv'; there are web, mobile, kiosk"),
    (shop, ["--threshold", "tv:lost == 0"], "there is no fleet 'tv'; there are web, mobile, kiosk"),
    (shop, ["--expire-after", "1s"], "the fleet 'web': the first tokens would expire"),
    (shop, ["--sources", "200"], "the fleets need 800 addresses"),
    (shop, ["--provider-only"], "--url is about a gateway, and --provider-only has none"),
    (
      #"{ fleets: [{ name: "tv", provider: {} }] }"#, [],
      "the fleet 'tv' has a \"provider\" of its own, and nothing says"
    ),
    (
      #"{ fleets: [{ name: "tv", gateway: {} }] }"#, [], "the fleet 'tv' has a \"gateway\" of its own, and nothing says"
    ),
    (
      #"{ fleets: [{ name: "tv", url: "ws://192.0.2.1", provider_url: "http://127.0.0.1:1" }] }"#, [],
      "add --i-may-storm"
    ),
    (
      #"{ fleets: [{ name: "tv", url: "ws://192.0.2.1" }] }"#, ["--i-may-storm", "192.0.2.1"],
      "storm only this machine"
    ),
    (#"{ fleets: [{ name: "tv", sdk: "swift" }] }"#, [], "\"sdk\" of the fleet 'tv' has no effect"),
    ("{ clients: 5 }", ["--threshold", "web:lost == 0"], "there is one fleet, without a name"),
    ("{ clients: 5 }", ["--clients", "web=5"], "say --clients 5"),
  ]

  @Test(arguments: mistakes.indices)
  func `what several fleets cannot have is refused with what would be right`(index: Int) throws {
    let (file, flags, said) = Self.mistakes[index]
    let error = try #require(throws: UsageError.self) {
      try Self.options(file, ["--url", "ws://127.0.0.1:8080"] + flags)
    }
    #expect(error.description.contains(said), "\(error)")
  }

  @Test
  func `fleets with gateways of their own need no other, unless they share a provider`() throws {
    let file = #"{ fleets: [{ name: "tv", url: "ws://127.0.0.2:9", provider: {} }] }"#
    #expect(try Self.options(file, [] as [String]).fleets.map { $0.tokens.targets.map(\.port) } == [[9]])
    let error = try #require(throws: UsageError.self) {
      try Self.options(#"{ fleets: [{ name: "tv", url: "ws://127.0.0.2:9" }] }"#, [] as [String])
    }
    #expect(error.description.contains("shares its token provider, and nothing says where that is"))
  }
}
