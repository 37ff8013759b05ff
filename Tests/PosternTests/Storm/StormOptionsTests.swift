import Foundation
import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayReport
import GatewayRuntime
import GatewayWires
import TestSupport
import Testing

@testable import postern

struct StormOptionsTests {
  /// A vendor other than the gateway's own.
  static let vendor = Vendors.all[1].scheme

  static func options(_ words: String...) throws -> StormOptions {
    try StormOptions(
      Arguments(
        ["--url", "ws://127.0.0.1:8080"] + words, flags: StormCommand.flags, environment: [:], operands: false,
        among: Postern.commands))
  }

  @Test
  func `a storm's tokens come by default from the gateway's own provider, and no client may be lost`() throws {
    let options = try Self.options()
    #expect(options.plan.clients == 1000)
    #expect(options.plan.processes == 1)
    #expect(options.gatewayText == "ws://127.0.0.1:8080/v1/connect")
    #expect(options.providerText == "http://127.0.0.1:8080/v1/tokens")
    #expect(options.thresholds.map(\.description).contains("lost == 0"))
  }

  @Test
  func `the dialect decides where clients connect, their habits, and how long the storm waits for them`() throws {
    for vendor in Vendors.all {
      for sdk in vendor.clients.sdks.isEmpty ? [nil] : vendor.clients.sdks.map(Optional.some) {
        let options = try StormOptions(
          Arguments(
            ["--url", "ws://127.0.0.1:8080", "--dialect", vendor.scheme] + (sdk.map { ["--sdk", $0] } ?? []),
            flags: StormCommand.flags, environment: [:], operands: false, among: Postern.commands))
        #expect(options.gatewayText == "ws://127.0.0.1:8080\(options.dialect.upgradeTarget)")
        #expect(options.plan.dialect == vendor.scheme && options.plan.sdk == sdk)
        #expect((options.plan.comeback == .zero) == (options.dialect.habits.comeback == nil))
        #expect(options.providerText == "http://127.0.0.1:8080\(vendor.clients.providerPath(nil) ?? "/v1/tokens")")
      }
    }
  }

  @Test
  func `a storm begins at its time, or so that a vendor's tokens expire on a whole second`() throws {
    let ready = WallTime(seconds: 1000.25)
    #expect(try Self.options("--start-at", "2000").start(ready: ready) == WallTime(seconds: 2000))
    #expect(try Self.options().start(ready: ready) == ready)
    let common = try Self.options("--dialect", Self.vendor, "--expire-after", "7500ms")
    #expect(common.start(ready: ready) == WallTime(seconds: 1000.5))
    let own = try Self.options("--dialect", Self.vendor, "--expiry", "own", "--life", "60s")
    #expect(own.start(ready: ready) == ready)
  }

  @Test
  func `every flag of the plan reaches the plan`() throws {
    let plan = try Self.options(
      "--clients", "200", "--rate", "50", "--ramp", "2s", "--hold", "7s", "--behaviour", "slow=1", "--expire-after",
      "20s", "--life", "10m", "--jitter", "10%", "--waves", "2", "--refresh-lead", "1s", "--refresh-spread", "2s",
      "--refresh-timeout", "90s", "--slow-delay", "4s", "--reconnect", "--fetches", "10", "--fetch-timeout", "5s",
      "--connect-timeout", "6s", "--sources", "3", "--processes", "2", "--loops", "2", "--seed", "9", "--timeout", "5m"
    ).plan
    var wanted = StormPlan()
    wanted.clients = 200
    wanted.rate = 50
    wanted.ramp = .seconds(2)
    wanted.hold = .seconds(7)
    wanted.behaviours = try BehaviourMix([.slow: 1])
    wanted.expireAfter = 20
    wanted.life = .seconds(600)
    wanted.jitter = 0.1
    wanted.waves = 2
    wanted.gateway.lead = .seconds(1)
    wanted.gateway.spread = .seconds(2)
    wanted.gateway.timeout = .seconds(90)
    wanted.gateway.leadSource = .told
    wanted.gateway.spreadSource = .told
    wanted.gateway.timeoutSource = .told
    wanted.slowDelay = .seconds(4)
    wanted.reconnects = true
    wanted.fetches = 10
    wanted.fetchTimeout = .seconds(5)
    wanted.connectTimeout = .seconds(6)
    wanted.sources = 3
    wanted.processes = 2
    wanted.loops = 2
    wanted.seed = 9
    wanted.bound = 300
    #expect(plan == wanted)
  }

  @Test
  func `every flag of the help is read, by an option or by the vendors`() {
    let options = (StormFlags.options + StormFlags.optionsOfWhole).map(\.flag.name)
    let vendors =
      TokenKeys.flags + TokenKeys.policyFlags + Vendors.all.flatMap { $0.clients.flags + $0.clients.keyFlags }
    #expect(Set(options).count == options.count)
    for flag in StormCommand.flags {
      #expect(options.contains(flag.name) || vendors.contains { $0.name == flag.name }, "--\(flag.name)")
    }
  }

