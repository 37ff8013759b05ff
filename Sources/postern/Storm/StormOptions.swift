import Foundation
import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayReport
import GatewayRuntime

/// What the flags of `postern storm` ask for, checked.
struct StormOptions {
  var plan: StormPlan
  let gateway: StormAddress
  let provider: StormAddress?
  let tokens: TokenSource
  let control: StormAddress?
  let controlSecret: Credentials?
  let dialect: any ClientDialect
  private let providerPath: String
  let thresholds: [Threshold]
  let reportDirectory: String?
  let printsJSON: Bool
  /// When the first client is to connect; nil for as soon as may be.
  private let startsAt: WallTime?
  /// What the gateway told of its settings, if its control port is known and tells them.
  var settings: GatewayDescription?
  /// What to know before one believes the figures, by those settings.
  var caveats: [String] = []

  /// What has to hold when nothing else is asked for.
  private static let usualThresholds = ["lost == 0", "connects.failed == 0", "unrefreshed == 0", "overstayed == 0"]

  init(_ arguments: Arguments) throws {
    let isInsecure = try arguments.isOn("insecure")
    guard let url = arguments.value("url") else {
      throw UsageError("--url is needed: the gateway, as ws://127.0.0.1:8080")
    }
    gateway = try StormAddress(url, schemes: ("ws", "wss"), isInsecure: isInsecure)
    provider = try arguments.value("provider").map {
      try StormAddress($0, schemes: ("http", "https"), isInsecure: isInsecure)
    }
    control = try arguments.value("control-url").map {
      try StormAddress($0, schemes: ("http", "https"), isInsecure: isInsecure)
    }
    controlSecret = try Self.credentials(arguments, "control-secret-file")
    let dialect = try StormDialect(arguments)
    self.dialect = dialect.client
    providerPath = dialect.providerPath
    tokens = try Self.tokens(arguments, dialect, provider: provider, gateway: gateway)
    guard provider?.path == nil || dialect.mayMoveProvider else {
      throw UsageError("--provider: the Platform API's paths are its own; give an address without one")
    }
    thresholds = try Self.thresholds(arguments)
    reportDirectory = arguments.string("report")
    printsJSON = try arguments.isOn("json")
    startsAt = try arguments.number("start-at", in: 0...1e11).map { WallTime(seconds: $0) }
    do {
      plan = try Self.plan(arguments)
      plan.dialect = dialect.client.name
      plan.sdk = dialect.client.sdk
      plan.comeback = dialect.comeback
      try Self.fit(&plan, arguments, gateway: gateway, isMinting: arguments.isOn("mint"))
      try plan.check()
    } catch let error as StormPlanError {
      throw UsageError("\(error)")
    }
  }

  private static func credentials(_ arguments: Arguments, _ flag: String) throws -> Credentials? {
    try arguments.secret(flag).map { Credentials(token: $0) }
  }

  private static func tokens(
    _ arguments: Arguments, _ dialect: StormDialect, provider: StormAddress?, gateway: StormAddress
  ) throws -> TokenSource {
    guard try arguments.isOn("mint") else { return .provider(provider?.target ?? gateway.target, path: provider?.path) }
    guard provider == nil else { throw UsageError("--mint and --provider are both given; one of them is meant") }
    return .minted(try dialect.issuer(arguments))
  }

  private static func thresholds(_ arguments: Arguments) throws -> [Threshold] {
    let texts = arguments.strings("threshold")
    do {
      return try (texts.isEmpty ? usualThresholds : texts).map { try Threshold(parsing: $0) }
    } catch let error as ThresholdError {
      throw UsageError("--threshold: \(error)")
    }
  }