  @Test
  func `a part of a storm writes no files and orders no workers, whatever the flags of the whole say`() throws {
    let arguments = try Arguments(
      ["--url", "ws://127.0.0.1:1", "--junit", "/nowhere/x.xml", "--worker", "127.0.0.1:1"],
      flags: StormCommand.flags, environment: [:], operands: false, among: Postern.commands)
    #expect(throws: UsageError("--junit: '/nowhere/x.xml' cannot be written: there is no such directory")) {
      try StormOptions(arguments)
    }
    let part = StormPart(process: 0, processes: 1, startsAt: WallTime(nanoseconds: 0), run: "5f", pins: [])
    #expect(try StormOptions(arguments, part: part).plan.processes == 1)
  }

  static let mistakes = [
    ["--behaviour", "fast=1"], ["--threshold", "lost"], ["--expire-after", "1s"], ["--provider", "ftp://x"],
    ["--clients", "0"], ["--jitter", "2"], ["--mint"], ["--mint", "--provider", "http://x"],
    ["--expiry", "never"], ["--fetches", "0"], ["--control-url", "127.0.0.1:80"],
    ["--dialect", "smoke-signals"], ["--sdk", "swift"], ["--application", "A"], ["--start-at", "soon"],
  ]

  /// The flags that a vendor's clients do not use.
  static let strayFlags = Vendors.all.flatMap { vendor -> [[String]] in
    let others = Vendors.all.filter { $0 != vendor }.flatMap { $0.clients.flags.map { "--\($0.name)" } }
    let unused =
      (vendor.clients.sdks.isEmpty ? ["--sdk"] : []) + (vendor.clients.usualApplication == nil ? ["--application"] : [])
    return (unused + others).map { ["--dialect", vendor.scheme, $0, "x"] }
  }

  @Test(arguments: mistakes + strayFlags)
  func `a storm with impossible settings is a usage error`(words: [String]) {
    #expect(throws: UsageError.self) {
      try StormOptions(
        Arguments(
          ["--url", "ws://127.0.0.1:8080"] + words, flags: StormCommand.flags, environment: [:], operands: false,
          among: Postern.commands))
    }
  }

  @Test(
    arguments: [
      ("ws://127.0.0.1:8080", "127.0.0.1", 8080, false, nil), ("wss://gate.example", "gate.example", 443, true, nil),
      ("ws://[::1]:99/", "::1", 99, false, nil), ("ws://h/a%20b?c=d", "h", 80, false, "/a%20b?c=d"),
    ] as [(String, String, Int, Bool, String?)])
  func `a gateway's address is read as a URL`(text: String, host: String, port: Int, isTLS: Bool, path: String?) throws
  {
    let address = try StormAddress(
      Arguments.Value(text: text, source: "--url"), schemes: ("ws", "wss"), isInsecure: true)
    #expect(address.target.host == host)
    #expect(address.target.port == port)
    #expect(address.target.isTLS == isTLS)
    #expect(address.target.allowsUntrustedCertificate)
    #expect(address.path == path)
  }

  @Test(arguments: ["", "127.0.0.1", "http://h", "ws://", "ws://u:p@h", "ws://h#x"])
  func `an invalid address is refused`(text: String) {
    #expect(throws: UsageError.self) {
      try StormAddress(Arguments.Value(text: text, source: "--url"), schemes: ("ws", "wss"), isInsecure: false)
    }
  }
}

struct StormPartTests {
  @Test
  func `a part is told its number, and an ordinary process is not a part`() throws {
    var part = StormPart(
      process: 3, processes: 4, startsAt: WallTime(nanoseconds: 1_800_000_000_123_456_789), run: "5f", pins: [])
    part.clockError = -7
    #expect(try StormPart.read(part.environment) == part)
    #expect(try StormPart.read(["HOME": "/root"]) == nil)
    #expect(throws: UsageError.self) { try StormPart.read(["POSTERN_STORM_PART": "x@y"]) }
    let beyond = StormPart(process: 4, processes: 4, startsAt: WallTime(nanoseconds: 0), run: "5f", pins: [])
    #expect(throws: UsageError.self) { try StormPart.read(beyond.environment) }
    let strange = StormPart(
      process: 0, processes: 1, startsAt: WallTime(nanoseconds: 0), run: "5f",
      pins: [PinnedHost(host: "gw.example", addresses: ["another.example"])])
    #expect(throws: UsageError.self) { try StormPart.read(strange.environment) }
    let early = StormPart(process: 0, processes: 1, startsAt: WallTime(nanoseconds: .min), run: "5f", pins: [])
    #expect(throws: UsageError.self) { try StormPart.read(early.environment) }
  }