  private static func plan(_ arguments: Arguments) throws -> StormPlan {
    var plan = StormPlan()
    if let clients = try arguments.int("clients", in: 1...1_000_000) { plan.clients = clients }
    if let rate = try arguments.number("rate", in: 0.001...1_000_000) { plan.rate = rate }
    if let ramp = try arguments.duration("ramp") { plan.ramp = ramp }
    if let hold = try arguments.duration("hold") { plan.hold = hold }
    if let mix = arguments.string("behaviour") { plan.behaviours = try BehaviourMix(parsing: mix) }
    if let expiry = arguments.value("expiry") {
      guard let choice = StormPlan.Expiry(rawValue: expiry.text) else {
        throw UsageError(expiry.source, value: expiry.text, expected: "common or own")
      }
      plan.expiry = choice
    }
    plan.expireAfter = try arguments.duration("expire-after")?.inSeconds
    if let life = try arguments.duration("life") { plan.life = life }
    if let jitter = try arguments.share("jitter") { plan.jitter = jitter }
    if let waves = try arguments.int("waves", in: 1...1000) { plan.waves = waves }
    plan.gateway = try times(arguments)
    if let delay = try arguments.duration("slow-delay") { plan.slowDelay = delay }
    plan.reconnects = try arguments.isOn("reconnect")
    if let fetches = try arguments.int("fetches", in: 1...60_000) { plan.fetches = fetches }
    if let timeout = try arguments.duration("fetch-timeout") { plan.fetchTimeout = timeout }
    if let timeout = try arguments.duration("connect-timeout") { plan.connectTimeout = timeout }
    if let loops = try arguments.int("loops", in: 1...64) { plan.loops = loops }
    if let seed = try arguments.int("seed", in: 0 ... .max) { plan.seed = UInt64(seed) }
    plan.bound = try arguments.duration("timeout")?.inSeconds
    return plan
  }

  private static func times(_ arguments: Arguments) throws -> StormPlan.GatewayTimes {
    var times = StormPlan.GatewayTimes()
    if let lead = try arguments.duration("refresh-lead") {
      times.lead = lead
      times.leadSource = .told
    }
    if let spread = try arguments.duration("refresh-spread") {
      times.spread = spread
      times.spreadSource = .told
    }
    if let timeout = try arguments.duration("refresh-timeout") {
      times.timeout = timeout
      times.timeoutSource = .told
    }
    return times
  }

  /// Sets the processes and source addresses that the fleet needs, unless they were asked for.
  private static func fit(
    _ plan: inout StormPlan, _ arguments: Arguments, gateway: StormAddress, isMinting: Bool
  ) throws {
    let room = DescriptorLimit.raised() - DescriptorLimit.reserve - (isMinting ? 0 : plan.fetches)
    guard room > 0 else {
      throw UsageError("the limit of descriptors leaves no room for clients beside --fetches \(plan.fetches)")
    }
    let needed = (plan.clients + room - 1) / room
    plan.processes = try arguments.int("processes", in: 1...64) ?? needed
    guard plan.processes >= needed else {
      throw UsageError(
        "--processes \(plan.processes) is too few: the limit of descriptors lets a process have \(room) clients, so "
          + "\(plan.clients) need \(needed)")
    }
    let isLoopback = gateway.target.host.hasPrefix("127.") || gateway.target.host == "localhost"
    // An address has 28,000 ports by default, and each request to the provider takes one for a while as well.
    let usual = isLoopback && plan.clients > 5000 ? min(254, 1 + plan.clients / 5000) : 0
    plan.sources = try arguments.int("sources", in: 0...254) ?? usual
  }

  /// The part of the storm that one process has.
  func setup(startsAt: WallTime, process: Int) -> StormSetup {
    var setup = StormSetup(
      plan: plan, dialect: dialect, gateway: gateway.target, tokens: tokens, startsAt: startsAt)
    setup.upgradeTarget = gateway.path
    setup.control = control?.target
    setup.controlSecret = controlSecret
    setup.process = process
    return setup
  }

  /// When the first client connects, if everything is ready at `ready`: so that the common expiry falls on a whole
  /// second, in which vendors date their tokens, unless the time was given.
  func start(ready: WallTime) -> WallTime {
    if let startsAt { return startsAt }
    guard plan.dialect != "plain", plan.expiry == .common else { return ready }
    let second: Int64 = 1_000_000_000
    let past = (ready + plan.expiresAfter).nanoseconds % second
    return past == 0 ? ready : ready + .nanoseconds(second - past)
  }

  var gatewayText: String { gateway.text(scheme: "ws", defaultPath: dialect.upgradeTarget) }

  var providerText: String {
    switch tokens {
    case .minted: "none: the clients minted their tokens"
    case .provider(let target, _): (provider ?? StormAddress(target)).text(scheme: "http", defaultPath: providerPath)
    }
  }
}