  @Test
  func `a result survives the way to the parent`() throws {
    var result = StormResult()
    result.connects.accepted = 3
    result.behaviours[.stale] = .init()
    result.probes[.beforeExpiry] = .init(cpuSeconds: 1.5, residentBytes: 2e6)
    result.latencies.connect.record(.milliseconds(3))
    let line = try StormMessage.result(result).line()
    #expect(!line.contains("\n"))
    guard case .result(let told) = try StormMessage(line: Array(line.utf8)) else {
      Issue.record("not a result")
      return
    }
    #expect(told == result)
  }
}

struct StormSettingsTests {
  private static func gateway(lead: Int = 1, spread: Int = 2, timeout: Int = 70) throws -> GatewayDescription {
    let policy = try SessionPolicy(
      refreshTimeout: .seconds(timeout), refreshLead: .seconds(lead), refreshSpread: .seconds(spread),
      anyRefreshTimeout: true)
    return GatewayDescription(
      dialects: [.init("plain", policy, .none)],
      limits: .init(
        connectionsMax: 500, connectionRate: nil, messageBytesMax: 1, bodyBytesMax: 1, headerBytesMax: 1,
        outboundBytesMax: 1),
      provider: .init(
        latencyS: 0, concurrency: nil, queueMax: 1, failureRate: 0, tokenLifeS: nil, needsSecret: false),
      loops: 1, tls: false)
  }

  @Test
  func `settings that are not given are the gateway's`() throws {
    var options = try StormOptionsTests.options("--clients", "100")
    try options.adopt(Self.gateway())
    #expect(options.plan.gateway.lead == .seconds(1) && options.plan.gateway.spread == .seconds(2))
    #expect(options.plan.gateway.timeout == .seconds(70) && options.plan.gateway.timeoutSource == .gateway)
    #expect(options.caveats.isEmpty)
  }

  @Test
  func `a wrong setting is not used and is reported, and a right one is not mentioned`() throws {
    var options = try StormOptionsTests.options(
      "--clients", "501", "--refresh-spread", "0s", "--refresh-timeout", "15s", "--refresh-lead", "1s")
    try options.adopt(Self.gateway())
    #expect(options.plan.gateway.spread == .seconds(2) && options.plan.gateway.timeout == .seconds(70))
    #expect(options.caveats.count == 3)
    #expect(options.caveats[0].hasPrefix("501 clients, but the gateway takes 500 connections at most"))
    #expect(options.caveats[1].hasPrefix("told --refresh-spread 0 s, but the gateway's own is 2.00 s"))
    #expect(options.caveats[2].hasPrefix("told --refresh-timeout 15.0 s, but the gateway's own is 70.0 s"))
  }

  @Test
  func `settings of a gateway without the dialect, or with impossible times, are not used`() throws {
    var options = try StormOptionsTests.options("--dialect", StormOptionsTests.vendor, "--clients", "10")
    try options.adopt(Self.gateway())
    #expect(options.caveats == ["the gateway's settings name no dialect \(StormOptionsTests.vendor)"])
    var description = try Self.gateway()
    description.dialects[0].refreshLeadS = .infinity
    description.dialects[0].refreshSpreadS = -1
    description.dialects[0].refreshTimeoutS = 1e300
    var plain = try StormOptionsTests.options("--clients", "10")
    try plain.adopt(description)
    #expect(plain.plan.gateway == StormPlan.GatewayTimes())
  }

  @Test
  func `flags say when tokens end if the endpoint chooses and no gateway checks them`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "tokens.json").path
    try Data(
      #"{"tokens":1,"request":{"url":"/t","json":{"u":"{{user}}"}},"answer":{"token":"/t","end":{"seconds":"/n"}}}"#
        .utf8
    )
    .write(to: URL(filePath: file))
    func options(_ words: String...) throws -> StormOptions {
      let all = ["--tokens", file, "--provider", "http://127.0.0.1:8080"] + words
      return try StormOptions(
        Arguments(all, flags: StormCommand.flags, environment: [:], operands: false, among: Postern.commands))
    }
    let early = try options("--provider-only", "--clients", "10", "--expire-after", "9s")
    #expect(early.plan.expiry == .common && early.plan.expireAfter == 9 && early.described?.takesEnds == true)
    #expect(early.caveats.contains { $0.contains("a later end") })
    let own = try options("--provider-only", "--clients", "10")
    #expect(
      own.plan.expiry == .own && own.described?.takesEnds == false
        && !own.caveats.contains { $0.contains("a later end") })
    #expect(throws: UsageError.self) { try options("--url", "ws://127.0.0.1:8080", "--expire-after", "9s") }
  }
}
